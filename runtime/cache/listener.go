package cache

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// listener is the queue and the goroutine of one handler.
type listener[T Object] struct {
	handler ResourceEventHandler[T]
	options handlerOptions
	// resync enqueues every cached object; it is called from run.
	resync func()
	// panicked decides what becomes of a panic of the handler; it is called from
	// run, while the handler's stack is still there.
	panicked func(*listener[T], *HandlerPanicError)
	// watched looks for objects that the handler has changed; nil for none.
	watched *mutationDetector[T]

	mu        sync.Mutex // guards what follows
	pending   []batch[T]
	coalesced int // how many notifications the last coalescing has left

	wake     chan struct{} // holds one token while pending may not be empty
	stopping chan struct{} // closed by stop
	stopOnce sync.Once
	removed  atomic.Bool   // and not stopped with its informer
	synced   chan struct{} // closed when the handler has heard the initial list
	backlog  atomic.Int64  // notifications enqueued and not yet handled
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
	backlog := l.backlog.Add(int64(len(b.notes)))
	l.mu.Lock()
	l.pending = append(l.pending, b)
	if limit := l.options.backlogLimit; limit > 0 && int(backlog) > max(limit, 2*l.coalesced) {
		l.coalesceLocked()
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// coalesceLocked makes one batch of all that is pending. It is called each time
// the backlog has doubled, so its cost is spread over the events.
func (l *listener[T]) coalesceLocked() {
	one, before := batch[T]{}, 0
	for _, b := range l.pending {
		before += len(b.notes)
		one.endsInitial = one.endsInitial || b.endsInitial
	}
	one.notes = coalesce(l.pending)
	l.pending = append(l.pending[:0:0], one)
	l.coalesced = len(one.notes)
	l.backlog.Add(int64(len(one.notes) - before))
}

func (l *listener[T]) stop() { l.stopOnce.Do(func() { close(l.stopping) }) }

// run calls the handler until stop. What is pending then is dropped.
func (l *listener[T]) run() {
	defer l.drop()
	var resync <-chan time.Time
	if l.options.resyncPeriod > 0 {
		ticker := time.NewTicker(l.options.resyncPeriod)
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
			for i, batches := 0, l.takePending(); i < len(batches); i++ {
				b := batches[i]
				batches[i] = batch[T]{} // what has been told is not kept alive
				if !l.handle(b) {
					return
				}
			}
		}
	}
}

func (l *listener[T]) takePending() []batch[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	batches := l.pending
	l.pending, l.coalesced = nil, 0
	return batches
}

// drop forgets what is pending: a registration may be held for long.
func (l *listener[T]) drop() {
	l.takePending()
	l.backlog.Store(0)
}

// handle returns false if the listener was stopped meanwhile.
func (l *listener[T]) handle(b batch[T]) bool {
	for next := 0; next < len(b.notes); {
		if next = l.handleFrom(b.notes, next); isClosed(l.stopping) {
			return false
		}
	}
	if b.endsInitial {
		close(l.synced)
	}
	return true
}

// handleFrom calls the handler from notes[first] on, and returns what comes next:
// the end, where it was stopped, or what follows a call that panicked. There is
// one deferred call for all of them, and not one for each.
func (l *listener[T]) handleFrom(notes []notification[T], first int) (next int) {
	next = first
	defer func() {
		if value := recover(); value != nil {
			l.report(&notes[next], value)
			l.backlog.Add(-1)
			next++
		}
	}()
	for ; next < len(notes) && !isClosed(l.stopping); next++ {
		l.watched.before(&notes[next])
		deliver(l.handler, &notes[next])
		l.watched.after(&notes[next], l.options.name)
		l.backlog.Add(-1)
	}
	return next
}

func (l *listener[T]) report(n *notification[T], value any) {
	l.panicked(l, &HandlerPanicError{Handler: l.options.name, Object: MetaObjectToName(n.obj), Value: fmt.Sprint(value), Stack: debug.Stack()})
}

// handlerPanics are the last panics of handlers that go on.
type handlerPanics[T Object] struct {
	mu   sync.Mutex // guards errs
	errs map[*listener[T]]error
}

func (p *handlerPanics[T]) add(l *listener[T], err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.errs == nil {
		p.errs = map[*listener[T]]error{}
	}
	p.errs[l] = err
}

func (p *handlerPanics[T]) forget(l *listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.errs, l)
}

// last returns one of them, or nil.
func (p *handlerPanics[T]) last() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, err := range p.errs {
		return err
	}
	return nil
}
