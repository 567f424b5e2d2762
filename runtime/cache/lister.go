package cache

import (
	"sync"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
)

// Lister reads an Indexer by namespace, name and labels, as the generated
// listers do. It may be used from any goroutine. The objects that it returns are shared
// and must not be changed.
type Lister[T Object] struct{ reader reader }

// reader is an erasedLister as its faces see it.
type reader interface {
	list(selector labels.Selector) (store.Objects, error)
	listIn(namespace string, selector labels.Selector) (store.Objects, error)
	get(namespace, name string) (Object, error)
	byIndex(index, value string) (store.Objects, error)
	byIndexIn(namespace, index, value string) (store.Objects, error)
	// of returns the lister of a namespace.
	of(namespace string) *namespaceLister
}

// erasedLister reads a cache, without its Go type.
type erasedLister struct {
	indexer    *indexer.Indexer
	resource   schema.GroupResource
	namespaces namespaceListers
}

// NewLister returns a Lister of indexer. Errors name resource. That of a generated lister is not the plural
// but the kind in lower case, as in the listers of lister-gen.
func NewLister[T Object](indexer *Indexer[T], resource schema.GroupResource) *Lister[T] {
	return &Lister[T]{newLister(indexer.machine, resource)}
}

// List returns the objects that selector matches, in no particular order. A nil
// selector matches all. After Stop of the informer the error wraps ErrStopped. Otherwise it is
// nil.
func (l *Lister[T]) List(selector labels.Selector) ([]T, error) {
	objs, err := l.reader.list(selector)
	return store.Typed[T](objs), err
}

// Get returns the cluster-scoped object of that name, or an error that
// apierrors.IsNotFound recognizes. After Stop of the informer, the error wraps ErrStopped
// instead.
func (l *Lister[T]) Get(name string) (T, error) { return typedOr[T](l.reader.get("", name)) }

// Namespace returns a lister of one namespace. A second call for a namespace with objects allocates nothing.
func (l *Lister[T]) Namespace(namespace string) *NamespaceLister[T] {
	return (*NamespaceLister[T])(l.reader.of(namespace))
}

// ByIndex returns the objects that the index has under value. The error wraps
// ErrNoIndex, or ErrStopped after Stop of the informer.
func (l *Lister[T]) ByIndex(indexName, value string) ([]T, error) {
	objs, err := l.reader.byIndex(indexName, value)
	return store.Typed[T](objs), err
}

// NamespaceLister reads the objects of one namespace.
type NamespaceLister[T Object] namespaceLister

// namespaceLister has the fields of all NamespaceListers.
type namespaceLister struct {
	reader    reader
	namespace string
}

// List returns the objects of the namespace that selector matches, in no
// particular order. A nil selector matches all. After Stop of the informer the error wraps
// ErrStopped. Otherwise it is nil.
func (l *NamespaceLister[T]) List(selector labels.Selector) ([]T, error) {
	objs, err := l.reader.listIn(l.namespace, selector)
	return store.Typed[T](objs), err
}

// Get returns the object of that name in the namespace, or an error that
// apierrors.IsNotFound recognizes. After Stop of the informer, the error wraps ErrStopped
// instead.
func (l *NamespaceLister[T]) Get(name string) (T, error) {
	return typedOr[T](l.reader.get(l.namespace, name))
}

// ByIndex returns the objects of the namespace that the index has under value, in no
// particular order, as of one moment. It allocates only the result. The error wraps
// ErrNoIndex or ErrStopped.
func (l *NamespaceLister[T]) ByIndex(indexName, value string) ([]T, error) {
	objs, err := l.reader.byIndexIn(l.namespace, indexName, value)
	return store.Typed[T](objs), err
}

// typedOr returns obj unless there is an error.
func typedOr[T Object](obj Object, err error) (typed T, _ error) {
	if err != nil {
		return typed, err
	}
	return obj.(T), nil
}

// newLister is not inlined: a package that calls NewLister would compile the types of an Indexer again.
//
//go:noinline
func newLister(of objects, resource schema.GroupResource) reader {
	return &erasedLister{indexer: of.(*indexer.Indexer), resource: resource}
}

func (l *erasedLister) list(selector labels.Selector) (store.Objects, error) {
	return l.indexer.Select(selector)
}

func (l *erasedLister) listIn(namespace string, selector labels.Selector) (store.Objects, error) {
	return l.indexer.SelectByIndex(NamespaceIndex, namespace, selector)
}

func (l *erasedLister) byIndex(index, value string) (store.Objects, error) {
	return l.indexer.ByIndex(index, value)
}

func (l *erasedLister) byIndexIn(namespace, index, value string) (store.Objects, error) {
	return l.indexer.ByIndexIn(namespace, index, value)
}

// get returns an object, or an error.
func (l *erasedLister) get(namespace, name string) (Object, error) {
	obj, ok := l.indexer.Get(listed.Name{Namespace: namespace, Name: name})
	if !ok {
		if err := l.indexer.Err(); err != nil {
			return nil, err
		}
		return nil, apierrors.NewNotFound(l.resource, name)
	}
	return obj, nil
}

// of returns the lister of a namespace.
func (l *erasedLister) of(namespace string) *namespaceLister {
	if n := l.namespaces.get(namespace); n != nil {
		return n
	}
	n := &namespaceLister{l, namespace}
	// Names that users send must not accumulate, nor, for long, those of namespaces that
	// are gone.
	if known, values := l.indexer.HasValue(NamespaceIndex, namespace); known {
		l.namespaces.add(n, 2*values+16)
	}
	return n
}

// namespaceListers has a NamespaceLister for each namespace with objects for which
// Namespace was called, so that the next call allocates nothing. It is an open hash table
// with linear probing, which a call of Get reads faster than a sync.Map.
type namespaceListers struct {
	// table is at most half full, and its length is a power of two. Entries are added in
	// place, and never change.
	table atomic.Pointer[[]atomic.Pointer[namespaceLister]]

	mu   sync.Mutex // serializes writers, and guards used
	used int
}

// get returns the lister of a namespace, or nil.
func (l *namespaceListers) get(namespace string) *namespaceLister {
	table := l.table.Load()
	if table == nil {
		return nil
	}
	_, n := findLister(*table, namespace)
	return n
}

// findLister returns the lister of a namespace, or nil and the index of an empty entry.
func findLister(table []atomic.Pointer[namespaceLister], namespace string) (at uint32, n *namespaceLister) {
	mask := uint32(len(table) - 1)
	for at = store.HashOf("", namespace) & mask; ; at = (at + 1) & mask {
		if n = table[at].Load(); n == nil || n.namespace == namespace {
			return at, n
		}
	}
}

// add adds a lister. If limit of them are there, it drops those.
func (l *namespaceListers) add(n *namespaceLister, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.get(n.namespace) != nil {
		return // another caller was faster
	}
	var table []atomic.Pointer[namespaceLister]
	if l.used >= limit {
		l.used = 0
	} else if old := l.table.Load(); old != nil {
		table = *old
	}
	if l.used++; 2*l.used > len(table) {
		larger := make([]atomic.Pointer[namespaceLister], max(16, 2*len(table)))
		for i := range table {
			if other := table[i].Load(); other != nil {
				at, _ := findLister(larger, other.namespace)
				larger[at].Store(other)
			}
		}
		table = larger
		defer l.table.Store(&larger)
	}
	at, _ := findLister(table, n.namespace)
	table[at].Store(n)
}
