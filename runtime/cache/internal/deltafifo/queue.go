// Package deltafifo keeps deltas, the steps in the history of a collection, in the order in which they arrived, until the informer
// applies them.
package deltafifo

import (
	"context"
	"errors"
	"sync"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// ErrClosed is returned by Pop when the queue is closed and empty.
var ErrClosed = errors.New("queue is closed")

// Queue keeps elements in the order in which they arrived. Any goroutine may push, and one pops. The
// zero value is ready for use. Pop returns the elements that have arrived, so batches grow under load,
// and a single element never waits for another one.
type Queue[E any] struct {
	mu sync.Mutex // guards what follows
	// full has batches of MaxReuse elements, from first on. open is the batch after them. It
	// has no memory while it is empty.
	full  []received[E]
	first int
	open  received[E]
	// free is memory for open.
	free   freelist.List[E]
	closed bool
	// popped is set from the return of Pop to its next call.
	popped bool
	ready  chan struct{} // holds one token while the queue is closed or not empty

	// Oldest is the receipt of the batch that Pop has returned last. The caller of Pop may read it.
	Oldest stats.Stamp
}

// received is a batch with the receipt of its oldest element.
type received[E any] struct {
	elements []E
	oldest   stats.Stamp
}

// MaxReuse is the largest number of elements in a batch.
const MaxReuse = 1024

// Push appends copies of elements. It never blocks. It drops elements after Close.
//
// It returns the receipt of the batch that has the last of the elements, which may be earlier than
// theirs; 0 if there are none. It reads the clock only for a batch that was empty: a reading for each
// element would take a tenth of the time of an event.
func (q *Queue[E]) Push(elements []E) (oldest stats.Stamp) {
	if len(elements) == 0 {
		return 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0
	}
	for len(elements) > 0 {
		if len(q.open.elements) == MaxReuse {
			q.full = append(q.full, q.open)
			q.open = received[E]{}
		}
		if len(q.open.elements) == 0 {
			q.open.oldest = stats.Now()
		}
		n := min(len(elements), MaxReuse-len(q.open.elements))
		q.expectLocked(n)
		q.open.elements = append(q.open.elements, elements[:n]...)
		elements = elements[n:]
	}
	q.signalLocked()
	return q.open.oldest
}

// Pop blocks until there are elements and returns the oldest batch. The caller owns the
// result, and may pass it as reuse to a later call, which then owns its memory. When the
// queue is closed, Pop returns the remaining elements, then ErrClosed. If ctx ends while the
// queue is empty, it returns the error of ctx.
func (q *Queue[E]) Pop(ctx context.Context, reuse []E) ([]E, error) {
	clear(reuse) // the queue must not keep the objects alive
	q.mu.Lock()
	q.free.Give(reuse)
	q.popped = false
	for q.lenLocked() == 0 {
		if q.closed {
			q.mu.Unlock()
			return nil, ErrClosed
		}
		ready := q.readyLocked()
		q.mu.Unlock()
		select {
		case <-ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		q.mu.Lock()
	}
	defer q.mu.Unlock()
	q.popped = true
	if q.first == len(q.full) {
		batch := q.open
		q.open = received[E]{}
		q.Oldest = batch.oldest
		return batch.elements, nil
	}
	batch := q.full[q.first]
	q.full[q.first] = received[E]{}
	q.Oldest = batch.oldest
	if q.first++; q.first == len(q.full) {
		q.full, q.first = q.full[:0], 0
		if cap(q.full) > freelist.Small {
			q.full = nil
		}
	}
	return batch.elements, nil
}

// expectLocked makes room for n more elements in open.
func (q *Queue[E]) expectLocked(n int) {
	switch has := len(q.open.elements); {
	case has == 0:
		q.open.elements = q.free.Take(n)
	case has+n > cap(q.open.elements):
		q.open.elements = q.free.Grow(q.open.elements, has+n)
	}
}

// Close ends the queue. The elements in it can still be popped. Close may be called twice.
func (q *Queue[E]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signalLocked()
}

// Len returns the number of elements in the queue.
func (q *Queue[E]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lenLocked()
}

// Waiting returns the receipt of the oldest element that the consumer has not processed, 0 if there
// is none.
func (q *Queue[E]) Waiting() stats.Stamp {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.popped:
		return q.Oldest
	case q.first < len(q.full):
		return q.full[q.first].oldest
	}
	return q.open.oldest // 0 if it is empty
}

// Processed records that the consumer has processed the last batch. Pop does so too.
func (q *Queue[E]) Processed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.popped = false
}

// IsIdle reports whether the queue is empty, and its consumer has processed the last batch.
func (q *Queue[E]) IsIdle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.popped && q.lenLocked() == 0
}

func (q *Queue[E]) lenLocked() int { return (len(q.full)-q.first)*MaxReuse + len(q.open.elements) }

func (q *Queue[E]) readyLocked() chan struct{} {
	if q.ready == nil {
		q.ready = make(chan struct{}, 1)
	}
	return q.ready
}

func (q *Queue[E]) signalLocked() {
	select {
	case q.readyLocked() <- struct{}{}:
	default:
	}
}

// Hold blocks all other methods until release is called. It is for tests of callers that race.
func (q *Queue[E]) Hold() (release func()) {
	q.mu.Lock()
	return q.mu.Unlock
}
