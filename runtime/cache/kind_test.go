package cache

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Settings are those of an informer, as tests write them.
type Settings = settings

// Config is an informer as tests write it: a Kind with one source, and options.
type Config[T Object] struct {
	Settings
	Open              bodies.OpenFunc
	ListerWatcher     cachetest.Lister[T]
	Client            ListerWatcher[T] // instead of ListerWatcher
	Resource          schema.GroupVersionResource
	Namespace         string
	Indexers          Indexers[T]
	ResyncPeriod      time.Duration
	Transform         TransformFunc[T]
	WatchErrorHandler WatchErrorHandler
	ReadYourWrites    *ownWritesOf
	StatusHandler     func(context.Context, status.Change)
	Random            func(time.Duration) time.Duration
}

// erasedConfig returns what the machine makes of the Kind and the options.
func erasedConfig[T Object](c Config[T]) config {
	kind := Kind[T]{Resource: c.Resource, Namespaced: c.Namespace != "", Indexers: c.Indexers}
	if c.Open != nil {
		kind.Open = func(string) bodies.OpenFunc { return c.Open }
	}
	if c.ListerWatcher != nil {
		kind.ListWatch = func(string) ListerWatcher[T] { return listWatchOf(c.ListerWatcher) }
	}
	if c.Client.source != nil {
		kind.ListWatch = func(string) ListerWatcher[T] { return c.Client }
	}
	kind.Object = c.Decode.Object
	kind.Kind, kind.Protobuf = c.Decode.Kind.Kind, c.Decode.Protobuf
	set := []SharedInformerOption{WithTransform(c.Transform), WithWatchErrorHandler(c.WatchErrorHandler), WithStatusHandler(c.StatusHandler), WithResync(c.ResyncPeriod)}
	if c.Namespace != "" {
		set = append(set, WithNamespace(c.Namespace))
	}
	e := erasedKind(&kind)
	made, err := e.config(&options{}, newOptions(e.form.Type(), set))
	if err != nil && (c.Open != nil || kind.ListWatch != nil) {
		panic(err)
	}
	decode := made.Decode
	made.settings = c.Settings
	made.Decode.Kind, made.Decode.Protobuf, made.Decode.Object = decode.Kind, decode.Protobuf, decode.Object
	made.ReadYourWrites, made.random = c.ReadYourWrites, c.Random
	return made
}

// informerOf returns an informer.
func informerOf[T Object](c Config[T]) *SharedIndexInformer[T] {
	return faceOf[T](newMachine(erasedConfig(c)))
}

// reflectorOf returns a Reflector that pushes to queue.
func reflectorOf[T Object](c Config[T], queue *deltafifo.Queue) *storeReflector {
	return queueing(erasedConfig(c), queue)
}

func queueing(c config, queue *deltafifo.Queue) *storeReflector {
	push := func(d deltafifo.Delta) { queue.Push([]deltafifo.Delta{d}, deltafifo.Reached{}) }
	change := func(change deltafifo.Type) func(Object) {
		return func(obj Object) { push(deltafifo.Delta{Type: change, Item: wire.Item{Object: obj}}) }
	}
	return storeReflectorOf(c, erasedStore{
		replace: func(items []wire.Item) {
			push(deltafifo.Delta{Type: deltafifo.Replaced, Collection: &deltafifo.Collection{Items: items}})
		},
		add: change(deltafifo.Added), update: change(deltafifo.Updated), delete: change(deltafifo.Deleted),
	})
}
