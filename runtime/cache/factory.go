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
	resyncPeriod     time.Duration
	namespace        string
	tweakListOptions func(*metav1.ListOptions)
	noStreamingList  bool
	recoverPanics    bool
	detectMutations  bool
	decode           DecodeOptions
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
		registrations() []Syncer
	}
	started bool
}

// SharedInformerOption changes a factory when it is made.
type SharedInformerOption func(*SharedInformerFactory)

// WithNamespace limits the informers of namespaced kinds to one namespace.
// Those of cluster-scoped kinds are not affected.
func WithNamespace(namespace string) SharedInformerOption {
	return func(f *SharedInformerFactory) { f.namespace = namespace }
}

// WithTweakListOptions lets tweak change the options of every list and watch, to
// set a label or field selector. The informers depend on the paging, versions
// and timeouts that they ask for: leave these alone.
func WithTweakListOptions(tweak func(*metav1.ListOptions)) SharedInformerOption {
	return func(f *SharedInformerFactory) { f.tweakListOptions = tweak }
}

// WithoutStreamingList lets the informers list in pages from the start; see
// Config.DisableStreamingList.
func WithoutStreamingList() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.noStreamingList = true }
}

// WithPanicRecovery lets handlers that panic go on; see
// Config.RecoverHandlerPanics.
func WithPanicRecovery() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.recoverPanics = true }
}

// WithMutationDetector panics when somebody changes an object of a cache; see
// Config.DetectMutations. It is meant for tests.
func WithMutationDetector() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.detectMutations = true }
}

// WithoutManagedFields leaves metadata.managedFields out of all objects: it is never
// allocated.
func WithoutManagedFields() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.decode.WithoutManagedFields = true }
}

// WithoutAnnotations leaves the annotations with these keys out of all objects, such
// as kubectl's copy of the whole, corev1.LastAppliedConfigAnnotation: they are never
// allocated.
func WithoutAnnotations(keys ...string) SharedInformerOption {
	return func(f *SharedInformerFactory) {
		f.decode.WithoutAnnotations = append(f.decode.WithoutAnnotations, keys...)
	}
}

// SkipUndecodable lets informers go on without objects that cannot be decoded. Each
// is reported, and is in Status until a later state of it can be decoded or it is
// gone; the cache keeps the last state that could. Without this option a list fails
// as long as it has one.
func SkipUndecodable() SharedInformerOption {
	return func(f *SharedInformerFactory) { f.decode.SkipUndecodable = true }
}

// WithMaxObjectBytes limits how many bytes of JSON an object may have. Without it
// the limit is wire.DefaultMaxObjectBytes.
func WithMaxObjectBytes(limit int) SharedInformerOption {
	return func(f *SharedInformerFactory) { f.decode.MaxObjectBytes = limit }
}

// WithListerWatcher sets where the objects of one kind come from, instead of the
// client of the factory. source is given the namespace that the factory is limited
// to, if the kind has namespaces. A test gives a view of a kind of another project
// its objects so:
//
//	cache.WithListerWatcher(func(namespace string) cache.ListerWatcher[*PodSummary] {
//		return cache.NewViewListWatch[*PodSummary](kubeclient.CoreV1().Pods(namespace))
//	})
func WithListerWatcher[T Object](source func(namespace string) ListerWatcher[T]) SharedInformerOption {
	return func(f *SharedInformerFactory) { settingsOf[T](f).source = source }
}

// WithTransform changes the objects of one kind before they are stored:
//
//	cache.WithTransform(func(foo *v1.Foo) (*v1.Foo, error) { foo.ManagedFields = nil; return foo, nil })
func WithTransform[T Object](transform TransformFunc[T]) SharedInformerOption {
	return func(f *SharedInformerFactory) { settingsOf[T](f).transform = transform }
}

// WithCustomResync sets the resync period of one kind, instead of the one of the
// factory: cache.WithCustomResync[*v1.Foo](time.Minute).
func WithCustomResync[T Object](period time.Duration) SharedInformerOption {
	return func(f *SharedInformerFactory) { settingsOf[T](f).resyncPeriod = &period }
}

// WithFieldSelector limits the informer of one kind to the objects that selector
// selects on the server:
//
//	cache.WithFieldSelector(examplev1.FooFieldSpecColor.Is("blue"))
//
// Several limit it to what all of them select.
func WithFieldSelector[T Object](selector FieldSelector[T]) SharedInformerOption {
	return func(f *SharedInformerFactory) {
		settings := settingsOf[T](f)
		settings.fieldSelector = settings.fieldSelector.And(selector)
	}
}

type kindSettings[T Object] struct {
	transform     TransformFunc[T]
	fieldSelector FieldSelector[T]
	resyncPeriod  *time.Duration
	source        func(namespace string) ListerWatcher[T]
}

func settingsOf[T Object](f *SharedInformerFactory) *kindSettings[T] {
	kind := reflect.TypeFor[T]()
	if f.ofKind[kind] == nil {
		f.ofKind[kind] = &kindSettings[T]{}
	}
	return f.ofKind[kind].(*kindSettings[T])
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
	Resource   schema.GroupVersionResource
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
	settings := settingsOf[T](f)
	config := Config[T]{
		Resource:     kind.Resource,
		Indexers:     kind.Indexers,
		ResyncPeriod: f.resyncPeriod,
		Transform:    settings.transform,
		Decode:       f.decode,

		DisableStreamingList: f.noStreamingList,
		RecoverHandlerPanics: f.recoverPanics,
		DetectMutations:      f.detectMutations,
		firstLists:           f.firstLists,
	}
	if settings.resyncPeriod != nil {
		config.ResyncPeriod = *settings.resyncPeriod
	}
	if kind.Namespaced {
		config.Namespace = f.namespace
	}
	kind.bind(&config, settings.source)
	if settings.fieldSelector.selector != nil {
		// Below what tweaks the options, which may set a selector of its own.
		config.tweak(settings.fieldSelector.limit)
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
