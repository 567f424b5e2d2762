package clientgo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/internal/synced"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// SharedIndexInformer returns informer as a SharedIndexInformer of client-go. It shares the
// cache and the queues of informer, and its own memory does not depend on the number of objects.
// Each call returns another adapter, and any of them can remove the handlers of the others.
//
// Run runs informer, also one of a factory: Start of the factory then only runs the others, and Shutdown
// stops all. If informer was started before, Run returns at once.
//
// The result also has the methods Status, Statuses and WaitFor of informer, for a caller that
// asserts it to an interface with one of them, such as status.Source.
func SharedIndexInformer[T cache.Object](informer *cache.SharedIndexInformer[T]) toolscache.SharedIndexInformer {
	return SharedIndexInformerOf(informer, View{})
}

// SharedIndexInformerOf returns a view of informer as a SharedIndexInformer of client-go.
func SharedIndexInformerOf[T cache.Object](informer *cache.SharedIndexInformer[T], view View) toolscache.SharedIndexInformer {
	return informerOf(newSharedInformer((*cache.SharedIndexInformer[cache.Object])(informer), view, reflect.TypeFor[T]()))
}

// TypedInformer returns the informer behind an adapter: the same cache and the same watch, with typed methods, Status and the
// options of [cache.SharedIndexInformer.AddEventHandler]. So a program can move from client-go's informer to the typed one file
// by file:
//
//	foos, err := clientgo.TypedInformer[*v1.Foo](factory.Example().V1().Foos().Informer())
//
// A relist passes to its handlers only what has changed, also if the adapter's get all objects.
// TypedInformer returns an error if informer is no adapter for objects of type T. client-go's NewTypedSharedIndexInformer may be
// around it.
func TypedInformer[T cache.Object](informer toolscache.SharedIndexInformer) (*cache.SharedIndexInformer[T], error) {
	x, ours := informer.GetIndexer().(*indexer)
	if !ours || x.informer == nil || x.of != reflect.TypeFor[T]() {
		return nil, fmt.Errorf("the %T is no adapter for objects of type %v: its cache is a %T", informer, reflect.TypeFor[T](), informer.GetIndexer())
	}
	return (*cache.SharedIndexInformer[T])(x.informer), nil
}

// newSharedInformer returns an adapter for objects of a Go type.
func newSharedInformer(informer *cache.SharedIndexInformer[cache.Object], view View, of reflect.Type) *sharedInformer {
	name := "SharedIndexInformer " + of.String()
	if resource := informer.Resource().GroupResource(); resource.Resource != "" {
		name += " of " + resource.String()
	}
	s := &sharedInformer{informer: informer, name: name, description: name}
	s.indexer = indexer{objects: informer.GetIndexer(), of: of, accepted: of, informer: informer, view: view}
	return s
}

// newOwnInformer returns an adapter that replaces an informer of client-go. It has objects of the type of
// example, and also keeps others that a Store gets, as client-go's does. An update of an unchanged object after a relist is a
// resync there: if the informer has resyncs, a handler that wants none does not get it. As client-go's functions do, it panics
// on options that it cannot set.
func newOwnInformer(informer *cache.SharedIndexInformer[cache.Object], example runtime.Object, options toolscache.SharedIndexInformerOptions) toolscache.SharedIndexInformer {
	of := reflect.TypeOf(example)
	if of == nil {
		of = reflect.TypeFor[cache.Object]()
	}
	adapter := newSharedInformer(informer, View{}, of)
	adapter.indexer.accepted = reflect.TypeFor[cache.Object]()
	adapter.description = cmp.Or(options.ObjectDescription, adapter.description)
	adapter.relists = func(own *time.Duration) bool { return options.ResyncPeriod == 0 || own == nil || *own > 0 }
	if err := errors.Join(adapter.AddIndexers(options.Indexers), adapter.setShard(shardIn(options))); err != nil {
		panic(err)
	}
	return informerOf(adapter)
}

// sharedInformer is an informer as client-go's SharedIndexInformer.
type sharedInformer struct {
	laterInformer
	informer *cache.SharedIndexInformer[cache.Object]
	indexer  indexer
	name     string // for DoneCheckers and logs
	// description describes the objects to the WatchErrorHandler.
	description string
	// relists reports whether a handler gets an update of each object after a relist. own is the resync period that it asks
	// for, or nil. If relists is nil, no handler does.
	relists func(own *time.Duration) bool
}

func (s *sharedInformer) Run(stopCh <-chan struct{}) {
	s.RunWithContext(wait.ContextForChannel(stopCh))
}

func (s *sharedInformer) RunWithContext(ctx context.Context) { s.informer.Run(ctx) }

// Status returns the state of the informer, since when, and why.
func (s *sharedInformer) Status() cache.Status { return s.informer.Status() }

// Statuses yields the state and the counters of the informer.
func (s *sharedInformer) Statuses() iter.Seq[status.Informer] { return s.informer.Statuses() }

// WaitFor waits until the cache is complete up to resourceVersion.
func (s *sharedInformer) WaitFor(ctx context.Context, resourceVersion string) error {
	return s.informer.WaitFor(ctx, resourceVersion)
}

func (s *sharedInformer) HasSynced() bool { return s.informer.HasSynced() }

func (s *sharedInformer) synced() synced.Checker { return synced.New(s.name, s.informer.Synced()) }

func (s *sharedInformer) LastSyncResourceVersion() string {
	return s.informer.Status().ResourceVersion
}

func (s *sharedInformer) IsStopped() bool { return isClosed(s.informer.Ended()) }

func (s *sharedInformer) GetStore() toolscache.Store { return &s.indexer }

func (s *sharedInformer) GetIndexer() toolscache.Indexer { return &s.indexer }

