package cache

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// TestIndexIsAddedAtAnyTime adds one index before the start, and one while the informer
// follows the server.
func TestIndexIsAddedAtAnyTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", map[string]string{"letters": "x"})
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets}))
		early, err := AddIndex(s, "early", cachetest.ByLetters)
		if err != nil {
			t.Fatal(err)
		}
		if objs := early.Get("x"); len(objs) != 0 {
			t.Errorf("before the first list it has %v", objs)
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		late, err := AddIndex(s, "late", cachetest.ByLetters)
		if err != nil {
			t.Fatal(err)
		}
		expect := func(value string, want ...string) {
			t.Helper()
			synctest.Wait()
			for _, index := range []*Index[object]{early, late} {
				var got, ranged []string
				for _, obj := range index.Get(value) {
					got = append(got, obj.Name)
				}
				for obj := range index.All(value) {
					ranged = append(ranged, obj.Name)
				}
				slices.Sort(got)
				slices.Sort(ranged)
				if !slices.Equal(got, want) || !slices.Equal(ranged, want) {
					t.Errorf("%s has %v and %v under %s, want %v", index.name, got, ranged, value, want)
				}
			}
		}
		expect("x", "w")
		src.Set("a", "v", map[string]string{"letters": "xy"})
		src.Set("a", "w", map[string]string{"letters": "y"})
		expect("x", "v")
		expect("y", "v", "w")
		src.Remove("a", "v")
		expect("x")
		expect("y", "w")

		_, err = AddIndex(s, "late", cachetest.ByLetters)
		if want := `widgets.test.example.com: indexer conflict: index "late" already exists`; err == nil || err.Error() != want {
			t.Errorf("a second index of that name: %v, want %s", err, want)
		}
		_, err = AddIndex(s, "none", nil)
		if err == nil || !strings.Contains(err.Error(), `index "none" of widgets.test.example.com has no function`) {
			t.Errorf("without a function: %v", err)
		}
		expect("y", "w")
	})
}

func TestIndexRangesWithoutAllocation(t *testing.T) {
	needsGoValues(t)
	s := informerOf(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets})
	defer s.Stop()
	for i := range 300 {
		s.GetIndexer().Add(cachetest.Many(i, 1, "x"))
	}
	index, err := AddIndex(s, "letters", cachetest.ByLetters)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if allocs := testing.AllocsPerRun(100, func() {
		for range index.All("x") {
			n++
		}
	}); allocs != 0 {
		t.Errorf("a range makes %v allocations", allocs)
	}
	if n != 101*300 {
		t.Errorf("it ranged over %d objects", n)
	}
}
