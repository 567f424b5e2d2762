package indexer

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// equalContent reports whether a and b are deeply equal, except for kind and apiVersion:
// client-go's typed clients leave them in the items of a list of custom resources, and
// remove them from the events of a watch. It changes neither object.
func equalContent(a, b wire.Object) bool {
	a, b = Open(a), Open(b)
	if reflect.DeepEqual(a, b) {
		return true
	}
	if _, untyped := any(b).(runtime.Unstructured); untyped {
		return false
	}
	return reflect.DeepEqual(withoutKind(a), withoutKind(b))
}

// withoutKind returns a copy of obj without kind and apiVersion.
func withoutKind(obj wire.Object) wire.Object {
	of := reflect.ValueOf(obj).Elem()
	copied := reflect.New(of.Type())
	copied.Elem().Set(of)
	if dropKind(copied.Elem()) {
		return copied.Interface().(wire.Object)
	}
	if safemeta.KindOf(obj).Empty() {
		return obj
	}
	deep := obj.DeepCopyObject().(wire.Object) // its kind may be behind a pointer
	deep.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return deep
}

var objectKind = reflect.TypeFor[schema.ObjectKind]()

// dropKind sets the embedded field that has the kind, a TypeMeta or a pointer to one, to
// zero. It copies the structs that pointers lead to; v is a copy already. It reports whether
// there is such a field.
func dropKind(v reflect.Value) bool {
	if v.Kind() != reflect.Struct {
		return false
	}
	for i := range v.NumField() {
		f, field := v.Type().Field(i), v.Field(i)
		pointer := f.Type
		if pointer.Kind() != reflect.Pointer {
			pointer = reflect.PointerTo(pointer)
		}
		if !f.Anonymous || !pointer.Implements(objectKind) {
			continue
		}
		inner := field
		if f.Type.Kind() == reflect.Pointer && !field.IsNil() && field.CanSet() {
			copied := reflect.New(f.Type.Elem())
			copied.Elem().Set(field.Elem())
			field.Set(copied)
			inner = copied.Elem()
		}
		if dropKind(inner) {
			return true
		}
		if field.CanSet() {
			field.SetZero()
		}
		return field.CanSet()
	}
	return false
}
