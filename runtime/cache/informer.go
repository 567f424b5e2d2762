package cache

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/partition"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// informer is a SharedIndexInformer without its type parameter: Reflectors, one for each scope, and the core that applies what
// they read.
type informer struct {
	core
	face   face
	reader indexerFace
	id     uint64 // InformerStatus.ID
	config *config

	set scopeSet // has a mutex that is locked before that of the core
	// resyncPeriod is that of handlers without one.
	resyncPeriod time.Duration
	shared       shared // by all Reflectors

	released atomic.Bool        // no one waits for it any more
	started  atomic.Int32       // neverRun, hasRun or isRetired
	stopping atomic.Bool        // set by Stop
	began    atomic.Uint32      // the mark when Run began; 0 before
	ended    chan struct{}      // closed when no batch is processed any more
	done     chan struct{}      // closed when Run has returned
	cancel   context.CancelFunc // ends Run, and is nil before; guarded by the mutex of the core
}

// lastInformer is the last InformerStatus.ID.
var lastInformer atomic.Uint64

// The values of informer.started.
const (
	neverRun int32 = iota
	hasRun
	isRetired
)

// newMachine is newInformer for the face.
func newMachine(config config) machine { return newInformer(config) }

func (s *informer) itsFace() *face           { return &s.face }
func (s *informer) itsIndexer() *indexerFace { return &s.reader }

func newInformer(settings config) *informer {
	s := &informer{
		core: core{
			queue:     &deltafifo.Queue{},
			indexer:   newCache(&settings),
			processor: processor.New(),
			panics:    handlerPanics{recovers: settings.HandlerPanicRecovery, resource: settings.name()},
			isLater:   settings.scopesLater,
			owners:    partition.New(),
			open:      map[scopeID]*scopeReflector{},
		},
		id:           lastInformer.Add(1),
		resyncPeriod: settings.ResyncPeriod,
		ended:        make(chan struct{}),
		done:         make(chan struct{}),
	}
	s.face, s.reader = face{s}, indexerFace{s.indexer}
	s.panics.changed = s.changed
	settings.Transform = oneAtATime(settings.Transform)
	s.config = &settings
	var reflectors []*scopeReflector
	for i := range settings.scopes {
		scope := &settings.scopes[i]
		scope.Transform = settings.Transform
		reflectors = append(reflectors, s.newReflector(scope, scopeID(i)))
	}
	if len(reflectors) == 0 && !settings.scopesLater {
		reflectors = append(reflectors, s.newReflector(s.config, 0))
	}
	s.current.Store(&reflectors)
	s.opened.Store(uint32(len(reflectors)))
	s.outages.Informer = observedInformer{s}
	if settings.scopesLater {
		s.opened.Store(1) // so that the first mark is not reached
		s.newChoice()
	}
	s.renewHooks()
	s.assignScopes(reflectors, reflectors)
	if settings.ReadYourWrites != nil {
		s.own = newOwnWrites(&s.core, settings.ReadYourWrites.Observer)
	}
	return s
}

// renewHooks makes the hooks of the handlers that config has. It is called before Run.
func (s *informer) renewHooks() {
	s.hooks = newHooks(s.config, s.name, s.Status)
}

// Run is that of SharedIndexInformer.
func (s *informer) Run(ctx context.Context) {
	given := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock() // SetTransform and SetWatchErrorHandler come before or fail
	claimed := s.started.CompareAndSwap(neverRun, hasRun)
	if claimed {
		s.cancel = cancel
	}
	s.mu.Unlock()
	if !claimed {
		s.refuse(given)
		return
	}
	s.panics.ctx = given
	if s.config.MutationDetector && s.indexer.Detector() == nil {
		klog.FromContext(given).Info("The mutation detector finds nothing: each reader gets a packed object of its own", "resource", s.name())
	}
	s.hooks.SetContext(klog.NewContext(given, klog.FromContext(given).WithValues("resource", s.name())))
	finally(func() {
		s.mu.Lock()
		s.processor.Start()
		s.mu.Unlock()
		defer s.observeWrites(ctx)()
		s.run(ctx, cancel)
	}, func() {
		defer close(s.done)
		s.mu.Lock()
		s.processor.Stop()
		s.own.clear()
		s.mu.Unlock()
		s.processor.Wait()
		s.indexer.CheckAll()
		s.hooks.Close()
	})
}

