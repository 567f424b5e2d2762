package memory

import (
	"runtime"
	"time"
)

// heap measures what a cache takes besides its objects, and what it adds to a
// garbage collection. The objects have no more than the cache looks at, as the
// collector's work on a whole pod would hide its work on the cache.
func (m *measurement) heap() error {
	pods := slimPods(m.Objects)
	before := LiveHeap()
	var collectionBefore float64
	if m.Objects >= leastCollected {
		collectionBefore = collection()
	}
	cached, err := m.side.cacheOf(pods, usual)
	if err != nil {
		return err
	}
	m.add("cache's own memory per object, two indexes", "B", float64(LiveHeap()-before)/float64(m.Objects))
	if m.Objects >= leastCollected {
		m.add("what the cache adds to a garbage collection: CPU time", "ms", max(collection()-collectionBefore, leastTime*float64(m.Objects)))
	}
	runtime.KeepAlive(cached)
	runtime.KeepAlive(pods)
	return nil
}

const (
	// leastCollected are the objects of which a cache is seen in a collection at all,
	// and leastTime is what can be told from nothing, in milliseconds for an object.
	leastCollected = 100_000
	leastTime      = 10e-6
)

// collection is the CPU time of a garbage collection in milliseconds.
func collection() float64 {
	var took []time.Duration
	for range 11 {
		began := cpuTime()
		runtime.GC()
		took = append(took, cpuTime()-began)
	}
	return median(took, time.Duration.Seconds) * 1e3
}

// LiveHeap counts what is reachable, in bytes. What a sync.Pool has, and what has a
// finalizer, goes with a later collection than the first.
func LiveHeap() int64 {
	for range 4 {
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
