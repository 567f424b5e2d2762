package packed_test

import (
	"context"
	"fmt"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/internal/leaks"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/packed"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// run runs the informer until the end of the test, and waits for its first list.
func (w *world) run() { w.runIn(w.Context()) }

// runIn is run with a context.
func (w *world) runIn(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.informer.Run(ctx)
	}()
	w.Cleanup(func() {
		cancel()
		<-done
	})
	synctest.Wait()
	if !w.informer.HasSynced() {
		w.Fatal(w.informer.NotSyncedReason())
	}
}

// TestReadersOwnWhatTheyGet compares each object with the one of the server, and writes to it.
func TestReadersOwnWhatTheyGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count = 300
		w := newWorld(t, count, cache.WithIndexers(cache.Indexers[*Foo]{"node": func(foo *Foo) []string { return []string{foo.Spec.Node} }}))
		w.run()
		indexer := w.informer.GetIndexer()
		lister := cache.NewLister(indexer, foos.GroupResource())
		for range 2 { // what a reader has changed, no other one sees
			for n := range count {
				want := newFoo(n)
				got, ok := indexer.Get(cache.MetaObjectToName(want))
				if !ok || !reflect.DeepEqual(got.Spec, want.Spec) || !reflect.DeepEqual(got.Labels, want.Labels) || got.UID == "" || got.Kind != "Foo" {
					t.Fatalf("Get returns %v, want %v", got, want)
				}
				got.Spec.Env["A_VARIABLE_OF_THE_PROGRAM_1"], got.Labels["even"] = "changed", "changed"
			}
		}
		if got := indexer.List(); len(got) != count {
			t.Errorf("List has %d objects", len(got))
		}
		n := 0
		for foo := range indexer.All() {
			if want := newFoo(int(foo.Spec.Count)); foo.Name != want.Name || !reflect.DeepEqual(foo.Spec, want.Spec) {
				t.Errorf("All has %v, want %v", foo, want)
			}
			if n++; n == 100 {
				break
			}
		}
		on7, err := indexer.ByIndex("node", "node-7")
		if err != nil || len(on7) != count/10 || on7[0].Spec.Node != "node-7" {
			t.Errorf("ByIndex returns %d objects, %v", len(on7), err)
		}
		before := w.stats().Reads
		even, err := lister.List(labels.SelectorFromSet(labels.Set{"even": "true"}))
		if err != nil || len(even) != count/2 || slices.ContainsFunc(even, func(foo *Foo) bool { return foo.Spec.Count%2 != 0 }) {
			t.Errorf("a selector finds %d objects, %v", len(even), err)
		}
		if reads := w.stats().Reads - before; reads != count/2 {
			t.Errorf("a selector that matches %d objects decodes %d", count/2, reads)
		}
		if all, err := lister.Namespace("team-3").List(nil); err != nil || len(all) != 43 {
			t.Errorf("a namespace has %d objects, %v", len(all), err)
		}
		if stats := w.stats(); stats.Bytes*3 > stats.TextBytes || stats.TextBytes < count*1000 {
			t.Errorf("%d bytes for %d bytes of text", stats.Bytes, stats.TextBytes)
		}
	})
}

