package cache

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/mistakes"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/source"
)

// SharedInformerFactory holds the informers of one program: one for each kind that it uses.
// The kinds may come from several generated packages, several clients, and from code that
// learns them at run time. The generated factories, which have an accessor for each kind, are
// built on it. All methods may be called from any goroutine.
type SharedInformerFactory struct {
	options *options
	// firstLists limits the informers that read their first list at one time.
	firstLists chan struct{}

	ctx    context.Context // ends at Shutdown
	cancel context.CancelFunc
	wg     sync.WaitGroup // one for each running informer, and for each that a Release stops

	mu        sync.Mutex // guards what follows, and the start of informers against shutdown
	informers map[informerKey]*factoryInformer
	// running is the context of the last Start, nil before the first one.
	running context.Context
	// plain has the informers that serve calls without options.
	plain map[plainKey]*factoryInformer
	// declared are the Go types of the kinds that informers may be made of later.
	declared map[reflect.Type]bool
	mistakes mistakes.List // in options
	// refused are the informers of calls whose options are not those of the informer that exists, one
	// for each mistake. They never run, and a reader of Statuses has to know.
	refused []factoryInformer
}

// informerKey identifies an informer of a factory.
type informerKey struct {
	resource schema.GroupVersionResource
	object   reflect.Type
	server   string
}

// plainKey finds an informer without a call of Server.String, which is slow.
type plainKey struct {
	resource schema.GroupVersionResource
	object   reflect.Type
	server   fmt.Stringer
}

// String returns a text that orders keys.
func (k informerKey) String() string {
	return k.resource.Group + "/" + k.resource.Resource + "/" + k.resource.Version + " " + k.object.String() + " " + k.server
}

// factoryInformer is an informer of a factory.
type factoryInformer struct {
	key      informerKey
	name     string // of key
	informer factoryMachine
	started  bool // by the factory, and not by a caller of Run
	// leases is the number of leases that are not released. pinned is set by InformerFor: no
	// Release stops the informer then.
	leases int
	pinned bool
	// call are the options of the call that created it.
	call *options
	// refused is the mistake in its options, if there is one.
	refused error
}

// factoryMachine is an informer as its factory sees it.
type factoryMachine interface {
	machine
	scopeReceiver
	halt()
	await()
	wasStopped() bool
	observed() InformerStatus
	registrations() []Syncer
}

// maxFirstLists is the number of informers of a factory that read their first list at one
// time, so that a program with a hundred kinds does not overload the server at its start.
const maxFirstLists = 10

// newOwnFirstLists returns the limit of an informer with several scopes.
func newOwnFirstLists() chan struct{} { return make(chan struct{}, maxFirstLists/2) }

// NewSharedInformerFactory returns a factory without informers. resyncPeriod is the
// resync period of each; see WithResync.
func NewSharedInformerFactory(resyncPeriod time.Duration, set ...SharedInformerOption) *SharedInformerFactory {
	f := &SharedInformerFactory{
		options:    newOptions(nil, append([]SharedInformerOption{WithResync(resyncPeriod)}, set...)),
		informers:  map[informerKey]*factoryInformer{},
		plain:      map[plainKey]*factoryInformer{},
		declared:   map[reflect.Type]bool{},
		firstLists: make(chan struct{}, maxFirstLists),
	}
	f.mistakes.Add(f.options.err())
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return f
}

// Declare tells f of which kinds informers may be made later. Start does not take the options
// for such a kind for a mistake if there is no informer of it yet. Generated packages declare
// their kinds.
func (f *SharedInformerFactory) Declare(objects ...reflect.Type) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, object := range objects {
		f.declared[object] = true
	}
}

// InformerFor returns the factory's informer of a kind. It creates the informer at the
// first call, and another one at the first call after Stop. Start starts it. No Release of a
// Lease stops it from then on.
//
// The options are for this informer. All calls need the same ones, because they share it.
// Functions cannot be compared: if a call passes one, another call is a mistake. To share such
// options, pass them to the factory, in For. The result of a call with a mistake is an informer
// that never runs; see SharedInformerOption.
func InformerFor[T Object](f *SharedInformerFactory, kind Kind[T], set ...SharedInformerOption) *SharedIndexInformer[T] {
	plain := plainKey{kind.Resource, reflect.TypeFor[T](), kind.Server}
	if known := f.plainInformer(plain); known != nil && len(set) == 0 {
		return faceOf[T](known)
	}
	return faceOf[T](f.informerFor(plain, erasedKind(&kind), set))
}

// plainInformer returns the informer that serves calls without options, or nil.
func (f *SharedInformerFactory) plainInformer(plain plainKey) machine {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.plain[plain]; known != nil && !known.informer.wasStopped() {
		return known.informer
	}
	return nil
}

