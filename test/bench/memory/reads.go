package memory

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// atOnce is how many objects are got between two looks at the benchmark's clock.
const atOnce = 64

// reads measures one query after the other.
func (m *measurement) reads(r *running) error {
	often := m.work.oftenAsked()
	get, err := m.benchmark("get", func(b *testing.B) error { return m.getParallel(b, r, often) })
	if err != nil {
		return err
	}
	m.add("Lister.Get, parallel", "ns", nanoseconds(get)/atOnce)
	m.add("Lister.Get, parallel: allocations", "allocs", float64(get.MemAllocs)/float64(get.N*atOnce))
	// What is asked for then is in no processor's cache, and waiting for memory is most
	// of the time.
	if get, err = m.benchmark("get all in turn", func(b *testing.B) error { return m.getParallel(b, r, m.work.names) }); err != nil {
		return err
	}
	m.add("Lister.Get, parallel, all objects in turn", "ns", nanoseconds(get)/atOnce)
	namespace, node := m.asked()
	for _, query := range []struct {
		row, unit string
		perUnit   float64
		want      int
		read      func() (int, error)
	}{
		{"List of one namespace, 1,000 of all", "µs", 1e3, m.ofNamespace(namespace), func() (int, error) { return r.listNamespace(namespace) }},
		{"List of all", "ms", 1e6, m.Objects, r.listAll},
		{"ByIndex, 200 of all", "µs", 1e3, m.onNode(node), func() (int, error) { return r.byNode(node) }},
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

// asked are a namespace and a node that are there.
func (m *measurement) asked() (namespace, node string) {
	pod := m.work.pods[m.Objects/2]
	return pod.Namespace, pod.Spec.NodeName
}

func (m *measurement) ofNamespace(namespace string) int {
	return m.work.countIf(func(pod *corev1.Pod) bool { return pod.Namespace == namespace })
}

func (m *measurement) onNode(node string) int {
	return m.work.countIf(func(pod *corev1.Pod) bool { return pod.Spec.NodeName == node })
}

func (m *measurement) getParallel(b *testing.B, r *running, names []cache.ObjectName) error {
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

// benchmark lets package testing find out how often the work has to be repeated.
func (m *measurement) benchmark(row string, work func(*testing.B) error) (testing.BenchmarkResult, error) {
	initTesting()
	if err := flag.Set("test.benchtime", m.BenchTime.String()); err != nil {
		return testing.BenchmarkResult{}, err
	}
	stop, err := m.profile(row)
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

// digest compares what queries return with what has been sent. At a moment that both
// sides share it keeps digests of it, for a comparison with the other side.
func (m *measurement) digest(moment string, r *running, indexes int) error {
	asked := m.work.pods[m.Objects/2]
	queries := map[string]func(*corev1.Pod) bool{
		"all":       func(*corev1.Pod) bool { return true },
		"namespace": func(pod *corev1.Pod) bool { return pod.Namespace == asked.Namespace },
	}
	values := map[string]string{}
	for _, index := range chosen(indexes) {
		value := index.values(asked)[0]
		values[index.name] = value
		queries[index.name] = func(pod *corev1.Pod) bool { return slices.Contains(index.values(pod), value) }
	}
	results, err := r.read(asked.Namespace, values)
	if err != nil {
		return err
	}
	places := make(map[string]int, m.Objects)
	for place, name := range m.work.names {
		places[name.String()] = place
	}
	for query, belongs := range queries {
		if got, want := len(results[query]), m.work.countIf(belongs); got != want {
			return fmt.Errorf("%s: there are %d objects instead of %d", query, got, want)
		}
		var lines []string
		for _, pod := range results[query] {
			name := pod.Namespace + "/" + pod.Name
			place, known := places[name]
			if !known || m.work.versions[place] != pod.ResourceVersion {
				return fmt.Errorf("%s: %s has version %s, which was not the last one sent", query, name, pod.ResourceVersion)
			}
			if !belongs(pod) {
				return fmt.Errorf("%s: %s should not be there", query, name)
			}
			lines = append(lines, name+" "+pod.ResourceVersion)
		}
		slices.Sort(lines)
		if len(slices.Compact(lines)) != len(results[query]) {
			return fmt.Errorf("%s: an object is there twice", query)
		}
		if moment != "" {
			m.result.Contents[moment+", "+query] = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, lines)))
		}
	}
	return nil
}
