package cache

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
)

// Store is the reading side of a cache. All methods may be called from any
// goroutine, and what one call returns is of one moment. The objects are shared
// and must not be changed.
type Store[T Object] interface {
	// Get returns the object of that name, and whether there is one.
	Get(name ObjectName) (T, bool)
	// List returns all objects, in no particular order. The slice belongs to the
	// caller.
	List() []T
	// All ranges over the objects that are there when the range begins.
	All() iter.Seq[T]
	// Len returns how many objects there are.
	Len() int
}

// IndexFunc returns the values under which an index finds obj; none leaves it
// out. It must depend on obj alone, must not change it, and must not call the
// informer or the factory. It is called once for each state of an object, without
// a lock that readers need. The index keeps the slice.
type IndexFunc[T Object] func(obj T) []string

// Indexers are index functions by the name of their index.
type Indexers[T Object] map[string]IndexFunc[T]

// NamespaceIndex is the name of the index by namespace, which every Indexer has.
const NamespaceIndex = "namespace"

// Indexer is a cache of objects by name, with indexes. Readers never wait for
// an IndexFunc or for a handler. Writers take turns; an informer's Indexer has
// one, the informer. Add, Update and Delete are for tests that seed a cache
// without a server, and for caches without an informer.
type Indexer[T Object] struct {
	writing sync.Mutex // serialises writers

	mu      sync.RWMutex // guards what follows
	items   map[ObjectName]*entry[T]
	indexes []*index[T]
}

type entry[T Object] struct {
	obj T
	// values are those of obj in each of the Indexer's indexes.
	values [][]string
}

type index[T Object] struct {
	name   string
	values IndexFunc[T]
	// entries by value. A value without entries is removed.
	entries map[string]map[*entry[T]]struct{}
}

// NewIndexer returns an empty Indexer with these indexes and NamespaceIndex.
func NewIndexer[T Object](indexers Indexers[T]) *Indexer[T] {
	x := &Indexer[T]{items: map[ObjectName]*entry[T]{}}
	x.indexes = append(x.indexes, newIndex(NamespaceIndex, func(obj T) []string { return []string{obj.GetNamespace()} }))
	for name, values := range indexers {
		if name != NamespaceIndex {
			x.indexes = append(x.indexes, newIndex(name, values))
		}
	}
	return x
}

func newIndex[T Object](name string, values IndexFunc[T]) *index[T] {
	return &index[T]{name: name, values: values, entries: map[string]map[*entry[T]]struct{}{}}
}

// AddIndexers adds indexes over what is cached and what will be. It fails,
// without adding any, if there is one of the same name.
func (x *Indexer[T]) AddIndexers(indexers Indexers[T]) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	for name := range indexers {
		if x.index(name) != nil {
			return fmt.Errorf("index %q is there already", name)
		}
	}
	// Only writers change items and indexes, and we are the one: the functions,
	// which may take long, run while readers go on.
	for name, fn := range indexers {
		idx := newIndex(name, fn)
		values := make(map[*entry[T]][]string, len(x.items))
		for _, e := range x.items {
			values[e] = idx.valuesOf(e.obj)
			idx.insert(e, values[e])
		}
		x.mu.Lock()
		x.indexes = append(x.indexes, idx)
		for e, v := range values {
			e.values = append(e.values, v)
		}
		x.mu.Unlock()
	}
	return nil
}

// Get returns the object of that name, and whether there is one.
func (x *Indexer[T]) Get(name ObjectName) (T, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if e := x.items[name]; e != nil {
		return e.obj, true
	}
	var none T
	return none, false
}

// GetByKey is Get with the key of a work queue. It fails for a key that no
// object can have.
func (x *Indexer[T]) GetByKey(key string) (obj T, exists bool, err error) {
	name, err := ParseObjectName(key)
	if err != nil {
		return obj, false, err
	}
	obj, exists = x.Get(name)
	return obj, exists, nil
}

// List returns all objects, in no particular order.
func (x *Indexer[T]) List() []T {
	x.mu.RLock()
	defer x.mu.RUnlock()
	objs := make([]T, 0, len(x.items))
	for _, e := range x.items {
		objs = append(objs, e.obj)
	}
	return objs
}

// All ranges over the objects that are there when the range begins.
func (x *Indexer[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, obj := range x.List() {
			if !yield(obj) {
				return
			}
		}
	}
}

// Len returns how many objects there are.
func (x *Indexer[T]) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.items)
}

// ByIndex returns the objects that the index has under value, in no particular
// order. The error wraps ErrNoIndex.
func (x *Indexer[T]) ByIndex(indexName, value string) ([]T, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	idx := x.index(indexName)
	if idx == nil {
		return nil, x.noIndex(indexName)
	}
	entries := idx.entries[value]
	objs := make([]T, 0, len(entries))
	for e := range entries {
		objs = append(objs, e.obj)
	}
	return objs, nil
}

// has says whether an index has anything under value.
func (x *Indexer[T]) has(indexName, value string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	idx := x.index(indexName)
	return idx != nil && len(idx.entries[value]) > 0
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
// returns none for an index that does not exist.
func (x *Indexer[T]) ListIndexFuncValues(indexName string) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	idx := x.index(indexName)
	if idx == nil {
		return nil
	}
	return slices.Collect(maps.Keys(idx.entries))
}

// Add stores obj, in place of one of the same name.
func (x *Indexer[T]) Add(obj T) { x.apply(Deltas[T]{{Type: Added, Object: obj}}) }

// Update is Add; it reads better where the object is known to be there.
func (x *Indexer[T]) Update(obj T) { x.apply(Deltas[T]{{Type: Updated, Object: obj}}) }

// Delete removes the object with the name of obj, if there is one.
func (x *Indexer[T]) Delete(obj T) { x.apply(Deltas[T]{{Type: Deleted, Object: obj}}) }

// Replace makes objs all that there is.
func (x *Indexer[T]) Replace(objs []T) { x.apply(Deltas[T]{{Type: Replaced, Objects: objs}}) }

// index returns the index of that name, or nil. The caller holds either lock.
func (x *Indexer[T]) index(name string) *index[T] {
	for _, idx := range x.indexes {
		if idx.name == name {
			return idx
		}
	}
	return nil
}

func (x *Indexer[T]) noIndex(name string) error {
	names := make([]string, len(x.indexes))
	for i, idx := range x.indexes {
		names[i] = idx.name
	}
	slices.Sort(names)
	return fmt.Errorf("%w: %q is not one of %q", ErrNoIndex, name, names)
}

func (idx *index[T]) insert(e *entry[T], values []string) {
	for _, v := range values {
		set := idx.entries[v]
		if set == nil {
			set = map[*entry[T]]struct{}{}
			idx.entries[v] = set
		}
		set[e] = struct{}{}
	}
}

func (idx *index[T]) remove(e *entry[T], values []string) {
	for _, v := range values {
		set := idx.entries[v]
		delete(set, e)
		if len(set) == 0 {
			delete(idx.entries, v)
		}
	}
}
