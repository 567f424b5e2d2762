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

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/gate"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/ownwrites"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// sharedInformer is a SharedIndexInformer without its type parameter.
type sharedInformer struct {
	core *informer.Informer
	audience
	counters counters
	panics   handlerPanics
	own      *ownwrites.Writes // nil without ReadYourWrites
	face     face
	reader   indexerFace
	id       uint64 // InformerStatus.ID
	config   *config

	set scopeSet // has a mutex that is locked before that of the core
	// resyncPeriod is that of handlers without one.
	resyncPeriod time.Duration
	shared       shared // by all Reflectors

	stopping    atomic.Bool // set by Stop
	unsubscribe func()      // from the writes of this program
}

// lastInformer is the last InformerStatus.ID.
var lastInformer atomic.Uint64

// newMachine is newInformer for the face.
func newMachine(config config) machine { return newInformer(config) }

func (s *sharedInformer) itsFace() *face           { return &s.face }
func (s *sharedInformer) itsIndexer() *indexerFace { return &s.reader }

func newInformer(settings config) *sharedInformer {
	s := &sharedInformer{
		panics:       handlerPanics{recovers: settings.HandlerPanicRecovery, resource: settings.name()},
		id:           lastInformer.Add(1),
		resyncPeriod: settings.ResyncPeriod,
	}
	cache := newCache(&settings)
	s.core = informer.New(cache, observer{s})
	s.face, s.reader = face{s}, indexerFace{cache}
	s.panics.changed = s.changed
	settings.Transform = oneAtATime(settings.Transform)
	s.config = &settings
	if settings.ReadYourWrites != nil {
		s.own = ownwrites.New(s.core, settings.ownKind())
		s.core.Add(s.own)
	}
	var reflectors []*scopeReflector
	for i := range settings.scopes {
		scope := &settings.scopes[i]
		scope.Transform = settings.Transform
		reflectors = append(reflectors, s.newReflector(scope, frontier.ID(i)))
	}
	if len(reflectors) == 0 && !settings.scopesLater {
		reflectors = append(reflectors, s.newReflector(s.config, 0))
	}
	s.outages.Informer = observedInformer{s}
	s.open(reflectors)
	s.renewHooks()
	return s
}

// renewHooks makes the hooks of the handlers that config has. It is called before Run.
func (s *sharedInformer) renewHooks() {
	s.hooks = newHooks(s.config, s.name, s.Status)
}

// Run is that of SharedIndexInformer.
func (s *sharedInformer) Run(ctx context.Context) {
	if !s.core.Run(ctx) {
		s.refuse(ctx)
	}
}

// refuse logs why the informer does not run.
func (s *sharedInformer) refuse(ctx context.Context) {
	if s.core.WasRun() {
		klog.FromContext(ctx).Error(nil, "The informer was started before and cannot run again", "resource", s.name())
	} else if err := s.Status().Err; err != nil { // Stop before Start is no mistake
		klog.FromContext(ctx).Error(err, "Mistake in the options of informers")
	}
}

// observer is a sharedInformer as its core reports to it.
type observer struct{ *sharedInformer }

func (s observer) Started(ctx context.Context) {
	s.panics.ctx = ctx
	if s.config.MutationDetector && s.core.Indexer.Detector() == nil {
		klog.FromContext(ctx).Info("The mutation detector finds nothing: each reader gets a packed object of its own", "resource", s.name())
	}
	s.hooks.SetContext(klog.NewContext(ctx, klog.FromContext(ctx).WithValues("resource", s.name())))
	s.unsubscribe = s.observeWrites(ctx)
	s.setRunning(true)
}

func (s observer) Applied(n int, received, began, now clock.Stamp) {
	s.counters.processing.Add(now.Since(began), 1)
	s.counters.toCache.Add(now.Since(received), n)
}

func (s observer) Listed() { s.outages.NoteHandler() }

func (s observer) Read() {
	s.setRunning(false)
	s.unsubscribe()
	s.outages.Close()
}

func (s observer) Stopped() {
	s.core.Indexer.CheckAll()
	s.hooks.Close()
}

// Stop is that of SharedIndexInformer.
func (s *sharedInformer) Stop() {
	s.stopping.Store(true)
	s.halt()
	s.await()
	s.core.Indexer.Empty(fmt.Errorf("%s: %w", s.name(), ErrStopped))
}

// halt ends Run, for which it does not wait. An informer that was not run can no longer be.
func (s *sharedInformer) halt() {
	s.retire(nil)
	s.core.Halt()
}

// await waits until an informer that halt has ended has no goroutine left.
func (s *sharedInformer) await() {
	<-s.core.Done()
	s.hooks.Close()
}

// wasStopped reports whether Stop was called.
func (s *sharedInformer) wasStopped() bool { return s.stopping.Load() }

// retire stops an informer that was not started, with the reason or nil. It does nothing to
// another one.
func (s *sharedInformer) retire(err error) {
	s.set.mu.Lock()
	defer s.set.mu.Unlock()
	if !s.core.Retire(failureOf("", err)) {
		return
	}
	s.set.ended = true
	if s.set.chosen.Load() != nil {
		s.choose(Stopped, "", err)
	}
}

