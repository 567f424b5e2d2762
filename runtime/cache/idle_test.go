package cache

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// burstClient is a typed client whose watch has no room, as that of a REST client.
type burstClient struct {
	list  *metav1.PartialObjectMetadataList
	watch *watch.FakeWatcher
}

func (c burstClient) List(context.Context, metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return c.list.DeepCopy(), nil
}

func (c burstClient) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return c.watch, nil
}

// TestIdleInformersKeepNoMemoryOfABurst limits the memory of an informer after a burst of events. The
// first burst of a process is not measured: the goroutines and the pools of the runtime take memory
// that later informers use again.
func TestIdleInformersKeepNoMemoryOfABurst(t *testing.T) {
	needsGoValues(t)
	const most = 17 << 10
	burst(t)
	fresh, peaks, idle := burst(t)
	t.Logf("an informer takes %d bytes before the burst, and %d a minute after it", fresh, idle)
	for _, peak := range peaks {
		if peak < most {
			t.Errorf("an informer takes %d bytes in the burst: the test proves nothing", peak)
		}
	}
	if idle > most {
		t.Errorf("an informer takes %d bytes a minute after a burst, %d before it", idle, fresh)
	}
}

// burst sends 1,000 events to each of 200 informers: one half while they cannot be processed, so that
// the queue of deltas and a batch of the cache become large, and the other half while handlers block. It
// returns the bytes that an informer takes before the burst, in both halves of it, and a minute after it.
func burst(t *testing.T) (fresh int, peaks [2]int, idle int) {
	const informers, objects, events = 200, 10, 1000
	synctest.Test(t, func(t *testing.T) {
		list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
		var updates []object // of all informers: the objects are not counted
		for n := range events {
			obj := cachetest.Many(n%objects, n+2, "")
			updates = append(updates, obj)
			if n < objects {
				list.Items = append(list.Items, *obj)
			}
		}
		var clients []burstClient
		for range informers {
			clients = append(clients, burstClient{list, watch.NewFake()})
		}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		var all []*SharedIndexInformer[object]
		var indexing, handling sync.RWMutex // held by the test while they may not go on
		before := heapInUse()
		for _, client := range clients {
			s := informerOf(Config[object]{Resource: widgets, Client: NewListWatch[object](client), WatchErrorHandler: quiet,
				Indexers: Indexers[object]{"node": func(object) []string {
					indexing.RLock()
					defer indexing.RUnlock()
					return nil
				}}})
			if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{UpdateFunc: func(object, object) {
				handling.RLock()
				defer handling.RUnlock()
			}}); err != nil {
				t.Fatal(err)
			}
			running.Go(func() { s.Run(ctx) })
			all = append(all, s)
		}
		synctest.Wait()
		fresh = (heapInUse() - before) / informers
		for half, gate := range []*sync.RWMutex{&indexing, &handling} {
			gate.Lock()
			for _, client := range clients {
				for _, obj := range updates[half*events/2:][:events/2] {
					client.watch.Modify(obj)
				}
			}
			peaks[half] = (heapInUse() - before) / informers
			gate.Unlock()
			synctest.Wait()
		}
		for _, s := range all {
			if obj, _ := s.GetStore().Get(MetaObjectToName(updates[events-1])); obj.ResourceVersion != strconv.Itoa(events+1) {
				t.Fatalf("an informer is at version %s", obj.ResourceVersion)
			}
		}
		time.Sleep(time.Minute)
		idle = (heapInUse() - before) / informers
		cancel()
		running.Wait()
		runtime.KeepAlive(updates)
	})
	return fresh, peaks, idle
}

// heapInUse counts what is reachable, in bytes.
func heapInUse() int {
	for range 3 { // what a sync.Pool has goes with a later collection than the first
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
