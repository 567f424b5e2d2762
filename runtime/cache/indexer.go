package cache

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/mutation"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
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
const NamespaceIndex = "namespace"

// Indexer is a cache of objects by name, with indexes. Readers never wait for an IndexFunc
// or for a handler. They wait for a writer only while it stores a batch. Writers take turns.
// The informer is the only writer of its Indexer. Add, Update and Delete are for tests that
// seed a cache without a server, and for caches without an informer.
type Indexer[T Object] struct {
	store    *store.Store[T]
	detector *mutation.Detector[T] // nil without Settings.MutationDetector
	// stopped is the result of Err.
	stopped atomic.Pointer[error]
	size    stats.Estimate

	writing sync.Mutex // serializes writers, and guards what follows
	// functions are those of the store's indexes, but for the one by namespace.
	functions []indexFunction[T]
	// entries and room, the values of their indexes, are those of the batch that is being
	// stored. The next batch reuses their memory.
	entries     []store.Entry[T]
	room        [][]string
	freeEntries freelist.List[store.Entry[T]]
	freeRoom    freelist.List[[]string]
}

// indexFunction is the function of an index, with its name.
type indexFunction[T Object] struct {
	name   string
	values IndexFunc[T]
}

// NewIndexer returns an empty Indexer with these indexes and NamespaceIndex. It ignores an
// entry of indexers with the name NamespaceIndex.
func NewIndexer[T Object](indexers Indexers[T]) *Indexer[T] {
	x := &Indexer[T]{store: store.New[T](NamespaceIndex)}
	others := make(Indexers[T], len(indexers))
	for name, values := range indexers {
		if name != NamespaceIndex {
			others[name] = values
		}
	}
	_ = x.AddIndexers(others) // no name is taken yet
	return x
}

// AddIndexers adds indexes over the present and future objects. It fails, without adding
// any, if there is one of the same name.
func (x *Indexer[T]) AddIndexers(indexers Indexers[T]) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	known := x.store.Indexes()
	names := make([]string, 0, len(indexers))
	functions := make([]indexFunction[T], 0, len(indexers))
	for name, values := range indexers {
		if slices.Contains(known, name) {
			return fmt.Errorf("index %q already exists", name)
		}
		names, functions = append(names, name), append(functions, indexFunction[T]{name, values})
	}
	var call calling[T]
	defer call.guard()
	x.store.AddIndexes(names, func(i int, obj T) []string { return call.valuesOf(&functions[i], obj) })
	x.functions = append(x.functions, functions...)
	return nil
}

// RemoveIndexers removes indexes. Their functions are no longer called. Reads by their names return
// an error that wraps ErrNoIndex, and an Index has no objects. NamespaceIndex stays, and names of
// no index have no effect.
func (x *Indexer[T]) RemoveIndexers(names ...string) {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.store.RemoveIndexes(names)
	x.functions = slices.DeleteFunc(x.functions, func(function indexFunction[T]) bool { return slices.Contains(names, function.name) })
}

// Indexers returns a copy of the index functions, with that of NamespaceIndex.
func (x *Indexer[T]) Indexers() Indexers[T] {
	x.writing.Lock()
	defer x.writing.Unlock()
	indexers := make(Indexers[T], len(x.functions)+1)
	indexers[NamespaceIndex] = func(obj T) []string { return []string{obj.GetNamespace()} }
	for _, function := range x.functions {
		indexers[function.name] = function.values
	}
	return indexers
}

// Index is an index of an informer, for reads without an error. Its methods may be called
// from any goroutine. The objects that they return are shared and must not be changed.
type Index[T Object] struct {
	indexer *Indexer[T]
	name    string
}

// AddIndex adds an index to the cache of an informer, at any time: before the informer is
// started, or while it runs, over the objects that it has then. values is called for each of
// them before AddIndex returns. It fails if there is an index of that name, or after Stop.
//
//	byClass, err := cache.AddIndex(informer, "class", func(foo *v1.Foo) []string { return []string{foo.Spec.Class} })
//	…
//	fast := byClass.Get("fast") // []*v1.Foo
func AddIndex[T Object](informer *SharedIndexInformer[T], name string, values IndexFunc[T]) (*Index[T], error) {
	if values == nil {
		return nil, fmt.Errorf("index %q of %s has no function", name, informer.name())
	}
	if err := informer.indexer.Err(); err != nil {
		return nil, fmt.Errorf("cannot add index %q: %w", name, err)
	}
	if err := informer.AddIndexers(Indexers[T]{name: values}); err != nil {
		return nil, fmt.Errorf("%s: %w", informer.name(), err)
	}
	return &Index[T]{informer.indexer, name}, nil
}

