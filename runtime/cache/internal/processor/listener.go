package processor

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
)

// Options are the options of a Listener, which calls the functions from its goroutine.
type Options struct {
	Settings
	// Deliver calls the handler.
	Deliver func(*Notification)
	// Observer returns the Observer of the Listener. It is called once, by NewListener, and not from that goroutine.
	Observer func(*Listener) Observer
	// Resync is called each ResyncPeriod, if that is not 0. It may call Enqueue.
	Resync func(*Listener)
}

// Settings are the Options that do not depend on the type of the objects.
type Settings struct {
	// Name is the name of the handler. Unnamed is set if its user has not named it.
	Name         string
	Unnamed      bool
	ResyncPeriod time.Duration
	// BacklogLimit is the number of notifications that may wait before those of one object
	// are merged; 0 for no limit.
	BacklogLimit int
	// RelistUpdates is set for a handler that gets an Update after a relist for each object, also if it has not changed.
	RelistUpdates bool
}

// Listener is the queue and the goroutine of one handler. Its methods are safe for
// concurrent use.
type Listener struct {
	options  Options
	observer Observer

	mu        sync.Mutex // guards the fields below
	pending   []Batch
	waiting   int                  // the number of pending notifications
	coalesced int                  // the size of the largest pending batch that is distinct
	memory    freelist.List[Batch] // for pending

	wake     chan struct{} // holds one token while pending may not be empty
	stopping chan struct{} // closed by stop
	stopOnce sync.Once
	removed  atomic.Bool   // by Remove, rather than stopped with the Processor
	gone     chan struct{} // closed when the goroutine has ended, or never will begin
	goneOnce sync.Once
	// lists are the initial lists that the handler has returned from.
	lists initial.Lists
	// enqueued is the number of notifications that were ever in the queue, merged that of
	// those that were merged into others, and processed that of calls that have returned or panicked.
	enqueued, merged, processed atomic.Int64
	dropped                     atomic.Bool // by drop

	// Only the goroutine of run uses the fields below. If the handler ends that goroutine,
	// the next one continues from them.
	inHand []Batch
	at     int  // the index of the batch that is being handled
	next   int  // the index of the next notification in that batch
	exited bool // the handler has ended the goroutine
}

// NewListener returns a Listener with an empty queue.
func NewListener(options Options) *Listener {
	l := &Listener{
		options:  options,
		wake:     make(chan struct{}, 1),
		stopping: make(chan struct{}),
		gone:     make(chan struct{}),
	}
	l.observer = options.Observer(l)
	return l
}

// Observer returns the Observer of the Listener.
func (l *Listener) Observer() Observer { return l.observer }

// Name returns the name of the handler.
func (l *Listener) Name() string { return l.options.Name }

// Unnamed reports whether its user has not named the handler.
func (l *Listener) Unnamed() bool { return l.options.Unnamed }

// Lists returns the initial lists that the handler has returned from.
func (l *Listener) Lists() *initial.Lists { return &l.lists }

// Ended is closed when the Listener is removed or stopped.
func (l *Listener) Ended() <-chan struct{} { return l.stopping }

// Gone is closed when the Listener is removed or stopped and its handler has returned from
// its last call.
func (l *Listener) Gone() <-chan struct{} { return l.gone }

// Removed reports whether the Listener was removed from its Processor.
func (l *Listener) Removed() bool { return l.removed.Load() }

// Processed returns the number of calls that have ended.
func (l *Listener) Processed() uint64 { return uint64(l.processed.Load()) }

// Merged returns the number of notifications that were merged into others.
func (l *Listener) Merged() uint64 { return uint64(l.merged.Load()) }

// Backlog returns the number of notifications that wait, with the one in progress. It is 0
// after the end.
func (l *Listener) Backlog() int {
	if l.dropped.Load() {
		return 0
	}
	// In this order, calls that end meanwhile make it larger and never negative.
	processed, merged := l.processed.Load(), l.merged.Load()
	return int(l.enqueued.Load() - merged - processed)
}

