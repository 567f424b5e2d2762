package clientgo

import (
	"fmt"
	"reflect"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// TransformFunc returns a transform of client-go as one of an informer. As in client-go, it gets
// each object once, and never a DeletedFinalStateUnknown. A result of another type than T is an
// error.
func TransformFunc[T cache.Object](transform toolscache.TransformFunc) cache.TransformFunc[T] {
	changed := transformTo(reflect.TypeFor[T](), transform)
	if changed == nil {
		return nil
	}
	return func(obj T) (result T, err error) {
		of, err := changed(obj)
		if of != nil {
			result = of.(T)
		}
		return result, err
	}
}

// transformTo returns a transform of client-go as one of objects of a Go type. It returns nil for nil.
func transformTo(of reflect.Type, transform toolscache.TransformFunc) cache.TransformFunc[cache.Object] {
	if transform == nil {
		return nil
	}
	return func(obj cache.Object) (cache.Object, error) {
		result, err := transform(obj)
		if err != nil {
			return obj, err
		}
		if is := reflect.TypeOf(result); is == nil || !is.AssignableTo(of) {
			return obj, fmt.Errorf("the function returned a %T instead of a %v", result, of)
		}
		if value := reflect.ValueOf(result); value.Kind() == reflect.Pointer && value.IsNil() {
			return nil, nil
		}
		return result.(cache.Object), nil
	}
}