func (s *sharedInformer) setTransform(transform gate.Transform) error {
	if transform != nil && s.config.Packing != nil {
		return transformOfPacked("SetTransform", s.config.form.Type())
	}
	return s.beforeRun("the transform", func() {
		s.config.Transform = oneAtATime(transform)
		for _, r := range s.reflectors() {
			r.gate.SetTransform(s.config.Transform)
		}
	})
}

// SetWatchErrorHandler is that of SharedIndexInformer.
func (s *sharedInformer) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.beforeRun("the watch error handler", func() {
		s.config.WatchErrorHandler = handler
		s.renewHooks()
	})
}

// beforeRun calls set, unless the informer was started or stopped.
func (s *sharedInformer) beforeRun(what string, set func()) error {
	s.set.mu.Lock() // SetScopes copies the config
	defer s.set.mu.Unlock()
	if !s.core.BeforeRun(set) {
		return fmt.Errorf("cannot set %s of %s: the informer has already started or stopped; set it before Run", what, s.name())
	}
	return nil
}

// Retry is that of SharedIndexInformer.
func (s *sharedInformer) Retry() {
	for _, all := range [][]*informer.Scope{s.core.Scopes(), s.leaving()} {
		for _, scope := range all {
			scope.Reflector.Retry()
		}
	}
}

// HasSynced is that of SharedIndexInformer.
func (s *sharedInformer) HasSynced() bool { return s.core.HasSynced() }

// Synced is that of SharedIndexInformer.
func (s *sharedInformer) Synced() <-chan struct{} { return s.core.Listed().Wait(s.core.Mark()) }

// Ended is that of SharedIndexInformer.
func (s *sharedInformer) Ended() <-chan struct{} { return s.core.Ended() }

// LastSyncResourceVersion is that of SharedIndexInformer.
func (s *sharedInformer) LastSyncResourceVersion() string { return s.core.LastSyncResourceVersion() }

// Resource is that of SharedIndexInformer.
func (s *sharedInformer) Resource() schema.GroupVersionResource { return s.config.Resource }

// observeWrites subscribes to writes until the caller calls stop.
func (s *sharedInformer) observeWrites(ctx context.Context) (stop func()) {
	own, config := s.own, s.config
	if own == nil || config.ReadYourWrites.Server == "" { // a fake
		return func() {}
	}
	observer, logger := config.ReadYourWrites.Observer, klog.FromContext(ctx)
	if !observer.Attached() {
		logger.Error(nil, "ReadYourWrites has no effect: no client has the transport of its Observer; call config.Wrap(own.Transport) before the clients are made", "resource", s.name())
	}
	if field := own.Unknown(); field != "" {
		logger.Info("ReadYourWrites shows deletes only: new states come from the watch, because only the server can evaluate the field selector", "resource", s.name(), "field", field)
	}
	return observer.Subscribe(config.ReadYourWrites.Server, config.Resource, own)
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
	setTransform(transform gate.Transform) error
	itsFace() *face
	itsIndexer() *indexerFace
}

func (s *sharedInformer) addIndex(name string, function []indexer.Function) error {
	if function[0].Values == nil {
		return fmt.Errorf("index %q of %s has no function", name, s.name())
	}
	if err := s.core.Indexer.Err(); err != nil {
		return fmt.Errorf("cannot add index %q: %w", name, err)
	}
	if err := s.core.Indexer.AddIndexes(function...); err != nil {
		return fmt.Errorf("%s: %w", s.name(), err)
	}
	return nil
}

// errForeignRegistration is returned for a registration of another informer.
var errForeignRegistration = errors.New("the registration belongs to another informer")

// addHandler is addEventHandler for the face.
func (s *sharedInformer) addHandler(handler eventHandler, options []HandlerOption) (ResourceEventHandlerRegistration, error) {
	r, err := s.addEventHandler(handler, options)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (s *sharedInformer) addEventHandler(handler eventHandler, options []HandlerOption) (*registration, error) {
	settings := processor.Settings{ResyncPeriod: s.resyncPeriod}
	for _, option := range options {
		option(&settings)
	}
	listening := listenerOptions(handler, settings, s.core.Indexer.Detector(), &s.panics)
	listening.Resync = s.core.Resync
	l := processor.NewListener(listening)
	if !s.core.AddHandler(l) {
		cause := ErrStopped
		if status := s.Status(); status.Reason == Misconfigured {
			cause = status.Err
		}
		return nil, fmt.Errorf("cannot add a handler to %s: %w", s.name(), cause)
	}
	return &registration{s, l}, nil
}

// RemoveEventHandler ends a registration. The current call of the handler may still
// run; no other follows. It may be called from the handler itself, and twice.
func (s *sharedInformer) RemoveEventHandler(r ResourceEventHandlerRegistration) error {
	own, ok := r.(*registration)
	if !ok || own.informer != s {
		return fmt.Errorf("cannot remove a handler from %s: %w", s.name(), errForeignRegistration)
	}
	s.core.RemoveHandler(own.Listener)
	s.panics.forget(own.Listener)
	return nil
}

// registrations returns the registered handlers.
func (s *sharedInformer) registrations() []Syncer {
	var all []Syncer
	for _, l := range s.core.Processor.Listeners() {
		all = append(all, &registration{s, l})
	}
	return all
}
