package cache

import (
	"context"
	"sync"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/freelist"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/report"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// DeltaType is the kind of a change of an object, or of the collection.
type DeltaType uint8

const (
	// Added: the watch reported a new object.
	Added DeltaType = iota + 1
	// Updated: the watch reported a new state of an object.
	Updated
	// Deleted: the watch reported the end of an object.
	Deleted
	// Replaced: the collection was listed again; Delta.Collection is all of it.
	Replaced
	// Sync: a resync, which updates every cached object for handlers. It has no object.
	Sync
)

var deltaNames = [...]string{"DeltaType(?)", "Added", "Updated", "Deleted", "Replaced", "Sync"}

// String returns the name of the constant.
func (t DeltaType) String() string {
	if int(t) < len(deltaNames) {
		return deltaNames[t]
	}
	return deltaNames[0]
}

// Delta is one step in the history of a collection.
type Delta[T Object] struct {
	Type DeltaType
	// aside is set if the watch of the scope has not told the delta: it is the response to a write,
	// or the answer to a request for one object. The watch may be at an earlier version.
	aside bool
	// scope is the one that the delta is from: 0 for the first scope of an informer.
	scope scopeID
	// Item is the state that Added, Updated and Deleted have. A Deleted has an Err instead
	// of an Object if its last state cannot be decoded; see DecodeOptions.SkipUndecodable. So has
	// an Updated, if the informer has several scopes: its scope has the object.
	Item[T]
	// Collection is the whole collection of a Replaced.
	Collection *Collection[T]
}

// Collection is the result of a list.
type Collection[T Object] struct {
	// Items may have several states of one object. The last one is used. For an item with
	// an Err, the cache keeps the object that it holds. Without
	// DecodeOptions.SkipUndecodable no item has an Err.
	Items []Item[T]

	// isFirst is set for the first list of a Reflector.
	isFirst bool
	// version is that of the list.
	version string
	// began is how many own writes were answered before the list was requested.
	began uint64
	// decode decodes the response to a write to the form of the items.
	decode func(body []byte) (Item[T], error)
	// applied are called when the collection is in the cache.
	applied []func()
	// report is nil without a RelistHandler.
	report *report.Report
}

// isState reports whether the delta has a new state of an object.
func (d *Delta[T]) isState() bool { return (d.Type == Added || d.Type == Updated) && d.Err == nil }

// report returns the report of a Replaced, or nil.
func (d *Delta[T]) report() *report.Report {
	if d.Collection == nil {
		return nil
	}
	return d.Collection.report
}

func isReported[T Object](d Delta[T]) bool { return d.report() != nil }

// Deltas is a part of the history of a collection, oldest first.
type Deltas[T Object] []Delta[T]

// DeltaFIFO keeps deltas in the order in which they arrived, across all objects. It
// merges none of them. One goroutine pushes and one pops. The zero value is ready for use.
// Pop returns the deltas that have arrived, so batches grow under load, and a single delta
// never waits for another one.
type DeltaFIFO[T Object] struct {
	mu sync.Mutex // guards what follows
	// full has batches of maxReuse deltas, from first on. open is the batch after them. It
	// has no memory while it is empty.
	full  []received[T]
	first int
	open  received[T]
	// free is memory for open.
	free   freelist.List[Delta[T]]
	closed bool
	// popped is set from the return of Pop to its next call.
	popped bool
	ready  chan struct{} // holds one token while the queue is closed or not empty

	// oldest is the receipt of the batch that Pop has returned last. Its caller may read it.
	oldest stats.Stamp
}

// received is a batch with the receipt of its oldest delta.
type received[T Object] struct {
	deltas Deltas[T]
	oldest stats.Stamp
}

// maxReuse is the largest number of deltas in a batch.
const maxReuse = 1024

// Push appends copies of deltas. It never blocks. It drops deltas after Close.
func (f *DeltaFIFO[T]) Push(deltas ...Delta[T]) { f.push(deltas) }

// push is Push. It returns the receipt of the batch that has the last of deltas, which may be
// earlier than theirs; 0 if there are none. It reads the clock only for a batch that was empty: a
// reading for each delta would take a tenth of the time of an event.
func (f *DeltaFIFO[T]) push(deltas []Delta[T]) (oldest stats.Stamp) {
	if len(deltas) == 0 {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0
	}
	for len(deltas) > 0 {
		if len(f.open.deltas) == maxReuse {
			f.full = append(f.full, f.open)
			f.open = received[T]{}
		}
		if len(f.open.deltas) == 0 {
			f.open.oldest = stats.Now()
		}
		n := min(len(deltas), maxReuse-len(f.open.deltas))
		f.expectLocked(n)
		f.open.deltas = append(f.open.deltas, deltas[:n]...)
		deltas = deltas[n:]
	}
	f.signalLocked()
	return f.open.oldest
}

// Pop blocks until there are deltas and returns the oldest batch. The caller owns the
// result, and may pass it as reuse to a later call, which then owns its memory. When the
// queue is closed, Pop returns the remaining deltas, then ErrClosed. If ctx ends while the
// queue is empty, it returns the error of ctx.
func (f *DeltaFIFO[T]) Pop(ctx context.Context, reuse Deltas[T]) (Deltas[T], error) {
	clear(reuse) // the queue must not keep the objects alive
	f.mu.Lock()
	f.free.Give([]Delta[T](reuse))
	f.popped = false
	for f.lenLocked() == 0 {
		if f.closed {
			f.mu.Unlock()
			return nil, ErrClosed
		}
		ready := f.readyLocked()
		f.mu.Unlock()
		select {
		case <-ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		f.mu.Lock()
	}
	defer f.mu.Unlock()
	f.popped = true
	if f.first == len(f.full) {
		batch := f.open
		f.open = received[T]{}
		f.oldest = batch.oldest
		return batch.deltas, nil
	}
	batch := f.full[f.first]
	f.full[f.first] = received[T]{}
	f.oldest = batch.oldest
	if f.first++; f.first == len(f.full) {
		f.full, f.first = f.full[:0], 0
		if cap(f.full) > freelist.Small {
			f.full = nil
		}
	}
	return batch.deltas, nil
}

// expectLocked makes room for n more deltas in open.
func (f *DeltaFIFO[T]) expectLocked(n int) {
	switch has := len(f.open.deltas); {
	case has == 0:
		f.open.deltas = f.free.Take(n)
	case has+n > cap(f.open.deltas):
		f.open.deltas = f.free.Grow(f.open.deltas, has+n)
	}
}

// Close ends the queue. The deltas in it can still be popped. Close may be called twice.
func (f *DeltaFIFO[T]) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.signalLocked()
}

// Len returns the number of deltas in the queue.
func (f *DeltaFIFO[T]) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lenLocked()
}

// waiting returns the receipt of the oldest delta that the consumer has not processed, 0 if there
// is none.
func (f *DeltaFIFO[T]) waiting() stats.Stamp {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.popped:
		return f.oldest
	case f.first < len(f.full):
		return f.full[f.first].oldest
	}
	return f.open.oldest // 0 if it is empty
}

// processed records that the consumer has processed the last batch. Pop does so too.
func (f *DeltaFIFO[T]) processed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.popped = false
}

// isIdle reports whether the queue is empty, and its consumer has processed the last batch.
func (f *DeltaFIFO[T]) isIdle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.popped && f.lenLocked() == 0
}

func (f *DeltaFIFO[T]) lenLocked() int { return (len(f.full)-f.first)*maxReuse + len(f.open.deltas) }

func (f *DeltaFIFO[T]) readyLocked() chan struct{} {
	if f.ready == nil {
		f.ready = make(chan struct{}, 1)
	}
	return f.ready
}

func (f *DeltaFIFO[T]) signalLocked() {
	select {
	case f.readyLocked() <- struct{}{}:
	default:
	}
}
