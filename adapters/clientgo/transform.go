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
	if transform == nil {
		return nil
	}
	return func(obj T) (T, error) {
		result, err := transform(obj)
		if err != nil {
			return obj, err
		}
		transformed, ok := result.(T)
		if !ok {
			return obj, fmt.Errorf("the function returned a %T instead of a %v", result, reflect.TypeFor[T]())
		}
		return transformed, nil
	}
}
