package cache

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// byLetters indexes an object under each letter of its label "letters".
func byLetters(obj object) []string {
	return strings.Split(obj.Labels["letters"], "")
}

// model is an Indexer that is so simple that it is right.
type model map[ObjectName]object

func (m model) apply(deltas Deltas[object]) {
	for _, d := range deltas {
		switch d.Type {
		case Added, Updated:
			m[MetaObjectToName(d.Object)] = d.Object
		case Deleted:
			delete(m, MetaObjectToName(d.Object))
		case Replaced:
			old := maps.Clone(m)
			clear(m)
			for _, obj := range d.Collection.Objects {
				m[MetaObjectToName(obj)] = obj
				if was := old[MetaObjectToName(obj)]; was != nil && was.ResourceVersion == obj.ResourceVersion && was.UID == obj.UID {
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
// values.
func FuzzIndexer(f *testing.F) {
	f.Add([]byte("a1b2c3d4"), true, byte(0))
	f.Add([]byte{0, 3, 0, 5, 1, 7, 0x80, 0, 0xc0, 0xff, 0x40, 1}, false, byte(1))
	f.Add([]byte{0xc1, 7, 0, 1, 0xc2, 3, 0x81, 0, 0xc0, 0}, false, byte(0))
	f.Add([]byte{0, 1, 0x40, 1, 0x40, 2, 0x40, 1, 0x40, 0x81, 0x40, 1, 0x80, 0, 0x40, 1}, false, byte(7))
	f.Fuzz(func(t *testing.T, script []byte, late bool, together byte) {
		indexers := Indexers[object]{"letters": byLetters}
		x := NewIndexer(indexers)
		if late {
			x = NewIndexer[object](nil)
		}
		m := model{}
		known := map[ObjectName]object{} // as handlers are told
		var deltas Deltas[object]
		for version := 0; len(script) >= 2; version++ {
			deltas = append(deltas, deltaOf(script[0], script[1], version, m))
			script = script[2:]
			m.apply(deltas[len(deltas)-1:])
			if len(deltas) <= int(together%8) && len(script) >= 2 {
				continue
			}
			for _, n := range x.apply(deltas) {
				hear(t, known, n)
			}
			checkNames(t, &x.names, len(m))
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

func deltaOf(what, letters byte, version int, m model) Delta[object] {
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace:       string('a' + rune(what>>3&1)),
		Name:            string('a' + rune(what&7)),
		UID:             types.UID(fmt.Sprint(letters >> 7)),
		ResourceVersion: fmt.Sprint(version),
		Labels:          map[string]string{"letters": "xyz"[:letters&3]},
	}}
	switch what >> 6 {
	case 0:
		return Delta[object]{Type: Added, Object: obj}
	case 1:
		return Delta[object]{Type: Updated, Object: obj}
	case 2:
		return Delta[object]{Type: Deleted, Object: obj}
	}
	objs := []object{obj}
	for name, old := range m { // what is listed again: some unchanged, some changed, some gone
		switch {
		case name == MetaObjectToName(obj):
		case letters&4 != 0 && name.Name < "d":
			objs = append(objs, old.DeepCopy())
		case letters&8 != 0 && name.Name >= "d":
			changed := old.DeepCopy()
			changed.ResourceVersion = fmt.Sprint(version)
			objs = append(objs, changed)
		}
	}
	return Delta[object]{Type: Replaced, Collection: &Collection[object]{Objects: objs}}
}

// hear checks that a notification is legal after all before it.
func hear(t *testing.T, known map[ObjectName]object, n notification[object]) {
	t.Helper()
	name := MetaObjectToName(n.obj)
	was := known[name]
	switch n.kind {
	case notifyAdd:
		if was != nil {
			t.Errorf("add of %v, which is known", name)
		}
		known[name] = n.obj
	case notifyUpdate:
		if was == nil || was != n.old || was.UID != n.obj.UID {
			t.Errorf("update of %v from %v, known is %v", name, n.old, was)
		}
		known[name] = n.obj
	case notifyDelete:
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
		if got, ok := x.Get(name); !ok || got != want {
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
			if has := slices.Contains(x.ListIndexFuncValues(index), value); has != (len(got) > 0) {
				t.Errorf("index %s lists the value %q: %v, but has %d objects under it", index, value, has, len(got))
			}
		}
	}
}

func TestIndexerSaysWhichIndexesThereAre(t *testing.T) {
	x := NewIndexer(Indexers[object]{"letters": byLetters})
	_, err := x.ByIndex("leters", "x")
	if !errors.Is(err, ErrNoIndex) || !strings.Contains(err.Error(), `"leters" is not one of ["letters" "namespace"]`) {
		t.Errorf("error is %v", err)
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
	pair := func(version int) Deltas[object] {
		var d Deltas[object]
		for _, name := range []string{"left", "right"} {
			d = append(d, Delta[object]{Type: Updated, Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
				Namespace: "a", Name: name, ResourceVersion: fmt.Sprint(version), Labels: map[string]string{"letters": "x"},
			}}})
		}
		return d
	}
	x.apply(pair(0))
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
		x.apply(pair(version))
	}
	close(stop)
	readers.Wait()
}

func version(name, version, uid, letters string) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version,
		UID: types.UID(uid), Labels: map[string]string{"letters": letters}}}
}

func TestIndexerGetsAnIndexLate(t *testing.T) {
	x, m := NewIndexer[object](nil), model{}
	both := func(d Delta[object]) {
		x.apply(Deltas[object]{d})
		m.apply(Deltas[object]{d})
	}
	both(Delta[object]{Type: Added, Object: version("changed", "1", "", "x")})
	both(Delta[object]{Type: Added, Object: version("gone", "1", "", "xy")})
	if err := x.AddIndexers(Indexers[object]{"letters": func(obj object) []string {
		_ = x.Len() // a reader does not wait for an index function
		return byLetters(obj)
	}}); err != nil {
		t.Fatal(err)
	}
	both(Delta[object]{Type: Updated, Object: version("changed", "2", "", "yz")})
	both(Delta[object]{Type: Deleted, Object: version("gone", "2", "", "")})
	both(Delta[object]{Type: Added, Object: version("new", "3", "", "z")})
	compare(t, x, m)
}

func TestIndexerTellsStatesApart(t *testing.T) {
	for name, test := range map[string]struct {
		old, listed object
		want        []notificationKind
	}{
		"the same state":            {version("w", "1", "u", ""), version("w", "1", "u", ""), nil},
		"another version":           {version("w", "1", "u", ""), version("w", "2", "u", ""), []notificationKind{notifyUpdate}},
		"no version, as of a fake":  {version("w", "", "u", ""), version("w", "", "u", ""), []notificationKind{notifyUpdate}},
		"another object, by chance": {version("w", "1", "u", ""), version("w", "1", "v", ""), []notificationKind{notifyDelete, notifyAdd}},
	} {
		t.Run(name, func(t *testing.T) {
			x := NewIndexer[object](nil)
			x.Add(test.old)
			var got []notificationKind
			for _, n := range x.apply(Deltas[object]{{Type: Replaced, Collection: &Collection[object]{Objects: []object{test.listed}}}}) {
				got = append(got, n.kind)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("told are %v, want %v", got, test.want)
			}
		})
	}
}
