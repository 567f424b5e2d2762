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
	waiting   int // how many notifications are pending
	coalesced int // how many of them the last coalescing has left

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
	l.backlog.Add(int64(len(b.notes)))
	l.mu.Lock()
	l.pending = append(l.pending, b)
	l.waiting += len(b.notes)
	if limit := l.options.backlogLimit; limit > 0 && l.waiting > max(limit, 2*l.coalesced) {
		l.coalesceLocked()
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// coalesceLocked makes one batch of all that is pending. It is called each time
// that has doubled, so its cost is spread over the events.
func (l *listener[T]) coalesceLocked() {
	one := batch[T]{notes: coalesce(l.pending)}
	for _, b := range l.pending {
		one.endsInitial = one.endsInitial || b.endsInitial
	}
	l.pending = append(l.pending[:0:0], one)
	l.backlog.Add(int64(len(one.notes) - l.waiting))
	l.waiting, l.coalesced = len(one.notes), len(one.notes)
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
	var batches []batch[T]
	for {
		select {
		case <-l.stopping:
			return
		case <-resync:
			l.resync()
		case <-l.wake:
			batches = l.takePending(batches)
			for i := range batches {
				b := batches[i]
				batches[i] = batch[T]{} // what has been told is not kept alive
				if !l.handle(b) {
					return
				}
			}
		}
	}
}

// takePending returns what is pending. What is pending next may use the memory of
// reuse, unless it is much.
func (l *listener[T]) takePending(reuse []batch[T]) []batch[T] {
	if cap(reuse) > maxReuse {
		reuse = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	batches := l.pending
	l.pending, l.waiting, l.coalesced = reuse[:0], 0, 0
	return batches
}

// drop forgets what is pending: a registration may be held for long.
func (l *listener[T]) drop() {
	l.takePending(nil)
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
