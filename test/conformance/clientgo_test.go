package conformance

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	adapter "github.com/typedinformers/informer-gen/adapters/clientgo"
)

// clientGoInformer adapts client-go's informer, or ours behind client-go's interface.
type clientGoInformer struct {
	shared cache.SharedIndexInformer
}

func newClientGoInformer(s server, c config) informer {
	return newInformerBy(cache.NewSharedIndexInformer, s, c)
}

func newAdaptedInformer(s server, c config) informer {
	return newInformerBy(adapter.NewSharedIndexInformer, s, c)
}

// newInformerFunc is the type of cache.NewSharedIndexInformer.
type newInformerFunc func(cache.ListerWatcher, runtime.Object, time.Duration, cache.Indexers) cache.SharedIndexInformer

func newInformerBy(newShared newInformerFunc, s server, c config) informer {
	source := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return s.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return s.Watch(ctx, options)
		},
	}, s)
	shared := newShared(source, &metav1.PartialObjectMetadata{}, c.resync, clientGoIndexers(c.indexers))
	mustSucceed(shared.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		if c.onError != nil {
			c.onError(err)
		}
	}))
	if c.transform != nil {
		mustSucceed(shared.SetTransform(func(obj any) (any, error) { return c.transform(obj.(object)) }))
	}
	return clientGoInformer{shared}
}

func mustSucceed(err error) {
	if err != nil {
		panic(err) // setting up an informer that does not run cannot fail
	}
}

func clientGoIndexers(all indexers) cache.Indexers {
	result := cache.Indexers{}
	for name, values := range all {
		result[name] = func(obj any) ([]string, error) { return values(obj.(object)), nil }
	}
	return result
}

func (i clientGoInformer) Run(ctx context.Context) { i.shared.RunWithContext(ctx) }

func (i clientGoInformer) AddHandler(h handler, o handlerOptions) (registration, error) {
	var own cache.ResourceEventHandler = cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(obj any, initial bool) { h.OnAdd(obj.(object), initial) },
		UpdateFunc: func(oldObj, newObj any) { h.OnUpdate(oldObj.(object), newObj.(object)) },
		DeleteFunc: func(obj any) {
			last, unknown := lastKnown(obj)
			h.OnDelete(last, unknown, obj)
		},
	}
	if o.filter != nil {
		own = cache.FilteringResourceEventHandler{
			FilterFunc: func(obj any) bool {
				last, _ := lastKnown(obj)
				return o.filter(last)
			},
			Handler: own,
		}
	}
	return i.shared.AddEventHandlerWithOptions(own, cache.HandlerOptions{ResyncPeriod: o.resync})
}

// lastKnown opens a tombstone, if obj is one.
func lastKnown(obj any) (last object, unknown bool) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return tombstone.Obj.(object), true
	}
	return obj.(object), false
}

func (i clientGoInformer) RemoveHandler(r registration) error {
	return i.shared.RemoveEventHandler(r.(cache.ResourceEventHandlerRegistration))
}

func (i clientGoInformer) HasSynced() bool { return i.shared.HasSynced() }

func (i clientGoInformer) Get(namespace, name string) (object, bool) {
	obj, exists, err := i.shared.GetStore().GetByKey(namespace + "/" + name)
	if !exists || err != nil {
		return nil, false
	}
	return obj.(object), true
}

func (i clientGoInformer) List() []object { return typed(i.shared.GetStore().List()) }

func (i clientGoInformer) ByIndex(name, value string) ([]object, error) {
	objs, err := i.shared.GetIndexer().ByIndex(name, value)
	return typed(objs), err
}

func (i clientGoInformer) AddIndexers(all indexers) error {
	return i.shared.AddIndexers(clientGoIndexers(all))
}

func typed(objs []any) []object {
	result := make([]object, len(objs))
	for i, obj := range objs {
		result[i] = obj.(object)
	}
	return result
}
