package clientgo

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
)

// TestAddIndexersRace adds indexes from two adapters of one informer, while it runs and is read.
func TestAddIndexersRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newSource(t, newObject("a/w", "red"))
		core := newInformer(source)
		first, second := SharedIndexInformer(core), SharedIndexInformer(core)
		run(t, first.RunWithContext)
		var all sync.WaitGroup
		var mu sync.Mutex
		added := map[string]int{}
		for n := range 20 {
			for _, informer := range []toolscache.SharedIndexInformer{first, second} {
				all.Go(func() {
					name := fmt.Sprint("index", n)
					if informer.AddIndexers(toolscache.Indexers{name: byColor}) == nil {
						mu.Lock()
						defer mu.Unlock()
						added[name]++
					}
					if values, err := informer.GetIndexer().GetIndexers()[name](newObject("a/x", "blue")); err != nil || values[0] != "blue" {
						t.Errorf("%s: %q, %v", name, values, err)
					}
				})
			}
			all.Go(func() { source.Modify(newObject("a/w", fmt.Sprint("color", n))) })
		}
		all.Wait()
		synctest.Wait()
		for n := range 20 {
			name := fmt.Sprint("index", n)
			if added[name] != 1 {
				t.Errorf("%s was added %d times", name, added[name])
			}
			for _, informer := range []toolscache.SharedIndexInformer{first, second} {
				indexer := informer.GetIndexer()
				obj, _, _ := indexer.GetByKey("a/w")
				if objs, err := indexer.Index(name, obj); err != nil || len(objs) != 1 {
					t.Errorf("%s: %v, %v", name, objs, err)
				}
			}
		}
	})
}

// TestHandlersOfOtherAdapters removes a handler by another adapter of the informer, from the
// handler itself, and by an adapter of another informer.
func TestHandlersOfOtherAdapters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newSource(t, newObject("a/w", "red"))
		core := newInformer(source)
		first, second := SharedIndexInformer(core), SharedIndexInformer(core)
		other := SharedIndexInformer(newInformer(source))
		var own toolscache.ResourceEventHandlerRegistration
		calls := 0
		own, err := first.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) {
			calls++
			if err := second.RemoveEventHandler(own); err != nil {
				t.Error(err)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := other.RemoveEventHandler(own); err != nil {
			t.Error(err)
		}
		if err := first.RemoveEventHandler(nil); err == nil {
			t.Error("nil was removed")
		}
		stop := run(t, first.RunWithContext)
		synctest.Wait()
		source.Add(newObject("a/v", "red"))
		synctest.Wait()
		if calls != 1 {
			t.Errorf("%d calls", calls)
		}
		if err := shutDownEventHandler(second, own); err != nil {
			t.Error(err)
		}
		late, err := second.AddEventHandler(&recorder{})
		if err != nil {
			t.Fatal(err)
		}
		stop()
		if err := shutDownEventHandler(first, late); err != nil {
			t.Error(err)
		}
	})
}

// TestOddObjects passes what is no object to a store.
func TestOddObjects(t *testing.T) {
	store := SharedIndexInformer(newInformer(newSource(t))).GetIndexer()
	for _, odd := range []any{nil, 7, "a/w", &metav1.Status{}, toolscache.DeletedFinalStateUnknown{Key: "a/b/c"}, toolscache.ExplicitKey("a/")} {
		if err := store.Add(odd); err == nil {
			t.Errorf("%v was added", odd)
		}
		if err := store.Delete(odd); err == nil {
			t.Errorf("%v was deleted", odd)
		}
		if _, exists, err := store.Get(odd); exists || err == nil {
			t.Errorf("%v: %v, %v", odd, exists, err)
		}
		if err := store.Replace([]any{newObject("a/w", "red"), odd}, "7"); err == nil || len(store.List()) != 0 {
			t.Errorf("%v replaces all", odd)
		}
		if _, err := store.Index(toolscache.NamespaceIndex, odd); err == nil {
			t.Errorf("%v has a namespace", odd)
		}
	}
	if err := store.Add(newObject("a/w", "red")); err != nil {
		t.Fatal(err)
	}
	if err := store.Delete(toolscache.DeletedFinalStateUnknown{Key: "a/w"}); err != nil || len(store.ListKeys()) != 0 {
		t.Errorf("a tombstone without an object: %v, %v", err, store.ListKeys())
	}
}
