package cache

import (
	"iter"
	"slices"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Store is a cache as its readers see it. All methods may be called from any goroutine.
// The result of one call is of one moment. The objects are shared and must not be changed.
type Store[T Object] interface {
	// Get returns the object of that name, and reports whether there is one.
	Get(name ObjectName) (T, bool)
	// List returns all objects, in no particular order. The slice belongs to the
	// caller.
	List() []T
	// All ranges over the objects that are there when the range begins.
	All() iter.Seq[T]
	// Len returns the number of objects.
	Len() int
}

// IndexFunc returns the values under which an index finds obj. The index leaves obj out if
// there are none. The result must depend on obj alone. An IndexFunc must not change obj,
// must not change the slice after the return, and must not call the informer or the
// factory. It is called once for each state of an object, without a lock that readers need.
type IndexFunc[T Object] func(obj T) []string

// Indexers are index functions by the name of their index.
type Indexers[T Object] map[string]IndexFunc[T]

// NamespaceIndex is the name of the index by namespace, which every Indexer has.
const NamespaceIndex = indexer.NamespaceIndex

// erasedIndexers returns the functions as the machine calls them.
func erasedIndexers[T Object](indexers Indexers[T]) []indexer.Function {
	functions := make([]indexer.Function, 0, len(indexers))
	for name, values := range indexers {
		function := indexer.Function{Name: name, Typed: values}
		if values != nil {
			function.Values = func(obj Object) []string { return values(obj.(T)) }
		}
		functions = append(functions, function)
	}
	return functions
}

// otherIndexes returns functions without one for NamespaceIndex.
func otherIndexes(functions []indexer.Function) []indexer.Function {
	return slices.DeleteFunc(functions, func(function indexer.Function) bool { return function.Name == NamespaceIndex })
}

// Indexer is a cache of objects by name, with indexes. Readers never wait for an IndexFunc
// or for a handler. They wait for a writer only while it stores a batch. Writers take turns.
// The informer is the only writer of its Indexer. Add, Update and Delete are for tests that
// seed a cache without a server, and for caches without an informer.
type Indexer[T Object] indexerFace

// indexerFace has the fields of all Indexers.
type indexerFace struct{ machine objects }

// objects is an indexer.Indexer as its faces see it.
type objects interface {
	Get(name listed.Name) (wire.Object, bool)
	List() store.Objects
	All() store.Walk
	Len() int
	ByIndex(index, value string) (store.Objects, error)
	AllByIndex(index, value string) store.Walk
	Values(index string) []string
	Err() error
	AddIndexes(functions ...indexer.Function) error
	RemoveIndexes(names ...string)
	Functions() []indexer.Function
	Put(obj wire.Object)
	Delete(obj wire.Object)
	Replace(items []wire.Item)
}

// NewIndexer returns an empty Indexer with these indexes and NamespaceIndex. It ignores an
// entry of indexers with the name NamespaceIndex.
func NewIndexer[T Object](indexers Indexers[T]) *Indexer[T] {
	return &Indexer[T]{newObjects(store.FormOf[T](), erasedIndexers(indexers))}
}

func newObjects(form store.Form, functions []indexer.Function) objects {
	x := indexer.New(form)
	_ = x.AddIndexes(otherIndexes(functions)...) // no name is taken yet
	return x
}

// AddIndexers adds indexes over the present and future objects. It fails, without adding
// any, if there is one of the same name.
func (x *Indexer[T]) AddIndexers(indexers Indexers[T]) error {
	return x.machine.AddIndexes(erasedIndexers(indexers)...)
}

// RemoveIndexers removes indexes. Their functions are no longer called. Reads by their names return
// an error that wraps ErrNoIndex, and an Index has no objects. NamespaceIndex stays, and names of
// no index have no effect.
func (x *Indexer[T]) RemoveIndexers(names ...string) { x.machine.RemoveIndexes(names...) }

// Indexers returns a copy of the index functions, with that of NamespaceIndex.
func (x *Indexer[T]) Indexers() Indexers[T] {
	indexers := Indexers[T]{NamespaceIndex: func(obj T) []string { return []string{obj.GetNamespace()} }}
	for _, function := range x.machine.Functions() {
		values, is := function.Typed.(IndexFunc[T])
		if !is { // it was added to the informer as one of objects of another interface type
			values = func(obj T) []string { return function.Values(obj) }
		}
		indexers[function.Name] = values
	}
	return indexers
}

// Err returns an error that wraps ErrStopped, with the resource, after Stop of the informer,
// which empties the cache. Otherwise it returns nil. A caller that concludes from a missing
// object that it was deleted calls Err after it has missed the object. Methods of the Indexer
// and of listers that return an error do so.
func (x *Indexer[T]) Err() error { return x.machine.Err() }

// Get returns the object of that name, and reports whether there is one. It allocates
// nothing and takes no lock. It retries under the read lock if it misses during a write, or
// if T is an interface type. States of one object never go back. After Stop of the informer
// there are no objects, and Err says so.
func (x *Indexer[T]) Get(name ObjectName) (obj T, exists bool) {
	found, exists := x.machine.Get(listed.Name(name))
	if !exists {
		return obj, false
	}
	return found.(T), true
}

// GetByKey is Get with the key of a work queue. It returns an error for a key that is
// neither "name" nor "namespace/name", and one that wraps ErrStopped instead of a miss after
// Stop of the informer.
func (x *Indexer[T]) GetByKey(key string) (obj T, exists bool, err error) {
	name, err := ParseObjectName(key)
	if err != nil {
		return obj, false, err
	}
	if obj, exists = x.Get(name); !exists {
		return obj, false, x.Err()
	}
	return obj, true, nil
}

// List returns all objects, in no particular order.
func (x *Indexer[T]) List() []T { return store.Typed[T](x.machine.List()) }

// All ranges over the objects that are there when the range begins. It allocates
// nothing.
func (x *Indexer[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		all := x.machine.All()
		for i := range all.Parts() {
			if !store.Each(all.Part(i), yield) {
				return
			}
		}
	}
}

// Len returns the number of objects.
func (x *Indexer[T]) Len() int { return x.machine.Len() }

// ByIndex returns the objects that the index has under value, in no particular
// order. The error wraps ErrNoIndex, or ErrStopped after Stop of the informer.
func (x *Indexer[T]) ByIndex(indexName, value string) ([]T, error) {
	objs, err := x.machine.ByIndex(indexName, value)
	return store.Typed[T](objs), err
}

// AllByIndex ranges over the objects that the index has under value when the range
// begins: over none if there is no such index. It allocates nothing.
func (x *Indexer[T]) AllByIndex(indexName, value string) iter.Seq[T] {
	return func(yield func(T) bool) {
		yieldAll(x.machine.AllByIndex(indexName, value), yield)
	}
}

func yieldAll[T Object](found store.Walk, yield func(T) bool) {
	for i := range found.Slots() {
		if !yield(found.At(i).(T)) {
			return
		}
	}
}

// IndexKeys returns the names of the objects that ByIndex returns.
func (x *Indexer[T]) IndexKeys(indexName, value string) ([]ObjectName, error) {
	objs, err := x.ByIndex(indexName, value)
	if err != nil {
		return nil, err
	}
	names := make([]ObjectName, len(objs))
	for i, obj := range objs {
		names[i] = MetaObjectToName(obj)
	}
	return names, nil
}

// ListIndexFuncValues returns the values under which the index has objects. It
// returns nil for an index that does not exist.
func (x *Indexer[T]) ListIndexFuncValues(indexName string) []string {
	return x.machine.Values(indexName)
}

// Add stores obj. It replaces an object of the same name.
func (x *Indexer[T]) Add(obj T) { x.machine.Put(obj) }

// Update is the same as Add.
func (x *Indexer[T]) Update(obj T) { x.machine.Put(obj) }

// Delete removes the object with the name of obj, if there is one.
func (x *Indexer[T]) Delete(obj T) { x.machine.Delete(obj) }

// Replace makes objs all of the objects. A cached object stays if one of objs has its
// name, UID, resourceVersion and content. If objs has two objects of one name, the last
// one counts.
func (x *Indexer[T]) Replace(objs []T) {
	items := make([]wire.Item, len(objs))
	for i, obj := range objs {
		items[i].Object = obj
	}
	x.machine.Replace(items)
}

// Index is an index of an informer, for reads without an error. Its methods may be called
// from any goroutine. The objects that they return are shared and must not be changed.
type Index[T Object] struct {
	machine objects
	name    string
}

// Get returns the objects that the index has under value, in no particular order. The
// slice belongs to the caller. After Stop of the informer there are none, and Err says so.
func (i *Index[T]) Get(value string) []T {
	objs, _ := i.machine.ByIndex(i.name, value)
	return store.Typed[T](objs)
}

// All ranges over the objects that Get returns when the range begins. It allocates
// nothing.
func (i *Index[T]) All(value string) iter.Seq[T] {
	return func(yield func(T) bool) {
		yieldAll(i.machine.AllByIndex(i.name, value), yield)
	}
}

// Err returns an error that wraps ErrStopped after Stop of the informer, and nil otherwise;
// see Indexer.Err.
func (i *Index[T]) Err() error { return i.machine.Err() }