// refuse logs why the informer does not run.
func (s *informer) refuse(ctx context.Context) {
	if s.started.Load() == hasRun {
		klog.FromContext(ctx).Error(nil, "The informer was started before and cannot run again", "resource", s.name())
	} else if err := s.Status().Err; err != nil { // Stop before Start is no mistake
		klog.FromContext(ctx).Error(err, "Mistake in the options of informers")
	}
}

// run calls cancel, which ends ctx, when processing has ended.
func (s *informer) run(ctx context.Context, cancel context.CancelFunc) {
	finally(func() {
		s.begin(ctx)
		s.processAll(ctx)
	}, func() {
		cancel()
		s.end()
		s.outages.Close()
		close(s.ended)
	})
}

// finally calls body and then end, also if body ends the goroutine by runtime.Goexit. If
// body panics, it does not call end, which may block: the panic has to end the program.
func finally(body, end func()) {
	defer func() {
		if value := recover(); value != nil {
			panic(value)
		}
		end()
	}()
	body()
}

// Stop is that of SharedIndexInformer.
func (s *informer) Stop() {
	s.stopping.Store(true)
	s.halt()
	s.await()
	s.indexer.Empty(fmt.Errorf("%s: %w", s.name(), ErrStopped))
}

// halt ends Run, for which it does not wait. An informer that was not run can no longer be.
func (s *informer) halt() {
	s.retire(nil)
	s.mu.Lock()
	cancel := s.cancel
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// await waits until an informer that halt has ended has no goroutine left.
func (s *informer) await() {
	<-s.done
	s.hooks.Close()
}

// wasStopped reports whether Stop was called.
func (s *informer) wasStopped() bool { return s.stopping.Load() }

// retire stops an informer that was not started, with the reason or nil. It does nothing to
// another one.
func (s *informer) retire(err error) {
	s.set.mu.Lock()
	defer s.set.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.started.CompareAndSwap(neverRun, isRetired) {
		return
	}
	s.set.ended = true
	for _, r := range s.reflectors() {
		r.retire(err)
	}
	if s.set.chosen.Load() != nil {
		s.choose(Stopped, "", err)
	}
	close(s.ended)
	s.processor.Stop()
	close(s.done)
}

func (s *informer) setTransform(transform reflector.Transform) error {
	if transform != nil && s.config.Packing != nil {
		return transformOfPacked("SetTransform", s.config.form.Type())
	}
	return s.beforeRun("the transform", func() {
		s.config.Transform = oneAtATime(transform)
		for _, r := range s.reflectors() {
			r.SetTransform(s.config.Transform)
		}
	})
}

// SetWatchErrorHandler is that of SharedIndexInformer.
func (s *informer) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.beforeRun("the watch error handler", func() {
		s.config.WatchErrorHandler = handler
		s.renewHooks()
	})
}

// beforeRun calls set, unless the informer was started or stopped.
func (s *informer) beforeRun(what string, set func()) error {
	s.set.mu.Lock() // SetScopes copies the config
	defer s.set.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started.Load() != neverRun {
		return fmt.Errorf("cannot set %s of %s: the informer has already started or stopped; set it before Run", what, s.name())
	}
	set()
	return nil
}

// Retry is that of SharedIndexInformer.
func (s *informer) Retry() {
	for _, all := range [][]*scopeReflector{s.reflectors(), s.leaving()} {
		for _, r := range all {
			r.Retry()
		}
	}
}

// hadSynced reports whether lists has those of all scopes that were there when Run began.
func (s *informer) hadSynced(lists *initial.Lists) bool {
	began := initial.Mark(s.began.Load())
	return began > 0 && lists.Has(began)
}

// Synced is that of SharedIndexInformer.
func (s *informer) Synced() <-chan struct{} { return s.lists.Wait(s.mark()) }

// Ended is that of SharedIndexInformer.
func (s *informer) Ended() <-chan struct{} { return s.ended }

// Resource is that of SharedIndexInformer.
func (s *informer) Resource() schema.GroupVersionResource { return s.config.Resource }

