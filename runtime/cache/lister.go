package cache

import (
	"iter"
	"sync"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
)

// Lister reads an Indexer by namespace, name and labels, as the generated
// listers do. It may be used from any goroutine. The objects that it returns are shared
// and must not be changed.
type Lister[T Object] struct {
	indexer    *Indexer[T]
	resource   schema.GroupResource
	namespaces namespaceListers[T]
}

// NewLister returns a Lister of indexer. Errors name resource. That of a generated lister is not the plural
// but the kind in lower case, as in the listers of lister-gen.
func NewLister[T Object](indexer *Indexer[T], resource schema.GroupResource) *Lister[T] {
	return &Lister[T]{indexer: indexer, resource: resource}
}

// List returns the objects that selector matches, in no particular order. A nil
// selector matches all. After Stop of the informer the error wraps ErrStopped. Otherwise it is
// nil.
func (l *Lister[T]) List(selector labels.Selector) ([]T, error) {
	return l.indexer.selectAll(selector)
}

// Get returns the cluster-scoped object of that name, or an error that
// apierrors.IsNotFound recognizes. After Stop of the informer, the error wraps ErrStopped
// instead.
func (l *Lister[T]) Get(name string) (T, error) {
	return l.get(ObjectName{Name: name})
}

// Namespace returns a lister of one namespace.
func (l *Lister[T]) Namespace(namespace string) *NamespaceLister[T] {
	if n := l.namespaces.get(namespace); n != nil {
		return n
	}
	n := &NamespaceLister[T]{lister: l, namespace: namespace}
	// Names that users send must not accumulate, nor, for long, those of namespaces that
	// are gone.
	if known, values := l.indexer.store.HasValue(NamespaceIndex, namespace); known {
		l.namespaces.add(n, 2*values+16)
	}
	return n
}

// namespaceListers has a NamespaceLister for each namespace with objects for which
// Namespace was called, so that the next call allocates nothing. It is an open hash table
// with linear probing, which a call of Get reads faster than a sync.Map.
type namespaceListers[T Object] struct {
	// table is at most half full, and its length is a power of two. Entries are added in
	// place, and never change.
	table atomic.Pointer[[]atomic.Pointer[NamespaceLister[T]]]

	mu   sync.Mutex // serializes writers, and guards used
	used int
}

// get returns the lister of a namespace, or nil.
func (l *namespaceListers[T]) get(namespace string) *NamespaceLister[T] {
	table := l.table.Load()
	if table == nil {
		return nil
	}
	_, n := findLister(*table, namespace)
	return n
}

// findLister returns the lister of a namespace, or nil and the index of an empty entry.
func findLister[T Object](table []atomic.Pointer[NamespaceLister[T]], namespace string) (at uint32, n *NamespaceLister[T]) {
	mask := uint32(len(table) - 1)
	for at = store.HashOf("", namespace) & mask; ; at = (at + 1) & mask {
		if n = table[at].Load(); n == nil || n.namespace == namespace {
			return at, n
		}
	}
}

