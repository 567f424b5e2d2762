package cache

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// timesOf writes the durations of a histogram as the number of them and their sum.
func timesOf(h status.Histogram) string { return fmt.Sprintf("%d in %v", h.Count(), h.Sum) }

// wantTimes compares the counters of an informer and its handlers.
func wantTimes(t *testing.T, s *SharedIndexInformer[object], want ...string) {
	t.Helper()
	synctest.Wait()
	all := inside(s).monitor.Stats()
	got := []string{fmt.Sprintf("queued %d, stale for %v, processing %s, to cache %s", all.Queued, all.Staleness, timesOf(all.Processing), timesOf(all.ToCache))}
	for _, h := range all.Handlers {
		got = append(got, fmt.Sprintf("%s: synced %v, %d wait, %d processed, %d merged, %d panics, running %v, slowest %v, latency %s",
			h.Name, h.Synced, h.Backlog, h.Processed, h.Merged, h.Panics, h.Running, h.Slowest, timesOf(h.Latency)))
	}
	cachetest.WantLines(t, got, want...)
}

// TestTimesOfAChange follows changes through an index function and a handler, which take 2 and 3
// seconds.
func TestTimesOfAChange(t *testing.T) {
	needsSlowWriter(t)
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		var indexing, handling time.Duration
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet,
			Indexers: Indexers[object]{"slow": func(object) []string { time.Sleep(indexing); return nil }}}))
		handler := ResourceEventHandlerFuncs[object]{
			AddFunc:    func(object, bool) { time.Sleep(handling) },
			UpdateFunc: func(object, object) { time.Sleep(handling) },
		}
		if _, err := s.AddEventHandler(handler, WithHandlerName("slow")); err != nil {
			t.Fatal(err)
		}
		wantTimes(t, s, "queued 0, stale for 0s, processing 0 in 0s, to cache 0 in 0s",
			"slow: synced false, 0 wait, 0 processed, 0 merged, 0 panics, running 0s, slowest 0s, latency 0 in 0s")
		cachetest.Run(t, s.Run)
		wantTimes(t, s, "queued 0, stale for 0s, processing 1 in 0s, to cache 1 in 0s",
			"slow: synced true, 0 wait, 1 processed, 0 merged, 0 panics, running 0s, slowest 0s, latency 1 in 0s")

		indexing, handling = 2*time.Second, 3*time.Second
		src.Set("a", "w", nil)
		time.Sleep(time.Second)
		src.Set("a", "w", nil)
		time.Sleep(time.Second / 2)
		src.Set("a", "w", nil)
		wantTimes(t, s, "queued 2, stale for 1.5s, processing 1 in 0s, to cache 1 in 0s",
			"slow: synced true, 0 wait, 1 processed, 0 merged, 0 panics, running 0s, slowest 0s, latency 1 in 0s")
		time.Sleep(time.Second) // after 2.5s
		wantTimes(t, s, "queued 0, stale for 1.5s, processing 2 in 2s, to cache 2 in 2s",
			"slow: synced true, 1 wait, 1 processed, 0 merged, 0 panics, running 500ms, slowest 500ms, latency 1 in 0s")
		time.Sleep(4500 * time.Millisecond) // after 7s; the last two were cached after 6s
		wantTimes(t, s, "queued 0, stale for 6s, processing 3 in 6s, to cache 4 in 12s",
			"slow: synced true, 2 wait, 2 processed, 0 merged, 0 panics, running 1s, slowest 3s, latency 2 in 5s")
		time.Sleep(5 * time.Second) // after 12s
		wantTimes(t, s, "queued 0, stale for 11s, processing 3 in 6s, to cache 4 in 12s",
			"slow: synced true, 0 wait, 4 processed, 0 merged, 0 panics, running 0s, slowest 3s, latency 4 in 24s")

		time.Sleep(time.Hour)
		if _, err := s.AddEventHandler(handler, WithHandlerName("late")); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AddEventHandler(handler); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		all := inside(s).monitor.Stats()
		for i, want := range []string{"slow false 4 in 24s", "late false 1 in 3s", "cache.ResourceEventHandlerFuncs[*k8s.io/apimachinery/pkg/apis/meta/v1.PartialObjectMetadata] true 1 in 3s"} {
			if h := all.Handlers[i]; fmt.Sprint(h.Name, " ", h.Unnamed, " ", timesOf(h.Latency)) != want {
				t.Errorf("handler %d: %s, unnamed %v, %s, want %s", i, h.Name, h.Unnamed, timesOf(h.Latency), want)
			}
		}
	})
}

