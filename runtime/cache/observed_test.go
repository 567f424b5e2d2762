package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// pace is a handler that needs this long for each call.
func pace(each time.Duration) ResourceEventHandlerFuncs[object] {
	return ResourceEventHandlerFuncs[object]{
		AddFunc:    func(object, bool) { time.Sleep(each) },
		UpdateFunc: func(_, _ object) { time.Sleep(each) },
		DeleteFunc: func(object, bool) { time.Sleep(each) },
	}
}

func addHandler(t *testing.T, s *SharedIndexInformer[object], name string, handler ResourceEventHandler[object], options ...HandlerOption) ResourceEventHandlerRegistration {
	t.Helper()
	reg, err := s.AddEventHandler(handler, append(options, WithHandlerName(name))...)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// TestStalenessOfAChangeThatIsNeverStored has a transform that fails. The server sends the change
// each time that the watch is opened again, but the cache is as old as before.
func TestStalenessOfAChangeThatIsNeverStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "good", nil)
		failed := 0
		s := start(t, Config[object]{ListerWatcher: src, Transform: func(obj object) (object, error) {
			if obj.Name == "bad" {
				failed++
				return nil, errors.New("no")
			}
			return obj, nil
		}})
		synctest.Wait()
		src.Set("a", "bad", nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		if stale := inside(s).monitor.Stats().Staleness; stale < time.Hour || failed < 10 {
			t.Errorf("stale for %v after %d failures, want %v", stale, failed, time.Hour)
		}
	})
}

// TestCountersOfRemovedHandlers adds and removes handlers of one name, as leases do.
func TestCountersOfRemovedHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		s := start(t, Config[object]{ListerWatcher: src, Settings: Settings{HandlerPanicRecovery: true}})
		synctest.Wait()
		total := func(name string) (processed, panics, latencies uint64) {
			synctest.Wait()
			all := inside(s).monitor.Stats()
			for _, h := range append(all.Handlers, all.Removed...) {
				if h.Name == name {
					processed, panics, latencies = processed+h.Processed, panics+h.Panics, latencies+h.Latency.Count()
				}
			}
			return processed, panics, latencies
		}
		for i := range uint64(10) {
			reg := addHandler(t, s, "h", ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { panic("no") }})
			if processed, panics, latencies := total("h"); processed != i+1 || panics != i+1 || latencies != i+1 {
				t.Errorf("%d handlers: %d processed, %d panics, %d latencies", i+1, processed, panics, latencies)
			}
			if err := errors.Join(s.RemoveEventHandler(reg), s.RemoveEventHandler(reg)); err != nil { // the second call does nothing
				t.Fatal(err)
			}
			if processed, panics, latencies := total("h"); processed != i+1 || panics != i+1 || latencies != i+1 {
				t.Errorf("%d handlers were removed: %d processed, %d panics, %d latencies", i+1, processed, panics, latencies)
			}
		}
		// One that hangs is removed, and its call counts when it returns.
		reg := addHandler(t, s, "slow", pace(time.Minute))
		synctest.Wait()
		if err := s.RemoveEventHandler(reg); err != nil {
			t.Fatal(err)
		}
		if processed, _, latencies := total("slow"); processed != 0 || latencies != 0 {
			t.Errorf("%d processed, %d latencies before the return", processed, latencies)
		}
		time.Sleep(2 * time.Minute)
		if processed, _, latencies := total("slow"); processed != 1 || latencies != 1 {
			t.Errorf("%d processed, %d latencies after the return", processed, latencies)
		}
		// A program that makes up names does not fill the memory.
		for i := range 1000 {
			reg := addHandler(t, s, fmt.Sprint("h", i), pace(0))
			synctest.Wait()
			if err := s.RemoveEventHandler(reg); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		sum := uint64(0)
		removed := inside(s).monitor.Stats().Removed
		for _, h := range removed {
			sum += h.Processed
		}
		if len(removed) > 101 || sum != 1011 {
			t.Errorf("%d entries of removed handlers with %d calls", len(removed), sum)
		}
	})
}

// TestCountersNeverFall reads while handlers are added, work and are removed.
func TestCountersNeverFall(t *testing.T) {
	src := cachetest.NewSource()
	src.Set("a", "w", nil)
	s := start(t, Config[object]{ListerWatcher: src})
	if err := WaitForCacheSync(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 500 {
			reg, err := s.AddEventHandler(pace(0), WithHandlerName("h"))
			if err != nil {
				t.Error(err)
				return
			}
			src.Set("a", "w", nil)
			if i%2 == 0 {
				<-reg.Synced()
			}
			if err := s.RemoveEventHandler(reg); err != nil {
				t.Error(err)
			}
		}
	}()
	for last := uint64(0); !isClosed(done); {
		all, processed := inside(s).monitor.Stats(), uint64(0)
		for _, h := range append(all.Handlers, all.Removed...) {
			processed += h.Processed
		}
		if processed < last {
			t.Fatalf("%d calls were processed, and %d before", processed, last)
		}
		last = processed
	}
}

