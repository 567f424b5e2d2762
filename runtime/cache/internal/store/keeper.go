package store

import (
	"reflect"
	"unsafe"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Keeper keeps objects in another form than their Go values, and the slots of a Store have its words. For the writer, and for
// what is passed to handlers, the object of a word is one of the Keeper, which stands for the Go value. Readers get the Go value.
// Any goroutine may call the methods, except for Count and Clear, which the writer calls between Begin and End.
type Keeper interface {
	// TypeOf returns the Go type of an object, or of the Go value that it stands for.
	TypeOf(obj wire.Object) reflect.Type
	// Word returns the word of an object, which need not be one of the Keeper.
	Word(obj wire.Object) unsafe.Pointer
	// Object returns the object of a word.
	Object(word unsafe.Pointer) wire.Object
	// Open returns the Go value of a word. It belongs to the caller.
	Open(word unsafe.Pointer) wire.Object
	// Count is called with 1 when a word is stored in a slot, and then with -1 for the word that was there, or that is removed.
	Count(word unsafe.Pointer, n int)
	// Clear is called when all words are removed at once.
	Clear()
}
