package cache

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/gate"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/monitor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/ownwrites"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// sharedInformer is a SharedIndexInformer without its type parameter.
type sharedInformer struct {
	core    *informer.Informer
	monitor *monitor.Monitor
	set     scopeSet
	own     *ownwrites.Writes // nil without WithReadYourWrites
	face    face
	reader  indexerFace
	id      uint64 // status.Informer.ID
	config  *config
	// resyncPeriod is the default of handlers.
	resyncPeriod time.Duration
	stopping     atomic.Bool // set by Stop
}

// lastInformer is the last status.Informer.ID.
var lastInformer atomic.Uint64

// newMachine is newInformer for the face.
func newMachine(config config) machine { return newInformer(config) }

func (s *sharedInformer) itsFace() *face           { return &s.face }
func (s *sharedInformer) itsIndexer() *indexerFace { return &s.reader }

func newInformer(settings config) *sharedInformer {
	cache := newCache(&settings)
	settings.Transform = oneAtATime(settings.Transform)
	s := &sharedInformer{
		id:           lastInformer.Add(1),
		resyncPeriod: settings.ResyncPeriod,
		config:       &settings,
	}
	s.monitor = monitor.New(monitor.Options{
		Resource: settings.Resource, Collection: settings.name(), Recovers: settings.HandlerPanicRecovery, Name: s.set.name, Namespaces: s.set.namespaces, HasSynced: s.HasSynced,
		Scopes: s.set.monitored, Left: s.set.leaving, Has: s.set.has, Awaits: s.set.awaits, Packing: packingOf(&settings), AddTo: s.addTo,
		DetectsMutations: settings.MutationDetector, DecoderCheck: settings.DecoderCheck, Warn: settings.warnOfDecoder,
	})
	settings.checkDecoder(s.monitor.DecoderCheck())
	s.core = informer.New(cache, s.monitor)
	s.monitor.Follow(s.core)
	s.face, s.reader = face{s}, indexerFace{cache}
	if settings.ReadYourWrites != nil {
		s.own = ownwrites.New(s.core, settings.ownKind(), settings.ownFrom(s.set.name))
		s.core.Add(s.own)
	}
	s.set.config, s.set.core, s.set.monitor = s.config, s.core, s.monitor
	s.set.open()
	if s.own != nil && s.set.partition.Load() == nil {
		s.own.Follow(slices.Values(s.core.Scopes()), true)
	}
	s.monitor.Hear(settings.hooks(s.set.name))
	return s
}

// name names the informer in errors and logs.
func (s *sharedInformer) name() string { return s.set.name() }

// addTo adds the own writes to the Status.
func (s *sharedInformer) addTo(status *Status) {
	if s.own != nil {
		status.PendingWrites, status.LateWrites = s.own.Shown(), s.own.Refused()
	}
}

// Run implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) Run(ctx context.Context) {
	if !s.core.Run(ctx) {
		s.refuse(ctx)
	}
}

// refuse logs why the informer does not run.
func (s *sharedInformer) refuse(ctx context.Context) {
	if s.core.WasRun() {
		klog.FromContext(ctx).Error(nil, "The informer was started before and cannot run again", "resource", s.name())
	} else if err := s.monitor.Status().Err; err != nil { // Stop before Start is no mistake
		klog.FromContext(ctx).Error(err, "Mistake in the options of informers")
	}
}

// Stop implements machine. SharedIndexInformer documents it.
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
	s.monitor.CloseHooks()
}

// wasStopped reports whether Stop was called.
func (s *sharedInformer) wasStopped() bool { return s.stopping.Load() }

// retire stops an informer that was not started, with the reason or nil. It does nothing to
// another one.
func (s *sharedInformer) retire(err error) {
	if failure := failureOf("", err); s.core.Retire(failure) {
		s.monitor.Retire(failure)
	}
}

func (s *sharedInformer) setTransform(transform gate.Transform) error {
	if transform != nil && s.config.Packing != nil {
		return transformOfPacked("SetTransform", s.config.form.Type())
	}
	return s.beforeRun("the transform", func() {
		s.config.Transform = oneAtATime(transform)
		for _, r := range s.set.reflectors() {
			r.gate.SetTransform(s.config.Transform)
		}
	})
}

// SetWatchErrorHandler implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.beforeRun("the watch error handler", func() {
		s.config.WatchErrorHandler = handler
		s.monitor.Hear(s.config.hooks(s.set.name))
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

// Retry implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) Retry() {
	for _, all := range [][]*informer.Scope{s.core.Scopes(), s.set.leaving()} {
		for _, scope := range all {
			scope.Reflector.Retry()
		}
	}
}

// HasSynced implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) HasSynced() bool { return s.core.HasSynced() }

// Synced implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) Synced() <-chan struct{} { return s.core.Listed().Wait(s.core.Mark()) }

// Ended implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) Ended() <-chan struct{} { return s.core.Ended() }

// LastSyncResourceVersion implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) LastSyncResourceVersion() string { return s.core.LastSyncResourceVersion() }

// Resource implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) Resource() schema.GroupVersionResource { return s.config.Resource }

// SetScopes implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) SetScopes(scopes ...Scope) error { return s.set.setScopes(scopes, false) }

// SetScopesError implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) SetScopesError(err error) { s.set.SetScopesError(err) }

// Scopes implements machine. SharedIndexInformer documents it.
func (s *sharedInformer) Scopes() []Scope { return s.set.Scopes() }

// face has the fields of all SharedIndexInformers. The compiler compiles again, for each package that uses an informer, all
// generic types that it can reach from one. So the machine is behind an interface.
type face struct{ machine machine }

// machine is an informer as its faces see it.
type machine interface {
	Syncer
	Run(ctx context.Context)
	Stop()
	Status() Status
	Statuses() iter.Seq[status.Informer]
	LastSyncResourceVersion() string
	WaitFor(ctx context.Context, resourceVersion string) error
	Retry()
	Resource() schema.GroupVersionResource
	SetScopes(scopes ...Scope) error
	SetScopesError(err error)
	Scopes() []Scope
	lookup(name ObjectName) (obj Object, isKnown bool)
	follows(name ObjectName) bool
	waitForNamespace(ctx context.Context, namespace string) (isFollowed bool, err error)
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