// TestCountersOfAHandlerThatFails has one that panics, exits, is too slow, resyncs and is removed.
func TestCountersOfAHandlerThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		s := start(t, Config[object]{ListerWatcher: src, Settings: Settings{HandlerPanicRecovery: true}})
		what := "panic"
		reg, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{
			AddFunc: func(object, bool) { panic("no") },
			UpdateFunc: func(object, object) {
				switch what {
				case "exit":
					runtime.Goexit()
				case "sleep":
					time.Sleep(10 * time.Second)
				}
			},
		}, WithHandlerName("h"), WithBacklogLimit(2), WithHandlerResync(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		expect := func(want string) {
			t.Helper()
			synctest.Wait()
			got := "none"
			for _, h := range inside(s).monitor.Stats().Handlers {
				got = fmt.Sprintf("%d wait, %d processed, %d merged, %d panics, running %v, slowest %v, latency %s",
					h.Backlog, h.Processed, h.Merged, h.Panics, h.Running, h.Slowest, timesOf(h.Latency))
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		expect("0 wait, 1 processed, 0 merged, 1 panics, running 0s, slowest 0s, latency 1 in 0s")
		what = "exit"
		src.Set("a", "w", nil)
		expect("0 wait, 2 processed, 0 merged, 2 panics, running 0s, slowest 0s, latency 2 in 0s")
		what = "sleep"
		for range 4 { // one is in progress, and three are merged
			src.Set("a", "w", nil)
			synctest.Wait()
			time.Sleep(time.Second)
		}
		expect("2 wait, 2 processed, 2 merged, 2 panics, running 4s, slowest 4s, latency 2 in 0s")
		time.Sleep(time.Minute) // 10s, and from 1s to 20s
		expect("0 wait, 4 processed, 2 merged, 2 panics, running 0s, slowest 10s, latency 4 in 29s")
		time.Sleep(time.Hour) // the resync
		expect("0 wait, 5 processed, 2 merged, 2 panics, running 0s, slowest 10s, latency 5 in 39s")
		src.Set("a", "w", nil)
		synctest.Wait()
		if err := s.RemoveEventHandler(reg); err != nil {
			t.Fatal(err)
		}
		expect("none")
	})
}

// TestReadersDoNotWait reads the counters while an index function, a handler and a hook hang, and
// from each of them.
func TestReadersDoNotWait(t *testing.T) {
	needsSlowWriter(t)
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		release := make(chan struct{})
		var s *SharedIndexInformer[object]
		reads := atomic.Int32{}
		hang := func() {
			for range s.Statuses() {
				reads.Add(1)
			}
			<-release
		}
		config := via(Config[object]{ListerWatcher: src, Resource: widgets, StatusHandler: func(context.Context, status.Change) { hang() }, WatchErrorHandler: quiet,
			Indexers: Indexers[object]{"slow": func(obj object) []string {
				if obj.Name != "w" {
					hang()
				}
				return nil
			}},
			Transform: func(obj object) (object, error) {
				if obj.Name == "z" {
					hang()
				}
				return obj, nil
			}})
		s = informerOf(config)
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { hang() }}); err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		src.Set("a", "x", nil)
		synctest.Wait()
		src.Set("a", "z", nil)
		synctest.Wait()
		if n := reads.Load(); n != 4 {
			t.Errorf("%d of 4 functions have read the counters", n)
		}
		time.Sleep(time.Minute)
		for got := range s.Statuses() { // the bubble would end with a deadlock
			if h := got.Stats.Handlers[0]; h.Running != time.Minute || got.Stats.Staleness != time.Minute || got.Status.Objects != 1 {
				t.Errorf("running %v, stale for %v, %d objects", h.Running, got.Stats.Staleness, got.Status.Objects)
			}
		}
		close(release)
	})
}