// Enqueue appends b to the queue. It never blocks.
func (l *Listener) Enqueue(b Batch) {
	l.enqueued.Add(int64(len(b.Notes)))
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

func (l *Listener) appendLocked(b Batch) {
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
}

// coalesceLocked merges all pending batches into one. It is called when the queue has
// doubled since the last call, so that its cost is spread over the events, and never for
// one distinct batch, such as a list of all objects.
func (l *Listener) coalesceLocked() {
	one := Batch{Notes: Coalesce(l.pending), Received: l.pending[0].Received, Distinct: true}
	for _, b := range l.pending {
		one.Lists = max(one.Lists, b.Lists)
		one.Received = min(one.Received, b.Received)
	}
	l.pending = append(l.pending[:0:0], one)
	l.merged.Add(int64(l.waiting - len(one.Notes)))
	l.waiting, l.coalesced = len(one.Notes), len(one.Notes)
}

// leave is called when no call follows.
func (l *Listener) leave() {
	l.goneOnce.Do(func() {
		l.observer.Gone()
		close(l.gone)
	})
}

func (l *Listener) stop() {
	l.stopOnce.Do(func() { close(l.stopping) })
}

func (l *Listener) isStopping() bool {
	select {
	case <-l.stopping:
		return true
	default:
		return false
	}
}

// run calls the handler until stop, and drops the notifications that are pending then. If the handler ends
// the goroutine by runtime.Goexit, exited is set, and the caller has to call run again.
func (l *Listener) run() {
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
			l.inHand = l.takePending()
		}
	}
	l.drop()
}

// takePending empties the queue and returns its notifications. The backlog still counts
// the notifications until they are handled.
func (l *Listener) takePending() []Batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	batches := l.pending
	l.pending, l.waiting, l.coalesced = nil, 0, 0
	return batches
}

// Drain empties the queue of a Listener that no Processor runs, and returns its notifications, as if the handler had
// returned from it. It is for tests.
func (l *Listener) Drain() []Batch {
	batches := l.takePending()
	for _, b := range batches {
		l.processed.Add(int64(len(b.Notes)))
	}
	return batches
}

// drop releases the pending notifications: a caller may keep a Listener that has ended.
func (l *Listener) drop() {
	l.observer.Rest()
	l.takePending()
	l.inHand, l.at, l.next = nil, 0, 0
	l.dropped.Store(true)
}

// handleInHand handles the batches of inHand. It returns false if the Listener was stopped.
func (l *Listener) handleInHand() bool {
	if l.inHand == nil {
		return !l.isStopping()
	}
	l.observer.Begin()
	for ; l.at < len(l.inHand); l.at++ {
		b := &l.inHand[l.at]
		for l.next < len(b.Notes) {
			if l.handleNext(b); l.isStopping() {
				return false
			}
		}
		if b.Lists > 0 {
			l.lists.Reach(b.Lists)
		}
		b.Notes, l.next = nil, 0 // so that it keeps no objects alive
	}
	l.observer.Rest()
	clear(l.inHand)
	l.mu.Lock()
	l.memory.Give(l.inHand)
	l.mu.Unlock()
	l.inHand, l.at = nil, 0
	return !l.isStopping()
}

// handleNext calls the handler from b.Notes[l.next] on, until the end, a stop, or a call
// that does not return. One deferred call serves all of them.
func (l *Listener) handleNext(b *Batch) {
	returned := false
	defer func() {
		if returned {
			return
		}
		n, value := &b.Notes[l.next], recover()
		l.end(b)
		l.exited = value == nil // recover returns a value for each panic
		l.observer.Failed(n, value)
	}()
	for l.next < len(b.Notes) && !l.isStopping() {
		l.options.Deliver(&b.Notes[l.next])
		l.end(b)
	}
	returned = true
}

// end is called after each call, for b.Notes[l.next].
func (l *Listener) end(b *Batch) {
	l.next++
	l.processed.Add(1) // first: no other count of calls is larger
	l.observer.End(b.Received)
}
