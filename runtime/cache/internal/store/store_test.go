package store

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/internal/leaks"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

func TestMain(m *testing.M) {
	leaks.Main(m)
}

type object = *metav1.PartialObjectMetadata

// many makes objects for a store of more than one chunk.
func many(i int) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprint("ns-", i%7), Name: fmt.Sprint("object-", i)}}
}

// testedForm is the form of the stores of tests.
var testedForm = FormOf[object]()

// TestOtherForms runs the tests with objects of two words each, and with those of a Keeper.
func TestOtherForms(t *testing.T) {
	defer func() { testedForm = FormOf[object]() }()
	for form, of := range map[string]Form{"interface": FormOf[wire.Object](), "kept": KeptForm(FormOf[object](), boxes{})} {
		testedForm = of
		for name, test := range map[string]func(*testing.T){
			"TestStoreReleasesMemory": TestStoreReleasesMemory, "TestRemoveAll": TestRemoveAll, "TestClear": TestClear, "TestSample": TestSample,
			"TestByIndexIn": TestByIndexIn, "TestGetDuringAWrite": TestGetDuringAWrite, "TestGetOfAMovedObject": TestGetOfAMovedObject,
		} {
			t.Run(form+"/"+name, test)
		}
	}
}

// TestTypedObjects reads both forms as slices of their type, and of other interface types.
func TestTypedObjects(t *testing.T) {
	for name, form := range map[string]Form{"words": FormOf[object](), "objects": FormOf[wire.Object]()} {
		x := &indexed{Store: New("namespace", form)}
		want := many(1)
		x.put(want)
		if name == "words" {
			if objs := Typed[object](x.Store.List()); len(objs) != 1 || cap(objs) != 1 || objs[0] != want {
				t.Errorf("%s: %v", name, objs)
			}
			continue
		}
		if objs := Typed[wire.Object](x.Store.List()); len(objs) != 1 || objs[0] != wire.Object(want) {
			t.Errorf("%s: %v", name, objs)
		}
		if objs := Typed[metadataObject](x.Store.List()); len(objs) != 1 || objs[0] != metadataObject(want) {
			t.Errorf("%s: %v", name, objs)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a word of another type was stored")
		}
	}()
	x := &indexed{Store: New("namespace", FormOf[*otherObject]())}
	x.put(many(1))
}

// metadataObject is an interface type with another method set.
type metadataObject interface {
	wire.Object
	GetObjectMeta() metav1.Object
}

// otherObject is another Go type.
type otherObject struct{ metav1.PartialObjectMetadata }

// indexed is a Store with index functions, as its caller has them.
type indexed struct {
	*Store
	functions []func(object) []string
}

func newIndexed(functions map[string]func(object) []string) *indexed {
	x := &indexed{Store: New("namespace", testedForm)}
	for name, function := range functions {
		x.AddIndexes([]string{name}, nil)
		x.functions = append(x.functions, function)
	}
	return x
}

func (x *indexed) entry(obj object) Entry {
	e := Entry{Namespace: obj.Namespace, Name: obj.Name, Hash: HashOf(obj.Namespace, obj.Name), Object: obj, ContentHash: 1}
	for _, function := range x.functions {
		e.Values = append(e.Values, function(obj))
	}
	return e
}

// ByIndex returns typed objects.
func (x *indexed) ByIndex(name, value string) ([]object, bool) {
	objs, ok := x.Store.ByIndex(name, value)
	return Typed[object](objs), ok
}

// ByIndexIn returns typed objects.
func (x *indexed) ByIndexIn(namespace, name, value string) ([]object, bool) {
	objs, ok := x.Store.ByIndexIn(namespace, name, value)
	return Typed[object](objs), ok
}

func (x *indexed) put(obj object) {
	entries := []Entry{x.entry(obj)}
	x.Match(entries)
	x.Begin()
	defer x.End()
	x.Put(&entries[0])
}

func (x *indexed) remove(obj object) {
	x.Begin()
	defer x.End()
	slot, _, _ := x.find(obj)
	x.Remove(slot)
}

func (x *indexed) replace(objs []object) {
	stay := x.NewMarks()
	x.Begin()
	defer x.End()
	for _, obj := range objs {
		if slot, _, ok := x.find(obj); ok {
			stay.Add(slot)
		}
	}
	x.RemoveUnmarked(&stay, func(wire.Object) {})
	for _, obj := range objs {
		e := x.entry(obj)
		x.Put(&e)
	}
}

func (x *indexed) find(obj object) (slot uint32, found object, ok bool) {
	slot, any, ok := x.Find(obj.Namespace, obj.Name, HashOf(obj.Namespace, obj.Name))
	found, _ = any.(object)
	return slot, found, ok
}

