package clientgo

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// byColors has up to three values, with duplicates.
func byColors(obj any) ([]string, error) {
	return strings.Fields(obj.(metav1.Object).GetLabels()["color"]), nil
}

// TestIndexerIsThatOfClientGo writes the same to an adapter and to client-go's own indexer, and
// compares all reads.
func TestIndexerIsThatOfClientGo(t *testing.T) {
	indexers := toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc, "colors": byColors}
	ours, theirs := Indexer(cache.NewIndexer[object](nil)), toolscache.NewIndexer(toolscache.DeletionHandlingMetaNamespaceKeyFunc, maps.Clone(indexers))
	if err := ours.AddIndexers(indexers); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	keys := []string{"w", "v", "a/w", "a/v", "b/w", "b/u"}
	colors := []string{"", "red", "red blue", "blue red red", "green"}
	newRandom := func(version int) object {
		obj := newObject(keys[random.IntN(len(keys))], colors[random.IntN(len(colors))])
		obj.ResourceVersion = fmt.Sprint(version)
		return obj
	}
	for i := range 2_000 {
		obj := newRandom(i)
		var write func(toolscache.Indexer) error
		switch random.IntN(10) {
		case 0, 1, 2:
			write = func(x toolscache.Indexer) error { return x.Add(obj) }
		case 3, 4:
			write = func(x toolscache.Indexer) error { return x.Update(obj) }
		case 5, 6:
			write = func(x toolscache.Indexer) error { return x.Delete(obj) }
		case 7:
			write = func(x toolscache.Indexer) error {
				return x.Delete(toolscache.DeletedFinalStateUnknown{Key: cache.MetaNamespaceKeyFunc(obj)})
			}
		case 8:
			list := []any{obj, newRandom(i), newRandom(i)}
			write = func(x toolscache.Indexer) error { return x.Replace(slices.Clone(list), fmt.Sprint(i)) }
		case 9:
			write = func(x toolscache.Indexer) error { bookmark(x, fmt.Sprint(i)); return x.Resync() }
		}
		if err := errors.Join(write(ours), write(theirs)); err != nil {
			t.Fatal(err)
		}
		if got, want := readAll(ours, obj), readAll(theirs, obj); !slices.Equal(got, want) {
			t.Fatalf("after write %d:\ngot  %q\nwant %q", i, got, want)
		}
	}
}

// readAll returns the results of all reads of x, of which some are about obj.
func readAll(x toolscache.Indexer, obj object) (lines []string) {
	add := func(what string, result ...any) {
		lines = append(lines, what+": "+strings.TrimSpace(fmt.Sprintln(result...)))
	}
	lists := func(what string, objs []any, err error) {
		var all []string
		for _, obj := range objs {
			all = append(all, fmt.Sprintf("%s@%p", describe(obj), obj))
		}
		slices.Sort(all)
		add(what, all, objs == nil, err)
	}
	lists("list", x.List(), nil)
	add("keys", slices.Sorted(slices.Values(x.ListKeys())))
	for _, value := range []string{"red", "blue", "green", ""} {
		objs, err := x.ByIndex("colors", value)
		lists("by color "+value, objs, err)
		keys, err := x.IndexKeys("colors", value)
		add("keys of color "+value, keys, err)
	}
	for _, name := range []string{"colors", toolscache.NamespaceIndex, "other"} {
		objs, err := x.Index(name, obj)
		lists("index "+name, objs, nil)
		add("index "+name, err != nil)
		add("values of "+name, slices.Sorted(slices.Values(x.ListIndexFuncValues(name))))
	}
	objs, err := x.Index(toolscache.NamespaceIndex, &metav1.ObjectMeta{Namespace: "b"})
	lists("index of another type", objs, err)
	_, err = x.ByIndex("other", "")
	add("by another index", err != nil)
	_, err = x.IndexKeys("other", "")
	add("keys of another index", err != nil)
	for _, key := range []string{"w", "a/w", "b/u", "", "/", "/w", "a/", "a/b/w"} {
		item, exists, err := x.GetByKey(key)
		add("key "+key, describe(item), exists, err)
	}
	for _, about := range []any{obj, &obj.ObjectMeta, toolscache.ExplicitKey("a/w"), toolscache.DeletedFinalStateUnknown{Key: "b/u"}} {
		item, exists, err := x.Get(about)
		add(fmt.Sprintf("get by a %T", about), describe(item), exists, err)
	}
	_, _, err = x.Get("a string")
	keyError := toolscache.KeyError{}
	add("get by a string", errors.As(err, &keyError))
	add("indexers", slices.Sorted(maps.Keys(x.GetIndexers())))
	if _, has := toolscache.NewStore(toolscache.MetaNamespaceKeyFunc).(interface{ Bookmark(string) }); has {
		add("version", versionOf(x))
	}
	return lines
}