func (s *sharedInformer) GetController() toolscache.Controller {
	return controllerOf(controller{hasSynced: s.HasSynced, done: s.synced, version: s.LastSyncResourceVersion})
}

func (s *sharedInformer) AddIndexers(indexers toolscache.Indexers) error {
	if s.IsStopped() {
		return fmt.Errorf("cannot add indexes to %s: %w", s.name, cache.ErrStopped)
	}
	return s.indexer.AddIndexers(indexers)
}

func (s *sharedInformer) SetTransform(transform toolscache.TransformFunc) error {
	if s.indexer.view.Object != nil {
		return fmt.Errorf("cannot set the transform of %s, which shows another form of the objects; set the transform of the informer", s.name)
	}
	return s.informer.SetTransform(transformTo(s.indexer.accepted, transform))
}

// setShard makes the informer follow the objects of a shard. Without a shard it follows all. As in client-go, it fails after the
// start.
func (s *sharedInformer) setShard(shard shardSelector) error {
	switch {
	case s.indexer.view.Object != nil:
		return fmt.Errorf("cannot set the shard of %s, which shows another form of the objects; set the shard of the informer", s.name)
	case s.informer.Status().Phase != status.Pending:
		return fmt.Errorf("cannot set the shard of %s: it has already started", s.name)
	}
	selector := ""
	if shard != nil && !shard.Empty() {
		selector = shard.String()
	}
	scopes := s.informer.Scopes()
	isSame := true
	for i := range scopes {
		isSame = isSame && scopes[i].ShardSelector == selector
		scopes[i].ShardSelector = selector
	}
	if isSame {
		return nil
	}
	return s.informer.SetScopes(scopes...)
}

func (s *sharedInformer) SetWatchErrorHandler(handler toolscache.WatchErrorHandler) error {
	if handler == nil {
		return s.SetWatchErrorHandlerWithContext(nil)
	}
	return s.SetWatchErrorHandlerWithContext(func(_ context.Context, r *toolscache.Reflector, err error) { handler(r, err) })
}

func (s *sharedInformer) SetWatchErrorHandlerWithContext(handler toolscache.WatchErrorHandlerWithContext) error {
	if handler == nil {
		return s.informer.SetWatchErrorHandler(nil)
	}
	return s.informer.SetWatchErrorHandler(WatchErrorHandler(s.name, s.description, handler))
}

func (s *sharedInformer) AddEventHandler(handler toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, toolscache.HandlerOptions{})
}

func (s *sharedInformer) AddEventHandlerWithResyncPeriod(handler toolscache.ResourceEventHandler, resyncPeriod time.Duration) (toolscache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, toolscache.HandlerOptions{ResyncPeriod: &resyncPeriod})
}

func (s *sharedInformer) AddEventHandlerWithOptions(handler toolscache.ResourceEventHandler, options toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	if handler == nil {
		return nil, fmt.Errorf("cannot add a handler to %s: it is nil", s.name)
	}
	name := nameOf(handler)
	if s.IsStopped() {
		return nil, s.stopped(name)
	}
	logger := klog.Background()
	if options.Logger != nil {
		logger = *options.Logger
	}
	var set []cache.HandlerOption
	if options.ResyncPeriod != nil {
		set = append(set, cache.WithHandlerResync(*options.ResyncPeriod))
	}
	if s.relists != nil && s.relists(options.ResyncPeriod) {
		set = append(set, cache.WithRelistUpdates())
	}
	adapted := &eventHandler{handler: handler, view: s.indexer.view, logger: logger, ended: s.informer.Ended()}
	own, err := s.informer.AddEventHandler(adapted, set...)
	if errors.Is(err, cache.ErrStopped) {
		return nil, s.stopped(name)
	}
	if err != nil {
		return nil, err
	}
	return registrationOf(&registration{ResourceEventHandlerRegistration: own, informer: s.informer, name: s.name + " + event handler " + name}), nil
}

// stopped returns the error of a handler that was added too late. Programs look for its end.
func (s *sharedInformer) stopped(name string) error {
	return fmt.Errorf("%w: handler %s was not added to shared informer because it has stopped already", cache.ErrStopped, name)
}

func (s *sharedInformer) RemoveEventHandler(handle toolscache.ResourceEventHandlerRegistration) error {
	ours, ok := handle.(interface{ own() *registration })
	if !ok {
		return fmt.Errorf("cannot remove a handler from %s: the registration is a %T, which no informer of this package has returned", s.name, handle)
	}
	r := ours.own()
	if r.informer != any(s.informer) {
		return nil // as in client-go, where it is not registered either
	}
	return s.informer.RemoveEventHandler(r.ResourceEventHandlerRegistration)
}

// registration is a handler that was added. It also has the methods of
// cache.ResourceEventHandlerRegistration.
type registration struct {
	laterRegistration
	cache.ResourceEventHandlerRegistration
	informer any // the *cache.SharedIndexInformer
	name     string
}

func (r *registration) own() *registration { return r }

func (r *registration) synced() synced.Checker { return synced.New(r.name, r.Synced()) }

// ShutdownChan is closed when the handler was removed and has returned from its last call.
// client-go's ShutDownEventHandler waits for it.
func (r *registration) ShutdownChan() <-chan struct{} { return r.Gone() }

// controller is the Controller of a shared informer. As in client-go, its Run does nothing.
type controller struct {
	laterController
	hasSynced func() bool
	done      func() synced.Checker
	version   func() string
}

func (c controller) RunWithContext(context.Context) {}

func (c controller) Run(<-chan struct{}) {}

func (c controller) HasSynced() bool { return c.hasSynced() }

func (c controller) synced() synced.Checker { return c.done() }

func (c controller) LastSyncResourceVersion() string { return c.version() }

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