// keys returns the sorted names of the objects that an index has under value.
func (x *indexed) keys(t *testing.T, index, value string) (keys []string) {
	t.Helper()
	objs, ok := x.ByIndex(index, value)
	if !ok {
		t.Fatalf("there is no index %q", index)
	}
	for _, obj := range objs {
		keys = append(keys, obj.Namespace+"/"+obj.Name)
	}
	slices.Sort(keys)
	return keys
}

// TestCollect reads slots with and without runs, of several chunks.
func TestCollect(t *testing.T) {
	objects := chunked[object]{write: func(slot *object, obj object) { *slot = obj }}
	var all []object
	for i := range 10 * chunkSize {
		all = append(all, many(i))
		objects.push(all[i])
	}
	run := func(first, n int) (slots []uint32) {
		for i := range n {
			slots = append(slots, uint32(first+i))
		}
		return slots
	}
	shuffled := run(0, len(all))
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	swapped := run(100, 6*chunkSize)
	swapped[5], swapped[200], swapped[500] = 3, 1, 2
	reversed := run(10, 4*chunkSize)
	slices.Reverse(reversed)
	// It begins and ends as a run of a block does.
	almost := run(0, 4*chunkSize)
	almost[1], almost[2] = almost[2], almost[1]
	for name, slots := range map[string][]uint32{
		"none":             nil,
		"one":              run(7, 1),
		"a short run":      run(300, 20),
		"a run of all":     run(0, len(all)),
		"across chunks":    run(chunkSize-20, 40),
		"runs and others":  slices.Concat(run(1000, 100), shuffled[:100], run(200, 90), run(600, 5)),
		"swapped in a run": swapped,
		"no run":           shuffled,
		"reversed":         reversed,
		"almost a run":     almost,
		"few of no run":    shuffled[:70],
	} {
		got := objects.now().collect(slots)
		if len(got) != len(slots) {
			t.Errorf("%s: %d objects of %d slots", name, len(got), len(slots))
			continue
		}
		for i, slot := range slots {
			if got[i] != all[slot] {
				t.Errorf("%s: the object at %d is %s, and not that of slot %d", name, i, got[i].Name, slot)
				break
			}
		}
	}
}

// TestStoreReleasesMemory looks at the tables of a collection that shrank.
func TestStoreReleasesMemory(t *testing.T) {
	x := newIndexed(map[string]func(object) []string{
		"letters": func(object) []string { return []string{"x", "y"} },
		"name":    func(obj object) []string { return []string{obj.Name} },
		"several": func(obj object) []string { return []string{"all", obj.Name, obj.Name + "-again"} },
	})
	x.KeepHashes()
	var all []object
	for i := range 20_000 {
		all = append(all, many(i))
	}
	x.replace(all)
	x.replace(all[:100])
	for _, obj := range all[:100] {
		for _, query := range [][2]string{{"name", obj.Name}, {"several", obj.Name}, {"several", obj.Name + "-again"}} {
			if got, ok := x.ByIndex(query[0], query[1]); !ok || len(got) != 1 || got[0] != obj {
				t.Errorf("%q: %v, %v", query, got, ok)
			}
		}
	}
	if got, _ := x.ByIndex("several", "all"); len(got) != 100 {
		t.Errorf("%d objects have the value that all have", len(got))
	}
	if n := x.objects.chunks(); n > 2 {
		t.Errorf("%d chunks are left", n)
	}
	if n := x.names.len(); n > 1024 {
		t.Errorf("room for %d names is left", n)
	}
	if n := cap(x.nameHashes); n > 1024 {
		t.Errorf("room for %d hashes is left", n)
	}
	if n := cap(*x.fingerprints.list.Load()); n > 1024 {
		t.Errorf("room for %d fingerprints is left", n)
	}
	if n := cap(x.hashes); n > 1024 {
		t.Errorf("room for %d content hashes is left", n)
	}
	for _, idx := range x.indexes {
		if n := cap(idx.byID) + cap(idx.free); n > 2048 {
			t.Errorf("index %s: room for %d lists is left", idx.name, n)
		}
		if n := idx.peakMore; n > 1024 {
			t.Errorf("index %s: room for %d slots with several values is left", idx.name, n)
		}
		if n := cap(idx.refs); n > 1024 {
			t.Errorf("index %s: room for %d refs is left", idx.name, n)
		}
		for value, list := range idx.lists {
			if n := cap(list.slots); n > 1024 {
				t.Errorf("index %s has room for %d slots under %s", idx.name, n, value)
			}
			if list.refIndexes != nil && cap(*list.refIndexes) > 1024 {
				t.Errorf("index %s has room for %d ref indexes under %s", idx.name, cap(*list.refIndexes), value)
			}
		}
		if idx.peak > 1024 {
			t.Errorf("index %s has room for %d values", idx.name, idx.peak)
		}
	}
	if obj, ok := x.Get(all[42].Namespace, all[42].Name); !ok || obj != all[42] {
		t.Error("an object that stayed is not found")
	}
	if err := x.Check(); err != nil {
		t.Error(err)
	}
}