// TestSizesOfACache reads the sizes of the indexes and the estimate of the memory of objects.
func TestSizesOfACache(t *testing.T) {
	s := informerOf(Config[object]{Resource: widgets, Open: cachetest.OpenerOf(cachetest.NewSource()), Indexers: Indexers[object]{"letters": cachetest.ByLetters}})
	x, read := s.GetIndexer(), inside(s).monitor.Stats
	if got := read(); got.ObjectBytes != 0 || fmt.Sprint(got.Indexes) != "[{namespace 0} {letters 0}]" {
		t.Errorf("an empty cache has %+v", got)
	}
	for i := range 1000 {
		obj := cachetest.Many(i, 1, "xy")
		obj.Annotations = map[string]string{"note": strings.Repeat("n", 10_000)}
		x.Add(obj)
	}
	got := read()
	if fmt.Sprint(got.Indexes) != "[{namespace 7} {letters 2}]" {
		t.Errorf("the indexes have %v", got.Indexes)
	}
	if got.ObjectBytes < 10_000_000 || got.ObjectBytes > 13_000_000 {
		t.Errorf("1,000 objects of 10 kB and more have %d bytes", got.ObjectBytes)
	}
	x.Replace(nil)
	if got := read(); got.ObjectBytes != 0 || fmt.Sprint(got.Indexes) != "[{namespace 0} {letters 0}]" {
		t.Errorf("a cache that was emptied has %+v", got)
	}
}

// TestReadersOfManyInformers reads the counters while informers of a factory are made, started,
// stopped and released, and their handlers panic, exit, come and go.
func TestReadersOfManyInformers(t *testing.T) {
	const informers, readers = 20, 3
	f := NewSharedInformerFactory(0, WithHandlerPanicRecovery())
	var working, reading sync.WaitGroup
	var stop atomic.Bool
	for range readers {
		reading.Go(func() {
			for !stop.Load() {
				last := ""
				for status := range f.Statuses() {
					if name := status.Resource.Resource; name <= last {
						t.Errorf("%s comes after %s", name, last)
					} else {
						last = name
					}
					for _, h := range status.Stats.Handlers {
						if h.Backlog < 0 || h.Panics > h.Processed || h.Latency.Count() > h.Processed || h.Slowest < h.Running {
							t.Errorf("%s has %+v", status.Resource.Resource, h)
						}
					}
				}
			}
		})
	}
	for i := range informers {
		working.Go(func() {
			src := cachetest.NewSource()
			for n := range 20 {
				src.Set("a", fmt.Sprint(n), map[string]string{"letters": "xy"})
			}
			kind := kindOf(src, &[]string{})
			kind.Resource.Resource = fmt.Sprintf("kind-%02d", i)
			kind.Indexers = Indexers[object]{"letters": cachetest.ByLetters}
			for round := range 3 {
				lease, err := Acquire(f, kind)
				if err != nil {
					t.Error(err)
					return
				}
				calls := 0
				reg, err := lease.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) {
					switch calls++; calls % 4 {
					case 1:
						panic("no")
					case 2:
						runtime.Goexit()
					}
				}}, WithBacklogLimit(1+round))
				if err != nil {
					t.Error(err)
					return
				}
				if err := lease.WaitForCacheSync(t.Context()); err != nil {
					t.Error(err)
				}
				if i%2 == 0 {
					if err := lease.Informer().RemoveEventHandler(reg); err != nil {
						t.Error(err)
					}
				}
				for range lease.Informer().Statuses() {
				}
				lease.Release()
			}
		})
		if i == informers/2 {
			f.Start(t.Context())
		}
	}
	working.Wait()
	stop.Store(true)
	reading.Wait()
	f.Shutdown()
}
