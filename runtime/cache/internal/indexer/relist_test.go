package indexer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// listedAs is a Replaced of objects that have these content hashes.
func listedAs(hashes []uint64, objs ...object) []deltafifo.Delta {
	all := deltafifo.Collection{Items: cachetest.WireItems(objs...)}
	for i, hash := range hashes[:min(len(hashes), len(objs))] {
		all.Items[i].ContentHash = hash
	}
	return []deltafifo.Delta{{Type: deltafifo.Replaced, Collection: &all}}
}

// inShort are notifications with their versions and letters.
func inShort(notes []processor.Notification) (short []string) {
	say := func(obj object) string {
		return fmt.Sprint(obj.Name, "@", obj.ResourceVersion, obj.Labels["letters"])
	}
	for _, n := range notes {
		switch n.Kind {
		case processor.Add:
			short = append(short, "add "+say(n.Obj.(object)))
		case processor.Update:
			short = append(short, "update "+say(n.Old.(object))+"->"+say(n.Obj.(object)))
		case processor.Delete:
			short = append(short, "delete "+say(n.Obj.(object)))
		}
	}
	return short
}

func withKind(obj object) object {
	obj.TypeMeta = metav1.TypeMeta{Kind: "Widget", APIVersion: "test.example.com/v1"}
	return obj
}

func TestIndexerDistinguishesStates(t *testing.T) {
	old := func() object { return cachetest.Versioned("w", "1", "u", "x") }
	for name, test := range map[string]struct {
		old, listed      object
		oldHash, newHash uint64
		want             []string
		wantHash         uint64
	}{
		"the same state":             {old: old(), listed: old()},
		"of the same text":           {old: old(), listed: old(), oldHash: 5, newHash: 5, wantHash: 5},
		"of another text":            {old: old(), listed: old(), oldHash: 5, newHash: 6, wantHash: 6},
		"of a text now known":        {old: old(), listed: old(), newHash: 6, wantHash: 6},
		"of a text not known":        {old: old(), listed: old(), oldHash: 5, wantHash: 5},
		"with its kind":              {old: old(), listed: withKind(old())},
		"without its kind":           {old: withKind(old()), listed: old()},
		"no version, as of a fake":   {old: cachetest.Versioned("w", "", "", "x"), listed: cachetest.Versioned("w", "", "", "x")},
		"no version, other content":  {old: cachetest.Versioned("w", "", "", "x"), listed: cachetest.Versioned("w", "", "", "y"), want: []string{"update w@x->w@y"}},
		"another version":            {old: old(), listed: cachetest.Versioned("w", "2", "u", "x"), oldHash: 5, newHash: 6, want: []string{"update w@1x->w@2x"}, wantHash: 6},
		"other content":              {old: old(), listed: cachetest.Versioned("w", "1", "u", "y"), want: []string{"update w@1x->w@1y"}},
		"other content, by its hash": {old: old(), listed: cachetest.Versioned("w", "1", "u", "y"), oldHash: 5, newHash: 6, want: []string{"update w@1x->w@1y"}, wantHash: 6},
		"other content, no hash":     {old: old(), listed: cachetest.Versioned("w", "1", "u", "y"), oldHash: 5, want: []string{"update w@1x->w@1y"}},
		"other content and kind":     {old: old(), listed: withKind(cachetest.Versioned("w", "1", "u", "y")), want: []string{"update w@1x->w@1y"}},
		"another object, by chance":  {old: old(), listed: cachetest.Versioned("w", "1", "v", "x"), oldHash: 5, newHash: 5, want: []string{"delete w@1x", "add w@1x"}, wantHash: 5},
	} {
		t.Run(name, func(t *testing.T) {
			x := newCache(letters)
			x.KeepHashes()
			x.Apply([]deltafifo.Delta{{Type: deltafifo.Added, Item: wire.Item{Object: test.old, ContentHash: test.oldHash}}})
			kind := test.listed.TypeMeta
			got := inShort(x.Apply(listedAs([]uint64{test.newHash}, test.listed)))
			if !slices.Equal(got, test.want) {
				t.Errorf("the notifications are %q, want %q", got, test.want)
			}
			want := test.listed
			if len(test.want) == 0 {
				want = test.old
			}
			obj, hash, _ := x.held(cachetest.Name{Name: "w"})
			if obj != want || hash != test.wantHash {
				t.Errorf("cached is %v with the hash %d, want %v with %d", obj, hash, want, test.wantHash)
			}
			letters := test.listed.Labels["letters"]
			if indexed, err := x.ByIndex("letters", letters); err != nil || !slices.Equal(indexed, []object{want}) {
				t.Errorf("the index has %v under %s, %v", indexed, letters, err)
			}
			if test.listed.TypeMeta != kind {
				t.Errorf("the kind of what is listed is %v, was %v", test.listed.TypeMeta, kind)
			}
		})
	}
}

