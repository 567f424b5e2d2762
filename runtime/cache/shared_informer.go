package cache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// SharedInformer is the part of an informer that a controller uses: events and reads.
type SharedInformer[T Object] interface {
	Syncer
	// AddEventHandler calls handler for every object and every change.
	AddEventHandler(handler ResourceEventHandler[T], options ...HandlerOption) (ResourceEventHandlerRegistration, error)
	// RemoveEventHandler removes a handler.
	RemoveEventHandler(registration ResourceEventHandlerRegistration) error
	// GetStore returns the cache.
	GetStore() Store[T]
	// Status returns the state of the informer.
	Status() Status
	// Retry retries a failed list or watch at once, instead of after its wait.
	Retry()
}

// SharedIndexInformer keeps one cache of a collection, with indexes, for any
// number of handlers and listers.
//
// A batch of deltas goes to the cache and to the queues of the handlers in one step. So
// a handler that is added at any time gets exactly what the cache holds.
type SharedIndexInformer[T Object] struct {
	controller *Controller[T]
	indexer    *Indexer[T]
	// resyncPeriod is that of handlers without one.
	resyncPeriod time.Duration
	alive        context.Context // ends with Stop
	stop         context.CancelFunc
	done         chan struct{} // closed when Run has returned

	mu        sync.Mutex // held over each step; guards what follows
	processor *processor.Processor[T]
	// unlisted is the number of namespaces whose first list is not in the cache yet. It is one
	// if the informer follows all namespaces.
	unlisted int
}

// NewSharedIndexInformer returns an informer, which does nothing until Run. Most
// programs use the informers of a generated factory.
func NewSharedIndexInformer[T Object](config Config[T]) *SharedIndexInformer[T] {
	s := &SharedIndexInformer[T]{
		indexer:      config.newIndexer(),
		resyncPeriod: config.ResyncPeriod,
		processor:    processor.New[T](),
		done:         make(chan struct{}),
	}
	s.alive, s.stop = context.WithCancel(context.Background())
	config.ResyncPeriod = 0 // each handler has its own
	s.controller = newController(config, s.process)
	s.controller.objects = s.indexer.Len
	s.unlisted = len(s.controller.reflectors)
	return s
}

// Run follows the server until ctx ends. When it returns, no goroutine of the informer
// is left, and no handler and no hook is running. It runs once: a second call returns at once.
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
		s.indexer.checkAll()
		s.controller.hooks.Close()
	})
}

// Stop ends Run, and waits until it has returned: no handler is running then. It empties the
// cache. Listers that are kept return errors that wrap ErrStopped then. An informer that was not
// started can no longer be. The factory creates another one at the next call for the kind. A
// handler or a hook must not call Stop, which would wait for it.
func (s *SharedIndexInformer[T]) Stop() {
	s.stop()
	s.retire(nil)
	<-s.done
	s.awaitHooks()
	s.indexer.empty(fmt.Errorf("%s: %w", s.name(), ErrStopped))
}

// awaitHooks waits for the hooks of an informer that has ended. It does nothing to another
// one.
func (s *SharedIndexInformer[T]) awaitHooks() {
	if isClosed(s.done) {
		s.controller.hooks.Close()
	}
}

// wasStopped reports whether Stop was called.
func (s *SharedIndexInformer[T]) wasStopped() bool { return s.alive.Err() != nil }

// retire stops an informer that was not started, with the reason or nil. It does nothing to
// another one.
func (s *SharedIndexInformer[T]) retire(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.controller.retire(err) {
		s.processor.Stop()
		close(s.done)
	}
}

// process applies a batch of the Controller. It reports whether the first list of each
// namespace is in the cache.
func (s *SharedIndexInformer[T]) process(_ context.Context, deltas Deltas[T]) (listed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.unlisted > 0 && len(deltas) > 0 {
		deltas = s.processFirst(deltas)
	}
	if len(deltas) > 0 {
		s.distribute(deltas)
	}
	return s.unlisted == 0
}

// distribute applies deltas and passes the changes to the handlers.
func (s *SharedIndexInformer[T]) distribute(deltas Deltas[T]) {
	distinct := len(deltas) == 1 && deltas[0].Type == Replaced
	s.processor.Distribute(processor.Batch[T]{Notes: s.indexer.apply(deltas), Distinct: distinct})
}

// processFirst applies the first list of a namespace, or the deltas before the next one, and
// returns the rest. Only the adds of such a list are initial. After the last one, handlers are
// synced.
func (s *SharedIndexInformer[T]) processFirst(deltas Deltas[T]) (rest Deltas[T]) {
	isFirst := func(d Delta[T]) bool { return d.Type == Replaced && d.Collection.isFirst }
	if n := slices.IndexFunc(deltas, isFirst); n != 0 {
		if n < 0 {
			n = len(deltas)
		}
		s.distribute(deltas[:n])
		return deltas[n:]
	}
	notes := s.indexer.apply(deltas[:1])
	markInitial(notes)
	if s.unlisted--; s.unlisted == 0 {
		s.controller.markSynced() // before a handler can be synced
	}
	s.processor.Distribute(processor.Batch[T]{Notes: notes, Distinct: true, EndsInitial: s.unlisted == 0})
	return deltas[1:]
}

