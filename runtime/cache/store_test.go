package cache

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// many makes objects for a store of more than one chunk.
func many(name, version int, letters string) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: fmt.Sprint("ns-", name%7), Name: fmt.Sprint("object-", name), ResourceVersion: fmt.Sprint(version),
		Labels: map[string]string{"letters": letters},
	}}
}

// TestIndexerGrowsAndShrinks drives thousands of objects through an Indexer and the
// model, and holds on to ranges that began earlier: they must not change.
func TestIndexerGrowsAndShrinks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x, m := NewIndexer(Indexers[object]{"letters": byLetters}), model{}
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
				obj := many(random.IntN(5000), version, "wxyz"[random.IntN(3):random.IntN(2)+3])
				d := deltafifo.Delta{Type: deltafifo.Updated, Item: stated(obj)}
				switch name := MetaObjectToName(obj); {
				case len(m) > target: // shrink: delete what is there
					for known := range m {
						name = known
						break
					}
					d = deltafifo.Delta{Type: deltafifo.Deleted, Item: stated(m[name])}
				case random.IntN(4) == 0 && m[name] != nil:
					d.Type = deltafifo.Deleted
				}
				deltas = append(deltas, d)
				m.apply([]deltafifo.Delta{d})
				if len(m) == target {
					break
				}
			}
			machineOf(x).Apply(deltas)
			if random.IntN(20) == 0 {
				hold(x.All(), slices.Collect(maps.Values(m)))
				var want []object
				for _, obj := range m {
					if slices.Contains(byLetters(obj), "y") {
						want = append(want, obj)
					}
				}
				hold(x.AllByIndex("letters", "y"), want)
			}
		}
		compare(t, x, m)
		for _, namespace := range []string{"ns-0", "ns-6"} {
			got, _ := x.IndexKeys(NamespaceIndex, namespace)
			if want := m.byIndex(func(obj object) []string { return []string{obj.Namespace} }, namespace); !slices.Equal(sorted(got), want) {
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
	x := NewIndexer(Indexers[object]{"letters": byLetters})
	const stable, others = 50, 2000
	for i := range stable + others { // behind others, so that deletes move them
		x.Add(many((i+stable)%(stable+others), 1, "x"))
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for r := range 3 {
		readers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(r), 3))
			last := make([]int, stable)
			for !isClosed(stop) {
				i := random.IntN(stable)
				obj, ok := x.Get(ObjectName{fmt.Sprint("ns-", i%7), fmt.Sprint("object-", i)})
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
				if _, ok := x.Get(ObjectName{"nowhere", obj.Name}); ok {
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
				deltas = append(deltas, deltafifo.Delta{Type: deltafifo.Updated, Item: stated(many(i, version+2, "x"))})
			} else if random.IntN(2) == 0 {
				deltas = append(deltas, deltafifo.Delta{Type: deltafifo.Deleted, Item: stated(many(i, version, "x"))})
			} else {
				deltas = append(deltas, deltafifo.Delta{Type: deltafifo.Added, Item: stated(many(i, version, "y"))})
			}
		}
		machineOf(x).Apply(deltas)
	}
	close(stop)
	readers.Wait()
}

func TestIndexerOfAnInterface(t *testing.T) {
	x := NewIndexer[Object](nil)
	for i := range 1000 {
		x.Add(many(i, 1, ""))
	}
	if obj, ok := x.Get(ObjectName{"ns-3", "object-10"}); !ok || obj.GetName() != "object-10" {
		t.Error(obj, ok)
	}
	if n := len(slices.Collect(x.All())); n != 1000 {
		t.Error(n)
	}
}

func TestReadsAllocateOnlyTheirResult(t *testing.T) {
	x := NewIndexer(Indexers[object]{"letters": byLetters})
	for i := range 1000 {
		x.Add(many(i, 1, "x"))
	}
	lister := NewLister(x, schema.GroupResource{})
	name, sum := ObjectName{"ns-3", "object-10"}, 0
	for what, test := range map[string]struct {
		read func()
		want float64
	}{
		"Get":                    {func() { _, _ = x.Get(name) }, 0},
		"a miss":                 {func() { _, _ = x.Get(ObjectName{"a", "b"}) }, 0},
		"List":                   {func() { _ = x.List() }, 1},
		"ByIndex":                {func() { _, _ = x.ByIndex("letters", "x") }, 1},
		"ByIndex in a namespace": {func() { _, _ = lister.Namespace("ns-3").ByIndex("letters", "x") }, 1},
		"Len":                    {func() { _ = x.Len() }, 0},
		"All": {func() {
			for obj := range x.All() {
				sum += len(obj.Name)
			}
		}, 0},
		"AllByIndex": {func() {
			for obj := range x.AllByIndex("letters", "x") {
				sum += len(obj.Name)
			}
		}, 0},
	} {
		got := testing.AllocsPerRun(100, test.read)
		for range 4 { // what else this process does may allocate meanwhile
			got = min(got, testing.AllocsPerRun(100, test.read))
		}
		if got != test.want {
			t.Errorf("%s allocates %v times, want %v", what, got, test.want)
		}
	}
}

