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
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// SharedInformerFactory holds the informers of one program: one for each kind that it uses.
// The kinds may come from several generated packages, several clients, and from code that
// learns them at run time. The generated factories, which have an accessor for each kind, are
// built on it. All methods may be called from any goroutine.
type SharedInformerFactory struct{ machine factories }

// factories is a factory as its face sees it. It is an interface because a package that names SharedInformerFactory would otherwise
// compile methods of all generic types that the fields of a factory lead to.
type factories interface {
	Declare(objects ...reflect.Type)
	Start(ctx context.Context)
	WaitForCacheSync(ctx context.Context) error
	Statuses() iter.Seq[status.Informer]
	Retry()
	Shutdown()
}

// factoryOf returns the machine of f. It is no method, because a result type of a method is reached as a field is.
func factoryOf(f *SharedInformerFactory) *factory { return f.machine.(*factory) }

// factory is a SharedInformerFactory behind its face.
type factory struct {
	options *options
	// firstLists limits the informers that read their first list at one time.
	firstLists chan struct{}

	ctx    context.Context // ends at Shutdown
	cancel context.CancelFunc
	wg     sync.WaitGroup // one for each running informer, and for each that ends with its last use

	mu        sync.Mutex // guards the fields below, and the start of informers against shutdown
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
	// uses is the number of uses that have not ended. That of InformerFor has no end.
	uses int
	// call are the options of the call that created it.
	call *options
	// refused is the mistake in its options, if there is one.
	refused error
}

// factoryMachine is an informer as its factory sees it.
type factoryMachine interface {
	machine
	name() string
	halt()
	await()
	wasStopped() bool
	observed() status.Informer
	registrations() []Syncer
}

// NewSharedInformerFactory returns a factory without informers. resyncPeriod is the
// resync period of each; see WithResync.
func NewSharedInformerFactory(resyncPeriod time.Duration, set ...SharedInformerOption) *SharedInformerFactory {
	f := &factory{
		options:    newOptions(nil, append([]SharedInformerOption{WithResync(resyncPeriod)}, set...)),
		informers:  map[informerKey]*factoryInformer{},
		plain:      map[plainKey]*factoryInformer{},
		declared:   map[reflect.Type]bool{},
		firstLists: make(chan struct{}, maxFirstLists),
	}
	f.mistakes.Add(f.options.err())
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return &SharedInformerFactory{f}
}

// Declare implements factories. SharedInformerFactory documents it.
func (f *factory) Declare(objects ...reflect.Type) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, object := range objects {
		f.declared[object] = true
	}
}

// Declare tells f of which kinds informers may be made later. Start does not take the options
// for such a kind for a mistake if there is no informer of it yet. Generated packages declare
// their kinds.
func (f *SharedInformerFactory) Declare(objects ...reflect.Type) { f.machine.Declare(objects...) }

// Start starts the informers that exist and are not started yet. They run until ctx
// ends or Shutdown is called. It does not block. A caller that creates another informer
// later calls Start again, or uses Acquire. Start logs mistakes in options.
func (f *SharedInformerFactory) Start(ctx context.Context) { f.machine.Start(ctx) }

// WaitForCacheSync blocks until the cache of each informer holds the first list, and
// each registered handler has returned from the last event of that list. If ctx ends
// first, or an informer stops, it returns a *NotSyncedError, which names each informer
// and handler that is not synced, with the reason. If there are mistakes in options, it returns
// them at once. It also waits for informers that are
// not started, because another goroutine may start them, and logs their names. It does not wait for
// an informer that is removed from the factory meanwhile.
func (f *SharedInformerFactory) WaitForCacheSync(ctx context.Context) error {
	return f.machine.WaitForCacheSync(ctx)
}

// Statuses ranges over the informers that exist when the range begins, sorted by resource. It
// creates none. An informer that was stopped is not among them. Those that InformerFor has returned for
// options with a mistake are, with the reason Misconfigured.
func (f *SharedInformerFactory) Statuses() iter.Seq[status.Informer] { return f.machine.Statuses() }

// Retry makes each informer retry a failed list or watch at once, instead of after its
// wait; see Reflector.Retry.
func (f *SharedInformerFactory) Retry() { f.machine.Retry() }

// Shutdown stops the informers, also those that their callers run. When it returns, none of
// their goroutines is left and no handler is running. Nothing can be started afterwards. It may
// be called twice, and from several goroutines. A handler must not call Shutdown, which would wait for the
// handler.
func (f *SharedInformerFactory) Shutdown() { f.machine.Shutdown() }

// InformerFor returns the factory's informer of a kind. It creates the informer at the
// first call, and another one at the first call after Stop. Start starts it.
//
// The options are for this informer. All calls need the same ones, because they share it.
// Functions cannot be compared: if a call passes one, another call is a mistake. To share such
// options, pass them to the factory, in WithOptionsFor. The result of a call with a mistake is an informer
// that never runs; see SharedInformerOption.
func InformerFor[T Object](f *SharedInformerFactory, kind Kind[T], set ...SharedInformerOption) *SharedIndexInformer[T] {
	plain := plainKey{kind.Resource, reflect.TypeFor[T](), kind.Server}
	if known := plainInformer(f, plain); known != nil && len(set) == 0 {
		return faceOf[T](known)
	}
	return faceOf[T](informerFor(f, plain, erasedKind(&kind), set))
}

