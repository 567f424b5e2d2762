package cache

import (
	"fmt"
	"testing"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// BenchmarkStatuses reads 1,000 informers of a factory, each with 1,000 objects of 30 labels and a
// handler. An operation is one scrape. The first one estimates the memory of the objects, as one a
// minute does.
func BenchmarkStatuses(b *testing.B) {
	const informers, objects = 1000, 1000
	labels := map[string]string{}
	for i := range 30 {
		labels[fmt.Sprint("label-", i)] = fmt.Sprint("value-", i)
	}
	var all []object
	for i := range objects {
		obj := cachetest.Many(i, 1, "x")
		for name, value := range labels {
			obj.Labels[name] = value
		}
		all = append(all, obj)
	}
	f := NewSharedInformerFactory(0)
	defer f.Shutdown()
	var made []*SharedIndexInformer[object]
	for i := range informers {
		kind := kindOf(cachetest.NewSource(), &[]string{})
		kind.Resource.Resource = fmt.Sprint("kind-", i)
		s := InformerFor(f, kind)
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{}); err != nil {
			b.Fatal(err)
		}
		s.GetIndexer().Replace(all)
		made = append(made, s)
	}
	read := func(b *testing.B) {
		n := 0
		for status := range f.Statuses() {
			if status.Stats.ObjectBytes > 0 {
				n++
			}
		}
		if n != informers {
			b.Fatalf("read %d informers", n)
		}
	}
	b.Run("with estimates", func(b *testing.B) {
		for b.Loop() {
			for _, s := range made {
				inside(s).monitor.ForgetSize()
			}
			read(b)
		}
	})
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			read(b)
		}
	})
}
