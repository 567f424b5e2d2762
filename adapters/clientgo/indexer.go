package clientgo

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// Indexer returns objects as an Indexer of client-go, which is also a Store. It shares the
// memory of objects.
func Indexer[T cache.Object](objects *cache.Indexer[T]) toolscache.Indexer {
	return &indexer{objects: (*cache.Indexer[cache.Object])(objects), of: reflect.TypeFor[T](), accepted: reflect.TypeFor[T]()}
}

// indexer is a cache as client-go's Indexer. Like all adapters it sees objects of any type, so that it is not compiled for each.
type indexer struct {
	laterIndexer
	objects *cache.Indexer[cache.Object]
	// of is the Go type of the objects. Those of type accepted can be added, which may be an interface type.
	of, accepted reflect.Type
	// informer is the one whose cache it is, or nil.
	informer *cache.SharedIndexInformer[cache.Object]
	view     View

	mu sync.Mutex // guards the fields below
	// functions has the index functions that were added here, by the name in the view.
	functions toolscache.Indexers
	// version is the last one that was written here.
	version string
}

func (x *indexer) List() []any {
	if n := x.objects.Len(); n > smallList {
		list := make([]any, 0, n)
		for obj := range x.objects.All() {
			list = append(list, x.view.shown(obj))
		}
		return x.found(list)
	}
	return x.shown(x.objects.List())
}

// smallList is the number of objects up to which a list is copied twice, because an iterator
// lets the writer copy what it changes meanwhile.
const smallList = 256

// shown returns objects as client-go gets them.
func (x *indexer) shown(objs []cache.Object) []any {
	list := make([]any, len(objs))
	for i, obj := range objs {
		list[i] = x.view.shown(obj)
	}
	return x.found(list)
}

// found returns list without the nils of objects that the view does not have.
func (x *indexer) found(list []any) []any {
	if x.view.Object == nil {
		return list
	}
	return slices.DeleteFunc(list, func(shown any) bool { return shown == nil })
}

func (x *indexer) ListKeys() []string {
	keys := make([]string, 0, x.objects.Len())
	for obj := range x.objects.All() {
		if x.view.has(obj) {
			keys = append(keys, cache.MetaNamespaceKeyFunc(obj))
		}
	}
	return keys
}

func (x *indexer) Get(obj any) (item any, exists bool, err error) {
	name, err := objectName(obj)
	if err != nil {
		return nil, false, err
	}
	return x.get(name)
}

// GetByKey finds nothing under a key that is not one of client-go's MetaNamespaceKeyFunc.
func (x *indexer) GetByKey(key string) (item any, exists bool, err error) {
	name, ok := parseKey(key)
	if !ok {
		return nil, false, nil
	}
	return x.get(name)
}

// parseKey returns the name in a key. It is faster than cache.ParseObjectName, which explains what
// is wrong.
func parseKey(key string) (name cache.ObjectName, ok bool) {
	at := strings.IndexByte(key, '/')
	if at < 0 {
		return cache.ObjectName{Name: key}, key != ""
	}
	name = cache.ObjectName{Namespace: key[:at], Name: key[at+1:]}
	return name, at > 0 && name.Name != "" && strings.IndexByte(name.Name, '/') < 0
}

func (x *indexer) get(name cache.ObjectName) (item any, exists bool, err error) {
	obj, ok := x.objects.Get(name)
	if !ok {
		return nil, false, x.objects.Err()
	}
	if x.view.Object == nil {
		return obj, true, nil
	}
	item = x.view.shown(obj)
	return item, item != nil, nil
}

// objectName returns the name of an object, a tombstone or an ExplicitKey.
func objectName(obj any) (cache.ObjectName, error) {
	switch obj := obj.(type) {
	case metav1.Object:
		return cache.MetaObjectToName(obj), nil
	case toolscache.DeletedFinalStateUnknown:
		return parsed(obj, obj.Key)
	case toolscache.ExplicitKey:
		return parsed(obj, string(obj))
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return cache.ObjectName{}, toolscache.KeyError{Obj: obj, Err: fmt.Errorf("object has no meta: %w", err)}
	}
	return cache.MetaObjectToName(accessor), nil
}

func parsed(obj any, key string) (cache.ObjectName, error) {
	name, err := cache.ParseObjectName(key)
	if err != nil {
		return name, toolscache.KeyError{Obj: obj, Err: err}
	}
	return name, nil
}

func (x *indexer) ByIndex(indexName, indexedValue string) ([]any, error) {
	objs, err := x.objects.ByIndex(x.view.indexName(indexName), indexedValue)
	if err != nil {
		return nil, err
	}
	return x.shown(objs), nil
}

func (x *indexer) Index(indexName string, obj any) ([]any, error) {
	values, err := x.valuesOf(indexName, obj)
	if err != nil {
		return nil, err
	}
	if len(values) == 1 {
		return x.ByIndex(indexName, values[0])
	}
	list := []any{}
	seen := map[cache.ObjectName]bool{}
	for _, value := range values {
		objs, err := x.objects.ByIndex(x.view.indexName(indexName), value)
		if err != nil {
			return nil, err
		}
		for _, obj := range objs {
			if name := cache.MetaObjectToName(obj); !seen[name] {
				seen[name] = true
				list = append(list, x.shown([]cache.Object{obj})...)
			}
		}
	}
	return list, nil
}