// observeWrites subscribes to writes until the caller calls stop.
func (s *informer) observeWrites(ctx context.Context) (stop func()) {
	o, config := s.own, s.config
	if o == nil {
		return func() {}
	}
	if config.ReadYourWrites.Server == "" { // a fake
		return func() {}
	}
	s.mu.Lock()
	scopes := o.scopes
	s.mu.Unlock()
	logger := klog.FromContext(ctx)
	if !o.observer.Attached() {
		logger.Error(nil, "ReadYourWrites has no effect: no client has the transport of its Observer; call config.Wrap(own.Transport) before the clients are made", "resource", s.name())
	}
	for _, scope := range scopes {
		if field := scope.selection.Unknown(); field != "" {
			logger.Info("ReadYourWrites shows deletes only: new states come from the watch, because only the server can evaluate the field selector", "resource", s.name(), "field", field)
			break
		}
	}
	return o.observer.Subscribe(config.ReadYourWrites.Server, config.Resource, o)
}

// face is what all SharedIndexInformers have. The compiler compiles again, for each package that uses an informer, all
// generic types that it can reach from one. So the machine is behind an interface.
type face struct{ machine machine }

// machine is an informer as its faces see it.
type machine interface {
	Syncer
	Run(ctx context.Context)
	Stop()
	Status() Status
	Statuses() iter.Seq[InformerStatus]
	LastSyncResourceVersion() string
	WaitFor(ctx context.Context, resourceVersion string) error
	Retry()
	Resource() schema.GroupVersionResource
	SetScopes(scopes ...Scope) error
	SetScopesError(err error)
	Scopes() []Scope
	RemoveEventHandler(registration ResourceEventHandlerRegistration) error
	SetWatchErrorHandler(handler WatchErrorHandler) error

	addHandler(handler eventHandler, options []HandlerOption) (ResourceEventHandlerRegistration, error)
	addIndex(name string, function []indexer.Function) error
	setTransform(transform reflector.Transform) error
	itsFace() *face
	itsIndexer() *indexerFace
}

func (s *informer) addIndex(name string, function []indexer.Function) error {
	if function[0].Values == nil {
		return fmt.Errorf("index %q of %s has no function", name, s.name())
	}
	if err := s.indexer.Err(); err != nil {
		return fmt.Errorf("cannot add index %q: %w", name, err)
	}
	if err := s.indexer.AddIndexes(function...); err != nil {
		return fmt.Errorf("%s: %w", s.name(), err)
	}
	return nil
}

// errForeignRegistration is returned for a registration of another informer.
var errForeignRegistration = errors.New("the registration belongs to another informer")

// addHandler is addEventHandler for the face.
func (s *informer) addHandler(handler eventHandler, options []HandlerOption) (ResourceEventHandlerRegistration, error) {
	r, err := s.addEventHandler(handler, options)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (s *informer) addEventHandler(handler eventHandler, options []HandlerOption) (*registration, error) {
	settings := processor.Settings{ResyncPeriod: s.resyncPeriod}
	for _, option := range options {
		option(&settings)
	}
	listening := listenerOptions(handler, settings, s.indexer.Detector(), &s.panics)
	listening.Resync = s.resync
	l := processor.NewListener(listening)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.processor.Stopped() {
		cause := ErrStopped
		if status := s.Status(); status.Reason == Misconfigured {
			cause = status.Err
		}
		return nil, fmt.Errorf("cannot add a handler to %s: %w", s.name(), cause)
	}
	listed := s.lists.Reached()
	if listed > 0 || s.indexer.Len() > 0 {
		l.Enqueue(processor.Batch{Received: stats.Now(), Lists: listed, Distinct: true, Notes: s.cached(func(obj Object) processor.Notification {
			return processor.Notification{Kind: processor.Add, Initial: true, Obj: obj}
		})})
	}
	s.processor.Add(l)
	if s.HasSynced() {
		s.outages.NoteHandler()
	}
	return &registration{s, l}, nil
}

// RemoveEventHandler ends a registration. The current call of the handler may still
// run; no other follows. It may be called from the handler itself, and twice.
func (s *informer) RemoveEventHandler(r ResourceEventHandlerRegistration) error {
	own, ok := r.(*registration)
	if !ok || own.informer != s {
		return fmt.Errorf("cannot remove a handler from %s: %w", s.name(), errForeignRegistration)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.processor.Remove(own.Listener)
	s.panics.forget(own.Listener)
	return nil
}

// registrations returns the registered handlers.
func (s *informer) registrations() []Syncer {
	var all []Syncer
	for _, l := range s.processor.Listeners() {
		all = append(all, &registration{s, l})
	}
	return all
}