// TestForeignCodeMayReadTheCounters calls Statuses wherever an informer calls its user.
func TestForeignCodeMayReadTheCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		var s *SharedIndexInformer[object]
		called := map[string]int{}
		var mu sync.Mutex // guards called
		look := func(who string) {
			for status := range s.Statuses() {
				status.Advice()
			}
			mu.Lock()
			called[who]++
			mu.Unlock()
		}
		index := func(who string) Indexers[object] {
			return Indexers[object]{who: func(object) []string { look(who); return []string{"x"} }}
		}
		s = informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets,
			WatchErrorHandler: func(context.Context, gvr, error) { look("error") },
			StatusHandler:     func(context.Context, status.Change) { look("status") },
			Transform:         func(obj object) (object, error) { look("transform"); return obj, nil },
			Indexers:          index("index"),
		}))
		addHandler(t, s, "h", ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { look("handler") }})
		cachetest.Run(t, s.Run)
		synctest.Wait()
		src.EndWatches(cachetest.ErrNotFound)
		time.Sleep(time.Minute)
		synctest.Wait()
		if err := s.AddIndexers(index("late index")); err != nil {
			t.Fatal(err)
		}
		src.Set("a", "w", nil)
		synctest.Wait()
		for _, who := range []string{"error", "status", "transform", "index", "handler", "late index"} {
			if called[who] == 0 {
				t.Errorf("%s was not called", who)
			}
		}
	})
}

// TestReadersDoNotWaitForAnIndexFunc has an index function that does not return, of an informer that
// runs. It is no test for synctest, which waits for as long as the informer waits for a mutex.
func TestReadersDoNotWaitForAnIndexFunc(t *testing.T) {
	src := cachetest.NewSource()
	src.Set("a", "w", nil)
	s := start(t, Config[object]{ListerWatcher: src})
	if err := WaitForCacheSync(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	called, release := make(chan struct{}), make(chan struct{})
	call := sync.OnceFunc(func() { close(called) })
	var adding sync.WaitGroup
	defer adding.Wait()
	defer close(release)
	adding.Go(func() {
		_ = s.AddIndexers(Indexers[object]{"slow": func(object) []string {
			call()
			<-release
			return nil
		}})
	})
	<-called
	src.Set("a", "v", nil)
	for inside(s).core.Queue.Waiting() == 0 { // until the informer has the change, and waits for the index function
		time.Sleep(time.Millisecond)
	}
	read := make(chan struct{})
	go func() {
		for range s.Statuses() {
		}
		close(read)
	}()
	select {
	case <-read:
	case <-time.After(time.Minute):
		t.Error("a reader waits")
	}
}

// TestObservedScopes reads what can be observed of an informer whose scopes change. The source of a
// namespace fails that is added later.
func TestObservedScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		other, s := w.informer(t), w.informer(t, WithNamespaces("a", "b"))
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{}); err != nil {
			t.Fatal(err)
		}
		id := inside(s).observed().ID
		want := func(scopes []Scope, want string) {
			t.Helper()
			setScopes(t, s, scopes...)
			time.Sleep(time.Minute)
			synctest.Wait()
			observed := inside(s).observed()
			h := &observed.Stats.Handlers[0]
			if got := fmt.Sprintf("%q nil=%t synced=%t,%t handler=%t,%t", observed.Namespaces, observed.Namespaces == nil, observed.Stats.Synced, observed.Stats.WasSynced, h.Synced, h.WasSynced); got != want {
				t.Errorf("%v: %s, want %s", scopes, got, want)
			}
			if observed.ID != id {
				t.Errorf("the ID is %d, and was %d", observed.ID, id)
			}
		}
		w.of("b").FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		w.of("c").FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		want(in("a", "b"), `["a" "b"] nil=false synced=false,false handler=false,false`)
		cachetest.Run(t, s.Run)
		want(in("a", "b"), `["a" "b"] nil=false synced=false,false handler=false,false`)
		w.of("b").FailWith(nil)
		want(in("a", "b"), `["a" "b"] nil=false synced=true,true handler=true,true`)
		want(in("a", "c"), `["a" "c"] nil=false synced=false,true handler=false,true`)
		want([]Scope{{Namespace: "a", LabelSelector: "x=y"}}, `["a"] nil=false synced=true,true handler=true,true`)
		want(in(), `[] nil=false synced=true,true handler=true,true`)
		want([]Scope{{LabelSelector: "x=y"}}, `[] nil=true synced=true,true handler=true,true`)
		want([]Scope{{Namespace: "a"}, {OtherNamespaces: true, LabelSelector: "x=z"}}, `["" "a"] nil=false synced=true,true handler=true,true`)
		if observed := inside(other).observed(); observed.ID == id || observed.Namespaces != nil {
			t.Errorf("an informer of all namespaces has the ID %d and %q", observed.ID, observed.Namespaces)
		}
	})
}
