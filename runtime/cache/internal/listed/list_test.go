package listed

import (
	"math/rand/v2"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

type (
	object = *metav1.PartialObjectMetadata
	item   = wire.Item
)

func numbered(n int) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: strconv.Itoa(n)}}
}

// TestList compares a list whose initial events have changes among them, and
// objects that are added twice, with a map. Half of the objects have a content hash.
func TestList(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var list List
		want := map[string]item{}
		for range random.IntN(30) {
			event, state := watch.Added, item{Object: numbered(random.IntN(8)), ContentHash: uint64(random.IntN(2) * random.IntN(1000))}
			if random.IntN(4) == 0 { // perhaps of what was not sent
				event = []watch.EventType{watch.Modified, watch.Deleted}[random.IntN(2)]
			}
			if event == watch.Deleted {
				delete(want, state.Object.GetName())
			} else {
				want[state.Object.GetName()] = state
			}
			list.Apply(event, &state)
		}
		onlyAdded := list.slots == nil
		all := list.Items()
		list.Clear()
		last := map[string]int{}
		for i, listed := range all {
			name := listed.Object.GetName()
			if before, twice := last[name]; twice && !onlyAdded {
				t.Fatalf("has %s at %d and %d", name, before, i)
			}
			last[name] = i
		}
		for name, i := range last {
			if all[i] != want[name] {
				t.Fatalf("has %s, which it should not, or in another state", name)
			}
		}
		if len(last) != len(want) || list.items != nil {
			t.Fatalf("has %d objects, want %d", len(last), len(want))
		}
	}
}

// TestListOfPages has pages of which the content hashes are known, and others.
func TestListOfPages(t *testing.T) {
	var list List
	list.Undecodable.add(&wire.DecodeError{Namespace: numbered(3).Namespace, Name: numbered(3).Name})
	list.AddPage([]item{{Object: numbered(0), ContentHash: 10}, {Object: numbered(1)}})
	list.AddPage([]item{{Object: numbered(2)}})
	list.AddPage([]item{{Object: numbered(3), ContentHash: 13}, {Object: numbered(4), ContentHash: 14}})
	all := list.Items()
	for i, want := range []uint64{10, 0, 0, 13, 14} {
		if got := all[i]; got.Object.GetName() != numbered(i).Name || got.ContentHash != want {
			t.Errorf("object %d is %s with the hash %d, want %d", i, got.Object.GetName(), got.ContentHash, want)
		}
	}
	if len(all) != 5 || len(list.Undecodable.states) != 0 {
		t.Errorf("%d objects, undecodable are %v", len(all), list.Undecodable.states)
	}
}

// TestObjectThatIsNoLongerKept leaves the collection while it is being read, for example for another shard.
func TestObjectThatIsNoLongerKept(t *testing.T) {
	var list List
	for n := range 3 {
		list.Apply(watch.Added, &item{Object: numbered(n)})
	}
	list.Apply(wire.NoLongerKept, &item{Err: &wire.DecodeError{Name: numbered(1).Name, Err: wire.ErrNotKept}})
	all := list.Items()
	if len(all) != 2 || all[0].Object.GetName() != "0" || all[1].Object.GetName() != "2" {
		t.Errorf("the collection is %v", all)
	}
}
