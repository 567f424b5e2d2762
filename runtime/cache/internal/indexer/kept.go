package indexer

import "github.com/typedinformers/informer-gen/runtime/wire"

// Kept is an object of a store.Keeper.
type Kept interface {
	// Open returns the Go value that it stands for. It belongs to the caller, unless the object has just arrived.
	Open() wire.Object
	// Values returns the result of the function of CallEarly; nil if that was not called.
	Values() *Values
}

// Values are the values of the index functions for an object. of tells which functions they are.
type Values struct {
	of    uint64
	lists [][]string
}

// Open returns the Go value that an object stands for; obj itself, if it is no Kept. It is not inlined: packages that use a
// cache would compile it again.
//
//go:noinline
func Open(obj wire.Object) wire.Object {
	if kept, is := obj.(Kept); is {
		return kept.Open()
	}
	return obj
}
