package cache

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// byLetters indexes an object under each letter of its label "letters".
func byLetters(obj object) []string {
	return strings.Split(obj.Labels["letters"], "")
}

// model is an Indexer that is so simple that it is right.
type model map[ObjectName]object

func (m model) apply(deltas []deltafifo.Delta) {
	for _, d := range deltas {
		switch d.Type {
		case deltafifo.Added, deltafifo.Updated:
			m[MetaObjectToName(d.Object)] = d.Object.(object)
		case deltafifo.Deleted:
			delete(m, MetaObjectToName(d.Object))
		case deltafifo.Replaced:
			old := maps.Clone(m)
			clear(m)
			for _, item := range d.Collection.Items {
				obj := item.Object.(object)
				m[MetaObjectToName(obj)] = obj
				if was := old[MetaObjectToName(obj)]; was != nil && reflect.DeepEqual(was, obj) {
					m[MetaObjectToName(obj)] = was
				}
			}
		}
	}
}

func (m model) byIndex(values IndexFunc[object], value string) []ObjectName {
	var names []ObjectName
	for name, obj := range m {
		if slices.Contains(values(obj), value) {
			names = append(names, name)
		}
	}
	return sorted(names)
}

func sorted(names []ObjectName) []ObjectName {
	slices.SortFunc(names, func(a, b ObjectName) int { return strings.Compare(a.String(), b.String()) })
	return names
}

// FuzzIndexer drives an Indexer and the model with the same deltas, some together.
// Two bytes make one: the first says what and to which object, the second its index
// values. Collections that are listed again have other content at the same version, other
// texts of the same content, and several states of one object.
func FuzzIndexer(f *testing.F) {
	f.Add([]byte("a1b2c3d4"), true, byte(0))
	f.Add([]byte{0, 3, 0, 5, 1, 7, 0x80, 0, 0xc0, 0xff, 0x40, 1}, false, byte(1))
	f.Add([]byte{0xc1, 7, 0, 1, 0xc2, 3, 0x81, 0, 0xc0, 0}, false, byte(0))
	f.Add([]byte{0, 1, 0x40, 1, 0x40, 2, 0x40, 1, 0x40, 0x81, 0x40, 1, 0x80, 0, 0x40, 1}, false, byte(7))
	f.Add([]byte{0, 1, 1, 2, 5, 3, 0xc2, 0x14, 0xc2, 0x54, 0xd2, 0x1c, 0xe2, 0x0c, 0xf0, 0x5d, 0xf3, 0x80}, false, byte(8))
	f.Add([]byte{1, 0x41, 0x41, 0x22, 0xf2, 0x1d, 0x81, 0, 0xf1, 0xff, 0xe2, 0x54}, true, byte(11))
	random := rand.New(rand.NewPCG(7, 8))
	for n := range 32 {
		script := make([]byte, 100)
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		f.Add(script, n%3 == 0, byte(n))
	}
	f.Fuzz(func(t *testing.T, script []byte, late bool, together byte) {
		indexers := Indexers[object]{"letters": byLetters}
		x := NewIndexer(indexers)
		if late {
			x = NewIndexer[object](nil)
		}
		if together&8 != 0 {
			machineOf(x).KeepHashes()
		}
		m := model{}
		texts := texts{}
		known := map[ObjectName]object{} // as handlers are told
		var deltas []deltafifo.Delta
		for version := 0; len(script) >= 2; version++ {
			deltas = append(deltas, deltaOf(script[0], script[1], version, m, texts))
			script = script[2:]
			m.apply(deltas[len(deltas)-1:])
			if len(deltas) <= int(together%8) && len(script) >= 2 {
				continue
			}
			notes := machineOf(x).Apply(deltas)
			for _, n := range notes {
				hear(t, known, n)
			}
			if len(deltas) == 1 && deltas[0].Type == deltafifo.Replaced {
				checkNet(t, notes)
			}
			texts.check(t, x)
			checkStore(t, x, len(m))
			deltas = nil
			if late && version == 2 {
				if err := x.AddIndexers(indexers); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !maps.Equal(known, map[ObjectName]object(m)) {
			t.Errorf("a handler believes %v, the truth is %v", known, m)
		}
		if late {
			_ = x.AddIndexers(indexers) // if the script was short
		}
		compare(t, x, m)
	})
}

func deltaOf(what, letters byte, version int, m model, texts texts) deltafifo.Delta {
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace:       string('a' + rune(what>>3&1)),
		Name:            string('a' + rune(what&7)),
		UID:             types.UID(fmt.Sprint(letters >> 7)),
		ResourceVersion: fmt.Sprint(version),
		Labels:          map[string]string{"letters": "xyz"[:letters&3]},
	}}
	form := letters >> 5 & 3
	switch what >> 6 {
	case 0:
		return deltafifo.Delta{Type: deltafifo.Added, Item: wire.Item{Object: obj, ContentHash: texts.of(obj, form)}}
	case 1:
		return deltafifo.Delta{Type: deltafifo.Updated, Item: wire.Item{Object: obj, ContentHash: texts.of(obj, form)}}
	case 2:
		return deltafifo.Delta{Type: deltafifo.Deleted, Item: stated(obj)}
	}
	objs := []object{obj}
	if what&0x10 != 0 { // twice, and the last one may be what is cached
		if was := m[MetaObjectToName(obj)]; was != nil {
			objs = append(objs, was.DeepCopy())
		} else {
			obj = obj.DeepCopy()
			obj.UID, obj.Labels["letters"] = types.UID(fmt.Sprint(letters>>6&1)), "z"
			objs = append(objs, obj)
		}
	}
	for name, old := range m { // what is listed again: some unchanged, some changed, some gone
		if name == MetaObjectToName(obj) {
			continue
		}
		same, newer, other := old.DeepCopy(), old.DeepCopy(), old.DeepCopy()
		newer.ResourceVersion = fmt.Sprint(version)
		other.Labels["letters"] = "other"
		switch {
		case letters&4 != 0 && name.Name < "d":
			if objs = append(objs, same); letters&16 != 0 {
				objs[len(objs)-1] = other
			}
		case letters&8 != 0 && name.Name >= "d":
			if objs = append(objs, newer); what&0x20 != 0 {
				objs = append(objs, other, same)
			}
		}
	}
	all := &deltafifo.Collection{Items: statesOf(objs...)}
	for i, obj := range objs {
		all.Items[i].ContentHash = texts.of(obj, form)
	}
	return deltafifo.Delta{Type: deltafifo.Replaced, Collection: all}
}

