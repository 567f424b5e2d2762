package indexer

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Arrivals calls the index functions for each object of a Keeper when it arrives, in the goroutine that has decoded it. Later the
// object would have to be decoded again. Its methods may be called from any goroutine, and on nil, for a cache without a Keeper.
type Arrivals struct {
	// calls serializes the calls of index functions, as for other caches.
	calls sync.Mutex
	known atomic.Pointer[functions]
}

// functions are the index functions, in the order of the indexes. The number changes when functions are added or removed.
type functions struct {
	number uint64
	list   []Function
}

// newArrivals returns Arrivals without functions.
func newArrivals() *Arrivals {
	a := &Arrivals{}
	a.known.Store(&functions{})
	return a
}

// publish sets the functions. The caller is the only one at a time.
func (a *Arrivals) publish(list []Function) {
	if a != nil {
		a.known.Store(&functions{a.known.Load().number + 1, slices.Clone(list)})
	}
}

// HasFunctions reports whether there are index functions, which need the object.
func (a *Arrivals) HasFunctions() bool { return a != nil && len(a.known.Load().list) > 0 }

// Values calls the functions. If one of them panics, it returns none: the writer calls them again, and reports the panic.
func (a *Arrivals) Values(obj wire.Object) (values *Values) {
	if a == nil {
		return nil
	}
	known := a.known.Load()
	if len(known.list) == 0 {
		return nil
	}
	defer func() {
		if recover() != nil {
			values = nil
		}
	}()
	call := a.calling()
	return &Values{known.number, call.allValuesOf(make([][]string, 0, len(known.list)), known.list, obj)}
}

// listsOf returns the values of all present functions for an object; nil if some have to be called.
func (a *Arrivals) listsOf(obj wire.Object) [][]string {
	if a == nil {
		return nil
	}
	if kept, is := obj.(Kept); is {
		if values := kept.Values(); values != nil && values.of == a.known.Load().number {
			return values.lists
		}
	}
	return nil
}

// calling returns a calling for calls that arrivals wait for.
func (a *Arrivals) calling() calling {
	if a == nil {
		return calling{}
	}
	return calling{others: &a.calls}
}
