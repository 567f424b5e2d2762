package indexer_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

type object = cachetest.Object

// cache is an Indexer with typed reads.
type cache struct{ *indexer.Indexer }

func newCache(functions ...indexer.Function) cache {
	x := indexer.New(store.FormOf[object]())
	if err := x.AddIndexes(functions...); err != nil {
		panic(err)
	}
	return cache{x}
}

// letters is the index "letters".
var letters = function("letters", cachetest.ByLetters)

// function returns an index function of typed objects.
func function(name string, values func(object) []string) indexer.Function {
	return indexer.Function{Name: name, Values: func(obj wire.Object) []string { return values(obj.(object)) }}
}

func (x cache) List() []object { return store.Typed[object](x.Indexer.List()) }

func (x cache) All() iter.Seq[object] { return typed(x.Indexer.All().Each()) }

func (x cache) AllByIndex(index, value string) iter.Seq[object] {
	return typed(x.Indexer.AllByIndex(index, value).EachSlot())
}

func typed(objs iter.Seq[wire.Object]) iter.Seq[object] {
	return func(yield func(object) bool) {
		for obj := range objs {
			if !yield(obj.(object)) {
				return
			}
		}
	}
}

func (x cache) Get(name cachetest.Name) (object, bool) {
	found, ok := x.Indexer.Get(name)
	obj, _ := found.(object)
	return obj, ok
}

func (x cache) ByIndex(index, value string) ([]object, error) {
	objs, err := x.Indexer.ByIndex(index, value)
	return store.Typed[object](objs), err
}

func (x cache) Names(namespace, index, value string) (names []cachetest.Name, err error) {
	objs, err := x.Indexer.ByIndex(index, value)
	if namespace != "" {
		objs, err = x.ByIndexIn(namespace, index, value)
	}
	for _, obj := range store.Typed[object](objs) {
		names = append(names, cachetest.NameOf(obj))
	}
	return names, err
}

// held returns the object of a name, and its content hash.
func (x cache) held(name cachetest.Name) (obj object, contentHash uint64, ok bool) {
	found, contentHash, ok := x.Held(name.Namespace, name.Name)
	obj, _ = found.(object)
	return obj, contentHash, ok
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
		x := newCache(letters)
		if late {
			x = newCache()
		}
		if together&8 != 0 {
			x.KeepHashes()
		}
		m := cachetest.Model{}
		texts := texts{}
		known := map[cachetest.Name]object{} // as handlers are told
		var deltas []deltafifo.Delta
		for version := 0; len(script) >= 2; version++ {
			deltas = append(deltas, deltaOf(script[0], script[1], version, m, texts))
			script = script[2:]
			m.Apply(deltas[len(deltas)-1:])
			if len(deltas) <= int(together%8) && len(script) >= 2 {
				continue
			}
			notes := x.Apply(deltas)
			for _, n := range notes {
				cachetest.Hear(t, known, n)
			}
			if len(deltas) == 1 && deltas[0].Type == deltafifo.Replaced {
				checkNet(t, notes)
			}
			texts.check(t, x)
			if err := x.Check(); err != nil || x.Len() != len(m) {
				t.Fatalf("there are %d objects, want %d, %v", x.Len(), len(m), err)
			}
			deltas = nil
			if late && version == 2 {
				if err := x.AddIndexes(letters); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !maps.Equal(known, map[cachetest.Name]object(m)) {
			t.Errorf("a handler believes %v, the truth is %v", known, m)
		}
		if late {
			_ = x.AddIndexes(letters) // if the script was short
		}
		cachetest.Compare(t, x, m)
	})
}

func deltaOf(what, letters byte, version int, m cachetest.Model, texts texts) deltafifo.Delta {
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
		return deltafifo.Delta{Type: deltafifo.Deleted, Item: cachetest.WireItem(obj)}
	}
	objs := []object{obj}
	if what&0x10 != 0 { // twice, and the last one may be what is cached
		if was := m[cachetest.NameOf(obj)]; was != nil {
			objs = append(objs, was.DeepCopy())
		} else {
			obj = obj.DeepCopy()
			obj.UID, obj.Labels["letters"] = types.UID(fmt.Sprint(letters>>6&1)), "z"
			objs = append(objs, obj)
		}
	}
	for name, old := range m { // what is listed again: some unchanged, some changed, some gone
		if name == cachetest.NameOf(obj) {
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
	all := &deltafifo.Collection{Items: cachetest.WireItems(objs...)}
	for i, obj := range objs {
		all.Items[i].ContentHash = texts.of(obj, form)
	}
	return deltafifo.Delta{Type: deltafifo.Replaced, Collection: all}
}

// checkNet checks that the notifications of one relist have each object once, or twice if
// it ended and was born again.
func checkNet(t *testing.T, notes []processor.Notification) {
	t.Helper()
	seen := map[cachetest.Name]processor.Kind{}
	for _, n := range notes {
		name := cachetest.NameOf(n.Obj)
		if before, twice := seen[name]; twice && (before != processor.Delete || n.Kind != processor.Add) {
			t.Errorf("of %v a relist tells %v after %v", name, n.Kind, before)
		}
		if n.Kind == processor.Update && n.Old == n.Obj {
			t.Errorf("of %v a relist tells an update to itself", name)
		}
		seen[name] = n.Kind
	}
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
func (all texts) check(t *testing.T, x cache) {
	t.Helper()
	for obj := range x.All() {
		held, hash, ok := x.held(cachetest.NameOf(obj))
		if !ok || held != obj || hash != 0 && !reflect.DeepEqual(all[hash], obj) {
			t.Errorf("held is %v, %v, made of %v, want %v", held, ok, all[hash], obj)
		}
	}
}

// TestIndexerReadsAreOfOneMoment writes pairs of objects in one step and looks
// for a half.
func TestIndexerReadsAreOfOneMoment(t *testing.T) {
	x := newCache(letters)
	pair := func(version int) []deltafifo.Delta {
		var d []deltafifo.Delta
		for _, name := range []string{"left", "right"} {
			d = append(d, deltafifo.Delta{Type: deltafifo.Updated, Item: cachetest.WireItem(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
				Namespace: "a", Name: name, ResourceVersion: fmt.Sprint(version), Labels: map[string]string{"letters": "x"},
			}})})
		}
		return d
	}
	x.Apply(pair(0))
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !stop.Load() {
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
		x.Apply(pair(version))
	}
	stop.Store(true)
	readers.Wait()
}