// valuesOf returns the values under which an index has obj.
func (x *indexer) valuesOf(indexName string, obj any) ([]string, error) {
	if indexName == toolscache.NamespaceIndex {
		return toolscache.MetaNamespaceIndexFunc(obj)
	}
	function := x.GetIndexers()[indexName]
	if function == nil {
		return nil, fmt.Errorf("%w: %q", cache.ErrNoIndex, indexName)
	}
	return function(obj)
}

func (x *indexer) IndexKeys(indexName, indexedValue string) ([]string, error) {
	objs, err := x.objects.ByIndex(x.view.indexName(indexName), indexedValue)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(objs))
	for _, obj := range objs {
		if x.view.has(obj) {
			keys = append(keys, cache.MetaNamespaceKeyFunc(obj))
		}
	}
	slices.Sort(keys)
	return keys, nil
}

func (x *indexer) ListIndexFuncValues(indexName string) []string {
	return x.objects.ListIndexFuncValues(x.view.indexName(indexName))
}

// GetIndexers returns a copy. The functions of indexes that were not added here accept only objects of the cache.
func (x *indexer) GetIndexers() toolscache.Indexers {
	indexers := toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc}
	for indexName, values := range x.objects.Indexers() {
		if name, own := x.view.ownName(indexName); own && name != toolscache.NamespaceIndex {
			indexers[name] = func(obj any) ([]string, error) {
				known, err := x.known(obj)
				if err != nil {
					return nil, err
				}
				return values(known), nil
			}
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	maps.Copy(indexers, x.functions)
	return indexers
}

// AddIndexers accepts client-go's MetaNamespaceIndexFunc under NamespaceIndex, which exists
// already, and no other function.
func (x *indexer) AddIndexers(newIndexers toolscache.Indexers) error {
	own, added := cache.Indexers[cache.Object]{}, toolscache.Indexers{}
	for name, function := range newIndexers {
		switch {
		case function == nil:
			return fmt.Errorf("cannot add index %q: it has no function", name)
		case name != toolscache.NamespaceIndex:
			own[x.view.indexName(name)] = x.indexFunc(name, function)
			added[name] = function
		case reflect.ValueOf(function).Pointer() != reflect.ValueOf(toolscache.MetaNamespaceIndexFunc).Pointer():
			return fmt.Errorf("cannot add index %q: there is one of that name by metadata.namespace, so its function can only be MetaNamespaceIndexFunc; use another name", name)
		}
	}
	if err := x.objects.AddIndexers(own); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.functions == nil {
		x.functions = toolscache.Indexers{}
	}
	maps.Copy(x.functions, added)
	return nil
}

// indexFunc returns an index function as one of the cache. As in client-go, its errors are panics:
// the index would not be complete.
func (x *indexer) indexFunc(name string, function toolscache.IndexFunc) cache.IndexFunc[cache.Object] {
	view := x.view
	return func(obj cache.Object) []string {
		values, err := function(view.shown(obj))
		if err != nil {
			panic(fmt.Errorf("unable to calculate an index entry for key %q on index %q: %w", cache.MetaNamespaceKeyFunc(obj), name, err))
		}
		return values
	}
}

// errReadOnly is returned by the writes of a view.
var errReadOnly = errors.New("the cache shows another form of its objects, so it cannot be written to; write to the informer's indexer")

// stored returns an object that can be stored.
func (x *indexer) stored(obj any) (cache.Object, error) {
	if x.view.Object != nil {
		return nil, errReadOnly
	}
	return x.known(obj)
}

// known returns an object of the type of the cache.
func (x *indexer) known(obj any) (cache.Object, error) {
	if of := reflect.TypeOf(obj); of != nil && of.AssignableTo(x.accepted) {
		return obj.(cache.Object), nil
	}
	return nil, toolscache.KeyError{Obj: obj, Err: fmt.Errorf("the cache has objects of type %v, and this one is a %T", x.accepted, obj)}
}

func (x *indexer) Add(obj any) error {
	stored, err := x.stored(obj)
	if err == nil {
		x.objects.Add(stored)
		x.Bookmark(stored.GetResourceVersion())
	}
	return err
}

func (x *indexer) Update(obj any) error { return x.Add(obj) }

// Delete deletes the object of the same name in any state.
func (x *indexer) Delete(obj any) error {
	name, err := objectName(obj)
	if err != nil {
		return err
	}
	if x.view.Object != nil {
		return errReadOnly
	}
	if known, ok := x.objects.Get(name); ok {
		x.objects.Delete(known)
	}
	if deleted, ok := obj.(metav1.Object); ok {
		x.Bookmark(deleted.GetResourceVersion())
	}
	return nil
}

func (x *indexer) Replace(list []any, resourceVersion string) error {
	objs := make([]cache.Object, len(list))
	for i, obj := range list {
		var err error
		if objs[i], err = x.stored(obj); err != nil {
			return err
		}
	}
	x.objects.Replace(objs)
	x.Bookmark(resourceVersion)
	return nil
}

// Resync does nothing, as in client-go.
func (x *indexer) Resync() error { return nil }

// Bookmark sets the version of a cache that no informer fills.
func (x *indexer) Bookmark(resourceVersion string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.version = resourceVersion
}

// LastStoreSyncResourceVersion returns a version of which the cache has every change.
func (x *indexer) LastStoreSyncResourceVersion() string {
	if x.informer != nil {
		if version := x.informer.LastSyncResourceVersion(); version != "" {
			return version
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.version
}
