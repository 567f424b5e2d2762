package cache

import (
	"context"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/queue"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/report"
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
	// version is that of the list, and before the one that the Reflector had reached before it, if any.
	version, before string
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
type DeltaFIFO[T Object] struct{ queue queue.Queue[Delta[T]] }

// Push appends copies of deltas. It never blocks. It drops deltas after Close.
func (f *DeltaFIFO[T]) Push(deltas ...Delta[T]) { f.queue.Push(deltas) }

// Pop blocks until there are deltas and returns the oldest batch. The caller owns the
// result, and may pass it as reuse to a later call, which then owns its memory. When the
// queue is closed, Pop returns the remaining deltas, then ErrClosed. If ctx ends while the
// queue is empty, it returns the error of ctx.
func (f *DeltaFIFO[T]) Pop(ctx context.Context, reuse Deltas[T]) (Deltas[T], error) {
	return f.queue.Pop(ctx, reuse)
}

// Close ends the queue. The deltas in it can still be popped. Close may be called twice.
func (f *DeltaFIFO[T]) Close() { f.queue.Close() }

// Len returns the number of deltas in the queue.
func (f *DeltaFIFO[T]) Len() int { return f.queue.Len() }