func markInitial[T Object](notes []processor.Notification[T]) {
	for i := range notes {
		notes[i].Initial = notes[i].Kind == processor.Add
	}
}

// AddEventHandler calls handler for every object and every change, from a goroutine of
// its own, until the handler is removed or the informer stops. It may be called at any
// time, also from a handler. The error wraps ErrStopped.
func (s *SharedIndexInformer[T]) AddEventHandler(handler ResourceEventHandler[T], options ...HandlerOption) (ResourceEventHandlerRegistration, error) {
	settings := processor.Settings{ResyncPeriod: s.resyncPeriod}
	for _, option := range options {
		option(&settings)
	}
	listening := listenerOptions(handler, settings, s.indexer.detector, &s.controller.panics)
	listening.Resync = s.resync
	l := processor.NewListener(listening)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.processor.Stopped() {
		return nil, fmt.Errorf("cannot add a handler to %s: %w", s.name(), ErrStopped)
	}
	if s.unlisted == 0 || s.indexer.Len() > 0 {
		l.Enqueue(processor.Batch[T]{EndsInitial: s.unlisted == 0, Distinct: true, Notes: s.cached(func(obj T) processor.Notification[T] {
			return processor.Notification[T]{Kind: processor.Add, Initial: true, Obj: obj}
		})})
	}
	s.processor.Add(l)
	return &registration[T]{s, l}, nil
}

// resync enqueues every cached object for l, unless l has a backlog.
func (s *SharedIndexInformer[T]) resync(l *processor.Listener[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.indexer.Len() > 0 && l.Backlog() == 0 {
		l.Enqueue(processor.Batch[T]{Distinct: true, Notes: s.cached(func(obj T) processor.Notification[T] {
			return processor.Notification[T]{Kind: processor.Update, Old: obj, Obj: obj}
		})})
	}
}

// cached returns a notification for each cached object.
func (s *SharedIndexInformer[T]) cached(note func(T) processor.Notification[T]) []processor.Notification[T] {
	objs := s.indexer.List()
	notes := make([]processor.Notification[T], len(objs))
	for i, obj := range objs {
		notes[i] = note(obj)
	}
	return notes
}

// RemoveEventHandler ends a registration. The current call of the handler may still
// run; no other follows. It may be called from the handler itself, and twice.
func (s *SharedIndexInformer[T]) RemoveEventHandler(r ResourceEventHandlerRegistration) error {
	own, ok := r.(*registration[T])
	if !ok || own.informer != s {
		return fmt.Errorf("cannot remove a handler from %s: %w", s.name(), errForeignRegistration)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.processor.Remove(own.Listener)
	s.controller.panics.forget(own.Listener)
	return nil
}

// GetStore returns the cache.
func (s *SharedIndexInformer[T]) GetStore() Store[T] { return s.indexer }

// GetIndexer returns the cache with its indexes. Only tests may write to it.
func (s *SharedIndexInformer[T]) GetIndexer() *Indexer[T] { return s.indexer }

// AddIndexers adds indexes, before or after the informer is started. It fails if
// there is one of the same name.
func (s *SharedIndexInformer[T]) AddIndexers(indexers Indexers[T]) error {
	return s.indexer.AddIndexers(indexers)
}

// HasSynced reports whether the cache holds the first list. Handlers may still be
// handling it: their registrations report that.
func (s *SharedIndexInformer[T]) HasSynced() bool { return s.controller.HasSynced() }

// Synced is closed when HasSynced becomes true.
func (s *SharedIndexInformer[T]) Synced() <-chan struct{} { return s.controller.Synced() }

// Ended is closed when the informer no longer follows the server.
func (s *SharedIndexInformer[T]) Ended() <-chan struct{} { return s.controller.Ended() }

// NotSyncedReason returns why the informer is not synced; it is empty once it is.
func (s *SharedIndexInformer[T]) NotSyncedReason() string { return s.controller.NotSyncedReason() }

func (s *SharedIndexInformer[T]) waitsFor() (subject, NotSynced) {
	return s.controller.waitsFor()
}

// Status returns the state of the informer, since when, and why.
func (s *SharedIndexInformer[T]) Status() Status {
	return s.controller.Status()
}

// Retry retries a failed list or watch at once, instead of after its wait; see
// Reflector.Retry.
func (s *SharedIndexInformer[T]) Retry() { s.controller.Retry() }

// Resource returns the resource that the informer follows.
func (s *SharedIndexInformer[T]) Resource() schema.GroupVersionResource {
	return s.controller.config.Resource
}

// name names the collection in errors and logs.
func (s *SharedIndexInformer[T]) name() string { return s.controller.config.name() }

// registrations returns the registered handlers.
func (s *SharedIndexInformer[T]) registrations() []Syncer {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Syncer
	for l := range s.processor.Listeners() {
		all = append(all, &registration[T]{s, l})
	}
	return all
}
