package memory

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

const rowEvents = "events to one handler, from memory"

// typicalInformer measures reads and events of an informer with two indexes and one
// handler.
func (m *measurement) typicalInformer(ctx context.Context) error {
	return m.withInformer(ctx, channelSize, usual, 1, func(r *running) error {
		if err := m.digest("after the first list", r, usual); err != nil {
			return err
		}
		if err := m.reads(r); err != nil {
			return err
		}
		took, err := m.updates(ctx, r, rowEvents, m.Events, often)
		if err != nil {
			return err
		}
		m.add(rowEvents, "ns", median(took, cost.nanosecondsEach))
		m.add(rowEvents+": allocations per event", report.Allocations, median(took, cost.allocationsEach))
		const all = rowEvents + ", all objects in turn"
		if took, err = m.updates(ctx, r, all, m.Events, m.Objects); err != nil {
			return err
		}
		m.add(all, "ns", median(took, cost.nanosecondsEach))
		if err := m.digest("after updates", r, usual); err != nil {
			return err
		}
		for _, rows := range []func(context.Context, *running) error{m.loneEvents, m.loneEventsWhileListing, m.getsWhileWriting} {
			if err := rows(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// atOnce is how many objects are read between two looks at the benchmark's clock.
const atOnce = 64

// reads measures one query after the other.
func (m *measurement) reads(r *running) error {
	// With all objects in turn, none is in a processor's cache, and most of the time is
	// spent on waiting for memory.
	const row = "Lister.Get, parallel"
	for _, get := range []struct {
		row   string
		names []cache.ObjectName
	}{{row, m.work.oftenAsked()}, {row + ", all objects in turn", m.work.names}} {
		result, err := m.benchmark(get.row, func(b *testing.B) error { return getParallel(b, r, get.names) })
		if err != nil {
			return err
		}
		m.add(get.row, "ns", nanoseconds(result)/atOnce)
		if get.row == row {
			m.add(row+": allocations", report.Allocations, float64(result.MemAllocs)/float64(result.N*atOnce))
		}
	}
	asked := m.work.pods[m.Objects/2]
	namespace, node := asked.Namespace, asked.Spec.NodeName
	for _, query := range []struct {
		row, unit string
		perUnit   float64
		want      int
		read      func() (int, error)
	}{
		{"List of one namespace, 1,000 of all", "µs", 1e3, m.work.countIf(func(pod *corev1.Pod) bool { return pod.Namespace == namespace }), func() (int, error) { return r.listNamespace(namespace) }},
		{"List of all", "ms", 1e6, m.Objects, r.listAll},
		{"ByIndex, 200 of all", "µs", 1e3, m.work.countIf(func(pod *corev1.Pod) bool { return pod.Spec.NodeName == node }), func() (int, error) { return r.byNode(node) }},
	} {
		result, err := m.benchmark(query.row, func(b *testing.B) error {
			for b.Loop() {
				if got, err := query.read(); err != nil || got != query.want {
					return fmt.Errorf("%s: %d objects instead of %d, %w", query.row, got, query.want, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		m.add(query.row, query.unit, nanoseconds(result)/query.perUnit)
	}
	return nil
}

func getParallel(b *testing.B, r *running, names []cache.ObjectName) error {
	var started atomic.Int64
	var mu sync.Mutex // guards failed
	var failed error
	b.RunParallel(func(pb *testing.PB) {
		first := int(started.Add(1)) * len(names) / 3
		for pb.Next() {
			if err := r.get(names, first%len(names), atOnce); err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
				return
			}
			first += stride * atOnce
		}
	})
	return failed
}

// initTesting defines the flags of package testing, outside of a test.
var initTesting = sync.OnceFunc(testing.Init)

// benchmark repeats the work as often as package testing decides.
func (m *measurement) benchmark(row string, work func(*testing.B) error) (testing.BenchmarkResult, error) {
	initTesting()
	if err := flag.Set("test.benchtime", m.BenchTime.String()); err != nil {
		return testing.BenchmarkResult{}, err
	}
	stop, err := meter.Profile(m.Profile, row)
	if err != nil {
		return testing.BenchmarkResult{}, err
	}
	defer stop()
	var failed error
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		if err := work(b); err != nil {
			failed = err
			b.FailNow()
		}
	})
	if failed == nil && result.N == 0 {
		failed = errors.New("the benchmark has measured nothing")
	}
	return result, failed
}

func nanoseconds(result testing.BenchmarkResult) float64 {
	return float64(result.T/time.Nanosecond) / float64(result.N)
}