// TestRemoveAll removes some of the objects of one of two namespaces.
func TestRemoveAll(t *testing.T) {
	for count := range 130 {
		s := newIndexed(nil)
		for i := range count {
			obj := many(i)
			obj.Namespace = [...]string{"a", "b", "b"}[i%3]
			s.put(obj)
		}
		stay := map[wire.Object]bool{}
		for obj := range s.Each() {
			stay[obj] = true
		}
		var slots []uint32
		for i, slot := range s.SlotsOf("b") {
			if obj := s.At(slot); obj.GetNamespace() != "b" {
				t.Fatalf("%s is in namespace b", obj.GetName())
			}
			if i%3 > 0 {
				slots = append(slots, slot)
				delete(stay, s.At(slot))
			}
		}
		removed := 0
		s.Begin()
		s.RemoveAll(slots, func(obj wire.Object) {
			removed++
			if stay[obj] {
				t.Errorf("%s was removed", obj.GetName())
			}
		})
		s.End()
		if err := s.Check(); err != nil || s.Len() != len(stay) || removed != len(slots) {
			t.Fatalf("%d of %d objects are left, want %d, and %d were removed, want %d: %v", s.Len(), count, len(stay), removed, len(slots), err)
		}
		for obj := range s.Each() {
			if !stay[obj] {
				t.Errorf("%s was not removed", obj.GetName())
			}
		}
	}
}

// TestClear empties a store, and fills it again, while a range over the objects of before goes
// on.
func TestClear(t *testing.T) {
	x := newIndexed(map[string]func(object) []string{"name": func(obj object) []string { return []string{obj.Name} }})
	x.KeepHashes()
	for i := range 3 * chunkSize {
		x.put(many(i))
	}
	next, stop := iter.Pull(x.All().Each())
	defer stop()
	next()
	for round := range 2 {
		x.Begin()
		x.Clear()
		x.End()
		if err := x.Check(); err != nil || x.Len() != 0 || x.List().Len() != 0 || len(x.keys(t, "namespace", many(0).Namespace)) != 0 {
			t.Fatalf("round %d: %d objects, %v", round, x.Len(), err)
		}
		if _, ok := x.Get(many(1).Namespace, many(1).Name); ok {
			t.Fatal("an object is found after Clear")
		}
		for i := range chunkSize + 1 {
			x.put(many(i))
		}
		obj := many(1)
		if _, ok := x.Get(obj.Namespace, obj.Name); !ok || x.Len() != chunkSize+1 || x.Check() != nil {
			t.Fatalf("round %d: %d objects, %v", round, x.Len(), x.Check())
		}
		x.remove(obj)
	}
	n := 1
	for _, ok := next(); ok; _, ok = next() {
		n++
	}
	if n != 3*chunkSize {
		t.Errorf("the range had %d objects", n)
	}
}

// TestSample takes samples of stores of several sizes.
func TestSample(t *testing.T) {
	x := newIndexed(map[string]func(object) []string{"even": func(obj object) []string {
		if obj.Name[len(obj.Name)-1]%2 == 0 {
			return []string{"yes"}
		}
		return nil
	}})
	for n := range 1000 {
		sample := x.Sample(32)
		if len(sample) != min(n, 32) {
			t.Fatalf("a sample of %d objects has %d", n, len(sample))
		}
		seen := map[wire.Object]bool{}
		for _, obj := range sample {
			seen[obj] = true
		}
		if len(seen) != len(sample) || seen[nil] {
			t.Fatalf("a sample of %d objects has one twice", n)
		}
		x.put(many(n))
	}
	if got := fmt.Sprint(x.IndexSizes()); got != "[{namespace 7} {even 1}]" {
		t.Errorf("the indexes have %s values", got)
	}
}

