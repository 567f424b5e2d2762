package memory

import (
	"context"
	"runtime"
	"time"
)

// heap measures what a cache takes besides its objects, and what a garbage
// collection takes with it: of the objects and the cache.
func (m *measurement) heap(context.Context) error {
	before := LiveHeap()
	cached, err := m.side.cacheOf(m.work.pods, usual)
	if err != nil {
		return err
	}
	m.add("cache's own memory per object, two indexes", "B", float64(LiveHeap()-before)/float64(m.Objects))
	var took []time.Duration
	for range max(3, m.Rounds) {
		began := cpuTime()
		runtime.GC()
		took = append(took, cpuTime()-began)
	}
	runtime.KeepAlive(cached)
	m.add("a garbage collection, with the cache: CPU time", "ms", median(took, time.Duration.Seconds)*1e3)
	return nil
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