// TestDeletedOfAnotherUID has the end of an object of the same name come late.
func TestDeletedOfAnotherUID(t *testing.T) {
	for name, test := range map[string]struct {
		deleted object
		remains bool
	}{
		"of its predecessor": {cachetest.Versioned("w", "5", "old", ""), true},
		"of a successor":     {cachetest.Versioned("w", "12", "next", ""), false},
		"of its own":         {cachetest.Versioned("w", "5", "this", ""), false},
		"without a UID":      {cachetest.Versioned("w", "5", "", ""), false},
		"without a version":  {cachetest.Versioned("w", "", "next", ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			x := newCache()
			cached := cachetest.Versioned("w", "9", "this", "")
			x.Put(cached)
			notes := x.Apply([]deltafifo.Delta{{Type: deltafifo.Deleted, Item: cachetest.WireItem(test.deleted)}})
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
	x, m := newCache(), cachetest.Model{}
	both := func(d deltafifo.Delta) {
		x.Apply([]deltafifo.Delta{d})
		m.Apply([]deltafifo.Delta{d})
	}
	both(deltafifo.Delta{Type: deltafifo.Added, Item: cachetest.WireItem(cachetest.Versioned("changed", "1", "", "x"))})
	both(deltafifo.Delta{Type: deltafifo.Added, Item: cachetest.WireItem(cachetest.Versioned("gone", "1", "", "xy"))})
	if err := x.AddIndexes(function("letters", func(obj object) []string {
		_ = x.Len() // a reader does not wait for an index function
		return cachetest.ByLetters(obj)
	})); err != nil {
		t.Fatal(err)
	}
	both(deltafifo.Delta{Type: deltafifo.Updated, Item: cachetest.WireItem(cachetest.Versioned("changed", "2", "", "yz"))})
	both(deltafifo.Delta{Type: deltafifo.Deleted, Item: cachetest.WireItem(cachetest.Versioned("gone", "2", "", ""))})
	both(deltafifo.Delta{Type: deltafifo.Added, Item: cachetest.WireItem(cachetest.Versioned("new", "3", "", "z"))})
	cachetest.Compare(t, x, m)
}

// TestIndexerRemovesAnIndex removes an index between two others, and adds it again.
func TestIndexerRemovesAnIndex(t *testing.T) {
	calls := 0
	middle := function("middle", func(obj object) []string { calls++; return []string{obj.GetName()} })
	x, m := newCache(function("first", cachetest.ByLetters), middle, letters), cachetest.Model{}
	both := func(d deltafifo.Delta) {
		x.Apply([]deltafifo.Delta{d})
		m.Apply([]deltafifo.Delta{d})
	}
	both(deltafifo.Delta{Type: deltafifo.Added, Item: cachetest.WireItem(cachetest.Versioned("changed", "1", "", "x"))})
	both(deltafifo.Delta{Type: deltafifo.Added, Item: cachetest.WireItem(cachetest.Versioned("gone", "1", "", "xy"))})
	x.RemoveIndexes("middle", "unknown", indexer.NamespaceIndex)
	calls = 0
	both(deltafifo.Delta{Type: deltafifo.Updated, Item: cachetest.WireItem(cachetest.Versioned("changed", "2", "", "yz"))})
	both(deltafifo.Delta{Type: deltafifo.Deleted, Item: cachetest.WireItem(cachetest.Versioned("gone", "2", "", ""))})
	both(deltafifo.Delta{Type: deltafifo.Added, Item: cachetest.WireItem(cachetest.Versioned("new", "3", "", "z"))})
	cachetest.Compare(t, x, m)
	if _, err := x.ByIndex("middle", "changed"); !errors.Is(err, indexer.ErrNoIndex) || calls != 0 {
		t.Errorf("after the removal: %v, and %d calls", err, calls)
	}
	if objs, err := x.ByIndex(indexer.NamespaceIndex, x.List()[0].GetNamespace()); err != nil || len(objs) == 0 {
		t.Errorf("by namespace: %v, %v", objs, err)
	}
	if err := x.AddIndexes(middle); err != nil {
		t.Fatal(err)
	}
	if objs, err := x.ByIndex("middle", "changed"); err != nil || len(objs) != 1 {
		t.Errorf("after it was added again: %v, %v", objs, err)
	}
}
