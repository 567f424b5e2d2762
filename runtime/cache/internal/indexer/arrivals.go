package indexer

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/pack"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// arrivals calls the index functions for each packed object when it arrives, in the goroutine that has decoded it. Later the
// object would have to be decoded again. Its methods may be called on nil, for a cache of objects that are not packed.
type arrivals struct {
	// calls serializes the calls of index functions, as for other caches.
	calls sync.Mutex
	known atomic.Pointer[functions]
}

// functions are the index functions, in the order of the indexes. The number changes when functions are added or removed.
type functions struct {
	number uint64
	list   []Function
}

// arrivalsOf returns the arrivals of a cache.
func arrivalsOf(form *store.Form) *arrivals {
	packing := store.PackingOf(form)
	if packing == nil {
		return nil
	}
	a := &arrivals{}
	a.known.Store(&functions{})
	packing.IndexWith(a.values)
	return a
}

// publish sets the functions. The caller is the only one at a time.
func (a *arrivals) publish(list []Function) {
	if a != nil {
		a.known.Store(&functions{a.known.Load().number + 1, slices.Clone(list)})
	}
}

// isOf reports whether values are those of all functions.
func (a *arrivals) isOf(values *pack.Values) bool {
	return values != nil && values.Of == a.known.Load().number
}

// values calls the functions. If one of them panics, it returns none: the writer calls them again, and reports the panic.
func (a *arrivals) values(obj wire.Object) (values *pack.Values) {
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
	return &pack.Values{Of: known.number, Lists: call.allValuesOf(make([][]string, 0, len(known.list)), known.list, obj)}
}

// calling returns a calling for calls that arrivals wait for.
func (a *arrivals) calling() calling {
	if a == nil {
		return calling{}
	}
	return calling{others: &a.calls}
}
