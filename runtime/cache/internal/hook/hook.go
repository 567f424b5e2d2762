// Package hook calls the hooks of an informer: the functions of a program that get its
// errors and the changes of its status. They run in a goroutine of their own,
// which exists only while calls wait, so they never block the informer. A queue keeps the
// order of the calls, and is bounded.
//
//	errors, statuses ─▶ [ oldest … newest ] ─one goroutine─▶ OnError, OnChange
//	                        └─ if it is full, the two oldest become one
package hook

import (
	"context"
	"sync"
)

// Options are the options of Hooks, for statuses of type S. Unless their comment says
// otherwise, the functions are called from the goroutine of the hooks, without a lock.
type Options[S any] struct {
	// OnError is called with each error. It may be nil.
	OnError func(ctx context.Context, err error)
	// OnChange is called with each two statuses of which Same is false. It may be nil.
	OnChange func(ctx context.Context, before, now S)
	// Status returns the present status. Any goroutine may call it, with a lock held. If IsSlow is
	// set, only the goroutine of the hooks calls it, before OnChange. Changes that follow one
	// another quickly are merged then.
	Status func() S
	IsSlow bool
	// Same reports whether OnChange is not called.
	Same func(before, now S) bool
	// Dropped returns the error that OnError gets instead of n errors.
	Dropped func(n int) error
	// Full is called when the queue is full for the first time since it was empty. It has a
	// goroutine of its own: the one that queued the call may hold a lock, and Full logs, which is
	// foreign code.
	Full func(context.Context)
	// Failed is called if the hook of that name panicked with a value, or, if value is nil,
	// ended the goroutine by runtime.Goexit. The hook's stack is still there. If Failed
	// returns, the next call follows.
	Failed func(ctx context.Context, hook string, value any)
}

// Hooks are the hooks of one informer. All methods may be called from any goroutine, except
// that a hook must not call Close. They do nothing if the Hooks are nil.
type Hooks[S any] struct {
	options Options[S]

	mu sync.Mutex // guards the fields below
	// pending are the entries that wait, oldest first.
	pending []entry[S]
	// running is closed when the goroutine ends. It is nil without a goroutine.
	running chan struct{}
	// ctx is passed to OnChange.
	ctx  context.Context
	full bool // since the queue was empty
	// unread is set while an entry waits whose status is not read yet, because that is slow.
	unread bool
	closed bool
	// filled counts the calls of Full that have not returned.
	filled sync.WaitGroup

	// Only the goroutine uses the fields below.
	inHand []call
	last   *S // the status that OnChange got last; nil without OnChange
	called call
}

// maxPending is the number of entries that wait at most.
const maxPending = 100

// entry is an error or a status.
type entry[S any] struct {
	ctx    context.Context
	err    error
	status S
	// unread is set if status has to be read before the call.
	unread bool
	// dropped is the number of errors that were dropped next to the entry.
	dropped int
}

// call is one call of a hook.
type call struct {
	ctx  context.Context
	hook string
	do   func()
}

// New returns Hooks. first is the status before the first change.
func New[S any](options Options[S], first S) *Hooks[S] {
	h := &Hooks[S]{options: options, ctx: context.Background()}
	if options.OnChange != nil {
		h.last = &first
	}
	return h
}

// SetContext sets the context that OnChange gets from then on.
func (h *Hooks[S]) SetContext(ctx context.Context) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ctx = ctx
}

// HearErrors reports whether there is an OnError.
func (h *Hooks[S]) HearErrors() bool { return h != nil && h.options.OnError != nil }

// Error queues a call of OnError.
func (h *Hooks[S]) Error(ctx context.Context, err error) {
	if h.HearErrors() {
		h.push(func() entry[S] { return entry[S]{ctx: ctx, err: err} })
	}
}