// texts are the objects that were made of the text with a content hash.
type texts map[uint64]object

// of returns the content hash of obj in one of its forms: those of 0 and 1 are of its usual
// text, that of 2 of another one, and that of 3 is not known.
func (all texts) of(obj object, form byte) uint64 {
	if form == 3 {
		return 0
	}
	h := fnv.New64a()
	fmt.Fprint(h, form/2, obj)
	hash := h.Sum64() | 1
	all[hash] = obj.DeepCopy()
	return hash
}

// check compares what x holds with the texts that it says it was made of.
func (all texts) check(t *testing.T, x *Indexer[object]) {
	t.Helper()
	for obj := range x.All() {
		held, hash, ok := heldBy(x, MetaObjectToName(obj))
		if !ok || held != obj || hash != 0 && !reflect.DeepEqual(all[hash], obj) {
			t.Errorf("held is %v, %v, made of %v, want %v", held, ok, all[hash], obj)
		}
	}
}

// checkStore checks the tables of x, which has that many objects.
func checkStore(t *testing.T, x *Indexer[object], objects int) {
	t.Helper()
	if err := machineOf(x).Check(); err != nil || x.Len() != objects {
		t.Fatalf("there are %d objects, want %d, %v", x.Len(), objects, err)
	}
}

// checkNet checks that the notifications of one relist have each object once, or twice if
// it ended and was born again.
func checkNet(t *testing.T, notes []processor.Notification) {
	t.Helper()
	seen := map[ObjectName]processor.Kind{}
	for _, n := range notes {
		name := MetaObjectToName(n.Obj)
		if before, twice := seen[name]; twice && (before != processor.Delete || n.Kind != processor.Add) {
			t.Errorf("of %v a relist tells %v after %v", name, n.Kind, before)
		}
		if n.Kind == processor.Update && n.Old == n.Obj {
			t.Errorf("of %v a relist tells an update to itself", name)
		}
		seen[name] = n.Kind
	}
}

// hear checks that a notification is legal after all before it.
func hear(t *testing.T, known map[ObjectName]object, n processor.Notification) {
	t.Helper()
	name := MetaObjectToName(n.Obj)
	was := known[name]
	switch n.Kind {
	case processor.Add:
		if was != nil {
			t.Errorf("add of %v, which is known", name)
		}
		known[name] = n.Obj.(object)
	case processor.Update:
		if was == nil || !packingtest.IsState(n.Old, was) || was.UID != n.Obj.GetUID() {
			t.Errorf("update of %v from %v, known is %v", name, n.Old, was)
		}
		known[name] = n.Obj.(object)
	case processor.Delete:
		if was == nil {
			t.Errorf("delete of %v, which is not known", name)
		}
		delete(known, name)
	}
}

