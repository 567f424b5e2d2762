package cache

import (
	"context"
	"reflect"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
)

// SharedInformerFactory holds the informers of one program, one for each kind that the
// program uses. The generated factories, which have an accessor for each kind, are
// built on it.
type SharedInformerFactory struct {
	settings         Settings
	resyncPeriod     time.Duration
	namespace        string
	tweakListOptions func(*metav1.ListOptions)
	// firstLists limits the informers that read their first list at one time.
	firstLists chan struct{}
	// ofKind holds the *kindSettings[T] of each kind, by the reflect.Type of T.
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

// factoryInformer is an informer of any T.
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

// maxFirstLists is the number of informers of a factory that read their first list at one
// time, so that a program with a hundred kinds does not overload the server at its start.
const maxFirstLists = 10

// NewSharedInformerFactory returns a factory without informers. resyncPeriod is the
// Config.ResyncPeriod of each.
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

// Kind describes a kind, so that a factory can create its informer.
type Kind[T Object] struct {
	Resource schema.GroupVersionResource
	// Kind is the kind in the JSON of the objects, such as Deployment, or empty. A response
	// with another kind is an error; see DecodeOptions.Kind.
	Kind string
	// Protobuf is set for a kind that the API server also has as protobuf; see
	// DecodeOptions.Protobuf.
	Protobuf   runtime.Object
	Namespaced bool
	// Open returns the OpenFunc of a namespace, or nil for a client without bodies. The
	// namespace is empty for all namespaces, and for cluster-scoped kinds.
	Open func(namespace string) OpenFunc
	// ListWatch returns the ListerWatcher of a namespace if there are no bodies.
	ListWatch func(namespace string) ListerWatcher[T]
	Indexers  Indexers[T]
	// WithoutStreamingList is set if the client has no streaming lists; see the field of
	// Settings.
	WithoutStreamingList bool
}

// InformerFor returns the factory's informer of a kind. It creates the informer at the
// first call, and another one at the first call after Stop. Start starts it.
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
	config.Decode.Protobuf = kind.Protobuf
	config.WithoutStreamingList = config.WithoutStreamingList || kind.WithoutStreamingList
	if ofKind.resyncPeriod != nil {
		config.ResyncPeriod = *ofKind.resyncPeriod
	}
	if kind.Namespaced {
		config.Namespace = f.namespace
	}
	switch {
	case ofKind.source != nil:
		config.ListerWatcher = ofKind.source(config.Namespace)
	case kind.Open != nil:
		config.Open = kind.Open(config.Namespace)
	}
	if ofKind.source == nil && config.Open == nil {
		config.ListerWatcher = kind.ListWatch(config.Namespace)
	}
	if ofKind.fieldSelector.selector != nil {
		// It runs after tweakListOptions, which may set a selector of its own.
		config.tweak(ofKind.fieldSelector.limit)
	}
	if f.tweakListOptions != nil {
		config.tweak(f.tweakListOptions)
	}
	informer := NewSharedIndexInformer(config)
	f.informers[key] = &factoryInformer{informer: informer}
	if f.ctx.Err() != nil {
		informer.retire() // it will never be started
	}
	return informer
}

// Start starts the informers that exist and are not started yet. They run until ctx
// ends or Shutdown is called. It does not block. A caller that creates another informer
// later calls Start again.
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

// WaitForCacheSync blocks until the cache of each informer holds the first list, and
// each registered handler has returned from the last event of that list. If ctx ends
// first, or an informer stops, it returns a *NotSyncedError, which names each informer
// and handler that is not synced, with the reason. It also waits for informers that are
// not started, because another goroutine may start them, and logs their names.
func (f *SharedInformerFactory) WaitForCacheSync(ctx context.Context) error {
	var all, handlers []Syncer
	for _, i := range f.copied() {
		if !i.started && i.informer.Status().Phase == Pending {
			klog.FromContext(ctx).Info("Waiting for an informer that is not started; call Start after you create it", "reason", i.informer.NotSyncedReason())
		}
		all = append(all, i.informer)
		handlers = append(handlers, i.informer.registrations()...)
	}
	return WaitForCacheSync(ctx, append(all, handlers...)...)
}

// copied returns copies of informers, for a caller that takes the locks of informers, which
// it must not do while it holds mu.
func (f *SharedInformerFactory) copied() (informers []factoryInformer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, i := range f.informers {
		informers = append(informers, *i)
	}
	return informers
}

// Retry makes each informer retry a failed list or watch at once, instead of after its
// wait; see Reflector.Retry.
func (f *SharedInformerFactory) Retry() {
	for _, i := range f.copied() {
		i.informer.Retry()
	}
}

// Shutdown stops the informers. When it returns, none of their goroutines is left and
// no handler is running. Nothing can be started afterwards. It may be called twice, and
// from several goroutines. A handler must not call Shutdown, which would wait for the
// handler.
func (f *SharedInformerFactory) Shutdown() {
	f.mu.Lock()
	f.cancel() // under the lock: afterwards Start starts nothing
	f.mu.Unlock()
	for _, i := range f.copied() {
		if !i.started {
			i.informer.retire()
		}
	}
	f.wg.Wait()
}
