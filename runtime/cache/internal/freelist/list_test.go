package freelist

import (
	"runtime"
	"runtime/debug"
	"testing"
)

type object struct{ number int }

// withoutCollections turns off garbage collection until the end of the test, except for
// calls of runtime.GC.
func withoutCollections(t *testing.T) {
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}

func TestListKeepsMemoryUntilACollection(t *testing.T) {
	withoutCollections(t)
	var free List[*object]
	if memory := free.Take(0); memory != nil {
		t.Errorf("memory of %d for nothing", cap(memory))
	}
	few, many := free.Take(1), free.Take(Small+1)
	if cap(few) != Small || cap(many) != 2*Small {
		t.Errorf("room for %d and %d", cap(few), cap(many))
	}
	few, many = append(few, &object{1}), append(many, &object{2})
	first, last := &few[:1][0], &many[:1][0]
	clear(few)
	clear(many)
	free.Give(few)
	free.Give(many)
	free.Give(make([]*object, 0, maxElements+1))
	free.Give(make([]*object, 0, 3))
	if again := free.Take(Small); &again[:1][0] != first || len(again) != 0 {
		t.Error("small memory was not used again")
	} else {
		free.Give(again)
	}
	if again := free.Take(2 * Small); &again[:1][0] != last || len(again) != 0 {
		t.Error("large memory was not used again")
	} else {
		free.Give(again)
	}
	if huge := free.Take(maxElements + 1); cap(huge) != maxElements+1 {
		t.Errorf("room for %d", cap(huge))
	}
	runtime.GC()
	if free.large.Value() != nil || len(free.small) != 1 {
		t.Errorf("after a collection %v and %d small ones are kept", free.large.Value(), len(free.small))
	}
}

// TestListKeepsTheLargest gives a List more slices than it keeps.
func TestListKeepsTheLargest(t *testing.T) {
	withoutCollections(t)
	var free List[*object]
	for n := range 3 * maxLarge {
		free.Give(make([]*object, 0, 32*(n+1)))
		free.Give(make([]*object, 0, Small))
	}
	kept := free.large.Value()
	if len(free.small) != maxSmall || len(*kept) != maxLarge {
		t.Fatalf("%d small pieces and %d large ones are kept", len(free.small), len(*kept))
	}
	largest := 0
	for _, memory := range *kept {
		largest = max(largest, cap(memory))
	}
	if largest != 32*3*maxLarge {
		t.Errorf("the largest has room for %d", largest)
	}
	grown := free.Grow(append(free.Take(1), &object{1}), 100)
	if cap(grown) < 100 || len(grown) != 1 || grown[0].number != 1 {
		t.Errorf("%d of %d", len(grown), cap(grown))
	}
}
