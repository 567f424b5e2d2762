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
)

// Lister reads an Indexer by namespace, name and labels, as the generated
// listers do. It may be used from any goroutine. The objects that it returns are shared
// and must not be changed.
type Lister[T Object] struct {
	indexer  *Indexer[T]
	resource schema.GroupResource
	// namespaces has a *NamespaceLister for each namespace with objects for which
	// Namespace was called, so that the next call allocates nothing. held is about how many.
	namespaces sync.Map
	held       atomic.Int64
}

// NewLister returns a Lister of indexer. Errors name the resource.
func NewLister[T Object](indexer *Indexer[T], resource schema.GroupResource) *Lister[T] {
	return &Lister[T]{indexer: indexer, resource: resource}
}

// List returns the objects that selector matches, in no particular order. A nil
// selector matches all. The error is always nil; client-go's listers have it.
func (l *Lister[T]) List(selector labels.Selector) ([]T, error) {
	return l.indexer.selectAll(selector), nil
}

// Get returns the cluster-scoped object of that name, or an error that
// apierrors.IsNotFound recognizes.
func (l *Lister[T]) Get(name string) (T, error) {
	return l.get(ObjectName{Name: name})
}

// Namespace returns a lister of one namespace.
func (l *Lister[T]) Namespace(namespace string) *NamespaceLister[T] {
	if n, ok := l.namespaces.Load(namespace); ok {
		return n.(*NamespaceLister[T])
	}
	n := &NamespaceLister[T]{lister: l, namespace: namespace}
	// Names that users send must not accumulate, nor, for long, those of namespaces that
	// are gone.
	if known, values := l.indexer.store.HasValue(NamespaceIndex, namespace); known {
		if l.held.Add(1) > int64(2*values+16) {
			l.namespaces.Clear()
			l.held.Store(1)
		}
		l.namespaces.Store(namespace, n)
	}
	return n
}

// ByIndex returns the objects that the index has under value. The error wraps
// ErrNoIndex.
func (l *Lister[T]) ByIndex(indexName, value string) ([]T, error) {
	return l.indexer.ByIndex(indexName, value)
}

func (l *Lister[T]) get(name ObjectName) (T, error) {
	obj, ok := l.indexer.Get(name)
	if !ok {
		return obj, apierrors.NewNotFound(l.resource, name.Name)
	}
	return obj, nil
}

// NamespaceLister reads the objects of one namespace.
type NamespaceLister[T Object] struct {
	lister    *Lister[T]
	namespace string
}

// List returns the objects of the namespace that selector matches, in no
// particular order. A nil selector matches all. The error is always nil.
func (l *NamespaceLister[T]) List(selector labels.Selector) ([]T, error) {
	return l.lister.indexer.selectByIndex(NamespaceIndex, l.namespace, selector)
}

// Get returns the object of that name in the namespace, or an error that
// apierrors.IsNotFound recognizes.
func (l *NamespaceLister[T]) Get(name string) (T, error) {
	return l.lister.get(ObjectName{Namespace: l.namespace, Name: name})
}

// selectAll returns the objects that selector matches; nil matches all. It allocates
// only the result, and holds no lock while it calls the selector.
func (x *Indexer[T]) selectAll(selector labels.Selector) []T {
	if selector == nil || selector.Empty() {
		return x.List()
	}
	return selected(x.All(), selector)
}

// selectByIndex does the same with the objects that an index has under value.
func (x *Indexer[T]) selectByIndex(indexName, value string, selector labels.Selector) ([]T, error) {
	if selector == nil || selector.Empty() {
		return x.ByIndex(indexName, value)
	}
	return selected(x.AllByIndex(indexName, value), selector), nil
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
	// List returns the objects that selector matches.
	List(selector labels.Selector) ([]GenericObject, error)
	// Get returns the object of that name, or an error that apierrors.IsNotFound
	// recognizes.
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
	return genericLister[T]{indexer: i.indexer, resource: i.config.Resource.GroupResource()}
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
		objs, err := l.indexer.selectByIndex(NamespaceIndex, l.namespace, selector)
		return generic(objs), err
	}
	return generic(l.indexer.selectAll(selector)), nil
}

func (l genericLister[T]) Get(name string) (GenericObject, error) {
	obj, ok := l.indexer.Get(ObjectName{Namespace: l.namespace, Name: name})
	if !ok {
		return nil, apierrors.NewNotFound(l.resource, name)
	}
	return obj, nil
}

func generic[T Object](objs []T) []GenericObject {
	all := make([]GenericObject, len(objs))
	for i, obj := range objs {
		all[i] = obj
	}
	return all
}
