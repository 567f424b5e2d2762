package packing

import (
	"flag"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

var count = flag.Int("objects", 20_000, "how many pods and custom resources there are; four times as many as other objects")

// rows are the objects to measure. Most is the largest number of bytes that a packed object may take, with its indexes, and part
// the largest part of what it takes without packing.
var rows = []struct {
	name       string
	most, part float64
	objects    func() objects
}{
	{"pods", 560, 0.2, func() objects { return podsOf(*count, func(int, *corev1.Pod) {}) }},
	{"pods-8KB", 1700, 0.18, func() objects { return podsOf(*count/4, large) }},
	{"custom-resources-2KB", 560, 0.2, func() objects {
		return objectsOf(databases(*count), *count, podserver.DatabaseVersion.WithResource("databases"), "Database", func() *podserver.Database { return new(podserver.Database) }, nil)
	}},
	{"secrets-random", 3000, 1.05, func() objects {
		return objectsOf(secrets(*count/4), *count/4, corev1.SchemeGroupVersion.WithResource("secrets"), "Secret", func() *corev1.Secret { return new(corev1.Secret) }, nil)
	}},
}

func podsOf(count int, change func(int, *corev1.Pod)) objects {
	return objectsOf(pods(count, change), count, corev1.SchemeGroupVersion.WithResource("pods"), "Pod", func() *corev1.Pod { return new(corev1.Pod) },
		cache.Indexers[*corev1.Pod]{nodeIndex: func(pod *corev1.Pod) []string { return []string{pod.Spec.NodeName} }})
}

// bytes returns the live heap that a side needs for each object.
func (s *side) bytes(t testing.TB, o objects) float64 {
	before := meter.LiveHeap()
	f := s.follow(t, o)
	bytes := float64(meter.LiveHeap()-before) / float64(o.count)
	f.stop()
	return bytes
}

// TestPackedBytes compares the memory of an object with the floors.
func TestPackedBytes(t *testing.T) {
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			o := row.objects()
			bytes := map[string]float64{}
			for _, s := range sides {
				bytes[s.name] = s.bytes(t, o)
				t.Logf("%s: %.0f B for each object", s.name, bytes[s.name])
			}
			for packed, plain := range map[string]string{"packed": "informer-gen", "crcache-packed": "crcache"} {
				if bytes[packed] > row.most || bytes[packed] > bytes[plain]*row.part {
					t.Errorf("a packed object takes %.0f B, and one of %s %.0f B; want at most %.0f B, and %.2f of the other", bytes[packed], plain, bytes[plain], row.most, row.part)
				}
			}
		})
	}
}

// each runs a benchmark of each side with each kind of objects.
func each(b *testing.B, run func(b *testing.B, s *side, o objects)) {
	for _, row := range rows {
		o := row.objects()
		for _, s := range sides {
			b.Run(row.name+"/"+s.name, func(b *testing.B) { run(b, &s, o) })
		}
	}
}

// BenchmarkSync measures a first list, until the handler has returned from the last object.
func BenchmarkSync(b *testing.B) {
	each(b, func(b *testing.B, s *side, o objects) {
		var cpu time.Duration
		for b.Loop() {
			runtime.GC()
			began := meter.CPUTime()
			f := s.follow(b, o)
			cpu += meter.CPUTime() - began
			f.stop()
		}
		b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N*o.count), "cpu-ns/object")
	})
}

// BenchmarkGet measures a Get of one object after the other.
func BenchmarkGet(b *testing.B) {
	each(b, func(b *testing.B, s *side, o objects) {
		f := s.follow(b, o)
		defer f.stop()
		names := make([]cache.ObjectName, o.count)
		for i := range names {
			names[i].Namespace, names[i].Name = podserver.Name(i)
		}
		runtime.GC()
		i, began := 0, meter.CPUTime()
		b.ReportAllocs()
		for b.Loop() {
			if i = (i + 7919) % o.count; !f.get(names[i]) {
				b.Fatalf("there is no object %s", names[i])
			}
		}
		b.ReportMetric(float64((meter.CPUTime()-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
	})
}

// BenchmarkEvent measures events that change one object, until the handler has returned from the last one.
func BenchmarkEvent(b *testing.B) {
	const burst = 1000
	each(b, func(b *testing.B, s *side, o objects) {
		f := s.follow(b, o)
		defer f.stop()
		var cpu time.Duration
		for b.Loop() {
			want, began := f.seen.Load()+burst, meter.CPUTime()
			for range burst {
				o.send()
			}
			for f.seen.Load() < want {
				time.Sleep(100 * time.Microsecond)
			}
			cpu += meter.CPUTime() - began
		}
		b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N*burst), "cpu-ns/event")
	})
}