func (f *SharedInformerFactory) informerFor(plain plainKey, kind *kind, set []SharedInformerOption) machine {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := keyOf(kind)
	informer, err := f.informerLocked(key, kind, set)
	known := f.informers[key]
	if f.mistakes.Add(err) && known.informer != informer {
		f.refused = append(f.refused, factoryInformer{key: key, name: known.name, informer: informer, refused: err})
	}
	known.pinned = true
	if err == nil && len(set) == 0 {
		f.plain[plain] = known
	}
	return informer
}

// keyOf returns the key of a kind's informer.
func keyOf(kind *kind) informerKey {
	key := informerKey{resource: kind.Resource, object: kind.form.Type()}
	if kind.Server != nil {
		key.server = kind.Server.String()
	}
	return key
}

// informerLocked returns the informer of a kind, which it creates if there is none. With an
// error, it returns an informer that never runs.
func (f *SharedInformerFactory) informerLocked(key informerKey, kind *kind, set []SharedInformerOption) (factoryMachine, error) {
	call := newOptions(key.object, set)
	var differs error
	if known := f.informers[key]; known != nil && !known.informer.wasStopped() {
		if known.refused != nil {
			return known.informer, known.refused
		}
		if differs = sameOptions(known.call, call); differs == nil {
			return known.informer, nil
		}
	}
	own := &options{object: key.object}
	if ofKind := f.options.ofKind[key.object]; ofKind != nil {
		own = ofKind.clone()
	}
	own.apply(set)
	config, mistake := kind.config(f.options, own)
	if differs != nil {
		return refused(config, differs), differs
	}
	var informer *informer
	if mistake != nil {
		informer = refused(config, mistake)
	} else {
		config.firstLists = f.firstLists
		for i := range config.scopes {
			config.scopes[i].firstLists = f.firstLists
		}
		if f.ctx.Err() != nil {
			config.StatusHandler = nil // it is Stopped from its start on
		}
		informer = newInformer(config)
		var others []scopeReceiver
		for _, other := range f.informers {
			others = append(others, other.informer)
		}
		if mistake = informer.claimScopes(key.object, others...); mistake != nil {
			informer = refused(config, mistake)
		}
	}
	f.informers[key] = &factoryInformer{key: key, name: key.String(), informer: informer, call: call, refused: mistake}
	if f.ctx.Err() != nil {
		informer.retire(nil) // it will never be started
	}
	return informer, mistake
}

// refused returns an informer that never runs. Its Status has err.
func refused(config config, err error) *informer {
	config.scopes, config.Open, config.StatusHandler = nil, nil, nil
	config.source = source.Failing{Err: err}
	informer := newInformer(config)
	informer.retire(err)
	return informer
}

// Start starts the informers that exist and are not started yet. They run until ctx
// ends or Shutdown is called. It does not block. A caller that creates another informer
// later calls Start again, or uses Acquire. Start logs mistakes in options.
func (f *SharedInformerFactory) Start(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		return // after Shutdown nothing starts
	}
	f.checkKindsLocked()
	for _, mistake := range f.mistakes.Unlogged() {
		klog.FromContext(ctx).Error(mistake, "Mistake in the options of informers")
	}
	f.running = ctx
	for _, i := range f.informers {
		f.startLocked(i)
	}
}

// startLocked starts an informer with the context of Start, if it is not started yet.
func (f *SharedInformerFactory) startLocked(i *factoryInformer) {
	if i.started || i.refused != nil {
		return
	}
	i.started = true
	running := f.running
	f.wg.Go(func() {
		ctx, cancel := context.WithCancel(running)
		defer cancel()
		defer context.AfterFunc(f.ctx, cancel)()
		i.informer.Run(ctx)
	})
}

// checkKindsLocked reports options for kinds that the factory does not have.
func (f *SharedInformerFactory) checkKindsLocked() {
	for object := range f.options.ofKind {
		known := f.declared[object]
		for key := range f.informers {
			known = known || key.object == object
		}
		if !known {
			f.mistakes.Add(optionError("For", object, "the factory has no such kind, so the options have no effect; check the Go type and its version, or create the informer before Start"))
		}
	}
}

