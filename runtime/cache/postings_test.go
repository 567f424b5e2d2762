package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// withValues is an object that byValue finds under a number of values.
func withValues(i, version int, values []string) object {
	obj := many(i, version, "")
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
		x := NewIndexer(Indexers[object]{"values": byValue})
		values := make([][]string, len(prefixes))
		for i, prefix := range prefixes {
			values[i] = manyIndexValues(prefix, n)
			x.Add(withValues(i, 1, slices.Clone(values[i])))
		}
		return func() {
			for i := range values {
				slices.Reverse(values[i]) // an update with the same values costs nothing
				x.Update(withValues(i, 2, slices.Clone(values[i])))
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
	fill := func(last object) (*Indexer[object], []object) {
		x := NewIndexer(Indexers[object]{"values": byValue})
		var small []object
		for i := range n {
			small = append(small, many(i, 1, ""))
			x.Add(small[i])
		}
		x.Add(last)
		return x, small
	}
	large := withValues(n, 1, manyIndexValues("value-", values))
	one := withValues(n, 1, manyIndexValues("value-", 1))
	deletes := func(last object) func() {
		return func() {
			x, small := fill(last)
			for _, obj := range slices.Backward(small) {
				x.Delete(obj)
			}
			if got, _ := x.ByIndex("values", "value-0"); len(got) != 1 || got[0] != last {
				t.Errorf("the object that is left is not found: %v", got)
			}
		}
	}
	relist := func(last object) func() {
		return func() {
			x, _ := fill(last)
			x.Replace([]object{last})
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
		x := NewIndexer(Indexers[object]{"values": byValue})
		for i := range n {
			x.Add(withValues(i, 1, []string{"one"}))
		}
		values := manyIndexValues("value-", 70)
		return func() {
			for range 20 {
				x.Update(withValues(0, 1, values))
				x.Update(withValues(0, 1, nil))
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

// TestObjectsOfManyValues compares an Indexer of objects with more and less than
// manyValues values with the model, while they come and go.
func TestObjectsOfManyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x := NewIndexer(Indexers[object]{"values": byValue})
	m := model{}
	for version := range 400 {
		var deltas Deltas[object]
		values := manyIndexValues("value-", random.IntN(2)*manyValues+random.IntN(5))
		random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		obj := withValues(random.IntN(40), version, values)
		switch name := MetaObjectToName(obj); {
		case random.IntN(50) == 0:
			var some []object
			for _, obj := range m {
				if random.IntN(2) == 0 {
					some = append(some, obj)
				}
			}
			deltas = Deltas[object]{{Type: Replaced, Collection: &Collection[object]{Items: itemsOf(some...)}}}
		case m[name] != nil && random.IntN(2) == 0:
			deltas = Deltas[object]{{Type: Deleted, Item: itemOf(m[name])}}
		default:
			deltas = Deltas[object]{{Type: Updated, Item: itemOf(obj)}}
		}
		m.apply(deltas)
		x.apply(deltas)
		checkNames(t, &x.names, len(m))
		for i := range manyValues + 5 {
			value := fmt.Sprint("value-", i)
			got, err := x.IndexKeys("values", value)
			if want := m.byIndex(byValue, value); err != nil || !slices.Equal(sorted(got), want) {
				t.Fatalf("version %d: %v have %s, want %v, %v", version, got, value, want, err)
			}
		}
		for name, obj := range m {
			if got, _ := x.Get(name); got != obj {
				t.Fatalf("version %d: %s is %v, want %v", version, name, got, obj)
			}
		}
	}
}