// TestHandlers: handlers hear what they hear without the option, and nothing is decoded for handlers of names.
func TestHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count = 100
		w := newWorld(t, count)
		names := map[cache.ObjectName]int{}
		if _, err := w.informer.AddEventHandler(cache.ObjectNameHandler[*Foo](func(name cache.ObjectName) { names[name]++ })); err != nil {
			t.Fatal(err)
		}
		deleted := 0
		if _, err := w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*Foo]{DeleteFunc: func(foo *Foo, _ bool) {
			if deleted++; foo.Spec.Env == nil {
				t.Errorf("%s is deleted without its content", foo.Name)
			}
		}}); err != nil {
			t.Fatal(err)
		}
		w.run()
		foo := newFoo(5)
		foo.Spec.Count = 1005
		w.update(foo)
		w.delete(newFoo(6))
		synctest.Wait()
		if len(names) != count || names[cache.MetaObjectToName(newFoo(5))] != 2 || names[cache.MetaObjectToName(newFoo(6))] != 2 || deleted != 1 {
			t.Errorf("%d names, %d and %d calls, %d deletes", len(names), names[cache.MetaObjectToName(newFoo(5))], names[cache.MetaObjectToName(newFoo(6))], deleted)
		}
		if reads := w.stats().Reads; reads != 0 {
			t.Errorf("%d objects were decoded for handlers of names and of deletes", reads)
		}

		var heard []string
		if _, err := w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*Foo]{
			AddFunc: func(foo *Foo, initial bool) {
				if !initial {
					heard = append(heard, fmt.Sprintf("add %s %d", foo.Name, foo.Spec.Count))
				}
			},
			UpdateFunc: func(last, foo *Foo) {
				heard = append(heard, fmt.Sprintf("update %s %d %d", foo.Name, last.Spec.Count, foo.Spec.Count))
			},
			DeleteFunc: func(foo *Foo, _ bool) { heard = append(heard, fmt.Sprintf("delete %s %d", foo.Name, foo.Spec.Count)) },
		}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		before := w.stats().Reads
		if before != count-1 {
			t.Errorf("%d objects were decoded for a handler that was added late", before)
		}
		foo.Spec.Count = 2005
		w.update(foo)
		w.delete(foo)
		synctest.Wait()
		if want := []string{"update foo-5 1005 2005", "delete foo-5 2005"}; !slices.Equal(heard, want) {
			t.Errorf("heard %q, want %q", heard, want)
		}
		if reads := w.stats().Reads - before; reads != 1 {
			t.Errorf("%d objects were decoded for an update, want the old one", reads)
		}
	})
}

// TestIndexFunctionsAreCalledAtArrival: nothing is decoded for them, and no two calls are concurrent, which the race detector
// would find.
func TestIndexFunctionsAreCalledAtArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count = 1500
		calls := 0
		indexers := cache.Indexers[*Foo]{}
		for _, name := range []string{"one", "two", "three"} {
			indexers[name] = func(foo *Foo) []string {
				calls++
				return []string{foo.Spec.Node}
			}
		}
		w := newWorld(t, count, cache.WithIndexers(indexers))
		w.run()
		if reads := w.stats().Reads; reads != 0 || calls != 3*count {
			t.Errorf("%d of %d objects were decoded for three indexes, by %d calls", reads, count, calls)
		}
		foo := newFoo(7)
		foo.Spec.Node = "another"
		w.update(foo)
		synctest.Wait()
		if found, err := w.informer.GetIndexer().ByIndex("two", "another"); err != nil || len(found) != 1 || found[0].Name != "foo-7" {
			t.Errorf("ByIndex returns %v, %v", found, err)
		}
		if reads := w.stats().Reads; reads != 1 || calls != 3*count+3 {
			t.Errorf("%d objects were decoded for an update and a read, and there were %d calls", reads, calls)
		}

		if err := w.informer.AddIndexers(cache.Indexers[*Foo]{"late": func(foo *Foo) []string { return []string{foo.Name} }}); err != nil {
			t.Fatal(err)
		}
		w.informer.GetIndexer().RemoveIndexers("one", "three")
		foo.Spec.Node = "a third"
		w.update(foo)
		synctest.Wait()
		found, err := w.informer.GetIndexer().ByIndex("two", "a third")
		named, other := w.informer.GetIndexer().ByIndex("late", "foo-7")
		if err != nil || other != nil || len(found) != 1 || len(named) != 1 || named[0].Spec.Node != "a third" {
			t.Errorf("the indexes have %v, %v and %v, %v", found, err, named, other)
		}
		if calls != 3*count+4 {
			t.Errorf("%d calls after indexes were removed", calls)
		}
	})
}

// TestMutationDetector: it has nothing to compare, and says so.
func TestMutationDetector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 5, cache.WithMutationDetector())
		var logged strings.Builder
		w.runIn(klog.NewContext(t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&logged)))))
		if foo, _ := w.informer.GetIndexer().Get(cache.MetaObjectToName(newFoo(1))); foo != nil {
			foo.Spec.Count = 17
		}
		w.informer.Stop()
		if !strings.Contains(logged.String(), "The mutation detector finds nothing") || !strings.Contains(logged.String(), "foos") {
			t.Errorf("logged %q", logged.String())
		}
	})
}

