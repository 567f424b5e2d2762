// Package reflector copies a collection of the API server to a Sink: it lists, as a stream or in one piece, and in pages
// after that has failed. It watches from the version of the list. It resumes a watch that ended, and lists again when the
// server has forgotten that version.
//
//	              protocol: what to request next, and when
//	              │
//	Source ─▶ list, watch ─▶ Sink: Listed, Events
package reflector

import (
	"context"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
)

// Sink gets the objects that a Reflector reads, and hears of its requests. The goroutine of Run calls all methods, and Changed is
// also called by others.
type Sink interface {
	// Listed is called with a list that was read to its end, and the position after it.
	Listed(list *deltafifo.Collection, at frontier.Position)
	// Events is called with the changes that a watch has reported, and the position after them. There may be none. The Sink
	// must not keep the slice. It returns when they were received, or somewhat earlier.
	Events(deltas []deltafifo.Delta, at frontier.Position) (received clock.Stamp)
	// Failed is called with the error of each list and watch that failed, and with each *wire.DecodeError of an object that is
	// skipped.
	Failed(ctx context.Context, err error)
	// Changed is called after each change of the phase, or of its cause, without a lock.
	Changed()
}
