package cache

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// batch is what handlers hear at one hop. It is shared between all of them and
// not changed once it is made.
type batch[T Object] struct {
	notes []notification[T]
	// endsInitial marks the batch after which a handler has heard all that was
	// there when it began to listen.
	endsInitial bool
}

// processor hands batches to the listener of each handler. Its caller holds the
// informer's lock, so that a batch and the change of the cache that it tells of
// are one step for a handler that joins.
type processor[T Object] struct {
	listeners map[*listener[T]]struct{}
	running   bool
	stopped   bool
	wg        sync.WaitGroup // one for each running listener
}

func newProcessor[T Object]() *processor[T] {
	return &processor[T]{listeners: map[*listener[T]]struct{}{}}
}

func (p *processor[T]) add(l *listener[T]) {
	p.listeners[l] = struct{}{}
	if p.running {
		p.wg.Go(l.run)
	}
}

func (p *processor[T]) remove(l *listener[T]) {
	delete(p.listeners, l)
	l.removed.Store(true)
	l.stop()
}

func (p *processor[T]) start() {
	p.running = true
	for l := range p.listeners {
		p.wg.Go(l.run)
	}
}

func (p *processor[T]) distribute(b batch[T]) {
	if len(b.notes) == 0 && !b.endsInitial {
		return
	}
	for l := range p.listeners {
		l.enqueue(b)
	}
}

// stop tells every listener to return after the call that it is in. The caller
// then waits on wg, without the informer's lock.
func (p *processor[T]) stop() {
	p.running, p.stopped = false, true
	for l := range p.listeners {
		l.stop()
	}
}

// listener is the queue and the goroutine of one handler.
type listener[T Object] struct {
	handler      ResourceEventHandler[T]
	resyncPeriod time.Duration
	// resync enqueues every cached object; it is called from run.
	resync func()

	mu      sync.Mutex // guards pending
	pending []batch[T]

	wake     chan struct{} // holds one token while pending may not be empty
	stopping chan struct{} // closed by stop
	stopOnce sync.Once
	removed  atomic.Bool   // and not stopped with its informer
	synced   chan struct{} // closed when the handler has heard the initial list
	backlog  atomic.Int64  // notifications enqueued and not yet handled
}

func newListener[T Object](handler ResourceEventHandler[T], resyncPeriod time.Duration) *listener[T] {
	return &listener[T]{
		handler:      handler,
		resyncPeriod: resyncPeriod,
		wake:         make(chan struct{}, 1),
		stopping:     make(chan struct{}),
		synced:       make(chan struct{}),
	}
}

func (l *listener[T]) enqueue(b batch[T]) {
	l.backlog.Add(int64(len(b.notes)))
	l.mu.Lock()
	l.pending = append(l.pending, b)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *listener[T]) stop() { l.stopOnce.Do(func() { close(l.stopping) }) }

// run calls the handler until stop. What is pending then is dropped.
func (l *listener[T]) run() {
	defer l.drop()
	var resync <-chan time.Time
	if l.resyncPeriod > 0 {
		ticker := time.NewTicker(l.resyncPeriod)
		defer ticker.Stop()
		resync = ticker.C
	}
	for {
		select {
		case <-l.stopping:
			return
		case <-resync:
			l.resync()
		case <-l.wake:
			l.mu.Lock()
			batches := l.pending
			l.pending = nil
			l.mu.Unlock()
			for i, b := range batches {
				batches[i] = batch[T]{} // what has been told is not kept alive
				if !l.handle(b) {
					return
				}
			}
		}
	}
}

// drop forgets what is pending: a registration may be held for long.
func (l *listener[T]) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = nil
	l.backlog.Store(0)
}

// handle returns false if the listener was stopped meanwhile.
func (l *listener[T]) handle(b batch[T]) bool {
	for i := range b.notes {
		if isClosed(l.stopping) {
			return false
		}
		deliver(l.handler, &b.notes[i])
		l.backlog.Add(-1)
	}
	if b.endsInitial {
		close(l.synced)
	}
	return true
}

// ResourceEventHandlerRegistration is what AddEventHandler returns: it tells how
// far the handler is, and RemoveEventHandler takes it.
type ResourceEventHandlerRegistration interface {
	// HasSynced says whether the handler has returned from its last event of the
	// initial list.
	HasSynced() bool
	// Synced is closed when HasSynced becomes true.
	Synced() <-chan struct{}
	// Ended is closed when the handler is removed or the informer stops.
	Ended() <-chan struct{}
	// NotSyncedReason says what the handler is waiting for; it is empty once it
	// is synced or removed.
	NotSyncedReason() string
	// Backlog is how many events wait for the handler, with the one it is in; 0
	// when it has ended.
	Backlog() int
}

// registration is the only ResourceEventHandlerRegistration.
type registration[T Object] struct {
	informer *SharedIndexInformer[T]
	listener *listener[T]
}

func (r *registration[T]) HasSynced() bool { return isClosed(r.listener.synced) }

func (r *registration[T]) Synced() <-chan struct{} { return r.listener.synced }

func (r *registration[T]) Ended() <-chan struct{} { return r.listener.stopping }

func (r *registration[T]) NotSyncedReason() string {
	switch {
	case r.HasSynced() || r.listener.removed.Load():
		return ""
	case !r.informer.HasSynced():
		return r.informer.NotSyncedReason()
	}
	return "a handler of " + r.informer.name() + " has not returned from its initial list: " +
		plural(r.Backlog(), "event") + " to go"
}

func (r *registration[T]) Backlog() int { return int(r.listener.backlog.Load()) }

// errForeignRegistration is returned for a registration of another informer.
var errForeignRegistration = errors.New("the registration is not one of this informer")