// Get returns the objects that the index has under value, in no particular order. The
// slice belongs to the caller. After Stop of the informer there are none, and Err says so.
func (i *Index[T]) Get(value string) []T {
	objs, _ := i.indexer.store.ByIndex(i.name, value)
	return objs
}

// All ranges over the objects that Get returns when the range begins. It allocates
// nothing.
func (i *Index[T]) All(value string) iter.Seq[T] { return i.indexer.AllByIndex(i.name, value) }

// Err returns an error that wraps ErrStopped after Stop of the informer, and nil otherwise;
// see Indexer.Err.
func (i *Index[T]) Err() error { return i.indexer.Err() }

// newIndexer returns the cache of an informer, and sets c.cache for the decoder.
func (c *Config[T]) newIndexer() *Indexer[T] {
	x := NewIndexer(c.Indexers)
	if c.MutationDetector {
		x.detector = mutation.New[T](c.name(), c.MutationValues)
	}
	c.useCache(x)
	for i := range c.scopes {
		c.scopes[i].useCache(x)
	}
	return x
}

// useCache lets the decoder take unchanged objects from x.
func (c *Config[T]) useCache(x *Indexer[T]) {
	if c.Open != nil {
		// Without hashes, objects are compared deeply when they are listed again.
		x.store.KeepHashes()
		c.cache = x
	}
}

// Err returns an error that wraps ErrStopped, with the resource, after Stop of the informer,
// which empties the cache. Otherwise it returns nil. A caller that concludes from a missing
// object that it was deleted calls Err after it has missed the object. Methods of the Indexer
// and of listers that return an error do so.
func (x *Indexer[T]) Err() error {
	if err := x.stopped.Load(); err != nil {
		return *err
	}
	return nil
}

// empty removes all objects and releases their memory. A reader that misses an object then
// gets err from Err.
func (x *Indexer[T]) empty(err error) {
	x.stopped.Store(&err) // first: a reader calls Err after it has missed an object
	x.writing.Lock()
	defer x.writing.Unlock()
	x.store.Begin()
	defer x.store.End()
	x.store.Clear()
}

// checkAll panics if the detector finds that a cached object was changed.
func (x *Indexer[T]) checkAll() {
	if x.detector != nil {
		x.detector.Check(mutation.Reader, x.List()...)
	}
}