// TestManyChangesInOneBatch changes the value of many objects, and then that of one object twice, back to what Match has found.
func TestManyChangesInOneBatch(t *testing.T) {
	x := newIndexed(map[string]func(object) []string{"values": byValue})
	const n = 3 * maxTouched
	for i := range n {
		x.put(withValues(i, []string{"before"}))
	}
	for changed := range n - 1 {
		var entries []Entry
		for i := range changed {
			entries = append(entries, x.entry(withValues(i, []string{"after"})))
		}
		last := withValues(n-1, []string{"before"})
		entries = append(entries, x.entry(withValues(n-1, []string{"after"})), x.entry(last))
		for i := range changed {
			entries = append(entries, x.entry(withValues(i, []string{"before"})))
		}
		x.Match(entries)
		x.Begin()
		for i := range entries {
			x.Put(&entries[i])
		}
		x.End()
		if objs, _ := x.ByIndex("values", "before"); len(objs) != n {
			t.Fatalf("after %d other changes the index has %d of %d objects", changed, len(objs), n)
		}
	}
}

// TestSnapshotOfATableThatGrows adds objects to a store after a snapshot, and then changes one that the snapshot has.
func TestSnapshotOfATableThatGrows(t *testing.T) {
	for chunks := range 12 {
		x := newIndexed(nil)
		for i := range chunks * chunkSize {
			x.put(many(i))
		}
		all := x.All()
		for i := range chunkSize + 1 {
			x.put(many(chunks*chunkSize + i))
		}
		for i := range chunks * chunkSize {
			changed := many(i)
			changed.ResourceVersion = "changed"
			x.put(changed)
		}
		n := 0
		for obj := range all.Each() {
			if n++; obj.GetResourceVersion() != "" {
				t.Fatalf("%d chunks: the snapshot has a later state of %s", chunks, obj.GetName())
			}
		}
		if n != chunks*chunkSize {
			t.Errorf("%d chunks: the snapshot has %d objects", chunks, n)
		}
	}
}

// TestGetDuringAWrite reads an object that the writer has not stored again yet. The reader waits for the end of the write.
func TestGetDuringAWrite(t *testing.T) {
	hash := HashOf(many(1).Namespace, many(1).Name)
	getDuringAWrite(t, func(x *indexed, slot uint32, _ object) { x.names.remove(hash, slot) },
		func(x *indexed, slot uint32, _ object) { x.names.add(hash, slot) })
}

// TestGetOfAMovedObject reads a slot to which the writer has moved another object. The name of the object decides, not the
// fingerprint that the slot had.
func TestGetOfAMovedObject(t *testing.T) {
	getDuringAWrite(t, func(x *indexed, slot uint32, _ object) { x.objects.set(slot, many(2)) },
		func(x *indexed, slot uint32, obj object) { x.objects.set(slot, obj) })
}

// getDuringAWrite reads an object while a write has taken it away and puts it back.
func getDuringAWrite(t *testing.T, take, put func(x *indexed, slot uint32, obj object)) {
	t.Helper()
	x, obj := newIndexed(nil), many(1)
	x.put(obj)
	slot, _, _ := x.find(obj)
	for range 1000 {
		x.Begin()
		take(x, slot, obj)
		began, found := make(chan struct{}), make(chan bool)
		go func() {
			close(began)
			got, _ := x.Get(obj.Namespace, obj.Name)
			found <- got == wire.Object(obj)
		}()
		<-began
		runtime.Gosched()
		put(x, slot, obj)
		x.End()
		if !<-found {
			t.Fatal("the object is missed, or another one is returned")
		}
	}
}

// TestByIndexIsOfOneMoment reads many objects of a value, while others change it.
func TestByIndexIsOfOneMoment(t *testing.T) {
	const others = 2 * maxLocked
	x := newIndexed(map[string]func(object) []string{"values": byValue})
	var all []object
	for i := range others + 100 {
		all = append(all, withValues(i, []string{"value"}))
	}
	x.replace(all)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for version := 0; ; version++ {
			select {
			case <-stop:
				return
			default:
			}
			// Half of the first hundred have the value, at any time. They leave from the middle of its list.
			var entries []Entry
			for i := range 100 {
				value := []string{"value", "other"}[(i+version)%2]
				entries = append(entries, x.entry(withValues(i, []string{value})))
			}
			x.Match(entries)
			x.Begin()
			for i := range entries {
				x.Put(&entries[i])
			}
			x.End()
		}
	}()
	for range 100 {
		objs, _ := x.ByIndex("values", "value")
		seen := make(map[string]struct{}, len(objs))
		for _, obj := range objs {
			if obj.Finalizers[0] != "value" {
				t.Errorf("%s has another value", obj.Name)
			}
			seen[obj.Name] = struct{}{}
		}
		if len(seen) != len(objs) || len(objs) < others {
			t.Errorf("there are %d objects, of which %d are different", len(objs), len(seen))
		}
		if t.Failed() {
			break
		}
	}
	close(stop)
	<-done
}