// WaitForCacheSync blocks until the cache of each informer holds the first list, and
// each registered handler has returned from the last event of that list. If ctx ends
// first, or an informer stops, it returns a *NotSyncedError, which names each informer
// and handler that is not synced, with the reason. If there are mistakes in options, it returns
// them at once. It also waits for informers that are
// not started, because another goroutine may start them, and logs their names.
func (f *SharedInformerFactory) WaitForCacheSync(ctx context.Context) error {
	f.mu.Lock()
	err := f.mistakes.Err()
	f.mu.Unlock()
	if err != nil {
		return err
	}
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

// Statuses ranges over the informers that exist when the range begins, sorted by resource. It
// creates none. An informer that was stopped is not among them. Those that InformerFor has returned for
// options with a mistake are, with the reason Misconfigured.
func (f *SharedInformerFactory) Statuses() iter.Seq[InformerStatus] {
	return func(yield func(InformerStatus) bool) {
		informers := f.copied()
		f.mu.Lock()
		informers = append(informers, f.refused...)
		f.mu.Unlock()
		slices.SortStableFunc(informers, func(a, b factoryInformer) int { return strings.Compare(a.name, b.name) })
		for _, i := range informers {
			if i.informer.wasStopped() {
				continue
			}
			status := i.informer.observed()
			status.Server = i.key.server
			if !yield(status) {
				return
			}
		}
	}
}

// copied returns copies of informers, sorted, for a caller that takes the locks of informers,
// which it must not do while it holds mu.
func (f *SharedInformerFactory) copied() (informers []factoryInformer) {
	f.mu.Lock()
	informers = make([]factoryInformer, 0, len(f.informers))
	for _, i := range f.informers {
		informers = append(informers, *i)
	}
	f.mu.Unlock()
	slices.SortFunc(informers, func(a, b factoryInformer) int { return strings.Compare(a.name, b.name) })
	return informers
}

// Retry makes each informer retry a failed list or watch at once, instead of after its
// wait; see Reflector.Retry.
func (f *SharedInformerFactory) Retry() {
	for _, i := range f.copied() {
		i.informer.Retry()
	}
}

// Shutdown stops the informers, also those that their callers run. When it returns, none of
// their goroutines is left and no handler is running. Nothing can be started afterwards. It may
// be called twice, and from several goroutines. A handler must not call Shutdown, which would wait for the
// handler.
func (f *SharedInformerFactory) Shutdown() {
	f.mu.Lock()
	f.cancel() // under the lock: afterwards Start starts nothing
	f.mu.Unlock()
	all := f.copied()
	for _, i := range all {
		i.informer.halt()
	}
	for _, i := range all {
		i.informer.await()
	}
	f.wg.Wait()
}

// Lease is a use of an informer of a factory that ends with Release, for a part of a program
// that comes and goes. The informer exists as long as it has leases. So does its cache: after
// the last Release, its listers return errors that wrap ErrStopped. All methods may be called
// from any goroutine.
type Lease[T Object] struct{ machine leaseMachine }

// leaseMachine is a lease as its faces see it.
type leaseMachine interface {
	machineOf() machine
	addHandler(handler eventHandler, options []HandlerOption) (ResourceEventHandlerRegistration, error)
	WaitForCacheSync(ctx context.Context) error
	Release()
}

// lease is a Lease without its type parameter.
type lease struct {
	factory  *SharedInformerFactory
	use      *factoryInformer
	informer *informer
	alive    context.Context // ends with Release; its cause is the error of the methods then
	end      context.CancelCauseFunc
	released chan struct{} // closed at the end of the first Release

	mu       sync.Mutex // guards handlers, and alive against AddEventHandler
	handlers []*registration
}

// Acquire returns a lease of the factory's informer of a kind. If the factory has no such informer, or
// if the last lease of that informer is being released, Acquire creates a new one. It starts the
// informer with the context of the last Start of the factory. Before the first Start, the informer
// waits for it.
//
// Acquire takes the same options as InformerFor. The error is an *OptionError if an option has a
// mistake, or if the informer exists and has other options. It wraps ErrStopped after Shutdown, or if the
// context of Start has ended.
//
//	lease, err := cache.Acquire(factory.Inner(), examplev1.FooKind(client))
//	…
//	defer lease.Release()
func Acquire[T Object](f *SharedInformerFactory, kind Kind[T], set ...SharedInformerOption) (*Lease[T], error) {
	l, err := f.acquire(erasedKind(&kind), set)
	if err != nil {
		return nil, err
	}
	return &Lease[T]{l}, nil
}

func (f *SharedInformerFactory) acquire(kind *kind, set []SharedInformerOption) (leaseMachine, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil || f.running != nil && f.running.Err() != nil {
		return nil, fmt.Errorf("cannot acquire %s: the factory was shut down, or the context of its Start has ended: %w", kind.Resource.GroupResource(), ErrStopped)
	}
	key := keyOf(kind)
	made, err := f.informerLocked(key, kind, set)
	use := f.informers[key]
	if err == nil && isClosed(made.Ended()) {
		err = fmt.Errorf("cannot acquire %s: %w", made.name(), ErrStopped)
	}
	if err != nil {
		if use.leases == 0 && !use.pinned { // it was just created, and no one else needs to hear of it
			delete(f.informers, key)
		}
		return nil, err
	}
	use.leases++
	if f.running != nil {
		f.startLocked(use)
	}
	l := &lease{factory: f, use: use, informer: made.(*informer), released: make(chan struct{})}
	l.alive, l.end = context.WithCancelCause(context.Background())
	return l, nil
}

// Informer returns the informer. A handler that is added to it rather than to the lease stays
// until the informer stops.
func (l *Lease[T]) Informer() *SharedIndexInformer[T] { return faceOf[T](l.machine.machineOf()) }

// AddEventHandler adds a handler to the informer, as its method AddEventHandler does. Release
// removes the handler. The error wraps ErrStopped after Release.
func (l *Lease[T]) AddEventHandler(handler ResourceEventHandler[T], options ...HandlerOption) (ResourceEventHandlerRegistration, error) {
	return l.machine.addHandler(erasedHandler(handler), options)
}

func (l *lease) machineOf() machine { return l.informer }

func (l *lease) addHandler(handler eventHandler, options []HandlerOption) (ResourceEventHandlerRegistration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.alive.Err() != nil {
		return nil, context.Cause(l.alive)
	}
	added, err := l.informer.addEventHandler(handler, options)
	if err != nil {
		return nil, err
	}
	l.handlers = slices.DeleteFunc(l.handlers, func(r *registration) bool { return r.Removed() })
	l.handlers = append(l.handlers, added)
	return added, nil
}

// WaitForCacheSync blocks until the cache holds the first list, and each handler that was added
// to the lease has returned from the last event of that list. If ctx ends first, or the lease
// is released, or the informer stops, it returns an error, which wraps ErrStopped in the last two
// cases.
func (l *Lease[T]) WaitForCacheSync(ctx context.Context) error {
	return l.machine.WaitForCacheSync(ctx)
}

// WaitForCacheSync is that of Lease.
func (l *lease) WaitForCacheSync(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.alive, func() { cancel(context.Cause(l.alive)) })()
	syncers := []Syncer{l.informer}
	l.mu.Lock()
	for _, r := range l.handlers {
		syncers = append(syncers, r)
	}
	l.mu.Unlock()
	if err := WaitForCacheSync(ctx, syncers...); err != nil {
		return err
	}
	return context.Cause(l.alive) // the handlers may have been removed meanwhile
}

