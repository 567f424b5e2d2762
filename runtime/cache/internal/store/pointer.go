package store

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// isPointer reports whether T is a pointer type, so that loadPointer and storePointer
// may be used. The method set of an Object excludes unsafe.Pointer, and an interface
// type has two words.
func isPointer[T any]() bool { return reflect.TypeFor[T]().Kind() == reflect.Pointer }

// loadPointer loads a pointer while storePointer may store another one there, and reports
// whether it is not nil. This is
// what lets Get read without a lock. It is sound for these reasons:
//
//   - Layout: T is a pointer type, see isPointer. It has the size, the alignment and the
//     pointer map of an unsafe.Pointer, so *T may be converted to *unsafe.Pointer and back
//     (rule 1 of package unsafe).
//   - Memory model: an atomic load that observes an atomic store is synchronized after it
//     (https://go.dev/ref/mem#atomic). All writes to the object, which the writer or the
//     decoder made before the store, are visible to the reader. The cache never writes to
//     an object after that.
//   - Mixed access: the memory of a chunk is written by storePointer only, once it has been
//     published, and published by an atomic store of the pointer to the chunk. Plain reads of
//     that memory are made by the writer, which is the only one that stores; by readers that
//     hold the lock, which the writer holds while it stores; and by readers of a snapshot,
//     whose chunks the writer copies instead of changing them. So no plain read is concurrent
//     with a store, and the race detector, which knows both functions of sync/atomic, agrees.
//   - Garbage collection: atomic.StorePointer has the write barrier, and the slot's type is
//     still T, so the collector finds the pointer there.
//
// The object that it returns need not be the one that the caller looks for: the writer may
// move objects meanwhile. The caller compares its name.
func loadPointer[T any](slot *T) (pointer T, ok bool) {
	p := atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(slot)))
	return *(*T)(unsafe.Pointer(&p)), p != nil
}

// storePointer stores a pointer that loadPointer may load at the same time. See there.
func storePointer[T any](slot *T, pointer T) {
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(slot)), *(*unsafe.Pointer)(unsafe.Pointer(&pointer)))
}
