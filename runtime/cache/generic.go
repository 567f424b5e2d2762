package cache

import (
	"iter"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GenericObject is an object of any kind, for programs that learn only while
// running which kinds they deal with. It satisfies Object, so SharedInformer,
// ResourceEventHandler and Store can be had of it.
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
	// recognises.
	Get(name string) (GenericObject, error)
}

// NewGenericInformer shows a typed informer as one of any kind.
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
