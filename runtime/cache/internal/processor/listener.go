package processor

import (
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
)

// Options are the options of a Listener, which calls the functions from its goroutine.
type Options[T metav1.Object] struct {
	Settings
	// Deliver calls the handler.
	Deliver func(*Notification[T])
	// Failed is called when the handler panicked with a value, or, if value is nil, ended
	// the goroutine by runtime.Goexit. The handler's stack is still there. If Failed
	// returns, the handler continues with the next notification.
	Failed func(l *Listener[T], n *Notification[T], value any)
	// Resync is called each ResyncPeriod, if that is not 0. It may call Enqueue.
	Resync func(*Listener[T])
}

// Settings are the Options that do not depend on the type of the objects.
type Settings struct {
	// Name is the name of the handler.
	Name         string
	ResyncPeriod time.Duration
	// BacklogLimit is the number of notifications that may wait before those of one object
	// are merged; 0 for no limit.
	BacklogLimit int
}

// Listener is the queue and the goroutine of one handler. Its methods are safe for
// concurrent use, except for Handle.
type Listener[T metav1.Object] struct {
	options Options[T]

	mu        sync.Mutex // guards what follows
	pending   []Batch[T]
	waiting   int                     // the number of pending notifications
	coalesced int                     // the size of the largest pending batch that is distinct
	memory    freelist.List[Batch[T]] // for pending
	awaited   []awaited               // by each Delivery whose batch has not ended, oldest first

	wake     chan struct{} // holds one token while pending may not be empty
	stopping chan struct{} // closed by stop
	stopOnce sync.Once
	removed  atomic.Bool   // by Remove, rather than stopped with the Processor
	gone     chan struct{} // closed when the goroutine has ended, or never will begin
	goneOnce sync.Once
	synced   chan struct{} // closed when the handler has got the initial list
	backlog  atomic.Int64  // notifications enqueued and not yet handled

	// Only the goroutine of run uses the fields below. If the handler ends that goroutine,
	// the next one continues from them.
	inHand []Batch[T]
	at     int  // the index of the batch that is being handled
	next   int  // the index of the next notification in that batch
	exited bool // the handler has ended the goroutine
}

// NewListener returns a Listener with an empty queue.
func NewListener[T metav1.Object](options Options[T]) *Listener[T] {
	return &Listener[T]{
		options:  options,
		wake:     make(chan struct{}, 1),
		stopping: make(chan struct{}),
		gone:     make(chan struct{}),
		synced:   make(chan struct{}),
	}
}

// Name returns the name of the handler.
func (l *Listener[T]) Name() string { return l.options.Name }

// Synced is closed when the handler has returned from the batch that ends its initial
// list.
func (l *Listener[T]) Synced() <-chan struct{} { return l.synced }

// Ended is closed when the Listener is removed or stopped.
func (l *Listener[T]) Ended() <-chan struct{} { return l.stopping }

// Gone is closed when the Listener is removed or stopped and its handler has returned from
// its last call.
func (l *Listener[T]) Gone() <-chan struct{} { return l.gone }

// Removed reports whether the Listener was removed from its Processor.
func (l *Listener[T]) Removed() bool { return l.removed.Load() }

// Backlog returns the number of notifications that wait, with the one in progress. It is 0
// after the end.
func (l *Listener[T]) Backlog() int { return int(l.backlog.Load()) }

