// Package indexer has the cache of an informer: a store with index functions. One writer applies deltas to it, and
// returns the notifications for handlers.
package indexer

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// ErrNoIndex is wrapped by reads of an index that was never added, or was removed.
var ErrNoIndex = errors.New("no such index")

// Indexer is a cache of objects by name, with indexes. Readers never wait for an index function
// or for a handler. They wait for a writer only while it stores a batch. Writers take turns.
type Indexer struct {
	store *store.Store
	// stopped is the result of Err.
	stopped atomic.Pointer[error]
	// arrivals calls the index functions early. It is nil without CallEarly.
	arrivals *Arrivals

	writing sync.Mutex // serializes writers, and guards the fields below
	// functions has the functions of the store's indexes, without the one by namespace.
	functions []Function
	// entries and room, the values of their indexes, are those of the batch that is being
	// stored. The next batch reuses their memory.
	entries     []store.Entry
	room        [][]string
	freeEntries freelist.List[store.Entry]
	freeRoom    freelist.List[[]string]
}

// NamespaceIndex is the name of the index by namespace.
const NamespaceIndex = "namespace"

// New returns an empty Indexer of objects of one form, with NamespaceIndex.
func New(form store.Form) *Indexer {
	return &Indexer{store: store.New(NamespaceIndex, form)}
}

// KeepHashes makes an empty Indexer keep content hashes. Without them, objects are compared deeply when they are
// listed again.
func (x *Indexer) KeepHashes() { x.store.KeepHashes() }

// CallEarly returns the Arrivals of x, which call the index functions for objects that have arrived, one at a time. The writer calls those again that
// its results do not have. CallEarly is called before the Indexer has an index function.
func (x *Indexer) CallEarly() *Arrivals {
	x.arrivals = newArrivals()
	return x.arrivals
}

// Check returns an error if an invariant of the tables is broken. It is for tests.
func (x *Indexer) Check() error { return x.store.Check() }

// AddIndexes adds indexes over the present and future objects. It fails, without adding
// any, if there is one of the same name.
func (x *Indexer) AddIndexes(functions ...Function) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	known := x.store.Indexes()
	names := make([]string, len(functions))
	for i, function := range functions {
		if slices.Contains(known, function.Name) {
			return fmt.Errorf("indexer conflict: index %q already exists", function.Name) // client-go's words
		}
		names[i] = function.Name
	}
	call := x.arrivals.calling()
	defer call.guard()
	x.store.AddIndexes(names, func(i int, obj wire.Object) []string {
		return call.allValuesOf(nil, functions[i:i+1], obj)[0]
	})
	x.functions = append(x.functions, functions...)
	x.arrivals.publish(x.functions)
	return nil
}

// RemoveIndexes removes indexes. NamespaceIndex stays, and names of no index have no effect.
func (x *Indexer) RemoveIndexes(names ...string) {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.store.RemoveIndexes(names)
	x.functions = slices.DeleteFunc(x.functions, func(function Function) bool { return slices.Contains(names, function.Name) })
	x.arrivals.publish(x.functions)
}

// Functions returns the index functions, but for that of NamespaceIndex.
func (x *Indexer) Functions() []Function {
	x.writing.Lock()
	defer x.writing.Unlock()
	return slices.Clone(x.functions)
}

// Err returns the error of Empty, or nil. A reader that misses an object calls it then.
func (x *Indexer) Err() error {
	if err := x.stopped.Load(); err != nil {
		return *err
	}
	return nil
}

// Empty removes all objects and releases their memory. A reader that misses an object then
// gets err from Err.
func (x *Indexer) Empty(err error) {
	x.stopped.Store(&err) // first: a reader calls Err after it has missed an object
	x.writing.Lock()
	defer x.writing.Unlock()
	x.store.Begin()
	defer x.store.End()
	x.store.Clear()
}

