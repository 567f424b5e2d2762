package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestByIndexIn compares the objects of a namespace by index values with those of a loop
// over all objects. Some namespaces and values have more objects than are read under the
// lock, and some objects have several values.
func TestByIndexIn(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	x := newIndexed(map[string]func(object) []string{"values": byValue})
	namespaces := []string{"large", "large", "large", "middle", "small", "tiny", ""}
	var all []object
	for i := range 5 * maxLocked {
		obj := many(i)
		obj.Namespace = namespaces[random.IntN(len(namespaces))]
		if obj.Namespace == "tiny" && i > 100 {
			obj.Namespace = "large"
		}
		switch random.IntN(5) {
		case 0:
			obj.Finalizers = []string{"often", "seldom-" + fmt.Sprint(i%50)}
		case 1:
			obj.Finalizers = []string{"", "seldom-" + fmt.Sprint(i%50), "often", fmt.Sprint(i)}
		case 2, 3:
			obj.Finalizers = []string{"often"}
		}
		all = append(all, obj)
	}
	x.replace(all)
	for round := range 3 {
		for _, namespace := range []string{"large", "middle", "small", "tiny", "", "absent"} {
			for _, index := range []string{"values", "namespace"} {
				for _, value := range []string{"often", "seldom-7", "seldom-49", "", "absent", "large", all[1].Name, "12"} {
					want := map[object]bool{}
					for _, obj := range all {
						values := byValue(obj)
						if index == "namespace" {
							values = []string{obj.Namespace}
						}
						if obj.Namespace == namespace && slices.Contains(values, value) {
							want[obj] = true
						}
					}
					got, ok := x.ByIndexIn(namespace, index, value)
					if !ok || len(got) != len(want) || cap(got) != len(got) || got == nil {
						t.Fatalf("round %d: %q has %d objects (room for %d) under %s %q, %v; want %d", round, namespace, len(got), cap(got), index, value, ok, len(want))
					}
					for _, obj := range got {
						if !want[obj] {
							t.Fatalf("round %d: %s/%s is found in %q under %s %q", round, obj.Namespace, obj.Name, namespace, index, value)
						}
						delete(want, obj) // each once
					}
				}
			}
		}
		// Fewer objects, in other slots.
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:len(all)*2/3]
		x.replace(all)
	}
	if objs, ok := x.ByIndexIn("large", "other", "often"); ok || objs != nil {
		t.Errorf("an index that does not exist has %d objects", len(objs))
	}
}

// TestByIndexInIsOfOneMoment moves an object between two namespaces, or between two values,
// in each write. A reader finds it once in both together, whichever list it reads.
func TestByIndexInIsOfOneMoment(t *testing.T) {
	for _, others := range []int{0, 2 * maxLocked} {
		x := newIndexed(map[string]func(object) []string{"values": byValue})
		var all []object
		for i := range others {
			obj := many(i)
			obj.Namespace, obj.Finalizers = "here", []string{"value"}
			all = append(all, obj)
		}
		moved := func(version int) object {
			obj := many(others)
			obj.Namespace, obj.Finalizers = "here", []string{[]string{"value", "other"}[version%2]}
			return obj
		}
		// One of two objects has the value, at any time.
		second := func(version int) object {
			obj := moved(version + 1)
			obj.Name = "second"
			return obj
		}
		x.replace(append(slices.Clone(all), moved(0), second(0)))
		stop := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for version := 1; ; version++ {
				select {
				case <-stop:
					return
				default:
				}
				entries := []Entry{x.entry(moved(version)), x.entry(second(version))}
				x.Match(entries)
				x.Begin()
				for i := range entries {
					x.Put(&entries[i])
				}
				x.End()
			}
		}()
		for range 300 {
			if objs, ok := x.ByIndexIn("here", "values", "value"); !ok || len(objs) != others+1 {
				t.Errorf("%d objects have the value, want %d", len(objs), others+1)
				break
			}
		}
		close(stop)
		<-done
	}
}

// BenchmarkByIndexIn reads 200 or fewer objects of a value and a namespace, and large
// numbers of them.
func BenchmarkByIndexIn(b *testing.B) {
	for _, test := range []struct{ namespace, value, both int }{
		{1000, 200, 20}, {200, 1000, 20}, {4096, 4096, 64}, {4096, 4096, 4096}, {4096, 100_000, 4096}, {5000, 100_000, 5000}, {32_768, 100_000, 32_768}, {100_000, 5000, 5000},
	} {
		x := newIndexed(map[string]func(object) []string{"values": byValue})
		var all []object
		for i := range test.namespace + test.value - test.both {
			obj := many(i)
			obj.Namespace = "other"
			if i < test.namespace {
				obj.Namespace = "here"
			}
			if i >= test.namespace-test.both {
				obj.Finalizers = []string{"value"}
			}
			all = append(all, obj)
		}
		rand.New(rand.NewPCG(5, 6)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		x.replace(all)
		b.Run(fmt.Sprintf("%d/%d/%d", test.namespace, test.value, test.both), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if objs, _ := x.ByIndexIn("here", "values", "value"); len(objs) != test.both {
					b.Fatal(len(objs))
				}
			}
		})
	}
}
