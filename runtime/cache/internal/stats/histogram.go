package stats

import (
	"math"
	"sync/atomic"
	"time"
)

// Bounds are the upper bounds of the durations that a Histogram counts, but for the last count,
// which has no bound. Those from 1 ms to 10 s are the bounds of client-go's
// informer_processing_latency_seconds.
var Bounds = [...]time.Duration{
	100 * time.Microsecond,
	time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute,
}

// Counts has the number of durations up to each of Bounds and above the one before, and of those
// above the last one.
type Counts [len(Bounds) + 1]uint64

// Histogram counts durations. Any goroutine may use it. The zero value is ready for use.
type Histogram struct {
	counts [len(Bounds) + 1]atomic.Uint64
	sum    atomic.Int64 // in nanoseconds
}

// Add counts n events, each of which took d.
func (h *Histogram) Add(d time.Duration, n int) {
	if n > 0 {
		d = max(d, 0)
		h.counts[bucketOf(d)].Add(uint64(n))
		h.addSum(times(d, n))
	}
}

func bucketOf(d time.Duration) (i int) {
	for i < len(Bounds) && d > Bounds[i] {
		i++
	}
	return i
}

// addSum adds to the sum, up to the largest Duration: 292 years, which a million events reach that
// wait for some hours each. A sum must not fall.
func (h *Histogram) addSum(d time.Duration) {
	if h.sum.Add(int64(d)) < 0 {
		h.sum.Store(math.MaxInt64)
	}
}

// times returns n times d, or the largest Duration.
func times(d time.Duration, n int) time.Duration {
	if d > math.MaxInt64/time.Duration(n) {
		return math.MaxInt64
	}
	return d * time.Duration(n)
}

// Sum returns the sum of durations that are not negative, or the largest Duration.
func Sum(a, b time.Duration) time.Duration {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return math.MaxInt64
}

// Read returns the counts and the sum of the durations. They may be of slightly different
// moments.
func (h *Histogram) Read() (counts Counts, sum time.Duration) {
	for i := range h.counts {
		counts[i] = h.counts[i].Load()
	}
	if sum = time.Duration(h.sum.Load()); sum < 0 { // until addSum has stored the largest one
		sum = math.MaxInt64
	}
	return counts, sum
}
