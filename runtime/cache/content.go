package cache

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
)

// heldFunc returns the object of that name that the cache holds, and its content hash, 0
// if that is not known.
type heldFunc[T Object] func(ObjectName) (obj T, contentHash uint64, ok bool)

// keepHashes makes an empty Indexer keep the content hash of each object, and returns
// what it holds. Without it, objects are compared deeply when they are listed again.
func (x *Indexer[T]) keepHashes() heldFunc[T] {
	x.keepsHashes = true
	return x.held
}

// held returns an object and its content hash, which are of one moment. It waits for a
// batch that is just entered.
func (x *Indexer[T]) held(name ObjectName) (obj T, contentHash uint64, ok bool) {
	hash := hashOf(name)
	x.mu.RLock()
	defer x.mu.RUnlock()
	place, obj, ok := x.find(name, hash)
	if ok {
		contentHash = x.contentAt(place)
	}
	return obj, contentHash, ok
}

// contentAt returns the content hash of the object at a place. The caller is the writer,
// or keeps it out.
func (x *Indexer[T]) contentAt(place uint32) uint64 {
	if !x.keepsHashes {
		return 0
	}
	return x.contents[place]
}

func (x *Indexer[T]) setContent(place uint32, contentHash uint64) {
	if x.keepsHashes {
		x.contents[place] = contentHash
	}
}

// pushContent adds the content hash of the object that was pushed.
func (x *Indexer[T]) pushContent(contentHash uint64) {
	if x.keepsHashes {
		x.contents = append(x.contents, contentHash)
	}
}

// popContent removes the content hash of the last object.
func (x *Indexer[T]) popContent() {
	if x.keepsHashes {
		x.contents = shrunk(x.contents[:len(x.contents)-1])
	}
}

// equalContent reports whether a and b are deeply equal, but for kind and apiVersion:
// client-go's typed clients leave them in the items of a list of custom resources, and
// take them out of the events of a watch. It changes neither.
func equalContent[T Object](a, b T) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	if _, untyped := any(b).(runtime.Unstructured); untyped {
		return false
	}
	return reflect.DeepEqual(withoutKind(a), withoutKind(b))
}

// withoutKind returns a copy of obj without kind and apiVersion.
func withoutKind[T Object](obj T) T {
	of := reflect.ValueOf(obj).Elem()
	copied := reflect.New(of.Type())
	copied.Elem().Set(of)
	if dropKind(copied.Elem()) {
		return copied.Interface().(T)
	}
	if safemeta.KindOf(obj).Empty() {
		return obj
	}
	deep := obj.DeepCopyObject().(T) // its kind may be behind a pointer
	deep.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return deep
}

var objectKind = reflect.TypeFor[schema.ObjectKind]()

// dropKind sets the embedded field that has the kind, a TypeMeta or a pointer to one, to
// zero. It copies what leads there, of which v is a copy already. It returns false if no
// embedded field has the kind.
func dropKind(v reflect.Value) bool {
	if v.Kind() != reflect.Struct {
		return false
	}
	for f, field := range v.Fields() {
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
