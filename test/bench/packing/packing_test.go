package packing

import (
	"context"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/packed"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// rig is an informer of one of the kinds.
type rig interface {
	// start runs an informer until stop is called, and returns when its handler has all objects. Its caller gets an object by
	// number from get.
	start(t testing.TB, handler string, set ...cache.SharedInformerOption) (get func(i int) bool, stats func() cache.Stats, stop func())
}

type rigOf[T cache.Object] struct {
	count int
	kind  cache.Kind[T]
}

func (r rigOf[T]) start(t testing.TB, handler string, set ...cache.SharedInformerOption) (get func(i int) bool, stats func() cache.Stats, stop func()) {
	t.Helper()
	informer, err := r.kind.NewInformer(append(set, cache.WithoutStreamingList())...)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	var registration cache.ResourceEventHandlerRegistration
	switch handler {
	case "names":
		registration, err = informer.AddEventHandler(cache.ObjectNameHandler[T](func(cache.ObjectName) { seen++ }))
	case "objects":
		registration, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs[T]{AddFunc: func(T, bool) { seen++ }})
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.Run(ctx)
	}()
	wait, end := context.WithTimeout(ctx, 5*time.Minute)
	defer end()
	if err := cache.WaitForCacheSync(wait, informer); err != nil {
		t.Fatal(err)
	}
	if registration != nil {
		<-registration.Synced()
	}
	indexer := informer.GetIndexer()
	return func(i int) bool {
			namespace, name := podserver.Name(i)
			_, ok := indexer.Get(cache.ObjectName{Namespace: namespace, Name: name})
			return ok
		}, func() (stats cache.Stats) {
			for status := range informer.Statuses() {
				stats = status.Stats
			}
			return stats
		}, func() {
			cancel()
			<-done
		}
}

// podIndexes are those of pods, besides the one by namespace.
var podIndexes = cache.Indexers[*corev1.Pod]{
	"node": func(pod *corev1.Pod) []string { return []string{pod.Spec.NodeName} },
}

// rigs returns the kinds with so many objects. Most is the largest number of bytes that a packed object may take, with its
// indexes, and part the largest part of the bytes without the option.
func rigs(count int) map[string]struct {
	rig
	most, part float64
} {
	type row = struct {
		rig
		most, part float64
	}
	return map[string]row{
		"pods":                       {rigOf[*corev1.Pod]{count, kindOf("pods", new(corev1.Pod), pods(count, func(int, *corev1.Pod) {}), podIndexes)}, 560, 0.2},
		"pods of 8 KB":               {rigOf[*corev1.Pod]{count / 4, kindOf("pods", new(corev1.Pod), pods(count/4, large), podIndexes)}, 1700, 0.18},
		"custom resources of 1.3 KB": {rigOf[*podserver.Database]{count, kindOf("databases", nil, databases(count), cache.Indexers[*podserver.Database](nil))}, 560, 0.2},
		"Secrets, random bytes":      {rigOf[*corev1.Secret]{count / 4, kindOf("secrets", new(corev1.Secret), secrets(count/4), cache.Indexers[*corev1.Secret](nil))}, 3000, 1.05},
	}
}

// TestPackedBytes compares the memory of an object with the floors.
func TestPackedBytes(t *testing.T) {
	const count = 20_000
	for name, r := range rigs(count) {
		t.Run(name, func(t *testing.T) {
			measure := func(set ...cache.SharedInformerOption) float64 {
				before := meter.LiveHeap()
				_, stats, stop := r.start(t, "", set...)
				bytes := float64(meter.LiveHeap()-before) / float64(objects(r.rig))
				if packed := stats().Packed; packed.Bytes > 0 {
					t.Logf("%d B of text for each object", packed.TextBytes/int64(objects(r.rig)))
				}
				stop()
				return bytes
			}
			plain, packed := measure(), measure(packed.WithPackedObjects())
			t.Logf("%.0f B for each object, %.0f B packed", plain, packed)
			if packed > r.most || packed > plain*r.part {
				t.Errorf("a packed object takes %.0f B, and one without the option %.0f B; want at most %.0f B, and %.2f of the other", packed, plain, r.most, r.part)
			}
		})
	}
}

// objects returns the number of objects of a rig.
func objects(r rig) int {
	switch r := r.(type) {
	case rigOf[*corev1.Pod]:
		return r.count
	case rigOf[*corev1.Secret]:
		return r.count
	case rigOf[*podserver.Database]:
		return r.count
	}
	panic("there is no such rig")
}

// ways are the ways to follow a kind.
var ways = []struct {
	name, handler string
	set           []cache.SharedInformerOption
}{
	{"plain", "objects", nil},
	{"packed", "objects", []cache.SharedInformerOption{packed.WithPackedObjects()}},
	{"packed, names", "names", []cache.SharedInformerOption{packed.WithPackedObjects()}},
}

// BenchmarkSync measures the CPU time of a first list, with a handler, for each object.
func BenchmarkSync(b *testing.B) {
	for name, r := range rigs(20_000) {
		for _, way := range ways {
			b.Run(name+"/"+way.name, func(b *testing.B) {
				var cpu time.Duration
				for b.Loop() {
					runtime.GC()
					began := meter.CPUTime()
					_, _, stop := r.start(b, way.handler, way.set...)
					cpu += meter.CPUTime() - began
					stop()
				}
				b.ReportMetric(float64(cpu.Microseconds())/float64(b.N)/float64(objects(r.rig)), "cpu-µs/object")
			})
		}
	}
}

// BenchmarkGet measures a Get of one object after the other, with the time to make its name. The CPU time is that of the process,
// with the garbage collector.
func BenchmarkGet(b *testing.B) {
	for name, r := range rigs(20_000) {
		if name == "custom resources of 1.3 KB" {
			continue // it has other names
		}
		for _, way := range ways[:2] {
			get, _, stop := r.start(b, "", way.set...)
			b.Run(name+"/"+way.name, func(b *testing.B) {
				b.ReportAllocs()
				i, began := 0, meter.CPUTime()
				for b.Loop() {
					if i = (i + 7919) % objects(r.rig); !get(i) {
						b.Fatalf("there is no object %d", i)
					}
				}
				b.ReportMetric(float64((meter.CPUTime()-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
			})
			stop()
		}
	}
}
