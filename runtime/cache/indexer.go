package cache

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
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
// a lock that readers need. The slice must not be changed after it was returned.
type IndexFunc[T Object] func(obj T) []string

// Indexers are index functions by the name of their index.
type Indexers[T Object] map[string]IndexFunc[T]

// NamespaceIndex is the name of the index by namespace, which every Indexer has.
const NamespaceIndex = "namespace"

// Indexer is a cache of objects by name, with indexes. Readers never wait for
// an IndexFunc or for a handler, and for a writer only while it enters a batch.
// Writers take turns; an informer's Indexer has one, the informer. Add, Update and
// Delete are for tests that seed a cache without a server, and for caches without an
// informer. docs/design/store.md has a drawing.
type Indexer[T Object] struct {
	writing sync.Mutex // serialises writers

	// mu keeps readers out while a batch is entered, and guards what follows against
	// them, but for loads of single objects.
	mu      sync.RWMutex
	objects chunked[T]
	names   names
	indexes []*index[T]
	// contents are the content hashes of the objects, by place, 0 where one is not known.
	// It is empty unless keepsHashes is set, which is set before the first object comes.
	contents    []uint64
	keepsHashes bool
	// steps is odd while a batch is entered; length is that after the last one.
	steps  atomic.Uint64
	length atomic.Int64

	// Only writers touch what follows. hashes are of the objects' names, by place.
	hashes []uint32
	// entries and room are those of the batch that is being entered. The next one uses
	// their memory again.
	entries     []entry[T]
	room        [][]string
	freeEntries freelist.List[entry[T]]
	freeRoom    freelist.List[[]string]
}

// NewIndexer returns an empty Indexer with these indexes and NamespaceIndex, which is
// by namespace whatever indexers has under its name.
func NewIndexer[T Object](indexers Indexers[T]) *Indexer[T] {
	x := &Indexer[T]{indexes: []*index[T]{newIndex[T](NamespaceIndex, nil)}}
	x.objects.loadable = reflect.TypeFor[T]().Kind() == reflect.Pointer
	for name, values := range indexers {
		if name != NamespaceIndex {
			x.indexes = append(x.indexes, newIndex(name, values))
		}
	}
	return x
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
	// Only writers change the objects, and we are the one: the functions, which may
	// take long, run while readers go on.
	var call calling[T]
	defer call.guard()
	var added []*index[T]
	for name, fn := range indexers {
		idx := newIndex(name, fn)
		for place := range uint32(x.objects.len()) {
			idx.add(place, call.valuesOf(idx, x.objects.at(place)))
		}
		added = append(added, idx)
	}
	x.mu.Lock()
	x.indexes = append(x.indexes, added...)
	x.mu.Unlock()
	return nil
}

