package memory

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

const (
	// leastCollected is the least number of objects whose cache shows in a collection.
	leastCollected = 100_000
	// leastTime is the least time that shows for an object.
	leastTime = 10 * time.Nanosecond
)

// BenchmarkCache measures the memory of a cache without its objects, and what it adds to a garbage collection. The objects have
// no more than the cache looks at: the collector's work on whole pods would hide its work on the cache.
func BenchmarkCache(b *testing.B) {
	eachSide(b, func(b *testing.B, m *measurement) {
		objects := len(m.work.pods)
		pods := slimPods(objects)
		m.work, lastWorkload = nil, nil // or the collector would work on it
		bytes, collections := 0.0, 0.0
		for b.Loop() {
			before, collectionBefore := meter.LiveHeap(), 0.0
			if objects >= leastCollected {
				collectionBefore = collection()
			}
			cached, err := m.side.newCache(pods, usual)
			if err != nil {
				b.Fatal(err)
			}
			bytes += float64(meter.LiveHeap() - before)
			if objects >= leastCollected {
				collections += max(collection()-collectionBefore, float64(leastTime)*float64(objects))
			}
			runtime.KeepAlive(cached)
		}
		runtime.KeepAlive(pods)
		b.ReportMetric(bytes/float64(b.N)/float64(objects), "B/object")
		if collections > 0 {
			b.ReportMetric(collections/float64(b.N), "cpu-ns/gc")
		}
		b.ReportMetric(0, "ns/op")
	})
}

// collection returns the CPU time of a garbage collection in nanoseconds.
func collection() float64 {
	var took []float64
	for range 11 {
		began := meter.CPUTime()
		runtime.GC()
		took = append(took, float64(meter.CPUTime()-began))
	}
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(took, &benchmath.DefaultThresholds), 0.95).Center
}

// BenchmarkIdleInformer measures the goroutines, heap and stacks that an informer takes besides its objects after a burst of 1,000 events. All informers share
// ten objects, so that caches do not hide the rest. Memory that they keep for later counts only if garbage collections leave
// it, so there is no need to wait.
func BenchmarkIdleInformer(b *testing.B) {
	const objects, burst, count = 10, 1000, 500
	for _, side := range sides {
		b.Run("side="+side.name, func(b *testing.B) {
			heap, stacks, goroutines := int64(0), int64(0), 0
			for b.Loop() {
				work := newWorkload(onNode)
				work.list.Items, work.pods = work.list.Items[:objects], work.pods[:objects]
				events := work.next(burst, objects)
				sources, r := make([]*source, count), running{counters: meter.NewCounters(count)}
				for i := range sources {
					sources[i] = newSource(0, work)
				}
				r.counters.Expect(objects)
				ctx, cancel := context.WithCancel(context.Background())
				heap -= meter.LiveHeap()
				stacks -= stackBytes()
				goroutines -= runtime.NumGoroutine()
				var ended sync.WaitGroup
				for i, s := range sources {
					informer, err := side.newInformer(s, usual, r.counters[i:i+1])
					if err != nil {
						b.Fatal(err)
					}
					ended.Go(func() { informer.run(ctx) })
				}
				r.await(b, meter.Counts{Adds: objects})
				r.counters.Expect(burst)
				for _, s := range sources {
					s.send(events)
				}
				r.await(b, meter.Counts{Updates: burst})
				heap += meter.LiveHeap()
				stacks += stackBytes()
				goroutines += runtime.NumGoroutine()
				runtime.KeepAlive(events)
				runtime.KeepAlive(work)
				cancel()
				ended.Wait()
			}
			b.ReportMetric(float64(heap)/float64(b.N)/count, "B/informer")
			b.ReportMetric(float64(stacks)/float64(b.N)/count, "stack-B/informer")
			b.ReportMetric(float64(goroutines)/float64(b.N)/count, "goroutines/informer")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func stackBytes() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.StackInuse)
}