// Release removes the handlers of the lease, and waits until they have returned. The handlers of
// others continue. If it is the last lease, and InformerFor was never called for the informer,
// Release then removes the informer from the factory, stops it as Stop does, and frees the memory
// of its cache. A second call waits for the first one, and does nothing.
//
// A handler or a hook of the informer must not call Release, which may wait for it: call it in
// another goroutine. Release logs the name of a handler that it waits for longer than 10 seconds.
func (l *Lease[T]) Release() { l.machine.Release() }

// Release is that of Lease.
func (l *lease) Release() {
	l.mu.Lock()
	again := l.alive.Err() != nil
	l.end(fmt.Errorf("the lease of %s was released: %w", l.informer.name(), ErrStopped))
	handlers := l.handlers
	l.handlers = nil
	l.mu.Unlock()
	if again {
		<-l.released
		return
	}
	defer close(l.released)
	for _, r := range handlers {
		_ = l.informer.RemoveEventHandler(r) // it is of this informer
	}
	for _, r := range handlers {
		l.await(r)
	}
	l.factory.release(l.use, func() {
		l.informer.released.Store(true) // before a wait sees its end
		l.informer.Stop()
	})
}

// releaseWarning is how long Release waits for a handler before it logs its name.
const releaseWarning = 10 * time.Second

// await waits until a handler that was removed has returned.
func (l *lease) await(r *registration) {
	late := time.AfterFunc(releaseWarning, func() {
		klog.Background().Info("Release waits for a handler that does not return; a handler must not call Release of its lease", "resource", l.informer.name(), "handler", r.Name())
	})
	defer late.Stop()
	<-r.Gone()
}

// release ends a lease. If it is the last one of an informer that is not pinned, it removes the
// informer and calls stop.
func (f *SharedInformerFactory) release(i *factoryInformer, stop func()) {
	f.mu.Lock()
	if i.leases--; i.leases > 0 || i.pinned {
		f.mu.Unlock()
		return
	}
	if f.informers[i.key] == i { // otherwise it was stopped by hand, and replaced
		delete(f.informers, i.key)
	}
	if f.ctx.Err() == nil { // Shutdown waits for it
		f.wg.Add(1)
		defer f.wg.Done()
	}
	f.mu.Unlock()
	stop()
}
