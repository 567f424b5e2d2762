package cachetest

import (
	"cmp"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/typedinformers/informer-gen/internal/packing/packingtest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// Model is a cache with an index "letters" that is so simple that it is right.
type Model map[Name]Object

// Apply applies deltas.
func (m Model) Apply(deltas []deltafifo.Delta) {
	for _, d := range deltas {
		switch d.Type {
		case deltafifo.Added, deltafifo.Updated:
			m[NameOf(d.Object)] = d.Object.(Object)
		case deltafifo.Deleted:
			delete(m, NameOf(d.Object))
		case deltafifo.Replaced:
			old := maps.Clone(m)
			clear(m)
			for _, item := range d.Collection.Items {
				obj := item.Object.(Object)
				m[NameOf(obj)] = obj
				if was := old[NameOf(obj)]; was != nil && reflect.DeepEqual(was, obj) {
					m[NameOf(obj)] = was
				}
			}
		}
	}
}

// Names returns the sorted names of the objects of which a function returns a value. namespace is empty for all namespaces.
func (m Model) Names(namespace string, values func(Object) []string, value string) []Name {
	var names []Name
	for name, obj := range m {
		if (namespace == "" || namespace == name.Namespace) && slices.Contains(values(obj), value) {
			names = append(names, name)
		}
	}
	return Sorted(names)
}

// Sorted sorts names.
func Sorted(names []Name) []Name {
	slices.SortFunc(names, func(a, b Name) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return names
}

// Cache has the reads of a cache that Compare compares.
type Cache interface {
	Len() int
	List() []Object
	All() iter.Seq[Object]
	Get(name Name) (Object, bool)
	// Names returns the names of objects that an index has under value. namespace is empty for all namespaces.
	Names(namespace, index, value string) ([]Name, error)
	// Values returns the values of an index.
	Values(index string) []string
}

// Compare compares a cache with a Model.
func Compare(t *testing.T, x Cache, m Model) {
	t.Helper()
	if x.Len() != len(m) || len(x.List()) != len(m) || len(slices.Collect(x.All())) != len(m) {
		t.Errorf("there are %d, %d, %d objects, want %d", x.Len(), len(x.List()), len(slices.Collect(x.All())), len(m))
	}
	for name, want := range m {
		if got, ok := x.Get(name); !ok || !packingtest.IsState(got, want) {
			t.Errorf("Get(%v) = %v, %v, want %v", name, got, ok, want)
		}
	}
	for index, values := range map[string]func(Object) []string{
		"letters":              ByLetters,
		indexer.NamespaceIndex: func(obj Object) []string { return []string{obj.Namespace} },
	} {
		for _, value := range []string{"x", "y", "z", "a", "b", ""} {
			for _, namespace := range []string{"", "a", "b", "absent"} {
				got, err := x.Names(namespace, index, value)
				if err != nil {
					t.Fatal(err)
				}
				if want := m.Names(namespace, values, value); !slices.Equal(Sorted(got), want) {
					t.Errorf("namespace %q has %v under %q of index %s, want %v", namespace, got, value, index, want)
				}
			}
			has, hasValue := slices.Contains(x.Values(index), value), len(m.Names("", values, value)) > 0
			if has != hasValue {
				t.Errorf("index %s lists the value %q: %v, and has objects under it: %v", index, value, has, hasValue)
			}
		}
	}
}

// Hear checks that a notification is legal after those that known is from, and adds it. N is Name or a type like it.
func Hear[N ~Name](t *testing.T, known map[N]Object, n processor.Notification) {
	t.Helper()
	name := N(NameOf(n.Obj))
	was := known[name]
	switch n.Kind {
	case processor.Add:
		if was != nil {
			t.Errorf("add of %v, which is known", name)
		}
		known[name] = n.Obj.(Object)
	case processor.Update:
		if was == nil || !packingtest.IsState(n.Old, was) || was.UID != n.Obj.GetUID() {
			t.Errorf("update of %v from %v, known is %v", name, n.Old, was)
		}
		known[name] = n.Obj.(Object)
	case processor.Delete:
		if was == nil {
			t.Errorf("delete of %v, which is not known", name)
		}
		delete(known, name)
	}
}
