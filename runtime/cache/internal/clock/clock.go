// Package clock has moments that cost half as much as a time.Time.
package clock

import "time"

// Stamp is a moment, in nanoseconds since the start of the process; 0 for none. In a bubble of testing/synctest it is
// negative.
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