func compare(t *testing.T, x *Indexer[object], m model) {
	t.Helper()
	if x.Len() != len(m) || len(x.List()) != len(m) || len(slices.Collect(x.All())) != len(m) {
		t.Errorf("there are %d, %d, %d objects, want %d", x.Len(), len(x.List()), len(slices.Collect(x.All())), len(m))
	}
	for name, want := range m {
		if got, ok := x.Get(name); !ok || !packingtest.IsState(got, want) {
			t.Errorf("Get(%v) = %v, %v, want %v", name, got, ok, want)
		}
	}
	for index, values := range map[string]IndexFunc[object]{
		"letters":      byLetters,
		NamespaceIndex: func(obj object) []string { return []string{obj.Namespace} },
	} {
		for _, value := range []string{"x", "y", "z", "a", "b", ""} {
			got, err := x.IndexKeys(index, value)
			if err != nil {
				t.Fatal(err)
			}
			if want := m.byIndex(values, value); !slices.Equal(sorted(got), want) {
				t.Errorf("index %s has %v under %q, want %v", index, got, value, want)
			}
			for _, namespace := range []string{"a", "b", "absent"} {
				got, err := NewLister(x, schema.GroupResource{}).Namespace(namespace).ByIndex(index, value)
				if err != nil {
					t.Fatal(err)
				}
				want := slices.DeleteFunc(m.byIndex(values, value), func(name ObjectName) bool { return name.Namespace != namespace })
				if names := namesOf(got); !slices.Equal(names, want) {
					t.Errorf("namespace %s has %v under %q of index %s, want %v", namespace, names, value, index, want)
				}
			}
			if has := slices.Contains(x.ListIndexFuncValues(index), value); has != (len(got) > 0) {
				t.Errorf("index %s lists the value %q: %v, but has %d objects under it", index, value, has, len(got))
			}
		}
	}
}

// namesOf returns the sorted names of objects.
func namesOf(objs []object) (names []ObjectName) {
	for _, obj := range objs {
		names = append(names, MetaObjectToName(obj))
	}
	return sorted(names)
}

func TestIndexerErrorNamesItsIndexes(t *testing.T) {
	x := NewIndexer(Indexers[object]{"letters": byLetters})
	_, err := x.ByIndex("leters", "x")
	if !errors.Is(err, ErrNoIndex) || !strings.Contains(err.Error(), `"leters"; there are ["letters" "namespace"]`) {
		t.Errorf("error is %v", err)
	}
	if _, inNamespace := NewLister(x, schema.GroupResource{}).Namespace("a").ByIndex("leters", "x"); !errors.Is(inNamespace, ErrNoIndex) || inNamespace.Error() != err.Error() {
		t.Errorf("error of a namespace is %v", inNamespace)
	}
	if err := x.AddIndexers(Indexers[object]{"other": byLetters, "letters": byLetters}); err == nil {
		t.Error("an index was added twice")
	}
	if _, err := x.ByIndex("other", "x"); err == nil {
		t.Error("of two indexes, one of them there already, the other was added")
	}
}

func TestIndexerByKey(t *testing.T) {
	x := NewIndexer[object](nil)
	x.Add(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "w"}})
	if obj, ok, err := x.GetByKey("a/w"); err != nil || !ok || obj.Name != "w" {
		t.Errorf("GetByKey = %v, %v, %v", obj, ok, err)
	}
	if _, ok, err := x.GetByKey("w"); err != nil || ok {
		t.Errorf("GetByKey of what is not there = %v, %v", ok, err)
	}
	for _, key := range []string{"", "/", "a/", "/w", "a/b/c"} {
		if _, _, err := x.GetByKey(key); err == nil {
			t.Errorf("GetByKey(%q) has no error", key)
		}
	}
}

// TestIndexerReadsAreOfOneMoment writes pairs of objects in one step and looks
// for a half.
func TestIndexerReadsAreOfOneMoment(t *testing.T) {
	x := NewIndexer(Indexers[object]{"letters": byLetters})
	pair := func(version int) []deltafifo.Delta {
		var d []deltafifo.Delta
		for _, name := range []string{"left", "right"} {
			d = append(d, deltafifo.Delta{Type: deltafifo.Updated, Item: stated(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
				Namespace: "a", Name: name, ResourceVersion: fmt.Sprint(version), Labels: map[string]string{"letters": "x"},
			}})})
		}
		return d
	}
	machineOf(x).Apply(pair(0))
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !isClosed(stop) {
				all := x.List()
				indexed, _ := x.ByIndex("letters", "x")
				for _, got := range [][]object{all, indexed} {
					if len(got) != 2 || got[0].ResourceVersion != got[1].ResourceVersion {
						t.Errorf("read half of a step: %v", got)
						return
					}
				}
			}
		})
	}
	for version := range 2000 {
		machineOf(x).Apply(pair(version))
	}
	close(stop)
	readers.Wait()
}

