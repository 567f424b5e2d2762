package cache

import (
	"context"
	"sync"
)

// DeltaType says what happened to an object, or to the collection.
type DeltaType uint8

const (
	// Added: the watch reported a new object.
	Added DeltaType = iota + 1
	// Updated: the watch reported a new state of an object.
	Updated
	// Deleted: the watch reported the end of an object.
	Deleted
	// Replaced: the collection was listed anew; Delta.Objects is all of it.
	Replaced
	// Sync: every cached object is told again. It carries no object.
	Sync
)

// String returns the name of the constant.
func (t DeltaType) String() string {
	switch t {
	case Added:
		return "Added"
	case Updated:
		return "Updated"
	case Deleted:
		return "Deleted"
	case Replaced:
		return "Replaced"
	case Sync:
		return "Sync"
	}
	return "DeltaType(?)"
}

// Delta is one step in the history of a collection.
type Delta[T Object] struct {
	Type DeltaType
	// Object is the state that Added, Updated and Deleted carry.
	Object T
	// Objects is the whole collection of a Replaced.
	Objects []T
	// Undecodable are, of a Replaced, the objects of the collection that cannot be
	// decoded: what the cache holds of them stays. Of a Deleted it is the object, in
	// the place of Object, if its last state cannot be decoded. There are none
	// without DecodeOptions.SkipUndecodable.
	Undecodable []*DecodeError
}

// Deltas is a part of the history of a collection, oldest first.
type Deltas[T Object] []Delta[T]

// DeltaFIFO keeps deltas in the order in which they arrived, across all
// objects: nothing is merged and nothing overtakes. One goroutine pushes and
// one pops. The zero value is ready for use.
//
// Popping hands over all that is there, so under load batches grow and the cost
// of a hop is shared, and a lone delta never waits for a second one.
type DeltaFIFO[T Object] struct {
	mu     sync.Mutex // guards what follows
	queue  Deltas[T]
	closed bool
	ready  chan struct{} // holds one token while the queue is closed or not empty
}

// Push appends deltas, which are copied. It never blocks. Deltas pushed after
// Close are dropped: nobody will pop them.
func (f *DeltaFIFO[T]) Push(deltas ...Delta[T]) {
	if len(deltas) == 0 {
		return
	}
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return
	}
	f.queue = append(f.queue, deltas...)
	f.signalLocked()
	f.mu.Unlock()
}

// Pop blocks until there are deltas and returns all of them. The caller owns
// the result, and may hand it back as reuse, whose memory then serves the queue
// again. When the queue is closed, Pop returns what is left, then ErrClosed. If ctx
// ends while there is nothing, it returns the error of ctx.
func (f *DeltaFIFO[T]) Pop(ctx context.Context, reuse Deltas[T]) (Deltas[T], error) {
	clear(reuse) // what was delivered must not be kept alive by the queue
	f.mu.Lock()
	for len(f.queue) == 0 {
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
	batch := f.queue
	f.queue = nil
	if cap(reuse) <= maxReuse { // a burst does not hold its memory for ever
		f.queue = reuse[:0]
	}
	f.mu.Unlock()
	return batch, nil
}

// maxReuse is the longest queue whose memory is used again.
const maxReuse = 8 * maxBatch

// Close ends the queue: what is in it can still be popped, nothing more can be
// pushed. It may be called twice.
func (f *DeltaFIFO[T]) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.signalLocked()
}

// Len returns how many deltas wait to be popped.
func (f *DeltaFIFO[T]) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.queue)
}

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