// plainInformer returns the informer that serves calls without options, or nil.
func plainInformer(of *SharedInformerFactory, plain plainKey) machine {
	f := factoryOf(of)
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.plain[plain]; known != nil && !known.informer.wasStopped() {
		return known.informer
	}
	return nil
}

func informerFor(of *SharedInformerFactory, plain plainKey, kind *kind, set []SharedInformerOption) machine {
	f := factoryOf(of)
	f.mu.Lock()
	defer f.mu.Unlock()
	key := keyOf(kind)
	informer, err := f.informerLocked(key, kind, set)
	known := f.informers[key]
	if f.mistakes.Add(err) && known.informer != informer {
		f.refused = append(f.refused, factoryInformer{key: key, name: known.name, informer: informer, refused: err})
	}
	known.uses++
	if err == nil && len(set) == 0 {
		f.plain[plain] = known
	}
	return informer
}

// use returns the informer of a kind, started if Start was called, and keeps it until end is called, once. The end of the last use
// removes the informer from the factory, and stops it. In contrast to InformerFor, a mistake in the options is the caller's alone.
func (f *factory) use(kind *kind, set []SharedInformerOption) (made factoryMachine, end func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil || f.running != nil && f.running.Err() != nil {
		return nil, nil, fmt.Errorf("cannot start %s: the factory was shut down, or the context of its Start has ended: %w", kind.Resource.GroupResource(), ErrStopped)
	}
	key := keyOf(kind)
	made, err = f.informerLocked(key, kind, set)
	known := f.informers[key]
	if err == nil && isClosed(made.Ended()) {
		err = fmt.Errorf("cannot start %s: %w", made.name(), ErrStopped)
	}
	if err != nil {
		if known.uses == 0 { // it was just created, and no one else needs to hear of it
			delete(f.informers, key)
		}
		return nil, nil, err
	}
	known.uses++
	if f.running != nil {
		f.startLocked(known)
	}
	return made, func() { f.end(known) }, nil
}

// end ends a use.
func (f *factory) end(i *factoryInformer) {
	f.mu.Lock()
	if i.uses--; i.uses > 0 {
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
	i.informer.Stop()
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
func (f *factory) informerLocked(key informerKey, kind *kind, set []SharedInformerOption) (factoryMachine, error) {
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
	var informer *sharedInformer
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
	}
	f.informers[key] = &factoryInformer{key: key, name: key.String(), informer: informer, call: call, refused: mistake}
	if f.ctx.Err() != nil {
		informer.retire(nil) // it will never be started
	}
	return informer, mistake
}

// refused returns an informer that never runs. Its Status has err.
func refused(config config, err error) *sharedInformer {
	config.scopes, config.Open, config.StatusHandler = nil, nil, nil
	config.source = source.Failing{Err: err}
	informer := newInformer(config)
	informer.retire(err)
	return informer
}

// Start implements factories. SharedInformerFactory documents it.
func (f *factory) Start(ctx context.Context) {
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
func (f *factory) startLocked(i *factoryInformer) {
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
func (f *factory) checkKindsLocked() {
	for object := range f.options.ofKind {
		known := f.declared[object]
		for key := range f.informers {
			known = known || key.object == object
		}
		if !known {
			f.mistakes.Add(optionError("WithOptionsFor", object, "the factory has no such kind, so the options have no effect; check the Go type and its version, or create the informer before Start"))
		}
	}
}

// WaitForCacheSync implements factories. SharedInformerFactory documents it.
func (f *factory) WaitForCacheSync(ctx context.Context) error {
	f.mu.Lock()
	err := f.mistakes.Err()
	f.mu.Unlock()
	if err != nil {
		return err
	}
	waiting := f.copied()
	for _, i := range waiting {
		if !i.started && i.informer.Status().Phase == status.Pending {
			klog.FromContext(ctx).Info("Waiting for an informer that is not started; call Start after you create it", "reason", i.informer.NotSyncedReason())
		}
	}
	for {
		var all, handlers []Syncer
		for _, i := range waiting {
			all = append(all, i.informer)
			handlers = append(handlers, i.informer.registrations()...)
		}
		err := WaitForCacheSync(ctx, append(all, handlers...)...)
		if err == nil || !slices.ContainsFunc(waiting, f.dropped) {
			return err
		}
		waiting = slices.DeleteFunc(waiting, f.dropped)
	}
}

// dropped reports whether an informer was removed from the factory.
func (f *factory) dropped(i factoryInformer) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.informers[i.key]
	return known == nil || known.informer != i.informer
}

// Statuses implements factories. SharedInformerFactory documents it.
func (f *factory) Statuses() iter.Seq[status.Informer] {
	return func(yield func(status.Informer) bool) {
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
func (f *factory) copied() (informers []factoryInformer) {
	f.mu.Lock()
	informers = make([]factoryInformer, 0, len(f.informers))
	for _, i := range f.informers {
		informers = append(informers, *i)
	}
	f.mu.Unlock()
	slices.SortFunc(informers, func(a, b factoryInformer) int { return strings.Compare(a.name, b.name) })
	return informers
}

// Retry implements factories. SharedInformerFactory documents it.
func (f *factory) Retry() {
	for _, i := range f.copied() {
		i.informer.Retry()
	}
}

// Shutdown implements factories. SharedInformerFactory documents it.
func (f *factory) Shutdown() {
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
