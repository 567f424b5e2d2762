package main

import (
	"testing"
)

// TestAllocations compares what both sides allocate: that is the same in each run, which
// time is not.
func TestAllocations(t *testing.T) {
	const (
		small = 25_000
		most  = 5
		// An attacker pays for as many bytes as the text has, and the rest is buffers.
		freeBytes, freeCount = 4*small + 64<<10, 200
	)
	attacks := allAttacks(small)
	if len(attacks) < 200 {
		t.Errorf("there are only %d attacks", len(attacks))
	}
	for _, a := range attacks {
		ours, theirs := a.prepare()
		oursFailed, theirsFailed := ours(), theirs() // the first call makes plans
		if (oursFailed == nil) != (theirsFailed == nil) {
			t.Errorf("%s: ours returns the error %v, client-go %v", a.name, oursFailed, theirsFailed)
		}
		var oursBytes, oursCount, theirsBytes, theirsCount uint64
		cheap := func() bool {
			oursBytes, oursCount = allocated(ours)
			theirsBytes, theirsCount = allocated(theirs)
			return oursBytes <= most*theirsBytes+freeBytes && oursCount <= most*theirsCount+freeCount
		}
		isCheap := cheap()
		for range 2 { // other goroutines allocate now and then
			isCheap = isCheap || cheap()
		}
		if !isCheap {
			t.Errorf("%s: ours allocates %d bytes in %d pieces, client-go %d bytes in %d pieces", a.name, oursBytes, oursCount, theirsBytes, theirsCount)
		}
	}
}
