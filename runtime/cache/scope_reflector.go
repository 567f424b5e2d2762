package cache

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/partition"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/pending"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// scopeReflector is the Reflector of one scope of an informer, and its Sink: what it reads goes to the queue of the
// informer.
type scopeReflector struct {
	record
	queue *deltafifo.Queue // of the informer
	mu    *sync.Mutex      // of the informer
	id    scopeID
	// writes has the own writes in the scope, and is nil without ReadYourWrites.
	writes *pending.Table
	// isHeld is set while its objects are still those of another Reflector.
	isHeld atomic.Bool
	// closed is set by close, and stop, if it is not nil, ends Run.
	closed atomic.Bool
	stop   atomic.Pointer[context.CancelFunc]
	// isWanted is set as long as the scope is one of the informer. One that is not goes on until others have taken over.
	// The mutex of the informer guards it.
	isWanted bool
}

// Run lists and watches until ctx ends.
func (r *scopeReflector) Run(ctx context.Context) { r.run(ctx) }

// close ends a Reflector of a scope that is no longer needed. It may run, and otherwise never will.
func (r *scopeReflector) close() {
	r.closed.Store(true)
	if stop := r.stop.Load(); stop != nil {
		(*stop)()
	} else {
		r.retire(nil)
	}
}

// Listing is that of reflector.Sink.
func (r *scopeReflector) Listing() (began uint64) {
	if r.writes == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.writes.Begin()
}

// Listed is that of reflector.Sink.
func (r *scopeReflector) Listed(list *deltafifo.Collection, at frontier.Position) {
	r.frontier.Receive(at, stats.Now()) // who sees the list applied sees its version
	r.queue.Push([]deltafifo.Delta{{Type: deltafifo.Replaced, Scope: r.id, Collection: list}}, deltafifo.Reached{Scope: r.id, Position: at})
}

// Events is that of reflector.Sink.
func (r *scopeReflector) Events(deltas []deltafifo.Delta, at frontier.Position) (received stats.Stamp) {
	to := deltafifo.Reached{Scope: r.id, Position: at}
	if len(deltas) == 0 { // a bookmark, which has to be known before a claim can count from it
		received = stats.Now()
		r.frontier.Receive(at, received)
		r.queue.Push(nil, to)
		return received
	}
	if received = r.queue.Push(deltas, to); received == 0 { // the informer has ended
		received = stats.Now()
	}
	r.frontier.Receive(at, received)
	return received
}

// Status returns the state of the scope, without Objects.
func (r *scopeReflector) Status() Status {
	status := r.record.Status()
	if status.Phase == Watching && r.isHeld.Load() {
		status.Phase = Listing // the cache does not have the list yet
	}
	return status
}

// region returns what the Reflector may have, apart from its selectors.
func (r *scopeReflector) region() partition.Region {
	return r.config.scope.region(r.config.isNamespaced)
}

// leaveOut makes the Reflector of OtherNamespaces drop what it reads of some namespaces, which it never has again.
func (r *scopeReflector) leaveOut(namespaces ...string) {
	if r.config.scope.OtherNamespaces {
		r.config.rule.Others.LeaveOut(namespaces)
	}
}
