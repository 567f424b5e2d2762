package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// withValues is an object that byValue finds under a number of values.
func withValues(i int, values []string) object {
	obj := many(i)
	obj.Finalizers = values
	return obj
}

func byValue(obj object) []string { return obj.Finalizers }

// manyIndexValues returns n values.
func manyIndexValues(prefix string, n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprint(prefix, i)
	}
	return values
}

// fastest returns the least time of several calls of each function, which take turns:
// other work on the machine makes some calls slow, but hardly all of one function.
func fastest(functions ...func()) []time.Duration {
	least := make([]time.Duration, len(functions))
	for range 5 {
		for i, function := range functions {
			started := time.Now()
			function()
			if took := time.Since(started); least[i] == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	return least
}

// isCheap reports whether a comparison of times holds in one of several attempts. Other
// work on the machine can spoil some of them; a cost that grows too fast fails in all.
func isCheap(attempt func() bool) bool {
	for range 4 {
		if attempt() {
			return true
		}
	}
	return false
}

// TestCostOfSharedValues updates two objects in turn. That must not be more expensive if
// they have the same values. With a search for each value it takes 50 times as long.
func TestCostOfSharedValues(t *testing.T) {
	const n = 20_000
	update := func(prefixes ...string) func() {
		x := newIndexed(map[string]func(object) []string{"values": byValue})
		values := make([][]string, len(prefixes))
		for i, prefix := range prefixes {
			values[i] = manyIndexValues(prefix, n)
			x.put(withValues(i, slices.Clone(values[i])))
		}
		return func() {
			for i := range values {
				slices.Reverse(values[i]) // an update with the same values costs nothing
				x.put(withValues(i, slices.Clone(values[i])))
			}
		}
	}
	if !isCheap(func() bool {
		took := fastest(update("one-", "two-"), update("shared-", "shared-"))
		t.Logf("updates of two objects take %v, with the same values %v", took[0], took[1])
		return took[1] <= 8*took[0]
	}) {
		t.Error("updates of two objects with the same values are too expensive")
	}
}

// TestCostOfMovingManyValues deletes small objects in the reverse order of their
// creation, with an object of many values last. It must not move in its lists with
// each of them, neither by events nor by a relist.
func TestCostOfMovingManyValues(t *testing.T) {
	const n, values = 3000, 8000
	fill := func(last object) (*indexed, []object) {
		x := newIndexed(map[string]func(object) []string{"values": byValue})
		var small []object
		for i := range n {
			small = append(small, many(i))
			x.put(small[i])
		}
		x.put(last)
		return x, small
	}
	large := withValues(n, manyIndexValues("value-", values))
	one := withValues(n, manyIndexValues("value-", 1))
	deletes := func(last object) func() {
		return func() {
			x, small := fill(last)
			for _, obj := range slices.Backward(small) {
				x.remove(obj)
			}
			if got, _ := x.ByIndex("values", "value-0"); len(got) != 1 || got[0] != last {
				t.Errorf("the object that is left is not found: %v", got)
			}
		}
	}
	relist := func(last object) func() {
		return func() {
			x, _ := fill(last)
			x.replace([]object{last})
			if got, _ := x.ByIndex("values", "value-0"); len(got) != 1 || got[0] != last {
				t.Errorf("the object that is left is not found: %v", got)
			}
		}
	}
	if !isCheap(func() bool {
		took := fastest(func() { fill(large) }, func() { fill(one) }, deletes(large), deletes(one), relist(large), relist(one))
		// An object that moves with each removal costs 40 times its own entry.
		entered := max(took[0]-took[1], time.Millisecond)
		t.Logf("entering an object with %d values takes %v, deletes after it %v, a relist %v", values, entered, took[2]-took[3], took[4]-took[5])
		return took[2]-took[3] <= 20*entered && took[4]-took[5] <= 20*entered
	}) {
		t.Error("deletes or a relist take too long because of an object with many values")
	}
}

// TestCostOfFewerValues updates an object between no values and 70 of them, in a large
// collection with one value: to free memory must not take a step for each object.
func TestCostOfFewerValues(t *testing.T) {
	toggle := func(n int) func() {
		x := newIndexed(map[string]func(object) []string{"values": byValue})
		for i := range n {
			x.put(withValues(i, []string{"one"}))
		}
		values := manyIndexValues("value-", 70)
		return func() {
			for range 20 {
				x.put(withValues(0, values))
				x.put(withValues(0, nil))
			}
		}
	}
	if !isCheap(func() bool {
		took := fastest(toggle(1000), toggle(100_000))
		t.Logf("40 updates among 1,000 objects take %v, among 100,000 objects %v", took[0], took[1])
		return took[1] <= 5*took[0]
	}) {
		t.Error("updates get more expensive with the number of objects")
	}
}

// TestObjectsOfManyValues compares a Store of objects with more and less than manyValues
// values with a map, while they come and go.
func TestObjectsOfManyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x := newIndexed(map[string]func(object) []string{"values": byValue})
	model := map[string]object{}
	for version := range 400 {
		values := manyIndexValues("value-", random.IntN(2)*manyValues+random.IntN(5))
		random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		obj := withValues(random.IntN(40), values)
		switch name := obj.Name; {
		case random.IntN(50) == 0:
			some := map[string]object{}
			for name, obj := range model {
				if random.IntN(2) == 0 {
					some[name] = obj
				}
			}
			model = some
			x.replace(slices.Collect(maps.Values(some)))
		case model[name] != nil && random.IntN(2) == 0:
			x.remove(model[name])
			delete(model, name)
		default:
			x.put(obj)
			model[name] = obj
		}
		if err := x.Check(); err != nil || x.Len() != len(model) {
			t.Fatalf("version %d: %d objects, want %d, %v", version, x.Len(), len(model), err)
		}
		for i := range manyValues + 5 {
			value := fmt.Sprint("value-", i)
			var want []string
			for _, obj := range model {
				if slices.Contains(byValue(obj), value) {
					want = append(want, obj.Namespace+"/"+obj.Name)
				}
			}
			slices.Sort(want)
			if got := x.keys(t, "values", value); !slices.Equal(got, want) {
				t.Fatalf("version %d: %v have %s, want %v", version, got, value, want)
			}
		}
		for name, obj := range model {
			if got, _ := x.Get(obj.Namespace, name); got != obj {
				t.Fatalf("version %d: %s is %v, want %v", version, name, got, obj)
			}
		}
	}
}

// TestIndexOfManyValues takes out objects that alone have most of the values.
func TestIndexOfManyValues(t *testing.T) {
	for _, values := range []int{100, 521, 10_000} {
		x := newIndexed(map[string]func(object) []string{"numbers": func(obj object) []string {
			var numbers []string
			for i := range len(obj.Finalizers) {
				numbers = append(numbers, fmt.Sprint(i))
			}
			return numbers
		}})
		few, most := many(1), many(2)
		few.Finalizers, most.Finalizers = make([]string, 70), make([]string, values)
		x.put(most)
		x.put(few)
		x.remove(most)
		x.put(most)
		fewer := many(2)
		fewer.Finalizers = make([]string, 3)
		x.put(fewer)
		for value, want := range map[string]int{"2": 2, "3": 1, "69": 1, "70": 0} {
			if got := x.keys(t, "numbers", value); len(got) != want {
				t.Errorf("%d values: %d objects have %s, want %d", values, len(got), value, want)
			}
		}
		x.remove(few)
		x.remove(fewer)
		if left := x.Values("numbers"); len(left) != 0 {
			t.Errorf("%d values: %q are left", values, left)
		}
	}
}
