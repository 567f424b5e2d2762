package conformance

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// runtimeInformer adapts this module's informer.
type runtimeInformer struct {
	*cache.SharedIndexInformer[object]
}

func newRuntimeInformer(s server, c config) informer {
	if c.ownWrites {
		return newBodyInformer(s, c)
	}
	return newInformerOf(s, cache.Config[object]{ListerWatcher: cache.NewListWatch[object](s)}, c)
}

func newBodyInformer(s server, c config) informer {
	source := cache.Config[object]{Open: s.open}
	if c.ownWrites {
		source.ReadYourWrites = &cache.OwnWrites{Observer: c.observer, Server: serverURL}
	}
	return newInformerOf(s, source, c)
}

func newInformerOf(s server, source cache.Config[object], c config) informer {
	return runtimeInformer{cache.NewSharedIndexInformer(cache.Config[object]{
		Open:           source.Open,
		ListerWatcher:  source.ListerWatcher,
		ReadYourWrites: source.ReadYourWrites,
		Resource:       widgets,
		Indexers:       runtimeIndexers(c.indexers),
		ResyncPeriod:   c.resync,
		Transform:      c.transform,
		Settings:       cache.Settings{StreamingList: !s.IsWatchListSemanticsUnSupported()}, // of JSON too
		WatchErrorHandler: func(_ context.Context, _ schema.GroupVersionResource, err error) {
			if c.onError != nil {
				c.onError(err)
			}
		},
	})}
}

func runtimeIndexers(all indexers) cache.Indexers[object] {
	result := cache.Indexers[object]{}
	for name, values := range all {
		result[name] = values
	}
	return result
}

func (i runtimeInformer) AddHandler(h handler, o handlerOptions) (registration, error) {
	var own cache.ResourceEventHandler[object] = cache.ResourceEventHandlerFuncs[object]{
		AddFunc:    h.OnAdd,
		UpdateFunc: h.OnUpdate,
		DeleteFunc: func(obj object, unknown bool) { h.OnDelete(obj, unknown, obj) },
	}
	if o.filter != nil {
		own = cache.FilteringResourceEventHandler[object]{FilterFunc: o.filter, Handler: own}
	}
	var options []cache.HandlerOption
	if o.resync != nil {
		options = append(options, cache.WithResyncPeriod(*o.resync))
	}
	return i.AddEventHandler(own, options...)
}

func (i runtimeInformer) RemoveHandler(r registration) error {
	return i.RemoveEventHandler(r.(cache.ResourceEventHandlerRegistration))
}

func (i runtimeInformer) Get(namespace, name string) (object, bool) {
	return i.GetStore().Get(cache.ObjectName{Namespace: namespace, Name: name})
}

func (i runtimeInformer) List() []object { return i.GetStore().List() }

func (i runtimeInformer) ByIndex(name, value string) ([]object, error) {
	return i.GetIndexer().ByIndex(name, value)
}

func (i runtimeInformer) AddIndexers(all indexers) error {
	return i.SharedIndexInformer.AddIndexers(runtimeIndexers(all))
}
