package cache

import (
	"context"
	"io"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
)

// SharedInformerFactory holds the informers of one program, one for each kind
// that somebody asks for. The generated factories, which have an accessor for
// each kind, are built on it.
type SharedInformerFactory struct {
	settings         Settings
	resyncPeriod     time.Duration
	namespace        string
	tweakListOptions func(*metav1.ListOptions)
	// firstLists has a place for each informer that may read its first list at one
	// time.
	firstLists chan struct{}
	// ofKind holds what options set for one kind, by the reflect.Type of its T:
	// the one place where kinds of different types meet.
	ofKind map[reflect.Type]any

	ctx    context.Context // ends at Shutdown
	cancel context.CancelFunc
	wg     sync.WaitGroup // one for each running informer

	mu        sync.Mutex // guards informers, and their start against shutdown
	informers map[informerKey]*factoryInformer
}

type informerKey struct {
	resource schema.GroupVersionResource
	object   reflect.Type
}

// factoryInformer is what the factory does with an informer of any T.
type factoryInformer struct {
	informer interface {
		Syncer
		Run(ctx context.Context)
		retire()
		wasStopped() bool
		Status() Status
		Retry()
		registrations() []Syncer
	}
	started bool
}

// maxFirstLists is how many informers of a factory read their first list at one
// time, so that a program with a hundred kinds does not besiege the server when it
// starts.
const maxFirstLists = 10

// NewSharedInformerFactory returns a factory without informers. resyncPeriod is
// how often handlers are told every cached object again; 0 for never.
func NewSharedInformerFactory(resyncPeriod time.Duration, options ...SharedInformerOption) *SharedInformerFactory {
	f := &SharedInformerFactory{
		resyncPeriod: resyncPeriod,
		ofKind:       map[reflect.Type]any{},
		informers:    map[informerKey]*factoryInformer{},
		firstLists:   make(chan struct{}, maxFirstLists),
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	for _, option := range options {
		option(f)
	}
	return f
}

// Kind is what a factory has to know of a kind to make its informer.
type Kind[T Object] struct {
	Resource schema.GroupVersionResource
	// Kind is the kind in the JSON of the objects, such as Deployment. An answer with
	// another kind is refused; see DecodeOptions.Kind. It may be empty.
	Kind       string
	Namespaced bool
	// Open returns where the bodies of a namespace come from; nil for a client that
	// has none. The namespace is empty for all, and for cluster-scoped kinds.
	Open func(namespace string) OpenFunc
	// ListWatch returns where the objects of a namespace come from if there are no
	// bodies.
	ListWatch func(namespace string) ListerWatcher[T]
	Indexers  Indexers[T]
}

// InformerFor returns the factory's informer of a kind, which is made when it is
// first asked for, and again when the one before was stopped. Start starts it.
func InformerFor[T Object](f *SharedInformerFactory, kind Kind[T]) *SharedIndexInformer[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := informerKey{kind.Resource, reflect.TypeFor[T]()}
	if known := f.informers[key]; known != nil && !known.informer.wasStopped() {
		return known.informer.(*SharedIndexInformer[T])
	}
	ofKind := settingsOf[T](f)
	config := Config[T]{
		Settings:     f.settings,
		Resource:     kind.Resource,
		Indexers:     kind.Indexers,
		ResyncPeriod: f.resyncPeriod,
		Transform:    ofKind.transform,
		firstLists:   f.firstLists,
	}
	config.Decode.Kind = schema.GroupKind{Group: kind.Resource.Group, Kind: kind.Kind}
	if ofKind.resyncPeriod != nil {
		config.ResyncPeriod = *ofKind.resyncPeriod
	}
	if kind.Namespaced {
		config.Namespace = f.namespace
	}
	kind.bind(&config, ofKind.source)
	if ofKind.fieldSelector.selector != nil {
		// Below what tweaks the options, which may set a selector of its own.
		config.tweak(ofKind.fieldSelector.limit)
	}
	if f.tweakListOptions != nil {
		config.tweak(f.tweakListOptions)
	}
	informer := NewSharedIndexInformer(config)
	f.informers[key] = &factoryInformer{informer: informer}
	if f.ctx.Err() != nil {
		informer.retire() // it will never be started, and says so
	}
	return informer
}

// bind sets where the objects come from.
func (k *Kind[T]) bind(config *Config[T], source func(namespace string) ListerWatcher[T]) {
	switch {
	case source != nil:
		config.ListerWatcher = source(config.Namespace)
		return
	case k.Open != nil:
		config.Open = k.Open(config.Namespace)
	}
	if config.Open == nil {
		config.ListerWatcher = k.ListWatch(config.Namespace)
	}
}

// tweak lets change change the options of every request.
func (c *Config[T]) tweak(change func(*metav1.ListOptions)) {
	if open := c.Open; open != nil {
		c.Open = func(ctx context.Context, options metav1.ListOptions) (io.ReadCloser, error) {
			change(&options)
			return open(ctx, options)
		}
	}
	if source := c.ListerWatcher; source != nil {
		c.ListerWatcher = &ListWatch[T]{
			ListFunc: func(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
				change(&options)
				return source.List(ctx, options)
			},
			WatchFunc: func(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
				change(&options)
				return source.Watch(ctx, options)
			},
			client: clientKindOf(source),
		}
	}
}

// Start starts the informers that were asked for and are not started yet. They
// run until ctx ends or Shutdown is called. It does not block. Whoever asks for
// another informer later calls Start again.
func (f *SharedInformerFactory) Start(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		return // after Shutdown nothing starts
	}
	for _, i := range f.informers {
		if i.started {
			continue
		}
		i.started = true
		f.wg.Go(func() {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(f.ctx, cancel)()
			i.informer.Run(ctx)
		})
	}
}

