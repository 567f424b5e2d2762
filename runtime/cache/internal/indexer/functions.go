package indexer

import (
	"fmt"
	"sync"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Function is an index function, with the name of its index.
type Function struct {
	Name   string
	Values func(obj wire.Object) []string
	// Typed is the function as its owner has written it.
	Typed any
}

// calling is the call of an index function that is in progress; there is none if function
// is nil.
type calling struct {
	function *Function
	obj      wire.Object
	// others keeps out the calls of arrivals. It is nil if there are none.
	others *sync.Mutex
}

// valuesOf calls the index function.
func (c *calling) valuesOf(function *Function, obj wire.Object) []string {
	c.function, c.obj = function, obj
	values := function.Values(obj)
	c.function = nil
	return values
}

// allValuesOf appends to room the values of all functions.
func (c *calling) allValuesOf(room [][]string, functions []Function, obj wire.Object) [][]string {
	if c.others != nil {
		c.others.Lock()
		defer c.others.Unlock()
	}
	obj = Open(obj) // once for all functions
	for i := range functions {
		room = append(room, c.valuesOf(&functions[i], obj))
	}
	return room
}

// guard adds to the panic of an index function the index and the object. The caller of such
// functions defers it: one deferred call serves a batch.
func (c *calling) guard() {
	if c.function == nil {
		return
	}
	if value := recover(); value != nil {
		panic(fmt.Sprintf("index %q panicked on %s: %v", c.function.Name, listed.NameOfObject(c.obj), value))
	}
}
