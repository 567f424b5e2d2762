package cache

import "k8s.io/apimachinery/pkg/labels"

// GenericInformer is an informer of any kind, as ForResource of the generated
// factories returns it.
type GenericInformer interface {
	// Informer returns the shared informer.
	Informer() SharedInformer[Object]
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
	List(selector labels.Selector) ([]Object, error)
	// Get returns the object of that name, or an error that apierrors.IsNotFound
	// recognizes, or that wraps ErrStopped after Stop of the informer.
	Get(name string) (Object, error)
}

// NewGenericInformer returns a typed informer as one of any kind. Both have one cache and one set of handlers.
func NewGenericInformer[T Object](informer *SharedIndexInformer[T]) GenericInformer {
	return newGenericInformer(informer.machine)
}

// newGenericInformer is not inlined: a package that calls NewGenericInformer would compile the face of Object.
//
//go:noinline
func newGenericInformer(m machine) GenericInformer {
	return genericInformer{faceOf[Object](m)}
}

type genericInformer struct {
	*SharedIndexInformer[Object]
}

func (i genericInformer) Informer() SharedInformer[Object] { return i.SharedIndexInformer }

func (i genericInformer) Lister() GenericLister {
	return genericLister{Lister: NewLister(i.GetIndexer(), i.Resource().GroupResource())}
}

// genericLister reads all objects, or cluster-scoped ones.
type genericLister struct{ *Lister[Object] }

func (l genericLister) ByNamespace(namespace string) GenericNamespaceLister {
	return l.Namespace(namespace)
}