// WaitForCacheSync blocks until the cache of each informer that was asked for
// holds the first list, and each handler registered by now has returned from its
// last event of that list. If ctx ends first, or an informer stops, it returns a
// *NotSyncedError that says of each what it waits for, and why. It waits for
// informers that are not started as well, because somebody else may be about to
// start them, and says so in the log.
func (f *SharedInformerFactory) WaitForCacheSync(ctx context.Context) error {
	f.mu.Lock()
	informers := slices.Collect(maps.Values(f.informers))
	forgotten := map[*factoryInformer]bool{}
	for _, i := range informers {
		forgotten[i] = !i.started
	}
	f.mu.Unlock() // an informer's lock is not waited for with ours
	var all, handlers []Syncer
	for _, i := range informers {
		if forgotten[i] && i.informer.Status().Phase == Pending {
			klog.FromContext(ctx).Info("Waiting for an informer that is not started; call Start after asking for it", "informer", i.informer.NotSyncedReason())
		}
		all = append(all, i.informer)
		handlers = append(handlers, i.informer.registrations()...)
	}
	return WaitForCacheSync(ctx, append(all, handlers...)...)
}

// Retry lets each informer try a failed list or watch again at once, instead of after
// its wait. It may be called from any goroutine, and never blocks: for example when
// credentials were rotated, or by a watch of CRDs when one is established.
func (f *SharedInformerFactory) Retry() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, i := range f.informers {
		i.informer.Retry()
	}
}

// Shutdown stops the informers and returns when no goroutine of theirs is left
// and no handler is running. Nothing can be started any more. It may be called
// again, and from several goroutines, but not from a handler, for which it would
// wait.
func (f *SharedInformerFactory) Shutdown() {
	f.mu.Lock()
	f.cancel()
	var idle []*factoryInformer
	for _, i := range f.informers {
		if !i.started {
			idle = append(idle, i)
		}
	}
	f.mu.Unlock()
	for _, i := range idle {
		i.informer.retire()
	}
	f.wg.Wait()
}