// Get returns the object of that name, and whether there is one. It allocates
// nothing. It waits for nobody, unless it finds nothing, or T is an interface, and a
// batch is just entered.
func (x *Indexer[T]) Get(name ObjectName) (T, bool) {
	hash := hashOf(name)
	if x.objects.loadable {
		step := x.steps.Load()
		obj, found := x.look(name, hash)
		if found || step%2 == 0 && x.steps.Load() == step {
			return obj, found
		}
		// It was not where it was expected, but the writer may have moved it.
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	_, obj, found := x.find(name, hash)
	return obj, found
}

// look is find beside a writer.
func (x *Indexer[T]) look(name ObjectName, hash uint32) (found T, ok bool) {
	var none T
	x.names.candidates(hash, func(place uint32) bool {
		obj := x.objects.load(place)
		if ok = obj != none && obj.GetName() == name.Name && obj.GetNamespace() == name.Namespace; ok {
			found = obj
		}
		return ok
	})
	return found, ok
}

// find returns the object of that name and its place. The caller is the writer, or
// keeps it out.
func (x *Indexer[T]) find(name ObjectName, hash uint32) (place uint32, found T, ok bool) {
	x.names.candidates(hash, func(p uint32) bool {
		obj := x.objects.at(p)
		if ok = obj.GetName() == name.Name && obj.GetNamespace() == name.Namespace; ok {
			place, found = p, obj
		}
		return ok
	})
	return place, found, ok
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

// briefly is how many objects are copied while the writer is kept out, which takes
// microseconds. A larger result is copied from a snapshot beside the writer.
const briefly = 4096

// List returns all objects, in no particular order.
func (x *Indexer[T]) List() []T {
	x.mu.RLock()
	if x.objects.len() <= briefly {
		defer x.mu.RUnlock()
		return x.objects.now().list()
	}
	all := x.objects.snapshot()
	x.mu.RUnlock()
	return all.list()
}

// All ranges over the objects that are there when the range begins. It allocates
// nothing.
func (x *Indexer[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		x.snapshot().all()(yield)
	}
}

func (x *Indexer[T]) snapshot() snapshot[T] {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.objects.snapshot()
}

// Len returns how many objects there are.
func (x *Indexer[T]) Len() int { return int(x.length.Load()) }

// ByIndex returns the objects that the index has under value, in no particular
// order. The error wraps ErrNoIndex.
func (x *Indexer[T]) ByIndex(indexName, value string) ([]T, error) {
	x.mu.RLock()
	idx := x.index(indexName)
	if idx == nil {
		defer x.mu.RUnlock()
		return nil, x.noIndex(indexName)
	}
	list := idx.lists[value]
	if list == nil {
		x.mu.RUnlock()
		return []T{}, nil
	}
	if len(list.places) <= briefly {
		objs := collect(list.places, x.objects.now())
		x.mu.RUnlock()
		return objs, nil
	}
	places, all := list.share(), x.objects.snapshot()
	x.mu.RUnlock()
	return collect(places, all), nil
}

func collect[T Object](places []uint32, from snapshot[T]) []T {
	objs := make([]T, len(places))
	table := from.table // in a register: from.at would read it each time, for 3 % of the call
	for i, place := range places {
		objs[i] = table[place/chunkSize].Load().objects[place%chunkSize]
	}
	return objs
}

// AllByIndex ranges over the objects that the index has under value when the range
// begins: over none if there is no such index. It allocates nothing.
func (x *Indexer[T]) AllByIndex(indexName, value string) iter.Seq[T] {
	return func(yield func(T) bool) {
		places, all := x.snapshotByIndex(indexName, value)
		for _, place := range places {
			if !yield(all.at(place)) {
				return
			}
		}
	}
}

func (x *Indexer[T]) snapshotByIndex(indexName, value string) (places []uint32, all snapshot[T]) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if idx := x.index(indexName); idx != nil {
		if list := idx.lists[value]; list != nil {
			return list.share(), x.objects.snapshot()
		}
	}
	return nil, all
}

// has says whether an index has anything under value, and how many values it has.
func (x *Indexer[T]) has(indexName, value string) (has bool, values int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	idx := x.index(indexName)
	if idx == nil {
		return false, 0
	}
	return idx.lists[value] != nil, len(idx.lists)
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
	return slices.Collect(maps.Keys(idx.lists))
}

// Add stores obj, in place of one of the same name.
func (x *Indexer[T]) Add(obj T) { x.apply(Deltas[T]{{Type: Added, Item: Item[T]{Object: obj}}}) }

// Update is Add; it reads better where the object is known to be there.
func (x *Indexer[T]) Update(obj T) { x.apply(Deltas[T]{{Type: Updated, Item: Item[T]{Object: obj}}}) }

// Delete removes the object with the name of obj, if there is one.
func (x *Indexer[T]) Delete(obj T) { x.apply(Deltas[T]{{Type: Deleted, Item: Item[T]{Object: obj}}}) }

// Replace makes objs all that there is. A cached object stays if one of objs has its
// name, UID, resourceVersion and content. If objs has two objects of one name, the last
// one counts.
func (x *Indexer[T]) Replace(objs []T) {
	all := &Collection[T]{Items: make([]Item[T], len(objs))}
	for i, obj := range objs {
		all.Items[i].Object = obj
	}
	x.apply(Deltas[T]{{Type: Replaced, Collection: all}})
}

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
