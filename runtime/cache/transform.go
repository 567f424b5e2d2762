package cache

import (
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/gate"
)

// TransformFunc changes an object before it is stored, for example to drop fields that
// the program does not read. It may change and return obj, or return another object of
// the same name. An informer calls it from one goroutine at a time, once for each state that
// it reads, and over a typed client again after a relist. The result has to depend on the
// state alone: otherwise a relist causes an update. An error keeps the object out of the
// cache and fails the list, with the object's name.
type TransformFunc[T Object] func(obj T) (T, error)

// erasedTransform returns a TransformFunc as the machine calls it. It returns nil for a nil T.
func erasedTransform[T Object](f TransformFunc[T]) gate.Transform {
	if f == nil {
		return nil
	}
	return func(obj Object) (Object, error) {
		result, err := f(obj.(T))
		var none T
		if any(result) == any(none) {
			return nil, err
		}
		return result, err
	}
}

// oneAtATime returns transform as several goroutines may call it, if they do: the Reflectors of
// several scopes, and writers.
func oneAtATime(transform gate.Transform) gate.Transform {
	if transform == nil {
		return transform
	}
	var calls atomic.Int32 // in progress and waiting
	turn := make(chan struct{})
	return func(obj Object) (Object, error) {
		if calls.Add(1) > 1 {
			<-turn
		}
		defer func() {
			if calls.Add(-1) > 0 {
				turn <- struct{}{}
			}
		}()
		return transform(obj)
	}
}
