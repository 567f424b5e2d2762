package cache

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

func TestIndexerOfAnInterface(t *testing.T) {
	x := NewIndexer[Object](nil)
	for i := range 1000 {
		x.Add(cachetest.Many(i, 1, ""))
	}
	if obj, ok := x.Get(ObjectName{"ns-3", "object-10"}); !ok || obj.GetName() != "object-10" {
		t.Error(obj, ok)
	}
	if n := len(slices.Collect(x.All())); n != 1000 {
		t.Error(n)
	}
}

func TestReadsAllocateOnlyTheirResult(t *testing.T) {
	x := NewIndexer(Indexers[object]{"letters": cachetest.ByLetters})
	for i := range 1000 {
		x.Add(cachetest.Many(i, 1, "x"))
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
		for _, events := range []int{1, 5, 30, cachetest.KeptBatch} { // none has memory for more than a few
			_, all := filled(2000)
			nodes := []string{"one for all"} // an index function that allocates nothing
			f, heard, stop := startFed(t, feeding{all: all, node: func(object) []string { return nodes }, handlers: handlers, updates: events, own: own})
			var batch []cachetest.Event[object]
			for _, obj := range all[:events] {
				batch = append(batch, cachetest.Event[object]{Type: watch.Modified, Item: cachetest.ItemOf(obj), ResourceVersion: "2"})
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
