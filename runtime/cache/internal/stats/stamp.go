// Package stats counts what an informer does: what it reads, what fails, and how long a change
// takes to reach the cache and the handlers. Counting allocates nothing, takes no lock on the path
// of an event, and reads the clock once for each batch. Readers add up when they ask.
//
//	body.go       the bytes of a response
//	histogram.go  durations, in buckets
//	size.go       an estimate of the memory of objects
//	stamp.go      the clock
//	traffic.go    what was read from the server, and what failed
package stats

import "time"

// Stamp is a moment, in nanoseconds since the start of the process; 0 for none. It costs half as
// much as a time.Time. In a bubble of testing/synctest it is negative.
type Stamp int64

var began = time.Now()

// Now returns the present moment.
func Now() Stamp {
	if s := Stamp(time.Since(began)); s != 0 {
		return s
	}
	return 1
}

// Since returns the time from one moment to a later one; 0 if there is no earlier one.
func (s Stamp) Since(earlier Stamp) time.Duration {
	if earlier == 0 {
		return 0
	}
	return time.Duration(s - earlier)
}
