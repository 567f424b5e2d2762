package clientgo

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// GenericLister returns a lister of the cache of informer as a GenericLister of client-go.
func GenericLister[T cache.Object](informer *cache.SharedIndexInformer[T]) toolscache.GenericLister {
	return newGenericLister((*cache.SharedIndexInformer[cache.Object])(informer))
}

func newGenericLister(informer *cache.SharedIndexInformer[cache.Object]) toolscache.GenericLister {
	return genericLister{objects: informer.GetIndexer(), resource: informer.Resource().GroupResource()}
}

// GenericInformer returns informer as a GenericInformer of client-go.
func GenericInformer[T cache.Object](informer *cache.SharedIndexInformer[T]) *InformerAndLister {
	return &InformerAndLister{SharedIndexInformer(informer), GenericLister(informer)}
}

// InformerAndLister implements the interface GenericInformer of k8s.io/client-go/informers. This
// package does not name that interface, because its package imports all built-in kinds.
type InformerAndLister struct {
	informer toolscache.SharedIndexInformer
	lister   toolscache.GenericLister
}

// Informer returns the shared informer.
func (i *InformerAndLister) Informer() toolscache.SharedIndexInformer { return i.informer }

// Lister returns a lister of its cache.
func (i *InformerAndLister) Lister() toolscache.GenericLister { return i.lister }

type genericLister struct {
	laterLister
	objects  *cache.Indexer[cache.Object]
	resource schema.GroupResource
}

func (l genericLister) List(selector labels.Selector) ([]runtime.Object, error) {
	everything := isEverything(selector)
	var list []runtime.Object
	if everything {
		list = make([]runtime.Object, 0, l.objects.Len())
	}
	for obj := range l.objects.All() {
		if everything || matches(selector, obj) {
			list = append(list, obj)
		}
	}
	return l.found(list)
}

func (l genericLister) ByNamespace(namespace string) toolscache.GenericNamespaceLister {
	return namespaceLister{all: l, namespace: namespace}
}

// Get also accepts a key of client-go's MetaNamespaceKeyFunc.
func (l genericLister) Get(name string) (runtime.Object, error) {
	key, ok := parseKey(name)
	if !ok {
		return nil, apierrors.NewNotFound(l.resource, name)
	}
	return l.get(key, name)
}

// get returns the object of a key. Its error has the name that the caller uses.
func (l genericLister) get(key cache.ObjectName, name string) (runtime.Object, error) {
	obj, ok := l.objects.Get(key)
	if ok {
		return obj, nil
	}
	if err := l.objects.Err(); err != nil {
		return nil, err
	}
	return nil, apierrors.NewNotFound(l.resource, name)
}

// found returns the result of a list. client-go returns nil for no objects.
func (l genericLister) found(list []runtime.Object) ([]runtime.Object, error) {
	if len(list) == 0 {
		return nil, l.objects.Err()
	}
	return list, nil
}

func isEverything(selector labels.Selector) bool { return selector == nil || selector.Empty() }

func matches(selector labels.Selector, obj cache.Object) bool {
	return selector.Matches(labels.Set(obj.GetLabels()))
}

type namespaceLister struct {
	laterNamespaceLister
	all       genericLister
	namespace string
}

func (l namespaceLister) List(selector labels.Selector) ([]runtime.Object, error) {
	if l.namespace == metav1.NamespaceAll {
		return l.all.List(selector)
	}
	everything := isEverything(selector)
	var list []runtime.Object
	for obj := range l.all.objects.AllByIndex(cache.NamespaceIndex, l.namespace) {
		if everything || matches(selector, obj) {
			list = append(list, obj)
		}
	}
	return l.all.found(list)
}

func (l namespaceLister) Get(name string) (runtime.Object, error) {
	return l.all.get(cache.ObjectName{Namespace: l.namespace, Name: name}, name)
}