// TestRefusedIndexes adds indexes that cannot be added.
func TestRefusedIndexes(t *testing.T) {
	core := cache.NewIndexer(cache.Indexers[object]{"typed": func(obj object) []string { return []string{obj.Labels["color"]} }})
	x := Indexer(core)
	for want, indexers := range map[string]toolscache.Indexers{
		`indexer conflict: index "typed" already exists`:    {"typed": byColor, "fresh": byColor},
		`cannot add index "none": it has no function`:       {"none": nil},
		`cannot add index "namespace": there is one of tha`: {toolscache.NamespaceIndex: byColor},
	} {
		if err := x.AddIndexers(indexers); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if names := slices.Sorted(maps.Keys(x.GetIndexers())); !slices.Equal(names, []string{"namespace", "typed"}) {
		t.Errorf("the indexes are %q", names)
	}
	// The index that exists already is read with its typed function.
	if err := x.Add(newObject("a/w", "red")); err != nil {
		t.Fatal(err)
	}
	if objs, err := x.Index("typed", newObject("b/v", "red")); err != nil || len(objs) != 1 {
		t.Errorf("the index has %v: %v", objs, err)
	}
	if _, err := x.Index("typed", "a string"); err == nil {
		t.Error("the index of a string was read")
	}
}

func TestIndexFunctionFails(t *testing.T) {
	x := Indexer(cache.NewIndexer[object](nil))
	if err := x.AddIndexers(toolscache.Indexers{"fails": func(any) ([]string, error) { return nil, errors.New("no color") }}); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Index("fails", newObject("a/w", "")); err == nil || err.Error() != "no color" {
		t.Errorf("Index returned %v", err)
	}
	defer func() {
		const want = `unable to calculate an index entry for key "a/w" on index "fails": no color`
		if value := fmt.Sprint(recover()); !strings.Contains(value, want) {
			t.Errorf("the panic is %q", value)
		}
	}()
	_ = x.Add(newObject("a/w", ""))
	t.Error("there is no panic")
}

func TestWritesOfAnotherType(t *testing.T) {
	x := Indexer(cache.NewIndexer[object](nil))
	other := &metav1.ObjectMeta{Name: "w"}
	for name, err := range map[string]error{"Add": x.Add(other), "Update": x.Update(other), "Replace": x.Replace([]any{other}, ""), "Delete": x.Delete("w")} {
		var keyError toolscache.KeyError
		if !errors.As(err, &keyError) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReadsAfterStop returns the error of an informer that was stopped by Stop.
func TestReadsAfterStop(t *testing.T) {
	core := newInformer(newSource(t))
	x := SharedIndexInformer(core).GetIndexer()
	core.Stop()
	if _, _, err := x.GetByKey("a/w"); !errors.Is(err, cache.ErrStopped) {
		t.Errorf("GetByKey: %v", err)
	}
	if _, err := x.ByIndex(toolscache.NamespaceIndex, "a"); !errors.Is(err, cache.ErrStopped) {
		t.Errorf("ByIndex: %v", err)
	}
	if _, err := GenericLister(core).List(nil); !errors.Is(err, cache.ErrStopped) {
		t.Errorf("List: %v", err)
	}
	if _, err := GenericLister(core).Get("a/w"); !errors.Is(err, cache.ErrStopped) {
		t.Errorf("Get: %v", err)
	}
}

func TestParseKey(t *testing.T) {
	for key, want := range map[string]string{
		"w": "w", "a/w": "a/w", "": "none", "/": "none", "/w": "none", "a/": "none", "a/b/w": "none", "a//": "none",
	} {
		name, ok := parseKey(key)
		if got := name.String(); ok && got != want || ok == (want == "none") {
			t.Errorf("%q is %q, %v", key, got, ok)
		}
		if _, err := cache.ParseObjectName(key); (err == nil) != ok {
			t.Errorf("cache.ParseObjectName(%q) returns %v", key, err)
		}
	}
}

// TestVersionWithoutAServer seeds the cache of an informer that is not run.
func TestVersionWithoutAServer(t *testing.T) {
	store := SharedIndexInformer(newInformer(newSource(t))).GetStore()
	obj := newObject("a/w", "red")
	obj.ResourceVersion = "7"
	if err := store.Add(obj); err != nil {
		t.Fatal(err)
	}
	if got := versionOf(store); got != "7" {
		t.Errorf("the version is %q, want 7", got)
	}
}
