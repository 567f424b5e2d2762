package packing

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

var count = flag.Int("objects", 20_000, "how many pods and custom resources there are; four times as many as other objects")

// kinds are the objects to measure.
var kinds = []struct {
	name    string
	objects func() objects
}{
	{"pods", func() objects { return podsOf(*count, func(*corev1.Pod) {}) }},
	{"pods8KB", func() objects { return podsOf(*count/4, enlarge) }},
	{"customResources2KB", func() objects {
		return objectsOf(databases(*count), *count, podserver.DatabaseVersion.WithResource("databases"), "Database", func() *podserver.Database { return new(podserver.Database) },
			func(database *podserver.Database) string { return database.Spec.Engine }, nil)
	}},
	{"secretsOfRandomBytes", func() objects {
		return objectsOf(secrets(*count/4), *count/4, corev1.SchemeGroupVersion.WithResource("secrets"), "Secret", func() *corev1.Secret { return new(corev1.Secret) },
			func(secret *corev1.Secret) string { return string(secret.UID) }, nil)
	}},
}

// enlarge makes a pod of 8 KB.
func enlarge(pod *corev1.Pod) { podserver.Enlarge(pod, 5) }

func podsOf(count int, change func(*corev1.Pod)) objects {
	return objectsOf(pods(count, change), count, corev1.SchemeGroupVersion.WithResource("pods"), "Pod", func() *corev1.Pod { return new(corev1.Pod) },
		func(pod *corev1.Pod) string { return string(pod.Status.Phase) },
		cache.Indexers[*corev1.Pod]{nodeIndex: func(pod *corev1.Pod) []string { return []string{pod.Spec.NodeName} }})
}

// BenchmarkPacking measures each side with each kind of objects.
func BenchmarkPacking(b *testing.B) {
	for _, kind := range kinds {
		o := kind.objects()
		for _, s := range sides {
			for _, figure := range []struct {
				name string
				run  func(*testing.B, *side, objects)
			}{{"FirstSync", firstSync}, {"Get", get}, {"Event", event}} {
				b.Run(fmt.Sprintf("%s/%s/%s/objects=%d/side=%s", kind.name, s.cache, figure.name, o.count, s.project), func(b *testing.B) { figure.run(b, &s, o) })
			}
		}
	}
}

// firstSync measures a first list, until the handler has returned from the last object, and the live heap after it.
func firstSync(b *testing.B, s *side, o objects) {
	var cpu time.Duration
	var heap int64
	for b.Loop() {
		before, began := meter.LiveHeap(), meter.CPUTime()
		f := s.follow(b, o)
		cpu += meter.CPUTime() - began
		heap = meter.LiveHeap() - before
		f.stop()
	}
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N*o.count), "cpu-ns/object")
	b.ReportMetric(float64(heap)/float64(o.count), "B/object")
}

// get measures a Get of one object after the other, in random order, and reads a field of each. So it waits for the memory of
// the cache and of the object, as a reconciler does.
func get(b *testing.B, s *side, o objects) {
	f := s.follow(b, o)
	defer f.stop()
	names := make([]cache.ObjectName, o.count)
	for i := range names {
		names[i].Namespace, names[i].Name = podserver.Name(i)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	runtime.GC()
	i, began := 0, meter.CPUTime()
	b.ReportAllocs()
	for b.Loop() {
		if i++; i == len(names) {
			i = 0
		}
		if obj, err := f.get(names[i]); err != nil || o.field(obj)[0] == 0 {
			b.Fatalf("%s: %v, %v", names[i], obj, err)
		}
	}
	b.ReportMetric(float64((meter.CPUTime()-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
}

// event measures events that change one object, until the handler has returned from the last one.
func event(b *testing.B, s *side, o objects) {
	const burst = 1000
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
}

// TestPackedBytes: a packed object takes an eighth of what it takes without packing, with its two indexes.
func TestPackedBytes(t *testing.T) {
	const few = 5000
	o, bytes := podsOf(few, func(*corev1.Pod) {}), map[string]int64{}
	for _, s := range sides {
		if s.project != "informer-gen" {
			continue
		}
		before := meter.LiveHeap()
		f := s.follow(t, o)
		bytes[s.cache] = (meter.LiveHeap() - before) / few
		f.stop()
	}
	for packed, plain := range map[string]string{"packed": "informer", "manager-packed": "manager"} {
		if bytes[packed] > 700 || bytes[packed] > bytes[plain]/5 {
			t.Errorf("%s: a pod takes %d B, and %d B without packing", packed, bytes[packed], bytes[plain])
		}
	}
}
