package cache

import (
	"context"
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
	// ListWatch returns where the objects of a namespace come from. The namespace
	// is empty for all, and for cluster-scoped kinds.
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
	config.ListerWatcher = kind.ListWatch(config.Namespace)
	if settings.fieldSelector.selector != nil {
		// Below what tweaks the options, which may set a selector of its own.
		config.ListerWatcher = tweaked(config.ListerWatcher, settings.fieldSelector.limit)
	}
	if f.tweakListOptions != nil {
		config.ListerWatcher = tweaked(config.ListerWatcher, f.tweakListOptions)
	}
	informer := NewSharedIndexInformer(config)
	f.informers[key] = &factoryInformer{informer: informer}
	if f.ctx.Err() != nil {
		informer.retire() // it will never be started, and says so
	}
	return informer
}

func tweaked[T Object](source ListerWatcher[T], tweak func(*metav1.ListOptions)) ListerWatcher[T] {
	return &ListWatch[T]{
		ListFunc: func(ctx context.Context, options metav1.ListOptions) (Page[T], error) {
			tweak(&options)
			return source.List(ctx, options)
		},
		WatchFunc: func(ctx context.Context, options metav1.ListOptions) (EventStream[T], error) {
			tweak(&options)
			return source.Watch(ctx, options)
		},
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
