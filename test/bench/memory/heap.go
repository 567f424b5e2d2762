package memory

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

const (
	// leastCollected is the least number of objects whose cache shows in a collection.
	leastCollected = 100_000
	// leastTime is the least time that shows, in milliseconds for an object.
	leastTime = 10e-6
)

// heap measures the memory of a cache without its objects, and what it adds to a garbage
// collection. The objects have no more than the cache looks at: the collector's work on
// whole pods would hide its work on the cache.
func (m *measurement) heap() error {
	pods := slimPods(m.Objects)
	before := meter.LiveHeap()
	var collectionBefore float64
	if m.Objects >= leastCollected {
		collectionBefore = collection()
	}
	cached, err := m.side.newCache(pods, usual)
	if err != nil {
		return err
	}
	m.add("cache's own memory per object, two indexes", "B", float64(meter.LiveHeap()-before)/float64(m.Objects))
	if m.Objects >= leastCollected {
		m.add("what the cache adds to a garbage collection: CPU time", "ms", max(collection()-collectionBefore, leastTime*float64(m.Objects)))
	}
	runtime.KeepAlive(cached)
	runtime.KeepAlive(pods)
	return nil
}

// collection returns the CPU time of a garbage collection in milliseconds.
func collection() float64 {
	var took []float64
	for range 11 {
		began := meter.CPUTime()
		runtime.GC()
		took = append(took, float64(meter.CPUTime()-began)/float64(time.Millisecond))
	}
	return report.Median(took)
}

// idle measures what informers take besides their objects after a burst of events. They
// share ten objects, so that caches do not hide the rest. Memory that they keep for
// later counts only if garbage collections leave it, so there is no need to wait.
func (m *measurement) idle(ctx context.Context) error {
	const row, objects, burst = "idle informer after a burst of 1,000 events", 10, 1000
	work := newWorkload(onNode)
	work.list.Items, work.pods = work.list.Items[:objects], work.pods[:objects]
	events := work.next(burst, objects)
	count := min(1000, m.Events/200)
	sources, counters := make([]*source, count), meter.NewCounters(count)
	for i := range sources {
		sources[i] = newSource(0, work)
	}
	counters.Expect(objects)
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	before := meter.LiveHeap()
	for i, s := range sources {
		informer, err := m.side.newInformer(s, usual, counters[i:i+1])
		if err != nil {
			return err
		}
		running.Go(func() { informer.run(ctx) })
	}
	if _, err := counters.Await(ctx); err != nil {
		return err
	}
	counters.Expect(burst)
	for _, s := range sources {
		s.send(events)()
	}
	if _, err := counters.Await(ctx); err != nil {
		return err
	}
	if err := counters.Check(meter.Counts{Updates: burst}); err != nil {
		return fmt.Errorf("%s: %w", row, err)
	}
	m.add(row, "B", float64(meter.LiveHeap()-before)/float64(count))
	runtime.KeepAlive(events)
	runtime.KeepAlive(work)
	return nil
}