// TestRelistDecidesByWhatIsCached has a collection with an object that the decoder took
// from the cache, before other deltas were applied.
func TestRelistDecidesByWhatIsCached(t *testing.T) {
	x := newCache()
	x.KeepHashes()
	held, later := cachetest.Versioned("w", "1", "u", "x"), cachetest.Versioned("w", "1", "u", "y")
	got := inShort(x.Apply([]deltafifo.Delta{
		{Type: deltafifo.Added, Item: wire.Item{Object: held, ContentHash: 5}},
		{Type: deltafifo.Updated, Item: wire.Item{Object: later, ContentHash: 6}},
		listedAs([]uint64{5}, held)[0],
		listedAs([]uint64{5}, held)[0],
	}))
	if want := []string{"add w@1x", "update w@1x->w@1y", "update w@1y->w@1x"}; !slices.Equal(got, want) {
		t.Errorf("the notifications are %q, want %q", got, want)
	}
	if obj, hash, _ := x.held(cachetest.Name{Name: "w"}); obj != held || hash != 5 {
		t.Errorf("cached is %v with the hash %d", obj, hash)
	}
}

// TestRelistOfCachedObjects has collections of objects that the decoder took from the cache,
// in the order of their slots and in others.
func TestRelistOfCachedObjects(t *testing.T) {
	all := []object{cachetest.Versioned("a", "1", "u1", "x"), cachetest.Versioned("b", "2", "u2", "x"), cachetest.Versioned("c", "3", "u3", "x"), cachetest.Versioned("d", "4", "u4", "x")}
	hashes := []uint64{11, 12, 13, 14}
	for _, test := range []struct {
		listed []int
		want   []string
	}{
		{[]int{0, 1, 2, 3}, nil},
		{[]int{3, 2, 1, 0}, nil},
		{[]int{0, 0, 1, 2, 2, 3, 3}, nil},
		{[]int{0, 1, 2, 3, 0, 1, 2, 3}, nil},
		{[]int{0, 1, 3}, []string{"delete c@3x"}},
		{[]int{2, 3, 1}, []string{"delete a@1x"}},
		{[]int{0, 1, 2}, []string{"delete d@4x"}},
		{nil, []string{"delete d@4x", "delete c@3x", "delete b@2x", "delete a@1x"}},
	} {
		x := newCache()
		x.KeepHashes()
		x.Apply(listedAs(hashes, all...))
		var listed []object
		var listedHashes []uint64
		for _, i := range test.listed {
			listed, listedHashes = append(listed, all[i]), append(listedHashes, hashes[i])
		}
		if got := inShort(x.Apply(listedAs(listedHashes, listed...))); !slices.Equal(got, test.want) {
			t.Errorf("%v: the notifications are %q, want %q", test.listed, got, test.want)
		}
		if n := len(all) - len(test.want); x.Len() != n {
			t.Errorf("%v: %d objects are left, want %d", test.listed, x.Len(), n)
		}
		for _, i := range test.listed {
			if obj, hash, _ := x.held(cachetest.NameOf(all[i])); obj != all[i] || hash != hashes[i] {
				t.Errorf("%v: cached is %v with the hash %d", test.listed, obj, hash)
			}
		}
	}
}

func TestRelistOfUntypedObjects(t *testing.T) {
	widget := func(kind, color string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"kind": kind, "apiVersion": "v1",
			"metadata": map[string]any{"name": "w", "resourceVersion": "1"}, "spec": map[string]any{"color": color}}}
	}
	x := indexer.New(store.FormOf[wire.Object]())
	for _, step := range []struct {
		obj  *unstructured.Unstructured
		want int
	}{{widget("Widget", "blue"), 1}, {widget("Widget", "blue"), 0}, {widget("Widget", "red"), 1}, {widget("Other", "red"), 1}} {
		notes := x.Apply([]deltafifo.Delta{{Type: deltafifo.Replaced, Collection: &deltafifo.Collection{Items: []wire.Item{cachetest.WireItem(step.obj)}}}})
		if len(notes) != step.want {
			t.Errorf("%v: %d events, want %d", step.obj, len(notes), step.want)
		}
	}
}