// TestTransformIsRefused: no text has the result of a transform.
func TestTransformIsRefused(t *testing.T) {
	server, _ := apitest.New()
	same := func(foo *Foo) (*Foo, error) { return foo, nil }
	if _, err := FooKind(server).NewInformer(packed.WithPackedObjects(), cache.WithTransform(same)); err == nil || !strings.Contains(err.Error(), "cannot be transformed") {
		t.Errorf("both options: %v", err)
	}
	informer, err := FooKind(server).NewInformer(packed.WithPackedObjects())
	if err != nil {
		t.Fatal(err)
	}
	if err := informer.SetTransform(same); err == nil || !strings.Contains(err.Error(), "SetTransform") {
		t.Errorf("SetTransform: %v", err)
	}
	if err := informer.SetTransform(nil); err != nil {
		t.Errorf("SetTransform of nil: %v", err)
	}
	if _, err := FooKind(server).NewInformer(packed.WithPackedObjects(), cache.WithTransform(same), cache.WithPacking(nil)); err != nil {
		t.Errorf("without packing: %v", err)
	}
}

// TestManagedFieldsAreNotStored: they are neither in an object nor in memory.
func TestManagedFieldsAreNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 50, cache.WithoutFields("metadata.managedFields"))
		foo := newFoo(1)
		foo.Spec.Count = 7
		w.update(foo) // the server adds managed fields, and does not know how to leave them out
		w.run()
		for foo := range w.informer.GetIndexer().All() {
			if foo.ManagedFields != nil {
				t.Errorf("%s has %v", foo.Name, foo.ManagedFields)
			}
		}
		if w.stats().TextBytes > 50*1800 {
			t.Errorf("the texts have %d bytes", w.stats().TextBytes)
		}
	})
}

// client is a client of Foos without bodies.
type client struct{ foos fooList }

type fooList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []*Foo
}

func (l *fooList) DeepCopyObject() runtime.Object { panic("no one copies it") }

func (c *client) List(context.Context, metav1.ListOptions) (*fooList, error) { return &c.foos, nil }

func (c *client) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return watch.NewFakeWithOptions(watch.FakeOptions{}), nil
}

// TestObjectsWithoutTextCount: the statistics have objects of a ListerWatcher, which stay Go values.
func TestObjectsWithoutTextCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count = 100
		from := &client{}
		from.foos.ResourceVersion = "1"
		for n := range count {
			from.foos.Items = append(from.foos.Items, newFoo(n))
		}
		kind := cache.Kind[*Foo]{Resource: foos, Kind: "Foo", Namespaced: true, ListWatch: func(string) cache.ListerWatcher[*Foo] { return cache.NewListWatch[*Foo](from) }}
		for name, set := range map[string][]cache.SharedInformerOption{"plain": nil, "packed": {packed.WithPackedObjects()}} {
			informer, err := kind.NewInformer(set...)
			if err != nil {
				t.Fatal(err)
			}
			w := &world{T: t, informer: informer}
			w.run()
			for of := range informer.Statuses() {
				all := of.Stats
				if all.ObjectBytes < count*1500 || all.ObjectBytes > count*4000 {
					t.Errorf("%s: %d objects have %d bytes", name, count, all.ObjectBytes)
				}
				if want := (status.PackedStats{Bytes: all.ObjectBytes, Values: count}); name == "packed" && all.Packed != want {
					t.Errorf("packed are %+v, want %+v", all.Packed, want)
				}
			}
		}
	})
}

// TestOnlyThisPackageLinksTheCompression: a program without the option does not link it.
func TestOnlyThisPackageLinksTheCompression(t *testing.T) {
	const module = "github.com/typedinformers/informer-gen/"
	for name, want := range map[string]bool{"runtime/cache": false, "observe/healthz": false, "observe/debugpage": false, "apitest": false, "runtime/packed": true} {
		text, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+name).Output()
		if err != nil {
			t.Fatal(err)
		}
		links := slices.ContainsFunc(strings.Fields(string(text)), func(path string) bool { return strings.HasPrefix(path, "github.com/klauspost/") })
		if links != want {
			t.Errorf("%s links the compression: %v, want %v", name, links, want)
		}
	}
}