// keptBatch is the length of a batch whose memory is certainly reused. Slices grow
// to a size class, so that one of almost deltafifo.MaxReuse may have more room than that.
const keptBatch = deltafifo.MaxReuse / 2

func TestWritesAllocateOnlyNotifications(t *testing.T) {
	x := NewIndexer(Indexers[object]{"none": func(object) []string { return nil }})
	machineOf(x).KeepHashes()
	var all []object
	var updates []deltafifo.Delta
	for i := range keptBatch {
		all = append(all, many(i, 1, "x"))
		updates = append(updates, deltafifo.Delta{Type: deltafifo.Updated, Item: stated(all[i])})
	}
	x.Replace(all)
	list := []deltafifo.Delta{{Type: deltafifo.Replaced, Collection: &deltafifo.Collection{Items: statesOf(all...)}}}
	for what, test := range map[string]struct {
		deltas []deltafifo.Delta
		want   float64
	}{
		"one update":                {updates[:1], 1}, // the notifications
		"a batch of updates":        {updates, 1},
		"a relist without a change": {list, 1}, // one bit an object
	} {
		if got := testing.AllocsPerRun(100, func() { _ = machineOf(x).Apply(test.deltas) }); got != test.want {
			t.Errorf("%s allocates %v times, want %v", what, got, test.want)
		}
	}
}

// TestEventsAllocateOnlyNotifications sends events from the source to handlers: each
// batch allocates the notifications that all handlers share, once, and nothing else. So all that
// is counted and timed on the way allocates nothing. That holds with ReadYourWrites too.
func TestEventsAllocateOnlyNotifications(t *testing.T) {
	needsGoValues(t)
	for _, own := range []*ownWritesOf{nil, {Observer: new(writes.Observer)}} {
		testEventAllocations(t, own)
	}
}

func testEventAllocations(t *testing.T, own *ownWritesOf) {
	for _, handlers := range []int{1, 8} {
		for _, events := range []int{1, 5, 30, keptBatch} { // none has memory for more than a few
			_, all := filled(2000)
			nodes := []string{"one for all"} // an index function that allocates nothing
			f, heard, stop := startFed(t, feeding{all: all, node: func(object) []string { return nodes }, handlers: handlers, updates: events, own: own})
			var batch []Event[object]
			for _, obj := range all[:events] {
				batch = append(batch, Event[object]{Type: watch.Modified, Item: itemOf(obj), ResourceVersion: "2"})
			}
			got := testing.AllocsPerRun(100, func() {
				f.events <- batch
				for range handlers {
					<-heard
				}
			})
			if got != 1 {
				t.Errorf("%d events to %d handlers allocate %v times, own writes: %v", events, handlers, got, own != nil)
			}
			stop()
		}
	}
}

func TestQueueReusesItsMemory(t *testing.T) {
	var fifo deltafifo.Queue
	ctx := t.Context()
	delta := deltafifo.Delta{Type: deltafifo.Updated, Item: stated(many(1, 1, ""))}
	var batch deltafifo.Batch
	push := func(n int) {
		for range n {
			fifo.Push([]deltafifo.Delta{delta}, deltafifo.Reached{})
		}
		for fifo.Len() > 0 {
			_ = fifo.Pop(ctx, &batch)
		}
	}
	push(3 * deltafifo.MaxReuse)
	for _, n := range []int{1, 100, 3 * deltafifo.MaxReuse} {
		if got := testing.AllocsPerRun(100, func() { push(n) }); got > float64(n/deltafifo.MaxReuse) { // the positions of a full batch
			t.Errorf("%d deltas allocate %v times", n, got)
		}
	}
}