// Get returns the object of that name, for a reader, and reports whether there is one. It allocates
// nothing and takes no lock. It retries under the read lock if it misses during a write, or
// if the objects are of an interface type. States of one object never go back.
func (x *Indexer) Get(name listed.Name) (wire.Object, bool) {
	return x.store.Get(name.Namespace, name.Name)
}

// Held returns the object of that name, not opened, and the hash of the text that it was decoded from, of one moment.
func (x *Indexer) Held(namespace, name string) (obj wire.Object, contentHash uint64, ok bool) {
	return x.store.Held(namespace, name)
}

// List returns all objects, in no particular order.
func (x *Indexer) List() store.Objects { return x.store.List() }

// All returns the objects that are there.
func (x *Indexer) All() store.Walk { return x.store.All() }

// Len returns the number of objects.
func (x *Indexer) Len() int { return x.store.Len() }

// Sample returns up to n objects, from all parts of the cache.
func (x *Indexer) Sample(n int) []wire.Object { return x.store.Sample(n) }

// Sizes returns the sizes of the indexes, first that of NamespaceIndex.
func (x *Indexer) Sizes() []store.IndexSize { return x.store.IndexSizes() }

// ByIndex returns the objects that the index has under value, in no particular
// order. The error wraps ErrNoIndex, or is that of Err if there are no objects.
func (x *Indexer) ByIndex(index, value string) (store.Objects, error) {
	objs, ok := x.store.ByIndex(index, value)
	if !ok {
		return objs, x.noIndex(index)
	}
	return x.found(objs)
}

// found returns the result of a read, or the result of Err if nothing was found.
func (x *Indexer) found(objs store.Objects) (store.Objects, error) {
	if objs.Len() == 0 {
		if err := x.Err(); err != nil {
			return store.Objects{}, err
		}
	}
	return objs, nil
}

// ByIndexIn returns those of a namespace.
func (x *Indexer) ByIndexIn(namespace, index, value string) (store.Objects, error) {
	objs, ok := x.store.ByIndexIn(namespace, index, value)
	if !ok {
		return objs, x.noIndex(index)
	}
	return x.found(objs)
}

func (x *Indexer) noIndex(name string) error {
	names := x.store.Indexes()
	slices.Sort(names)
	return fmt.Errorf("%w: %q; there are %q", ErrNoIndex, name, names)
}

// AllByIndex returns the objects that the index has under value: none if there is no such index.
func (x *Indexer) AllByIndex(index, value string) store.Walk {
	return x.store.AllByIndex(index, value)
}

// Select returns the objects that selector matches; nil matches all. It allocates
// only the result, and holds no lock while it calls the selector.
func (x *Indexer) Select(selector labels.Selector) (store.Objects, error) {
	if selector == nil || selector.Empty() {
		return x.found(x.List())
	}
	return x.found(x.store.Collect(selectedBy(selector, x.All().Each())))
}

// SelectByIndex does the same with the objects that an index has under value.
func (x *Indexer) SelectByIndex(index, value string, selector labels.Selector) (store.Objects, error) {
	if selector == nil || selector.Empty() {
		return x.ByIndex(index, value)
	}
	return x.found(x.store.Collect(selectedBy(selector, x.AllByIndex(index, value).EachSlot())))
}

func selectedBy(selector labels.Selector, objs iter.Seq[wire.Object]) iter.Seq[wire.Object] {
	return func(yield func(wire.Object) bool) {
		for obj := range objs {
			if selector.Matches(labels.Set(obj.GetLabels())) && !yield(obj) {
				return
			}
		}
	}
}

// HasValue reports whether an index has objects under value. It also returns the number
// of values of the index.
func (x *Indexer) HasValue(index, value string) (has bool, values int) {
	return x.store.HasValue(index, value)
}

// Values returns the values under which the index has objects. It returns nil for an index that does not exist.
func (x *Indexer) Values(index string) []string { return x.store.Values(index) }
