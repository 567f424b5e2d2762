package indexer_test

import (
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
)

// TestIndexerGrowsAndShrinks drives thousands of objects through an Indexer and the
// model, and holds on to ranges that began earlier: they must not change.
func TestIndexerGrowsAndShrinks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x, m := newCache(letters), cachetest.Model{}
	type held struct {
		next func() (object, bool)
		stop func()
		want []object
	}
	var ranges []held
	hold := func(seq iter.Seq[object], want []object) {
		next, stop := iter.Pull(seq)
		first, ok := next() // the range has begun
		if !ok {
			stop()
			if len(want) > 0 {
				t.Errorf("a range over nothing, want %d", len(want))
			}
			return
		}
		want = slices.DeleteFunc(want, func(obj object) bool { return obj == first })
		ranges = append(ranges, held{next, stop, want})
	}
	version := 0
	for _, target := range []int{2000, 100, 3000, 0, 1000} {
		for len(m) != target {
			var deltas []deltafifo.Delta
			for range 1 + random.IntN(40) {
				version++
				obj := cachetest.Many(random.IntN(5000), version, "wxyz"[random.IntN(3):random.IntN(2)+3])
				d := deltafifo.Delta{Type: deltafifo.Updated, Item: cachetest.WireItem(obj)}
				switch name := cachetest.NameOf(obj); {
				case len(m) > target: // shrink: delete what is there
					for known := range m {
						name = known
						break
					}
					d = deltafifo.Delta{Type: deltafifo.Deleted, Item: cachetest.WireItem(m[name])}
				case random.IntN(4) == 0 && m[name] != nil:
					d.Type = deltafifo.Deleted
				}
				deltas = append(deltas, d)
				m.Apply([]deltafifo.Delta{d})
				if len(m) == target {
					break
				}
			}
			x.Apply(deltas)
			if random.IntN(20) == 0 {
				hold(x.All(), slices.Collect(maps.Values(m)))
				var want []object
				for _, obj := range m {
					if slices.Contains(cachetest.ByLetters(obj), "y") {
						want = append(want, obj)
					}
				}
				hold(x.AllByIndex("letters", "y"), want)
			}
		}
		cachetest.Compare(t, x, m)
		for _, namespace := range []string{"ns-0", "ns-6"} {
			got, _ := x.Names("", indexer.NamespaceIndex, namespace)
			if want := m.Names("", func(obj object) []string { return []string{obj.Namespace} }, namespace); !slices.Equal(cachetest.Sorted(got), want) {
				t.Errorf("namespace %s has %d objects, want %d", namespace, len(got), len(want))
			}
		}
		for _, r := range ranges {
			got := map[object]bool{}
			for {
				obj, ok := r.next()
				if !ok {
					break
				}
				got[obj] = true
			}
			r.stop()
			if len(got) != len(r.want) {
				t.Fatalf("a range had %d objects after its first, want %d", len(got), len(r.want))
			}
			for _, obj := range r.want {
				if !got[obj] {
					t.Fatalf("a range has missed %s", obj.Name)
				}
			}
		}
		ranges = nil
	}
}

// TestGetDuringWrites looks for objects that are always there, while others come
// and go around them and move them about. Their versions never go back.
func TestGetDuringWrites(t *testing.T) {
	x := newCache(letters)
	const stable, others = 50, 2000
	for i := range stable + others { // behind others, so that deletes move them
		x.Put(cachetest.Many((i+stable)%(stable+others), 1, "x"))
	}
	var stop atomic.Bool
	var readers sync.WaitGroup
	for r := range 3 {
		readers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(r), 3))
			last := make([]int, stable)
			for !stop.Load() {
				i := random.IntN(stable)
				obj, ok := x.Get(cachetest.NameOf(cachetest.Many(i, 0, "")))
				if !ok {
					t.Errorf("object-%d was not found", i)
					return
				}
				version, _ := strconv.Atoi(obj.ResourceVersion)
				if version < last[i] {
					t.Errorf("object-%d went back from %d to %d", i, last[i], version)
					return
				}
				last[i] = version
				if _, ok := x.Get(cachetest.Name{Namespace: "nowhere", Name: obj.Name}); ok {
					t.Error("found what is not there")
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(4, 4))
	for version := range 100 {
		var deltas []deltafifo.Delta
		for range 20 {
			if i := random.IntN(stable + others); i < stable {
				deltas = append(deltas, deltafifo.Delta{Type: deltafifo.Updated, Item: cachetest.WireItem(cachetest.Many(i, version+2, "x"))})
			} else if random.IntN(2) == 0 {
				deltas = append(deltas, deltafifo.Delta{Type: deltafifo.Deleted, Item: cachetest.WireItem(cachetest.Many(i, version, "x"))})
			} else {
				deltas = append(deltas, deltafifo.Delta{Type: deltafifo.Added, Item: cachetest.WireItem(cachetest.Many(i, version, "y"))})
			}
		}
		x.Apply(deltas)
	}
	stop.Store(true)
	readers.Wait()
}

func TestWritesAllocateOnlyNotifications(t *testing.T) {
	x := newCache(function("none", func(object) []string { return nil }))
	x.KeepHashes()
	var all []object
	var updates []deltafifo.Delta
	for i := range cachetest.KeptBatch {
		all = append(all, cachetest.Many(i, 1, "x"))
		updates = append(updates, deltafifo.Delta{Type: deltafifo.Updated, Item: cachetest.WireItem(all[i])})
	}
	x.Replace(cachetest.WireItems(all...))
	list := []deltafifo.Delta{{Type: deltafifo.Replaced, Collection: &deltafifo.Collection{Items: cachetest.WireItems(all...)}}}
	for what, test := range map[string]struct {
		deltas []deltafifo.Delta
		want   float64
	}{
		"one update":                {updates[:1], 1}, // the notifications
		"a batch of updates":        {updates, 1},
		"a relist without a change": {list, 1}, // one bit an object
	} {
		if got := testing.AllocsPerRun(100, func() { _ = x.Apply(test.deltas) }); got != test.want {
			t.Errorf("%s allocates %v times, want %v", what, got, test.want)
		}
	}
}
