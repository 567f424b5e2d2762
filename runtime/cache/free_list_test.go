package cache

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// withoutCollections lets no garbage collection run before the end of the test, but for
// those that it asks for.
func withoutCollections(t *testing.T) {
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}

func TestFreeListKeepsMemoryUntilACollection(t *testing.T) {
	withoutCollections(t)
	var free freeList[object]
	if memory := free.take(0); memory != nil {
		t.Errorf("memory of %d for nothing", cap(memory))
	}
	few, many := free.take(1), free.take(fewElements+1)
	if cap(few) != fewElements || cap(many) != 2*fewElements {
		t.Errorf("room for %d and %d", cap(few), cap(many))
	}
	few, many = append(few, numbered(1)), append(many, numbered(2))
	first, last := &few[:1][0], &many[:1][0]
	clear(few)
	clear(many)
	free.give(few)
	free.give(many)
	free.give(make([]object, 0, maxElements+1))
	free.give(make([]object, 0, 3))
	if again := free.take(fewElements); &again[:1][0] != first || len(again) != 0 {
		t.Error("small memory was not used again")
	} else {
		free.give(again)
	}
	if again := free.take(2 * fewElements); &again[:1][0] != last || len(again) != 0 {
		t.Error("large memory was not used again")
	} else {
		free.give(again)
	}
	if huge := free.take(maxElements + 1); cap(huge) != maxElements+1 {
		t.Errorf("room for %d", cap(huge))
	}
	runtime.GC()
	if free.large.Value() != nil || len(free.small) != 1 {
		t.Errorf("after a collection %v and %d small ones are kept", free.large.Value(), len(free.small))
	}
}

// TestFreeListKeepsTheLargest gives it more than it keeps.
func TestFreeListKeepsTheLargest(t *testing.T) {
	withoutCollections(t)
	var free freeList[object]
	for n := range 3 * maxFree {
		free.give(make([]object, 0, 32*(n+1)))
		free.give(make([]object, 0, fewElements))
	}
	kept := free.large.Value()
	if len(free.small) != maxSmall || len(*kept) != maxFree {
		t.Fatalf("%d small pieces and %d large ones are kept", len(free.small), len(*kept))
	}
	largest := 0
	for _, memory := range *kept {
		largest = max(largest, cap(memory))
	}
	if largest != 32*3*maxFree {
		t.Errorf("the largest has room for %d", largest)
	}
	grown := free.grow(append(free.take(1), numbered(1)), 100)
	if cap(grown) < 100 || len(grown) != 1 || grown[0].Name != "1" {
		t.Errorf("%d of %d", len(grown), cap(grown))
	}
}