// Changed queues a call of OnChange with the present status, unless it is the same as the
// one before.
func (h *Hooks[S]) Changed() {
	if h == nil || h.options.OnChange == nil {
		return
	}
	h.push(func() entry[S] {
		if h.options.IsSlow {
			return entry[S]{ctx: h.ctx, unread: true}
		}
		return entry[S]{ctx: h.ctx, status: h.options.Status()}
	})
}

// push calls entryOf under the lock, so that a status is never older than the one before.
func (h *Hooks[S]) push(entryOf func() entry[S]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pushLocked(entryOf())
}

func (h *Hooks[S]) pushLocked(e entry[S]) {
	if h.closed || e.unread && h.unread {
		return
	}
	h.unread = h.unread || e.unread
	if h.pending = append(h.pending, e); len(h.pending) > maxPending {
		h.pending[1] = h.mergedLocked(&h.pending[0], &h.pending[1])
		h.pending[0] = entry[S]{}
		h.pending = h.pending[1:]
		if !h.full {
			h.full = true
			h.filled.Go(func() { h.options.Full(e.ctx) })
		}
	}
	if h.running == nil {
		h.running = make(chan struct{})
		go h.run()
	}
}

// mergedLocked returns one entry for two. It drops the first one, unless that is a status and the
// second one is not. So the last status is never dropped.
func (h *Hooks[S]) mergedLocked(first, second *entry[S]) entry[S] {
	dropped, kept := first, *second
	if first.isStatus() && !second.isStatus() {
		dropped, kept = second, *first
	}
	kept.dropped += dropped.dropped
	if dropped.err != nil {
		kept.dropped++
	}
	return kept
}

func (e *entry[S]) isStatus() bool { return e.err == nil }

// Close blocks until all calls that were queued, and those of Full, have returned. Nothing is
// queued afterwards.
func (h *Hooks[S]) Close() {
	if h == nil {
		return
	}
	h.mu.Lock()
	h.closed = true
	running := h.running
	h.mu.Unlock()
	if running != nil {
		<-running
	}
	h.filled.Wait()
}

// run calls the hooks until the queue is empty. If a hook ends the goroutine, or panics and
// Failed returns, another goroutine continues.
func (h *Hooks[S]) run() {
	returned := false
	defer func() {
		if returned {
			return
		}
		h.options.Failed(h.called.ctx, h.called.hook, recover()) // recover returns a value for each panic
		go h.run()
	}()
	for next, ok := h.next(); ok; next, ok = h.next() {
		h.called = next
		next.do()
	}
	returned = true
}

// next returns the next call. It returns false if there is none, and the goroutine has to
// end.
func (h *Hooks[S]) next() (next call, ok bool) {
	for len(h.inHand) == 0 {
		e, ok := h.take()
		if !ok {
			return call{}, false
		}
		h.inHand = h.callsOf(e)
	}
	next, h.inHand = h.inHand[0], h.inHand[1:]
	return next, true
}

func (h *Hooks[S]) take() (e entry[S], ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.pending) == 0 {
		ended := h.running
		h.pending, h.full, h.running = nil, false, nil
		close(ended)
		return e, false
	}
	e, h.pending[0] = h.pending[0], e
	h.pending = h.pending[1:]
	if e.unread {
		h.unread = false // another change may come before the status is read
	}
	return e, true
}

func (h *Hooks[S]) callsOf(e entry[S]) (calls []call) {
	if e.dropped > 0 {
		err := h.options.Dropped(e.dropped)
		calls = append(calls, call{e.ctx, "WatchErrorHandler", func() { h.options.OnError(e.ctx, err) }})
	}
	if e.unread {
		e.status = h.options.Status()
	}
	if e.err != nil {
		return append(calls, call{e.ctx, "WatchErrorHandler", func() { h.options.OnError(e.ctx, e.err) }})
	}
	if before := *h.last; !h.options.Same(before, e.status) {
		*h.last = e.status
		calls = append(calls, call{e.ctx, "StatusHandler", func() { h.options.OnChange(e.ctx, before, e.status) }})
	}
	return calls
}