// Get returns the object of that name, and reports whether there is one. It allocates
// nothing and takes no lock. It retries under the read lock if it misses during a write, or
// if T is an interface type. States of one object never go back. After Stop of the informer
// there are no objects, and Err says so.
func (x *Indexer[T]) Get(name ObjectName) (T, bool) {
	return x.store.Get(name.Namespace, name.Name)
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
func (x *Indexer[T]) List() []T { return x.store.List() }

// All ranges over the objects that are there when the range begins. It allocates
// nothing.
func (x *Indexer[T]) All() iter.Seq[T] { return x.store.All() }

// Len returns the number of objects.
func (x *Indexer[T]) Len() int { return x.store.Len() }

// sampleSize is the number of objects of which bytes is an estimate.
const sampleSize = 32

// bytes returns an estimate of the memory that the objects take. It reads a sample of them, and
// holds no lock meanwhile.
func (x *Indexer[T]) bytes(now stats.Stamp) int64 {
	return x.size.Bytes(now, x.Len(), func(yield func(any) bool) {
		for _, obj := range x.store.Sample(sampleSize) {
			if !yield(obj) {
				return
			}
		}
	})
}

// ByIndex returns the objects that the index has under value, in no particular
// order. The error wraps ErrNoIndex, or ErrStopped after Stop of the informer.
func (x *Indexer[T]) ByIndex(indexName, value string) ([]T, error) {
	objs, ok := x.store.ByIndex(indexName, value)
	if !ok {
		return nil, x.noIndex(indexName)
	}
	return x.found(objs)
}

// found returns the result of a read, or the result of Err if nothing was found.
func (x *Indexer[T]) found(objs []T) ([]T, error) {
	if len(objs) == 0 {
		if err := x.Err(); err != nil {
			return nil, err
		}
	}
	return objs, nil
}

// byIndexIn returns those of a namespace.
func (x *Indexer[T]) byIndexIn(namespace, indexName, value string) ([]T, error) {
	objs, ok := x.store.ByIndexIn(namespace, indexName, value)
	if !ok {
		return nil, x.noIndex(indexName)
	}
	return x.found(objs)
}

func (x *Indexer[T]) noIndex(name string) error {
	names := x.store.Indexes()
	slices.Sort(names)
	return fmt.Errorf("%w: %q; there are %q", ErrNoIndex, name, names)
}

// AllByIndex ranges over the objects that the index has under value when the range
// begins: over none if there is no such index. It allocates nothing.
func (x *Indexer[T]) AllByIndex(indexName, value string) iter.Seq[T] {
	return x.store.AllByIndex(indexName, value)
}

// selectAll returns the objects that selector matches; nil matches all. It allocates
// only the result, and holds no lock while it calls the selector.
func (x *Indexer[T]) selectAll(selector labels.Selector) ([]T, error) {
	if selector == nil || selector.Empty() {
		return x.found(x.List())
	}
	return x.found(selected(x.All(), selector))
}

// selectByIndex does the same with the objects that an index has under value.
func (x *Indexer[T]) selectByIndex(indexName, value string, selector labels.Selector) ([]T, error) {
	if selector == nil || selector.Empty() {
		return x.ByIndex(indexName, value)
	}
	return x.found(selected(x.AllByIndex(indexName, value), selector))
}

func selected[T Object](objs iter.Seq[T], selector labels.Selector) []T {
	matching := []T{}
	for obj := range objs {
		if selector.Matches(labels.Set(obj.GetLabels())) {
			matching = append(matching, obj)
		}
	}
	return matching
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
	return x.store.Values(indexName)
}

// Add stores obj. It replaces an object of the same name.
func (x *Indexer[T]) Add(obj T) { x.apply(Deltas[T]{{Type: Added, Item: Item[T]{Object: obj}}}) }

// Update is the same as Add.
func (x *Indexer[T]) Update(obj T) { x.apply(Deltas[T]{{Type: Updated, Item: Item[T]{Object: obj}}}) }

// Delete removes the object with the name of obj, if there is one.
func (x *Indexer[T]) Delete(obj T) { x.apply(Deltas[T]{{Type: Deleted, Item: Item[T]{Object: obj}}}) }

// Replace makes objs all of the objects. A cached object stays if one of objs has its
// name, UID, resourceVersion and content. If objs has two objects of one name, the last
// one counts.
func (x *Indexer[T]) Replace(objs []T) {
	x.writing.Lock()
	defer x.writing.Unlock()
	items := make([]Item[T], len(objs))
	for i, obj := range objs {
		items[i].Object = obj
	}
	x.replace(nil, &Delta[T]{Type: Replaced, Collection: &Collection[T]{Items: items}})
}

// Object is a pointer to an API type, such as *v1.Foo.
type Object = wire.Object

// isInterface reports whether only DecodeOptions.Object tells the Go type of the objects.
func isInterface[T Object]() bool { return reflect.TypeFor[T]().Kind() == reflect.Interface }

// Dual is an object in two forms; see DecodeOptions.Unstructured.
type Dual = wire.Dual

// ObjectName identifies an object among those of one resource. Namespace is
// empty for cluster-scoped objects. It is comparable and serves as the key of
// maps and of typed work queues. A plain conversion makes one of client-go's cache.ObjectName
// or of a types.NamespacedName, and the reverse: cache.ObjectName(request.NamespacedName).
type ObjectName struct {
	Namespace string
	Name      string
}

// MetaObjectToName returns the name of obj.
func MetaObjectToName(obj metav1.Object) ObjectName {
	return ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// nameOf returns the name of the object that an item is about.
func nameOf[T Object](item *Item[T]) ObjectName { return ObjectName(listed.NameOf(item)) }

// String returns "namespace/name", or "name" where there is no namespace. It is
// the inverse of ParseObjectName.
func (n ObjectName) String() string {
	if n.Namespace == "" {
		return n.Name
	}
	return n.Namespace + "/" + n.Name
}

// ParseObjectName parses the result of ObjectName.String.
func ParseObjectName(key string) (ObjectName, error) {
	namespace, name, err := SplitMetaNamespaceKey(key)
	return ObjectName{Namespace: namespace, Name: name}, err
}

// MetaNamespaceKeyFunc returns the key of obj, "namespace/name" or "name", for
// work queues of strings.
func MetaNamespaceKeyFunc(obj metav1.Object) string {
	return MetaObjectToName(obj).String()
}

// SplitMetaNamespaceKey returns the namespace and the name in a key of
// MetaNamespaceKeyFunc. The namespace of a cluster-scoped object is empty.
func SplitMetaNamespaceKey(key string) (namespace, name string, err error) {
	first, rest, namespaced := strings.Cut(key, "/")
	switch {
	case !namespaced && first != "":
		return "", first, nil
	case namespaced && first != "" && rest != "" && !strings.Contains(rest, "/"):
		return first, rest, nil
	}
	return "", "", fmt.Errorf("key %q is neither \"name\" nor \"namespace/name\"", key)
}
