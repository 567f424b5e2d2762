package cache

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
)

// filled is an Indexer of n objects in n/1000 namespaces, with an index whose
// values have 200 objects each.
func filled(n int) (*Indexer[object], []object) {
	all := make([]object, n)
	for i := range all {
		all[i] = cachetest.Many(i, 1, "")
		all[i].Namespace = fmt.Sprintf("namespace-%d", i%max(1, n/1000))
		all[i].Labels = map[string]string{"node": fmt.Sprintf("node-%d", i%max(1, n/200))}
	}
	x := NewIndexer(Indexers[object]{"node": byNode})
	x.Replace(all)
	return x, all
}

func byNode(obj object) []string { return []string{obj.Labels["node"]} }

func BenchmarkStore(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		if n > 100_000 && testing.Short() {
			continue
		}
		x, all := filled(n)
		lister := NewLister(x, schema.GroupResource{Resource: "widgets"})
		run := func(name string, f func(b *testing.B)) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				f(b)
			})
		}
		run("Get", func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				i := rand.IntN(n)
				for pb.Next() {
					i = (i + 7919) % n
					if _, err := lister.Namespace(all[i].Namespace).Get(all[i].Name); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
		run("ListNamespace", func(b *testing.B) {
			for b.Loop() {
				if objs, err := lister.Namespace("namespace-3").List(labels.Everything()); err != nil || len(objs) != 1000 {
					b.Fatal(len(objs), err)
				}
			}
		})
		run("List", func(b *testing.B) {
			for b.Loop() {
				if objs, err := lister.List(labels.Everything()); err != nil || len(objs) != n {
					b.Fatal(len(objs), err)
				}
			}
		})
		run("ByIndex", func(b *testing.B) {
			for b.Loop() {
				if objs, err := lister.ByIndex("node", "node-7"); err != nil || len(objs) != 200 {
					b.Fatal(len(objs), err)
				}
			}
		})
		run("ByIndexInNamespace", func(b *testing.B) {
			for b.Loop() {
				if objs, err := lister.Namespace("namespace-3").ByIndex("node", "node-3"); err != nil || len(objs) != 200 {
					b.Fatal(len(objs), err)
				}
			}
		})
		run("Update", func(b *testing.B) {
			i := 0
			for b.Loop() {
				i = (i + 7919) % n
				machineOf(x).Apply([]deltafifo.Delta{{Type: deltafifo.Updated, Item: cachetest.WireItem(all[i])}})
			}
		})
		run("ReplaceUnchanged", func(b *testing.B) {
			for b.Loop() {
				x.Replace(all)
			}
		})
		run("Fill", func(b *testing.B) {
			for b.Loop() {
				y := NewIndexer(Indexers[object]{"node": byNode})
				y.Replace(all)
			}
		})
		run("Memory", func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			y := NewIndexer(Indexers[object]{"node": byNode})
			y.Replace(all)
			runtime.GC()
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "B/object")
			runtime.KeepAlive(y)
		})
	}
}
