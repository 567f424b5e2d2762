// Package deltafifo keeps deltas, the steps in the history of a collection, in the order in which they arrived, until the informer
// applies them.
package deltafifo

import (
	"context"
	"errors"
	"sync"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
)

// ErrClosed is returned by Pop when the queue is closed and empty.
var ErrClosed = errors.New("queue is closed")

// Batch has the deltas that have arrived since the batch before, in the order of arrival.
type Batch struct {
	Deltas []Delta
	// Reached has the position of each scope that has reported something, after the deltas.
	Reached []Reached
	// Oldest is the receipt of the first delta; 0 if there is none.
	Oldest clock.Stamp
}

// Reached is how far a scope has got.
type Reached struct {
	Scope frontier.ID
	// Frontier is the Frontier of the scope. It gets the position when the cache has all changes up to there.
	Frontier *frontier.Frontier
	frontier.Position
}

// isEmpty reports whether there is nothing to apply.
func (b *Batch) isEmpty() bool { return len(b.Deltas) == 0 && len(b.Reached) == 0 }

// reach replaces the position of a scope.
func (b *Batch) reach(to Reached) {
	for i := range b.Reached {
		if b.Reached[i].Scope == to.Scope {
			b.Reached[i] = to
			return
		}
	}
	b.Reached = append(b.Reached, to)
}

// Queue keeps deltas in the order in which they arrived. Any goroutine may push, and one pops. The
// zero value is ready for use. Pop returns all that has arrived, so batches grow under load,
// and a single delta never waits for another one.
type Queue struct {
	mu sync.Mutex // guards the fields below
	// full has batches of MaxReuse deltas, from first on. open is the batch after them. Its deltas
	// have no memory while there are none.
	full  []Batch
	first int
	open  Batch
	// free is memory for the deltas of open.
	free   freelist.List[Delta]
	closed bool
	// popped is set from the return of Pop to its next call, and oldest is the receipt of that batch.
	popped bool
	oldest clock.Stamp
	ready  chan struct{} // holds one token while the queue is closed or not empty
}

// MaxReuse is the largest number of deltas in a batch.
const MaxReuse = 1024

// Push appends copies of deltas, and records how far their scope has got with them. It never blocks. It has no effect
// after Close.
//
// It returns the receipt of the batch that has the last of the deltas, which may be earlier than
// theirs; 0 if there are none. It reads the clock only for a batch that was empty: a reading for each
// delta would take a tenth of the time of an event.
func (q *Queue) Push(deltas []Delta, to Reached) (oldest clock.Stamp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0
	}
	for rest := deltas; len(rest) > 0; {
		if len(q.open.Deltas) == MaxReuse {
			q.full = append(q.full, q.open)
			q.open = Batch{}
		}
		if len(q.open.Deltas) == 0 {
			q.open.Oldest = clock.Now()
		}
		n := min(len(rest), MaxReuse-len(q.open.Deltas))
		q.expectLocked(n)
		q.open.Deltas = append(q.open.Deltas, rest[:n]...)
		rest = rest[n:]
	}
	q.open.reach(to)
	q.signalLocked()
	if len(deltas) == 0 {
		return 0
	}
	return q.open.Oldest
}

// Pop blocks until something has arrived, and replaces batch by the oldest of it. The caller owns the
// batch until it calls Pop again, which clears it and reuses its memory. When the
// queue is closed, Pop returns the rest, then ErrClosed. If ctx ends while the
// queue is empty, it returns the error of ctx.
func (q *Queue) Pop(ctx context.Context, batch *Batch) error {
	clear(batch.Deltas) // the queue must not keep the objects alive
	clear(batch.Reached)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free.Give(batch.Deltas)
	batch.Deltas, q.popped = nil, false
	for q.first == len(q.full) && q.open.isEmpty() {
		if q.closed {
			return ErrClosed
		}
		if err := q.waitLocked(ctx); err != nil {
			return err
		}
	}
	q.takeLocked(batch)
	return nil
}

// takeLocked replaces batch by the oldest one.
func (q *Queue) takeLocked(batch *Batch) {
	if q.first == len(q.full) {
		reached := batch.Reached[:0]
		*batch, q.open = q.open, Batch{}
		if cap(reached) <= freelist.Small {
			q.open.Reached = reached
		}
	} else {
		*batch, q.full[q.first] = q.full[q.first], Batch{}
		if q.first++; q.first == len(q.full) {
			q.full, q.first = q.full[:0], 0
			if cap(q.full) > freelist.Small {
				q.full = nil
			}
		}
	}
	q.popped, q.oldest = len(batch.Deltas) > 0, batch.Oldest
}

// waitLocked unlocks the mutex until something may have arrived.
func (q *Queue) waitLocked(ctx context.Context) error {
	ready := q.readyLocked()
	q.mu.Unlock()
	defer q.mu.Lock()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// expectLocked makes room for n more deltas in open.
func (q *Queue) expectLocked(n int) {
	switch has := len(q.open.Deltas); {
	case has == 0:
		q.open.Deltas = q.free.Take(n)
	case has+n > cap(q.open.Deltas):
		q.open.Deltas = q.free.Grow(q.open.Deltas, has+n)
	}
}

// Close ends the queue. What is in it can still be popped. Close may be called twice.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signalLocked()
}

// Len returns the number of deltas in the queue.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lenLocked()
}

// Waiting returns the receipt of the oldest delta that the consumer has not processed, 0 if there
// is none.
func (q *Queue) Waiting() clock.Stamp {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.popped:
		return q.oldest
	case q.first < len(q.full):
		return q.full[q.first].Oldest
	}
	return q.open.Oldest // 0 if it has none
}

// Processed records that the consumer has processed the last batch. Pop does so too.
func (q *Queue) Processed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.popped = false
}

func (q *Queue) lenLocked() int { return (len(q.full)-q.first)*MaxReuse + len(q.open.Deltas) }

func (q *Queue) readyLocked() chan struct{} {
	if q.ready == nil {
		q.ready = make(chan struct{}, 1)
	}
	return q.ready
}

func (q *Queue) signalLocked() {
	select {
	case q.readyLocked() <- struct{}{}:
	default:
	}
}