func version(name, version, uid, letters string) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version,
		UID: types.UID(uid), Labels: map[string]string{"letters": letters}}}
}

// TestDeletedOfAnotherUID has the end of an object of the same name come late.
func TestDeletedOfAnotherUID(t *testing.T) {
	for name, test := range map[string]struct {
		deleted object
		remains bool
	}{
		"of its predecessor": {version("w", "5", "old", ""), true},
		"of a successor":     {version("w", "12", "next", ""), false},
		"of its own":         {version("w", "5", "this", ""), false},
		"without a UID":      {version("w", "5", "", ""), false},
		"without a version":  {version("w", "", "next", ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			x := NewIndexer[object](nil)
			cached := version("w", "9", "this", "")
			x.Add(cached)
			notes := machineOf(x).Apply([]deltafifo.Delta{{Type: deltafifo.Deleted, Item: stated(test.deleted)}})
			if x.Len() == 1 != test.remains || len(notes) == 0 != test.remains {
				t.Fatalf("%d objects remain, told are %v", x.Len(), notes)
			}
			if another := test.deleted.UID == "next"; !test.remains && (notes[0].FinalStateUnknown != another || (notes[0].Obj == cached) != another) {
				t.Errorf("told is %+v", notes[0])
			}
		})
	}
}

func TestIndexerAddsAnIndexLater(t *testing.T) {
	x, m := NewIndexer[object](nil), model{}
	both := func(d deltafifo.Delta) {
		machineOf(x).Apply([]deltafifo.Delta{d})
		m.apply([]deltafifo.Delta{d})
	}
	both(deltafifo.Delta{Type: deltafifo.Added, Item: stated(version("changed", "1", "", "x"))})
	both(deltafifo.Delta{Type: deltafifo.Added, Item: stated(version("gone", "1", "", "xy"))})
	if err := x.AddIndexers(Indexers[object]{"letters": func(obj object) []string {
		_ = x.Len() // a reader does not wait for an index function
		return byLetters(obj)
	}}); err != nil {
		t.Fatal(err)
	}
	both(deltafifo.Delta{Type: deltafifo.Updated, Item: stated(version("changed", "2", "", "yz"))})
	both(deltafifo.Delta{Type: deltafifo.Deleted, Item: stated(version("gone", "2", "", ""))})
	both(deltafifo.Delta{Type: deltafifo.Added, Item: stated(version("new", "3", "", "z"))})
	compare(t, x, m)
}

// TestIndexerRemovesAnIndex removes an index between two others, and adds it again.
func TestIndexerRemovesAnIndex(t *testing.T) {
	calls := 0
	middle := Indexers[object]{"middle": func(obj object) []string { calls++; return []string{obj.GetName()} }}
	x := NewIndexer(Indexers[object]{"first": byLetters})
	if err := errors.Join(x.AddIndexers(middle), x.AddIndexers(Indexers[object]{"letters": byLetters})); err != nil {
		t.Fatal(err)
	}
	m := model{}
	both := func(d deltafifo.Delta) {
		machineOf(x).Apply([]deltafifo.Delta{d})
		m.apply([]deltafifo.Delta{d})
	}
	both(deltafifo.Delta{Type: deltafifo.Added, Item: stated(version("changed", "1", "", "x"))})
	both(deltafifo.Delta{Type: deltafifo.Added, Item: stated(version("gone", "1", "", "xy"))})
	x.RemoveIndexers("middle", "unknown", NamespaceIndex)
	calls = 0
	both(deltafifo.Delta{Type: deltafifo.Updated, Item: stated(version("changed", "2", "", "yz"))})
	both(deltafifo.Delta{Type: deltafifo.Deleted, Item: stated(version("gone", "2", "", ""))})
	both(deltafifo.Delta{Type: deltafifo.Added, Item: stated(version("new", "3", "", "z"))})
	compare(t, x, m)
	if _, err := x.ByIndex("middle", "changed"); !errors.Is(err, ErrNoIndex) || calls != 0 {
		t.Errorf("after the removal: %v, and %d calls", err, calls)
	}
	if objs, err := x.ByIndex(NamespaceIndex, x.List()[0].GetNamespace()); err != nil || len(objs) == 0 {
		t.Errorf("by namespace: %v, %v", objs, err)
	}
	if err := x.AddIndexers(middle); err != nil {
		t.Fatal(err)
	}
	if objs, err := x.ByIndex("middle", "changed"); err != nil || len(objs) != 1 {
		t.Errorf("after it was added again: %v, %v", objs, err)
	}
}
