package cache

import (
	"iter"
	"sync"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Lister reads an Indexer by namespace, name and labels, as the generated
// listers do. The objects that it returns are shared and must not be changed.
type Lister[T Object] struct {
	indexer  *Indexer[T]
	resource schema.GroupResource
	// namespaces holds a *NamespaceLister for each namespace with objects that was
	// asked for, so that asking again allocates nothing; held is how many, about.
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
// apierrors.IsNotFound recognises.
func (l *Lister[T]) Get(name string) (T, error) {
	return l.get(ObjectName{Name: name})
}

// Namespace returns a lister of one namespace.
func (l *Lister[T]) Namespace(namespace string) *NamespaceLister[T] {
	if n, ok := l.namespaces.Load(namespace); ok {
		return n.(*NamespaceLister[T])
	}
	n := &NamespaceLister[T]{lister: l, namespace: namespace}
	// Names that come from users must not pile up, nor, for long, those of namespaces
	// that are gone.
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
// apierrors.IsNotFound recognises.
func (l *NamespaceLister[T]) Get(name string) (T, error) {
	return l.lister.get(ObjectName{Namespace: l.namespace, Name: name})
}

// selectAll returns the objects that selector matches; nil matches all. No lock is
// held meanwhile, and nothing is allocated but the result.
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
