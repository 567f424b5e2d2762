package attacks

import (
	"runtime"
	"testing"
)

// TestAllocations compares the allocations of both sides, which are the same in each run,
// other than times.
func TestAllocations(t *testing.T) {
	const (
		small = 25_000
		most  = 5
		// An attacker pays for as many bytes as the text has. The rest is buffers.
		freeBytes, freeCount = 4*small + 64<<10, 200
	)
	attacks := allAttacks(small)
	if len(attacks) < 200 {
		t.Errorf("there are only %d attacks", len(attacks))
	}
	for _, a := range attacks {
		ours, theirs, err := a.start()
		if err != nil {
			t.Error(err)
			continue
		}
		var oursBytes, oursCount, theirsBytes, theirsCount uint64
		cheap := func() bool {
			oursBytes, oursCount = allocated(ours)
			theirsBytes, theirsCount = allocated(theirs)
			return oursBytes <= most*theirsBytes+freeBytes && oursCount <= most*theirsCount+freeCount
		}
		isCheap := cheap()
		for range 8 { // other goroutines allocate now and then, and -race empties pools at random
			isCheap = isCheap || cheap()
		}
		if !isCheap {
			t.Errorf("%s: ours allocates %d bytes in %d pieces, client-go %d bytes in %d pieces", a.name, oursBytes, oursCount, theirsBytes, theirsCount)
		}
	}
}

// allocated returns the bytes and the number of allocations of a call.
func allocated(call func() error) (bytes, count uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_ = call() // start has compared the errors
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
}