// add adds a lister. If limit of them are there, it drops those.
func (l *namespaceListers[T]) add(n *NamespaceLister[T], limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.get(n.namespace) != nil {
		return // another caller was faster
	}
	var table []atomic.Pointer[NamespaceLister[T]]
	if l.used >= limit {
		l.used = 0
	} else if old := l.table.Load(); old != nil {
		table = *old
	}
	if l.used++; 2*l.used > len(table) {
		larger := make([]atomic.Pointer[NamespaceLister[T]], max(16, 2*len(table)))
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

// ByIndex returns the objects that the index has under value. The error wraps
// ErrNoIndex, or ErrStopped after Stop of the informer.
func (l *Lister[T]) ByIndex(indexName, value string) ([]T, error) {
	return l.indexer.ByIndex(indexName, value)
}

func (l *Lister[T]) get(name ObjectName) (T, error) {
	obj, ok := l.indexer.Get(name)
	if !ok {
		return obj, l.indexer.missing(l.resource, name.Name)
	}
	return obj, nil
}

// missing returns the error of a read that has missed an object.
func (x *Indexer[T]) missing(resource schema.GroupResource, name string) error {
	if err := x.Err(); err != nil {
		return err
	}
	return apierrors.NewNotFound(resource, name)
}

// NamespaceLister reads the objects of one namespace.
type NamespaceLister[T Object] struct {
	lister    *Lister[T]
	namespace string
}

// List returns the objects of the namespace that selector matches, in no
// particular order. A nil selector matches all. After Stop of the informer the error wraps
// ErrStopped. Otherwise it is nil.
func (l *NamespaceLister[T]) List(selector labels.Selector) ([]T, error) {
	return l.lister.indexer.selectByIndex(NamespaceIndex, l.namespace, selector)
}

// Get returns the object of that name in the namespace, or an error that
// apierrors.IsNotFound recognizes. After Stop of the informer, the error wraps ErrStopped
// instead.
func (l *NamespaceLister[T]) Get(name string) (T, error) {
	return l.lister.get(ObjectName{Namespace: l.namespace, Name: name})
}

// ByIndex returns the objects of the namespace that the index has under value, in no
// particular order, as of one moment. It allocates only the result. The error wraps
// ErrNoIndex or ErrStopped.
func (l *NamespaceLister[T]) ByIndex(indexName, value string) ([]T, error) {
	return l.lister.indexer.byIndexIn(l.namespace, indexName, value)
}

// GenericObject is an object of any kind, for programs that know only at run time
// with which kinds they work. It satisfies Object, so it can be the type argument of
// SharedInformer, ResourceEventHandler and Store.
type GenericObject interface {
	metav1.Object
	runtime.Object
}

// GenericInformer is an informer of any kind, as ForResource of the generated
// factories returns it.
type GenericInformer interface {
	// Informer returns the shared informer.
	Informer() SharedInformer[GenericObject]
	// Lister returns a lister of its cache.
	Lister() GenericLister
}

// GenericLister reads a cache of any kind.
type GenericLister interface {
	GenericNamespaceLister
	// ByNamespace returns a lister of one namespace.
	ByNamespace(namespace string) GenericNamespaceLister
}

// GenericNamespaceLister reads the objects of one namespace, or cluster-scoped
// ones.
type GenericNamespaceLister interface {
	// List returns the objects that selector matches. The error wraps ErrStopped after Stop
	// of the informer, and is nil otherwise.
	List(selector labels.Selector) ([]GenericObject, error)
	// Get returns the object of that name, or an error that apierrors.IsNotFound
	// recognizes, or that wraps ErrStopped after Stop of the informer.
	Get(name string) (GenericObject, error)
}

// NewGenericInformer returns a typed informer as one of any kind.
func NewGenericInformer[T Object](informer *SharedIndexInformer[T]) GenericInformer {
	return genericInformer[T]{informer}
}

type genericInformer[T Object] struct{ *SharedIndexInformer[T] }

func (i genericInformer[T]) Informer() SharedInformer[GenericObject] { return i }

func (i genericInformer[T]) AddEventHandler(handler ResourceEventHandler[GenericObject], options ...HandlerOption) (ResourceEventHandlerRegistration, error) {
	return i.SharedIndexInformer.AddEventHandler(genericHandler[T]{handler}, options...)
}

func (i genericInformer[T]) GetStore() Store[GenericObject] { return genericStore[T]{i.indexer} }

func (i genericInformer[T]) Lister() GenericLister {
	return genericLister[T]{indexer: i.indexer, resource: i.Resource().GroupResource()}
}

type genericHandler[T Object] struct {
	handler ResourceEventHandler[GenericObject]
}

func (h genericHandler[T]) OnAdd(obj T, isInInitialList bool) { h.handler.OnAdd(obj, isInInitialList) }

func (h genericHandler[T]) OnUpdate(oldObj, newObj T) { h.handler.OnUpdate(oldObj, newObj) }

func (h genericHandler[T]) OnDelete(obj T, finalStateUnknown bool) {
	h.handler.OnDelete(obj, finalStateUnknown)
}

type genericStore[T Object] struct{ indexer *Indexer[T] }

func (s genericStore[T]) Get(name ObjectName) (GenericObject, bool) {
	obj, ok := s.indexer.Get(name)
	if !ok {
		return nil, false // a nil T in an interface would not be nil
	}
	return obj, true
}

func (s genericStore[T]) List() []GenericObject { return generic(s.indexer.List()) }

func (s genericStore[T]) All() iter.Seq[GenericObject] {
	return func(yield func(GenericObject) bool) {
		for obj := range s.indexer.All() {
			if !yield(obj) {
				return
			}
		}
	}
}

func (s genericStore[T]) Len() int { return s.indexer.Len() }

type genericLister[T Object] struct {
	indexer   *Indexer[T]
	resource  schema.GroupResource
	namespace string
	// limited is set by ByNamespace.
	limited bool
}

func (l genericLister[T]) ByNamespace(namespace string) GenericNamespaceLister {
	l.namespace, l.limited = namespace, true
	return l
}

func (l genericLister[T]) List(selector labels.Selector) ([]GenericObject, error) {
	if l.limited {
		return genericOr(l.indexer.selectByIndex(NamespaceIndex, l.namespace, selector))
	}
	return genericOr(l.indexer.selectAll(selector))
}

func (l genericLister[T]) Get(name string) (GenericObject, error) {
	obj, ok := l.indexer.Get(ObjectName{Namespace: l.namespace, Name: name})
	if !ok {
		return nil, l.indexer.missing(l.resource, name)
	}
	return obj, nil
}

func genericOr[T Object](objs []T, err error) ([]GenericObject, error) {
	if err != nil {
		return nil, err
	}
	return generic(objs), nil
}

func generic[T Object](objs []T) []GenericObject {
	all := make([]GenericObject, len(objs))
	for i, obj := range objs {
		all[i] = obj
	}
	return all
}
