package cache

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
)

// listener is the queue and the goroutine of one handler.
type listener[T Object] struct {
	handler ResourceEventHandler[T]
	options handlerOptions
	// resync enqueues every cached object; it is called from run.
	resync func()
	// panicked decides what becomes of a handler that panicked, or that ended its
	// goroutine; it is called from run, while the handler's stack is still there.
	panicked func(*listener[T], *HandlerPanicError)
	// watched looks for objects that the handler has changed; nil for none.
	watched *mutationDetector[T]

	mu        sync.Mutex // guards what follows
	pending   []batch[T]
	waiting   int                     // how many notifications are pending
	coalesced int                     // how many the largest pending batch has of which none can be merged
	memory    freelist.List[batch[T]] // for pending

	wake     chan struct{} // holds one token while pending may not be empty
	stopping chan struct{} // closed by stop
	stopOnce sync.Once
	removed  atomic.Bool   // and not stopped with its informer
	synced   chan struct{} // closed when the handler has heard the initial list
	backlog  atomic.Int64  // notifications enqueued and not yet handled

	// Only the goroutine of run touches what follows. If the handler ends that
	// goroutine, the next one continues here.
	inHand []batch[T]
	at     int  // the batch that is being handled
	next   int  // the notification of it that comes next
	exited bool // the handler has ended the goroutine
}

func newListener[T Object](handler ResourceEventHandler[T], options handlerOptions) *listener[T] {
	if options.name == "" {
		options.name = fmt.Sprintf("%T", handler)
	}
	return &listener[T]{
		handler:  handler,
		options:  options,
		wake:     make(chan struct{}, 1),
		stopping: make(chan struct{}),
		synced:   make(chan struct{}),
	}
}

func (l *listener[T]) enqueue(b batch[T]) {
	l.backlog.Add(int64(len(b.notes)))
	l.mu.Lock()
	l.appendLocked(b)
	if limit := l.options.backlogLimit; limit > 0 && l.waiting > max(limit, 2*l.coalesced) {
		l.coalesceLocked()
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *listener[T]) appendLocked(b batch[T]) {
	switch n := len(l.pending); {
	case n == 0:
		l.pending = l.memory.Take(1)
	case n == cap(l.pending):
		l.pending = l.memory.Grow(l.pending, n+1)
	}
	l.pending = append(l.pending, b)
	l.waiting += len(b.notes)
	if b.distinct {
		l.coalesced = max(l.coalesced, len(b.notes))
	}
}

// coalesceLocked makes one batch of all that is pending. It is called each time
// that has doubled, so its cost is spread over the events, and never for one batch of
// which nothing can be merged: a list of all objects costs nothing here.
func (l *listener[T]) coalesceLocked() {
	one := batch[T]{notes: coalesce(l.pending), distinct: true}
	for _, b := range l.pending {
		one.endsInitial = one.endsInitial || b.endsInitial
	}
	l.pending = append(l.pending[:0:0], one)
	l.backlog.Add(int64(len(one.notes) - l.waiting))
	l.waiting, l.coalesced = len(one.notes), len(one.notes)
}

func (l *listener[T]) stop() { l.stopOnce.Do(func() { close(l.stopping) }) }

// run calls the handler until stop. What is pending then is dropped. If the handler
// ends the goroutine by runtime.Goexit, exited is set, and run is to be called again.
func (l *listener[T]) run() {
	var resync <-chan time.Time
	if l.options.resyncPeriod > 0 {
		ticker := time.NewTicker(l.options.resyncPeriod)
		defer ticker.Stop()
		resync = ticker.C
	}
	for l.handle() {
		select {
		case <-l.stopping:
		case <-resync:
			l.resync()
		case <-l.wake:
			l.inHand = l.takePending()
		}
	}
	l.drop()
}

// takePending returns what is pending.
func (l *listener[T]) takePending() []batch[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	batches := l.pending
	l.pending, l.waiting, l.coalesced = nil, 0, 0
	return batches
}

// drop forgets what is pending: a registration may be held for long.
func (l *listener[T]) drop() {
	l.takePending()
	l.inHand, l.at, l.next = nil, 0, 0
	l.backlog.Store(0)
}

// handle tells the handler what is in hand. It returns false if the listener was
// stopped.
func (l *listener[T]) handle() bool {
	for ; l.at < len(l.inHand); l.at++ {
		b := &l.inHand[l.at]
		for l.next < len(b.notes) {
			if l.handleNext(b.notes); isClosed(l.stopping) {
				return false
			}
		}
		if b.endsInitial {
			close(l.synced)
		}
		*b, l.next = batch[T]{}, 0 // what has been told is not kept alive
	}
	if l.inHand != nil {
		l.mu.Lock()
		l.memory.Give(l.inHand)
		l.mu.Unlock()
		l.inHand, l.at = nil, 0
	}
	return !isClosed(l.stopping)
}

// handleNext calls the handler from notes[l.next] on, until the end, a stop, or a call
// that does not return. There is one deferred call for all of them, and not one for
// each.
func (l *listener[T]) handleNext(notes []notification[T]) {
	returned := false
	defer func() {
		if returned {
			return
		}
		n, value := &notes[l.next], recover()
		l.next++
		l.backlog.Add(-1)
		l.exited = value == nil // recover returns a value for each panic
		l.report(n, value)
	}()
	for ; l.next < len(notes) && !isClosed(l.stopping); l.next++ {
		l.watched.before(&notes[l.next])
		deliver(l.handler, &notes[l.next])
		l.watched.after(&notes[l.next], l.options.name)
		l.backlog.Add(-1)
	}
	returned = true
}

func (l *listener[T]) report(n *notification[T], value any) {
	err := &HandlerPanicError{Handler: l.options.name, Object: MetaObjectToName(n.obj), Stack: debug.Stack()}
	if err.Exited = value == nil; !err.Exited {
		err.Value = fmt.Sprint(value)
	}
	l.panicked(l, err)
}
