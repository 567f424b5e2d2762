package store

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Form is how a Store keeps the objects of one Go type. The zero Form is that of an interface type, whose values have
// two words each.
type Form struct {
	// of is the Go type of the objects.
	of reflect.Type
	// object returns the object of a word, and ifOfType the word of an object if it is of the Go type. They are nil for an
	// interface type.
	object   func(word unsafe.Pointer) wire.Object
	ifOfType func(obj wire.Object) (word unsafe.Pointer, is bool)
	// keeper, if it is not nil, has made the words.
	keeper Keeper
}

// FormOf returns the form of T. Its functions are the only ones of this package that are compiled for each type.
//
// If T is a pointer type, it has the size, the alignment and the pointer map of an unsafe.Pointer. So a *T may be
// converted to a *unsafe.Pointer and back (rule 1 of package unsafe), and a []unsafe.Pointer may be read as a []T. The
// method set of an Object excludes unsafe.Pointer itself. A word of another type would be read as a T, and no race
// detector sees that: the assertion in ifOfType prevents it.
func FormOf[T wire.Object]() Form {
	of := reflect.TypeFor[T]()
	if of.Kind() != reflect.Pointer {
		return Form{of: of}
	}
	return Form{
		of:     of,
		object: func(word unsafe.Pointer) wire.Object { return *(*T)(unsafe.Pointer(&word)) },
		ifOfType: func(obj wire.Object) (word unsafe.Pointer, is bool) {
			typed, is := obj.(T)
			return *(*unsafe.Pointer)(unsafe.Pointer(&typed)), is
		},
	}
}

// word returns the word of an object, and panics if it is of another type.
func (f *Form) word(obj wire.Object) unsafe.Pointer {
	word, is := f.ifOfType(obj)
	if !is {
		panic(fmt.Sprintf("cache: a %T is to be stored in a cache of %v", obj, f.of))
	}
	return word
}

// KeptForm returns the form of the same objects, kept by a Keeper. Their Go type may be an interface type.
func KeptForm(f Form, keeper Keeper) Form {
	return Form{
		of: f.of, keeper: keeper, object: keeper.Object,
		ifOfType: func(obj wire.Object) (word unsafe.Pointer, is bool) {
			if f.of.Kind() != reflect.Interface && keeper.TypeOf(obj) != f.of {
				return nil, false
			}
			return keeper.Word(obj), true
		},
	}
}

// open returns the object of a word for a reader.
//
//go:noinline
func (f *Form) open(word unsafe.Pointer) wire.Object {
	if f.keeper != nil {
		return f.keeper.Open(word)
	}
	return f.object(word)
}

// Type returns the Go type of the objects.
func (f *Form) Type() reflect.Type { return f.of }

// Accepts reports whether an object is of the Go type, or implements it.
func (f *Form) Accepts(obj wire.Object) bool {
	of := reflect.TypeOf(obj)
	if f.keeper != nil {
		of = f.keeper.TypeOf(obj)
	}
	return of == f.of || f.of.Kind() == reflect.Interface && of != nil && (f.of == objectType || of.Implements(f.of))
}

var objectType = reflect.TypeFor[wire.Object]()

// hasWords reports whether an object has one word.
func (f *Form) hasWords() bool { return f.object != nil }

// Objects is the result of a read, in one of two forms.
type Objects struct {
	form    *Form
	words   []unsafe.Pointer
	objects []wire.Object
}

// Len returns the number of objects.
func (o Objects) Len() int { return len(o.words) + len(o.objects) }

// Typed returns objects as a slice of T, which is their Go type or an interface type that it implements. It belongs to
// the caller. It copies only objects of another type than T, and those of a Keeper.
func Typed[T wire.Object](o Objects) []T {
	if o.words != nil && o.form.keeper == nil && o.form.of == reflect.TypeFor[T]() {
		return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(o.words))), len(o.words))
	}
	if same, is := any(o.objects).([]T); is && o.words == nil {
		return same
	}
	if o.words == nil && o.objects == nil {
		return nil
	}
	objs := make([]T, 0, o.Len())
	for _, word := range o.words {
		objs = append(objs, o.form.open(word).(T))
	}
	for _, obj := range o.objects {
		objs = append(objs, obj.(T))
	}
	return objs
}

// Each calls yield with each object until that returns false, which it reports. It allocates nothing, but for those of a Keeper.
func Each[T wire.Object](o Objects, yield func(T) bool) bool {
	if o.words != nil && (o.form.keeper != nil || o.form.of != reflect.TypeFor[T]()) {
		for _, word := range o.words {
			if !yield(o.form.open(word).(T)) {
				return false
			}
		}
		return true
	}
	for _, obj := range Typed[T](o) {
		if !yield(obj) {
			return false
		}
	}
	return true
}

// loadWord loads a word while storeWord may store another one there. This lets Get read without a lock. It is
// sound for these reasons:
//
//   - Memory model: an atomic load that observes an atomic store is synchronized after it
//     (https://go.dev/ref/mem#atomic). All writes to the object, which the writer or the
//     decoder made before the store, are visible to the reader. The cache never writes to
//     an object after that.
//   - Mixed access: the memory of a chunk is written by storeWord only, once it has been
//     published, and published by an atomic store of the pointer to the chunk. Plain reads of
//     that memory are made by the writer, which is the only one that stores; by readers that
//     hold the lock, which the writer holds while it stores; and by readers of a snapshot,
//     whose chunks the writer copies instead of changing them. So no plain read is concurrent
//     with a store, and the race detector, which knows both functions of sync/atomic, agrees.
//   - Garbage collection: atomic.StorePointer has the write barrier, and the collector finds the pointer in the slot.
//
// The word need not be that of the object that the caller looks for: the writer may move objects meanwhile. The caller compares
// the step of the writer before and after, or the name of the object.
func loadWord(slot *unsafe.Pointer) unsafe.Pointer { return atomic.LoadPointer(slot) }

// storeWord stores a word that loadWord may load at the same time. See there.
func storeWord(slot *unsafe.Pointer, word unsafe.Pointer) { atomic.StorePointer(slot, word) }
