package processor

import (
	"sync/atomic"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

const (
	// maxChunk is the largest number of calls that are timed together, and shortChunk is how long
	// they may take.
	maxChunk   = 64
	shortChunk = 100 * time.Microsecond
	// longChunk is how long a chunk has taken when another goroutine asks for its end.
	longChunk = 10 * time.Millisecond
	// restTime is how long a handler rests before its calls may have become slow.
	restTime = time.Second
)

// calls counts and times the calls of one handler. The goroutine of the handler writes, and any
// goroutine reads.
//
// To read the clock takes as long as a call that does nothing. So calls that follow each other
// are timed together, as a chunk: one call at first, and twice as many each time while a chunk is
// short. After a longer chunk each call is timed by itself. In the middle of a chunk, calls may
// become slow. Then the next batch, or the next reader, asks for the end of the chunk.
//
//	calls   │·│··│····│········│████████│████████│
//	chunks  1  2   4      8        1        1
type calls struct {
	// ended is the number of calls that have returned or panicked.
	ended  atomic.Uint64
	panics atomic.Uint64
	// began is when the chunk in progress began, 0 if there is none.
	began   atomic.Int64
	slowest atomic.Int64 // in nanoseconds
	latency stats.Histogram
	// isLong is set if the chunk has to end. stop sets it too, so that one check between two
	// calls is enough.
	isLong atomic.Bool

	// Only the goroutine of the handler uses what follows.

	// size is the number of calls of a chunk, and left that of those to come.
	size, left int32
	last       stats.Stamp // the end of the last chunk
}

// begin is called before the calls for a batch. It returns the present moment if a chunk begins,
// 0 if one goes on.
func (c *calls) begin() (now stats.Stamp) {
	if c.began.Load() != 0 {
		return 0
	}
	now = stats.Now()
	if c.size == 0 || now.Since(c.last) > restTime {
		c.size = 1
	}
	c.left = c.size
	c.start(now)
	return now
}

// start starts a chunk.
func (c *calls) start(now stats.Stamp) { c.began.Store(int64(now)) }

// look asks for the end of the chunk in progress if it takes long. It returns how long it has
// taken, 0 if there is none.
func (c *calls) look(now stats.Stamp) (running time.Duration) {
	if running = now.Since(stats.Stamp(c.began.Load())); running > longChunk && !c.isLong.Load() {
		c.isLong.Store(true)
	}
	return max(running, 0)
}

// isUsed reports whether the chunk in progress has calls that have ended.
func (c *calls) isUsed() bool { return c.left != c.size }

// finish records a chunk that ends now, but for the latency.
func (c *calls) finish(now stats.Stamp) {
	took := now.Since(stats.Stamp(c.began.Load()))
	if int64(took) > c.slowest.Load() {
		c.slowest.Store(int64(took))
	}
	switch {
	case took >= shortChunk:
		c.size = 1
	case c.left == 0:
		c.size = min(2*c.size, maxChunk)
	}
	c.left, c.last = c.size, now
}

// count counts the call for the notification before next, which has ended.
func (l *Listener) count() {
	l.calls.ended.Add(1)
	if l.calls.left--; l.calls.left == 0 {
		l.calls.start(l.finish())
	}
}

// cut ends the chunk in progress, if it has calls, and starts the next one.
func (l *Listener) cut() {
	if l.calls.isUsed() {
		l.calls.start(l.finish())
	}
}

// rest ends the chunk in progress. No other one begins.
func (l *Listener) rest() {
	if l.calls.isUsed() {
		l.finish()
	}
	l.calls.began.Store(0)
}

// finish records the chunk in progress. It returns the present moment.
func (l *Listener) finish() (now stats.Stamp) {
	now = stats.Now()
	latency := l.calls.latency.Adder()
	for ; int(l.timed) < l.at; l.timed++ {
		b := &l.inHand[l.timed]
		latency.Add(now.Since(b.Received), int(b.calls-l.timedNext))
		l.timedNext = 0
	}
	if l.at < len(l.inHand) {
		latency.Add(now.Since(l.inHand[l.at].Received), l.next-int(l.timedNext))
		l.timedNext = int32(l.next)
	}
	latency.Flush()
	l.calls.finish(now)
	return now
}

// Calls is what can be observed of the calls of a handler.
type Calls struct {
	// Processed is the number of calls that have ended, and Panics that of those that panicked or
	// ended the goroutine. Merged is the number of notifications that were merged into others.
	Processed, Merged, Panics uint64
	// Running is how long the chunk in progress has taken, 0 if there is none. Slowest is the
	// longest time of a chunk, with the present one.
	Running, Slowest time.Duration
	// Latency has the times from Batch.Received to the end of the call, and LatencySum their sum.
	Latency    stats.Counts
	LatencySum time.Duration
}

// Calls returns what can be observed. now is the present moment. It waits for no one.
func (l *Listener) Calls(now stats.Stamp) (all Calls) {
	// A call is counted as processed first, and so it is read last: no other count is larger.
	c := &l.calls
	all.Latency, all.LatencySum = c.latency.Read()
	all.Panics = c.panics.Load()
	all.Slowest, all.Running = time.Duration(c.slowest.Load()), c.look(now)
	all.Slowest = max(all.Slowest, all.Running)
	all.Merged, all.Processed = uint64(l.merged.Load()), c.ended.Load()
	return all
}
