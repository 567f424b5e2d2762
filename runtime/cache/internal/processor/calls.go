package processor

import (
	"sync/atomic"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// calls counts and times the calls of one handler. The goroutine of the handler writes, and any goroutine reads.
type calls struct {
	// ended is the number of calls that have returned or panicked.
	ended  atomic.Uint64
	panics atomic.Uint64
	// began is when the call in progress began, 0 if there is none.
	began   atomic.Int64
	slowest atomic.Int64 // in nanoseconds
	latency stats.Histogram
}

// begin is called before the first of several calls in a row.
func (c *calls) begin() { c.began.Store(int64(clock.Now())) }

// end records a call for a notification that was received at a moment. The next one begins now.
func (c *calls) end(received clock.Stamp) {
	c.ended.Add(1)
	now := clock.Now()
	if took := int64(now.Since(clock.Stamp(c.began.Load()))); took > c.slowest.Load() {
		c.slowest.Store(took)
	}
	c.began.Store(int64(now))
	c.latency.Add(now.Since(received), 1)
}

// rest is called after the last of several calls in a row.
func (c *calls) rest() { c.began.Store(0) }

// Calls is what can be observed of the calls of a handler.
type Calls struct {
	// Processed is the number of calls that have ended, and Panics that of those that panicked or
	// ended the goroutine. Merged is the number of notifications that were merged into others.
	Processed, Merged, Panics uint64
	// Running is how long the call in progress has taken, 0 if there is none. Slowest is the
	// longest time of a call, with the present one.
	Running, Slowest time.Duration
	// Latency has the times from Batch.Received to the end of the call, and LatencySum their sum.
	Latency    stats.Counts
	LatencySum time.Duration
}

// Calls returns what can be observed. now is the present moment. It waits for no one.
func (l *Listener) Calls(now clock.Stamp) (all Calls) {
	// A call is counted as processed first, and so it is read last: no other count is larger.
	c := &l.calls
	all.Latency, all.LatencySum = c.latency.Read()
	all.Panics = c.panics.Load()
	all.Running = max(0, now.Since(clock.Stamp(c.began.Load())))
	all.Slowest = max(time.Duration(c.slowest.Load()), all.Running)
	all.Merged, all.Processed = uint64(l.merged.Load()), c.ended.Load()
	return all
}
