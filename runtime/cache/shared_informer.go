package cache

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/mutation"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// SharedInformer is what a controller needs of an informer: events and reads.
type SharedInformer[T Object] interface {
	Syncer
	// AddEventHandler lets handler hear of every object and every change.
	AddEventHandler(handler ResourceEventHandler[T], options ...HandlerOption) (ResourceEventHandlerRegistration, error)
	// RemoveEventHandler ends what AddEventHandler began.
	RemoveEventHandler(registration ResourceEventHandlerRegistration) error
	// GetStore returns the cache.
	GetStore() Store[T]
	// Status says where the informer is.
	Status() Status
	// Retry tries a failed list or watch again at once, instead of after its wait.
	Retry()
}

// SharedIndexInformer keeps one cache of a collection, with indexes, for any
// number of handlers and listers.
//
// A batch of deltas goes to the cache and to the queues of the handlers in one
// step, so a handler that joins at any time has heard exactly what the cache
// holds.
type SharedIndexInformer[T Object] struct {
	controller *Controller[T]
	indexer    *Indexer[T]
	config     Config[T]
	detector   *mutation.Detector[T] // nil without Settings.MutationDetector
	alive      context.Context       // ends with Stop
	stop       context.CancelFunc
	done       chan struct{} // closed when Run has returned

	mu        sync.Mutex // held over each step; guards what follows
	processor *processor.Processor[T]
	listed    bool // the first list is in the cache
}

// NewSharedIndexInformer makes an informer, which does nothing until Run. Most
// programs get theirs from a generated factory.
func NewSharedIndexInformer[T Object](config Config[T]) *SharedIndexInformer[T] {
	s := &SharedIndexInformer[T]{
		indexer:   NewIndexer(config.Indexers),
		config:    config,
		processor: processor.New[T](),
		done:      make(chan struct{}),
	}
	s.alive, s.stop = context.WithCancel(context.Background())
	if config.MutationDetector {
		s.detector = mutation.New[T](config.name(), config.MutationValues)
	}
	if config.Open != nil {
		config.held = s.indexer.keepHashes()
	}
	config.ResyncPeriod = 0 // each handler has its own
	s.controller = newController(config, s.process)
	return s
}

// Run follows the server until ctx ends, and returns when no goroutine of the
// informer is left and no handler is running. It runs once: a second call
// returns at once.
func (s *SharedIndexInformer[T]) Run(ctx context.Context) {
	if !s.controller.claim(ctx) {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.alive, cancel)()
	finally(func() {
		s.mu.Lock()
		s.processor.Start()
		s.mu.Unlock()
		s.controller.run(ctx, cancel)
	}, func() {
		defer close(s.done)
		s.mu.Lock()
		s.processor.Stop()
		s.mu.Unlock()
		s.processor.Wait()
		s.detector.Check(mutation.Reader, s.indexer.List()...)
	})
}

// Stop ends Run, and returns when it has: no handler is running then. An informer
// that was not started never will be. The factory makes another one for who asks
// again. It must not be called from a handler, for which it would wait.
func (s *SharedIndexInformer[T]) Stop() {
	s.stop()
	s.retire()
	<-s.done
}

// wasStopped says whether Stop was called.
func (s *SharedIndexInformer[T]) wasStopped() bool { return s.alive.Err() != nil }

// retire makes an informer that was not started one that never will be.
func (s *SharedIndexInformer[T]) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.controller.retire() {
		s.processor.Stop()
		close(s.done)
	}
}

// process takes a batch of the Controller. The first delta of all is the first
// list: only its adds are initial, and after it a handler is synced.
func (s *SharedIndexInformer[T]) process(_ context.Context, deltas Deltas[T]) (done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.listed {
		notes := s.store(deltas[:1])
		markInitial(notes)
		s.listed = true
		s.controller.markSynced() // before a handler can be
		s.processor.Distribute(processor.Batch[T]{Notes: notes, Distinct: true, EndsInitial: true})
		if deltas = deltas[1:]; len(deltas) == 0 {
			return true
		}
	}
	distinct := len(deltas) == 1 && deltas[0].Type == Replaced
	s.processor.Distribute(processor.Batch[T]{Notes: s.store(deltas), Distinct: distinct})
	return true
}

// store takes deltas into the cache, and returns what handlers shall hear of it.
func (s *SharedIndexInformer[T]) store(deltas Deltas[T]) []processor.Notification[T] {
	notes := s.indexer.apply(deltas)
	checkShared(s.detector, notes)
	return notes
}

func markInitial[T Object](notes []processor.Notification[T]) {
	for i := range notes {
		notes[i].Initial = notes[i].Kind == processor.Add
	}
}

// AddEventHandler lets handler hear of every object and every change, from a
// goroutine of its own, until it is removed or the informer stops. It may be
// called at any time, also from a handler. The error is ErrStopped.
func (s *SharedIndexInformer[T]) AddEventHandler(handler ResourceEventHandler[T], options ...HandlerOption) (ResourceEventHandlerRegistration, error) {
	o := handlerOptions{resyncPeriod: s.config.ResyncPeriod}
	for _, option := range options {
		option(&o)
	}
	served := serve(handler, o, s.detector, &s.controller.panics)
	served.Resync = s.resync
	l := processor.NewListener(served)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.processor.Stopped() {
		return nil, fmt.Errorf("cannot add a handler to %s: %w", s.name(), ErrStopped)
	}
	if s.listed {
		l.Enqueue(processor.Batch[T]{EndsInitial: true, Distinct: true, Notes: s.cached(func(obj T) processor.Notification[T] {
			return processor.Notification[T]{Kind: processor.Add, Initial: true, Obj: obj}
		})})
	}
	s.processor.Add(l)
	return &registration[T]{informer: s, listener: l}, nil
}