// Enqueue appends b to the queue. It never blocks.
func (l *Listener[T]) Enqueue(b Batch[T]) {
	l.backlog.Add(int64(len(b.Notes)))
	l.mu.Lock()
	l.appendLocked(b)
	if limit := l.options.BacklogLimit; limit > 0 && l.waiting > max(limit, 2*l.coalesced) {
		l.coalesceLocked()
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *Listener[T]) appendLocked(b Batch[T]) {
	switch n := len(l.pending); {
	case n == 0:
		l.pending = l.memory.Take(1)
	case n == cap(l.pending):
		l.pending = l.memory.Grow(l.pending, n+1)
	}
	l.pending = append(l.pending, b)
	l.waiting += len(b.Notes)
	if b.Distinct {
		l.coalesced = max(l.coalesced, len(b.Notes))
	}
	if b.Delivery != nil {
		l.awaited = append(l.awaited, awaited{b.Delivery, len(b.Notes)})
	}
}

// coalesceLocked merges all pending batches into one. It is called when the queue has
// doubled since the last call, so that its cost is spread over the events, and never for
// one distinct batch, such as a list of all objects.
func (l *Listener[T]) coalesceLocked() {
	one := Batch[T]{Notes: Coalesce(l.pending), Distinct: true}
	for _, b := range l.pending {
		one.EndsInitial = one.EndsInitial || b.EndsInitial
		if b.Delivery != nil {
			one.Delivery = b.Delivery // with the ones before it
		}
	}
	l.pending = append(l.pending[:0:0], one)
	l.backlog.Add(int64(len(one.Notes) - l.waiting))
	l.waiting, l.coalesced = len(one.Notes), len(one.Notes)
}

func (l *Listener[T]) leave() { l.goneOnce.Do(func() { close(l.gone) }) }

func (l *Listener[T]) stop() { l.stopOnce.Do(func() { close(l.stopping) }) }

func (l *Listener[T]) isStopping() bool {
	select {
	case <-l.stopping:
		return true
	default:
		return false
	}
}

// run calls the handler until stop, and drops what is pending then. If the handler ends
// the goroutine by runtime.Goexit, exited is set, and the caller has to call run again.
func (l *Listener[T]) run() {
	var resync <-chan time.Time
	if l.options.ResyncPeriod > 0 {
		ticker := time.NewTicker(l.options.ResyncPeriod)
		defer ticker.Stop()
		resync = ticker.C
	}
	for l.handleInHand() {
		select {
		case <-l.stopping:
		case <-resync:
			l.options.Resync(l)
		case <-l.wake:
			l.inHand = l.TakePending()
		}
	}
	l.drop()
}

// TakePending empties the queue and returns what was in it. The backlog still counts
// the notifications until Handle.
func (l *Listener[T]) TakePending() []Batch[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	batches := l.pending
	l.pending, l.waiting, l.coalesced = nil, 0, 0
	return batches
}

// drop releases what is pending: a caller may keep a Listener that has ended.
func (l *Listener[T]) drop() {
	l.TakePending()
	l.inHand, l.at, l.next = nil, 0, 0
	l.backlog.Store(0)
}

// handleInHand handles the batches of inHand. It returns false if the Listener was stopped.
func (l *Listener[T]) handleInHand() bool {
	for ; l.at < len(l.inHand); l.at++ {
		b := &l.inHand[l.at]
		for l.next < len(b.Notes) {
			if l.handleNext(b.Notes); l.isStopping() {
				return false
			}
		}
		if b.EndsInitial {
			close(l.synced)
		}
		if b.Delivery != nil {
			l.returned(b.Delivery)
		}
		*b, l.next = Batch[T]{}, 0 // so that it keeps no objects alive
	}
	if l.inHand != nil {
		l.mu.Lock()
		l.memory.Give(l.inHand)
		l.mu.Unlock()
		l.inHand, l.at = nil, 0
	}
	return !l.isStopping()
}

// Handle calls the handler with notes, in the caller's goroutine, until a call does not
// return. It is for a Listener that no Processor runs.
func (l *Listener[T]) Handle(notes []Notification[T]) {
	l.next = 0
	l.handleNext(notes)
}

// handleNext calls the handler from notes[l.next] on, until the end, a stop, or a call
// that does not return. One deferred call serves all of them.
func (l *Listener[T]) handleNext(notes []Notification[T]) {
	returned := false
	defer func() {
		if returned {
			return
		}
		n, value := &notes[l.next], recover()
		l.next++
		l.backlog.Add(-1)
		l.exited = value == nil // recover returns a value for each panic
		l.options.Failed(l, n, value)
	}()
	for ; l.next < len(notes) && !l.isStopping(); l.next++ {
		l.options.Deliver(&notes[l.next])
		l.backlog.Add(-1)
	}
	returned = true
}
