// Package progress bounds waits in tests by a lack of progress, and not by the clock.
//
// On a slow machine, or beside other work, each step of a test takes longer, but
// steps are made. Tests and what they use call Step for each: an event that a handler
// gets, a write that the server accepts. Context is canceled when no test of the
// program has made a step for a whole Stall.
//
// Only steps that bring a test nearer to its end count. A retry is none, as an
// informer that retries in vain does so forever.
package progress

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// Stall is how long no step may be made.
const Stall = 3 * time.Minute

// steps counts those of all tests of the program, as parallel tests wait for each
// other's share of the processors.
var steps atomic.Int64

// Step notes a step. It may be called concurrently.
func Step() { steps.Add(1) }

// Context returns a context that ends with the test, or when nothing makes progress.
func Context(t testing.TB) context.Context {
	ctx, cancel := Follow(t.Context())
	t.Cleanup(cancel)
	return ctx
}

// Follow returns a context that ends with its parent, by cancel, or when no step has
// been made for a time between one Stall and two. Its cause then says so.
func Follow(parent context.Context) (_ context.Context, cancel context.CancelFunc) {
	ctx, cancelCause := context.WithCancelCause(parent)
	var look func(seen int64)
	look = func(seen int64) {
		time.AfterFunc(Stall, func() {
			switch now := steps.Load(); {
			case ctx.Err() != nil:
			case now == seen:
				cancelCause(fmt.Errorf("no test has made progress for %v", Stall))
			default:
				look(now)
			}
		})
	}
	look(steps.Load())
	return ctx, func() { cancelCause(context.Canceled) }
}
