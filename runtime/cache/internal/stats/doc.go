// Package stats counts what an informer does: what it reads, what fails, and how long a change
// takes to reach the cache and the handlers. Counting allocates nothing, takes no lock on the path
// of an event, and reads the clock once for each batch. Readers add up when they ask.
//
//	body.go       the bytes of a response
//	histogram.go  durations, in buckets
//	size.go       an estimate of the memory of objects
//	traffic.go    what was read from the server, and what failed
package stats
