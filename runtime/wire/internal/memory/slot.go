// Package memory has the means by which decoders of all encodings write objects: addresses of values,
// and strings that are shared between objects. slot.go has all uses of unsafe.
package memory

import (
	"reflect"
	"unsafe"
)

// This file has all uses of unsafe. Decoders write through addresses because reflect
// checks and copies at each step. They rely on two rules, which
// packages that make decoders keep:
//
//   - Type: a slot has the type that its decoder was made for. The types, offsets and
//     sizes all come from reflect, of the same types.
//   - Lifetime: memory that slots refer to was allocated by reflect with its type. So it
//     is aligned, and the garbage collector knows where it has pointers. A slot is a
//     pointer to it, so it is not freed while a slot refers to it.

// Slot is the address of a value that is decoded. It has the layout of a Go pointer.
type Slot struct{ at unsafe.Pointer }

// SlotOf returns the slot of the value that pointer refers to.
func SlotOf(pointer reflect.Value) Slot { return Slot{pointer.UnsafePointer()} }

// As returns a pointer to the value in p. V has to be its type, or one of the same
// underlying type: layout, alignment and pointers are then the same. For a value that is
// a pointer, V is Slot: both are one word that the garbage collector reads as a pointer,
// and a write to it has a write barrier.
func As[V any](p Slot) *V { return (*V)(p.at) }

// Plus returns the slot of a field, or of an element, of the value in p. The offset is less
// than the size of the allocation, except for a field or element without size. Go adds
// padding after a struct that ends with one, so that its address is inside, too.
func (p Slot) Plus(offset uintptr) Slot { return Slot{unsafe.Add(p.at, offset)} }

// Pointer returns a pointer to the value in p, of type t, for reflection.
func (p Slot) Pointer(t reflect.Type) reflect.Value { return reflect.NewAt(t, p.at) }

// MoveSlice moves the slice in from to the slot to, and leaves nil in from. Both are slices of
// one type. A slice of any type has the layout of a []byte: a pointer, which is written with
// a write barrier, and two integers. reflect.NewAt(t, to.at).Elem().Set would do the same, but
// looks up the type of the pointer first. An object like a Pod takes 3 % longer to decode then.
func MoveSlice(to, from Slot) {
	*As[[]byte](to) = *As[[]byte](from)
	*As[[]byte](from) = nil
}

// SizeOf returns the size of a V in bytes.
func SizeOf[V any]() uintptr {
	var zero V
	return unsafe.Sizeof(zero)
}