// TestLastOfSeveralStatesCounts lists objects more than once.
func TestLastOfSeveralStatesCounts(t *testing.T) {
	a5, a6, a7, other := cachetest.Versioned("a", "5", "u", ""), cachetest.Versioned("a", "6", "u", ""), cachetest.Versioned("a", "7", "u", ""), cachetest.Versioned("a", "9", "v", "")
	b1, b2, b3 := cachetest.Versioned("b", "1", "w", ""), cachetest.Versioned("b", "2", "w", ""), cachetest.Versioned("b", "3", "x", "")
	again := func(obj object) object { return obj.DeepCopy() } // as it is decoded
	for name, test := range map[string]struct {
		listed []object
		want   []string
		stays  bool
	}{
		"unchanged in the end":              {[]object{a6, again(a5)}, nil, true},
		"unchanged at first":                {[]object{again(a5), a6}, []string{"update a@5->a@6"}, false},
		"unchanged in between":              {[]object{a6, again(a5), a7}, []string{"update a@5->a@7"}, false},
		"unchanged twice":                   {[]object{again(a5), again(a5)}, nil, true},
		"changed twice":                     {[]object{a6, a7}, []string{"update a@5->a@7"}, false},
		"another object of the name":        {[]object{a6, other}, []string{"delete a@5", "add a@9"}, false},
		"another one, and the cached one":   {[]object{other, again(a5)}, nil, true},
		"another one, and a later state":    {[]object{other, a6}, []string{"update a@5->a@6"}, false},
		"new":                               {[]object{again(a5), b1, b2}, []string{"add b@2"}, true},
		"new, and back":                     {[]object{again(a5), b2, b1, b2, b1}, []string{"add b@1"}, true},
		"new, of two objects":               {[]object{again(a5), b1, b3}, []string{"add b@3"}, true},
		"new and cached, one in the others": {[]object{b1, a6, b2, again(a5)}, []string{"add b@2"}, true},
		"new and gone":                      {[]object{b1, b2}, []string{"delete a@5", "add b@2"}, false},
	} {
		for _, hashed := range []bool{false, true} {
			x, m := newCache(letters), cachetest.Model{}
			var hashes []uint64
			if hashed {
				x.KeepHashes()
				for _, obj := range test.listed {
					hashes = append(hashes, uint64(cachetest.VersionOf(obj)))
				}
			}
			deltas := append([]deltafifo.Delta{{Type: deltafifo.Added, Item: wire.Item{Object: a5, ContentHash: 5}}}, listedAs(hashes, test.listed...)...)
			m.Apply(deltas)
			got := inShort(x.Apply(deltas))[1:]
			if !slices.Equal(got, test.want) {
				t.Errorf("%s, hashed %v: the notifications are %q, want %q", name, hashed, got, test.want)
			}
			cachetest.Compare(t, x, m)
			if (m[cachetest.Name{Name: "a"}] == a5) != test.stays {
				t.Errorf("%s, hashed %v: the cached object stays: %v", name, hashed, !test.stays)
			}
			for name, obj := range m {
				if _, hash, _ := x.held(name); hashed && hash != uint64(cachetest.VersionOf(obj)) {
					t.Errorf("%v: the hash is %d", name, hash)
				}
			}
		}
	}
}

// TestRelistOfOneName lists one name many times, as no server does.
func TestRelistOfOneName(t *testing.T) {
	const n = 100_000
	var all []object
	for i := range n {
		all = append(all, cachetest.Versioned("w", fmt.Sprint(i), "u", ""))
	}
	x := newCache()
	for _, want := range [][]string{{fmt.Sprintf("add w@%d", n-1)}, nil} {
		if got := inShort(x.Apply(listedAs(nil, all...))); !slices.Equal(got, want) {
			t.Errorf("there are %d notifications, want %q", len(got), want)
		}
	}
}

// TestHeldDuringWrites reads objects and their hashes while a writer changes, removes and
// lists them: they are of one moment.
func TestHeldDuringWrites(t *testing.T) {
	const n = 300
	x := newCache()
	x.KeepHashes()
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for i := 0; !stop.Load(); i = (i + 1) % n {
				obj, hash, ok := x.held(cachetest.NameOf(cachetest.Many(i, 0, "")))
				if ok && hash != uint64(cachetest.VersionOf(obj)) {
					t.Errorf("%s at version %s has the hash %d", obj.Name, obj.ResourceVersion, hash)
					return
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 9))
	for version := 1; version < 60; version++ {
		var deltas []deltafifo.Delta
		all := &deltafifo.Collection{}
		for i := range n {
			obj := cachetest.Many(i, version, "")
			switch random.IntN(4) {
			case 0:
				deltas = append(deltas, deltafifo.Delta{Type: deltafifo.Deleted, Item: cachetest.WireItem(obj)})
			case 1:
				deltas = append(deltas, deltafifo.Delta{Type: deltafifo.Updated, Item: wire.Item{Object: obj, ContentHash: uint64(version)}})
			case 2:
				all.Items = append(all.Items, wire.Item{Object: obj, ContentHash: uint64(version)})
			}
		}
		if version%3 == 0 {
			deltas = append(deltas, deltafifo.Delta{Type: deltafifo.Replaced, Collection: all})
		}
		x.Apply(deltas)
	}
	stop.Store(true)
	readers.Wait()
}
