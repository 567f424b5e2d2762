package conformance

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/bodies"
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
	return newInformerOf(s, cache.Kind[object]{ListWatch: func(string) cache.ListerWatcher[object] { return cache.NewListWatch[object](s) }}, c)
}

func newBodyInformer(s server, c config) informer {
	kind := cache.Kind[object]{Open: func(string) bodies.OpenFunc { return s.open }}
	if !c.ownWrites {
		return newInformerOf(s, kind, c)
	}
	kind.Server = baseURL(serverURL)
	return newInformerOf(s, kind, c, cache.WithReadYourWrites(c.observer))
}

func newInformerOf(s server, kind cache.Kind[object], c config, options ...cache.SharedInformerOption) informer {
	kind.Resource, kind.Indexers = widgets, runtimeIndexers(c.indexers)
	onError := func(_ context.Context, _ schema.GroupVersionResource, err error) {
		if c.onError != nil {
			c.onError(err)
		}
	}
	options = append(options, cache.WithResync(c.resync), cache.WithTransform(cache.TransformFunc[object](c.transform)), cache.WithWatchErrorHandler(onError))
	if !s.IsWatchListSemanticsUnSupported() {
		options = append(options, cache.WithStreamingList()) // of JSON too
	}
	made, err := kind.NewInformer(options...)
	if err != nil {
		panic(err)
	}
	return runtimeInformer{made}
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
		options = append(options, cache.WithHandlerResync(*o.resync))
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

// baseURL is the URL of a server.
type baseURL string

func (u baseURL) String() string { return string(u) }
