package clientgo

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestMemoryOfAnAdapter makes adapters of informers with few objects and with many.
func TestMemoryOfAnAdapter(t *testing.T) {
	few, many := bytesOfAdapters(t, 10), bytesOfAdapters(t, 10_000)
	if many > few+few/4 { // the runtime allocates, too
		t.Errorf("an adapter takes %d bytes with 10 objects, and %d with 10,000", few, many)
	}
	t.Logf("an adapter takes %d bytes", many)
}

// bytesOfAdapters returns the bytes that an adapter, its indexer and its lister allocate.
func bytesOfAdapters(t *testing.T, objects int) uint64 {
	core := newInformer(newSource(t))
	for i := range objects {
		core.GetIndexer().Add(newObject(fmt.Sprintf("a/w-%d", i), "red"))
	}
	const adapters = 1_000
	kept := make([]toolscache.Indexer, 0, adapters)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range adapters {
		kept = append(kept, GenericInformer(core).Informer().GetIndexer())
	}
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return (after.TotalAlloc - before.TotalAlloc) / adapters
}

// TestAllocationsOfReads counts the allocations of reads of 1,000 objects.
func TestAllocationsOfReads(t *testing.T) {
	core := newInformer(newSource(t))
	for i := range 1_000 {
		core.GetIndexer().Add(newObject(fmt.Sprintf("a/w-%d", i), "red"))
	}
	x, lister := SharedIndexInformer(core).GetIndexer(), GenericLister(core)
	obj := newObject("a/w-7", "")
	for name, test := range map[string]struct {
		read func()
		most float64
	}{
		"GetByKey": {func() { _, _, _ = x.GetByKey("a/w-7") }, 0},
		"Get":      {func() { _, _, _ = x.Get(obj) }, 0},
		"List":     {func() { _ = x.List() }, 1},
		"ByIndex":  {func() { _, _ = x.ByIndex(toolscache.NamespaceIndex, "a") }, 3},
		"ListKeys": {func() { _ = x.ListKeys() }, 1_001},
		"Lister":   {func() { _, _ = lister.List(labels.Everything()) }, 1},
	} {
		if got := testing.AllocsPerRun(100, test.read); got > test.most {
			t.Errorf("%s allocates %v times, want %v", name, got, test.most)
		}
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	source := newSource(t, newObject("a/w", "red"))
	core := newInformer(source)
	informers := []toolscache.SharedIndexInformer{SharedIndexInformer(core), SharedIndexInformerOf(core, unstructuredView), SharedIndexInformer(core)}
	stop := run(t, informers[0].RunWithContext)
	var working sync.WaitGroup
	for worker := range 6 {
		informer := informers[worker%len(informers)]
		working.Go(func() {
			for i := range 50 {
				heard := &recorder{}
				handle, err := informer.AddEventHandler(heard)
				if err != nil {
					t.Error(err)
					return
				}
				if err := informer.AddIndexers(toolscache.Indexers{fmt.Sprintf("index-%d-%d", worker, i): byColor}); err != nil {
					t.Error(err)
				}
				x := informer.GetIndexer()
				_, _, _ = x.GetByKey("a/w")
				_, _ = x.Index(fmt.Sprintf("index-%d-%d", worker, i/2), newObject("a/w", "red"))
				if len(x.GetIndexers()) < 2 || informer.IsStopped() {
					t.Error("it has no indexes, or is stopped")
				}
				_, _, _ = x.List(), versionOf(x), informer.LastSyncResourceVersion()
				<-checker(handle).Done()
				other := informers[i%len(informers)]
				if err := shutDownEventHandler(other, handle); err != nil {
					t.Error(err)
				}
			}
		})
	}
	working.Go(func() {
		for i := range 300 {
			source.Modify(newObject("a/w", fmt.Sprint(i)))
			source.Add(newObject(fmt.Sprintf("b/v-%d", i%10), "red"))
		}
	})
	working.Wait()
	stop()
	if !informers[2].IsStopped() || core.Status().Phase != status.Stopped {
		t.Error("it is not stopped")
	}
}

// TestImports keeps the packages of all built-in kinds out of the programs of users.
func TestImports(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(output)) {
		for _, large := range []string{"k8s.io/api/", "k8s.io/client-go/kubernetes", "k8s.io/client-go/informers"} {
			if strings.HasPrefix(path, large) {
				t.Errorf("the package depends on %s", path)
			}
		}
	}
}