// resync enqueues every cached object for l, unless it is still busy with more
// important things: a handler that lags must not lag more.
func (s *SharedIndexInformer[T]) resync(l *processor.Listener[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listed && l.Backlog() == 0 {
		l.Enqueue(processor.Batch[T]{Distinct: true, Notes: s.cached(func(obj T) processor.Notification[T] {
			return processor.Notification[T]{Kind: processor.Update, Old: obj, Obj: obj}
		})})
	}
}

// cached makes a notification of each cached object.
func (s *SharedIndexInformer[T]) cached(note func(T) processor.Notification[T]) []processor.Notification[T] {
	objs := s.indexer.List()
	notes := make([]processor.Notification[T], len(objs))
	for i, obj := range objs {
		notes[i] = note(obj)
	}
	return notes
}

// RemoveEventHandler ends a registration. The handler may still be in the call
// that it was in; no other follows. It may be called from the handler itself,
// and again.
func (s *SharedIndexInformer[T]) RemoveEventHandler(r ResourceEventHandlerRegistration) error {
	own, ok := r.(*registration[T])
	if !ok || own.informer != s {
		return fmt.Errorf("cannot remove a handler from %s: %w", s.name(), errForeignRegistration)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.processor.Remove(own.listener)
	s.controller.panics.forget(own.listener)
	return nil
}

// GetStore returns the cache.
func (s *SharedIndexInformer[T]) GetStore() Store[T] { return s.indexer }

// GetIndexer returns the cache with its indexes. Only tests write to it.
func (s *SharedIndexInformer[T]) GetIndexer() *Indexer[T] { return s.indexer }

// AddIndexers adds indexes, before or after the informer is started. It fails if
// there is one of the same name.
func (s *SharedIndexInformer[T]) AddIndexers(indexers Indexers[T]) error {
	return s.indexer.AddIndexers(indexers)
}

// HasSynced says whether the cache holds the first list. Handlers may still be
// hearing of it: ask their registrations.
func (s *SharedIndexInformer[T]) HasSynced() bool { return s.controller.HasSynced() }

// Synced is closed when HasSynced becomes true.
func (s *SharedIndexInformer[T]) Synced() <-chan struct{} { return s.controller.Synced() }

// Ended is closed when the informer follows the server no more.
func (s *SharedIndexInformer[T]) Ended() <-chan struct{} { return s.controller.Ended() }

// NotSyncedReason returns why the informer is not synced; it is empty once it is.
func (s *SharedIndexInformer[T]) NotSyncedReason() string { return s.controller.NotSyncedReason() }

func (s *SharedIndexInformer[T]) waitsFor() (subject, NotSynced) {
	about, waiting := s.controller.waitsFor()
	waiting.Status.Objects = s.indexer.Len()
	return about, waiting
}

// Status says where the informer is, since when and why.
func (s *SharedIndexInformer[T]) Status() Status {
	status := s.controller.Status()
	status.Objects = s.indexer.Len()
	return status
}

// Retry tries a failed list or watch again at once, instead of after its wait. It may
// be called from any goroutine, and never blocks: for example when credentials were
// rotated, or by a watch of CRDs when one is established.
func (s *SharedIndexInformer[T]) Retry() { s.controller.Retry() }

// Resource is what the informer follows.
func (s *SharedIndexInformer[T]) Resource() schema.GroupVersionResource { return s.config.Resource }

// name says what the informer follows, for errors and logs.
func (s *SharedIndexInformer[T]) name() string { return s.config.name() }

// name says what is followed, for errors and logs: the resource, or the Go type if
// there is none.
func (c *Config[T]) name() string {
	name := strings.TrimPrefix(reflect.TypeFor[T]().String(), "*")
	if c.Resource.Resource != "" {
		name = c.Resource.GroupResource().String() + seenAs[T](c.Resource.Resource)
	}
	if c.Namespace != "" {
		name += " in namespace " + c.Namespace
	}
	return name
}

// seenAs names T, unless the resource does so: it tells a view from its kind. Untyped
// objects have nothing to add.
func seenAs[T Object](resource string) string {
	kind := reflect.TypeFor[T]()
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	name := strings.ToLower(kind.Name())
	if strings.HasPrefix(resource, name[:max(0, len(name)-1)]) || // plurals differ in their end
		strings.HasPrefix(kind.PkgPath(), "k8s.io/apimachinery/") {
		return ""
	}
	return " as " + kind.String()
}

// registrations returns the registered handlers, for the factory's wait.
func (s *SharedIndexInformer[T]) registrations() []Syncer {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Syncer
	for l := range s.processor.Listeners() {
		all = append(all, &registration[T]{informer: s, listener: l})
	}
	return all
}
