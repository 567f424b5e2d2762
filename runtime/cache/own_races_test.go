package cache

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
)

// TestWaitForAtTheSameTime: the watch reaches the version while WaitFor looks whether it has.
func TestWaitForAtTheSameTime(t *testing.T) {
	s := newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) })
	for version := 1; version <= 1000; version++ {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var all sync.WaitGroup
		all.Go(func() {
			if err := s.WaitFor(ctx, strconv.Itoa(version)); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			inside(s).core.Process(&deltafifo.Batch{Reached: reachedAt(s, strconv.Itoa(version), 0)})
		})
		all.Wait()
		cancel()
		if t.Failed() {
			return
		}
	}
}

// TestWriteAfterTheBookmark: the watch has passed a state that the server does not have in the scope,
// when the response with the next one comes.
func TestWriteAfterTheBookmark(t *testing.T) {
	s := newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) })
	inside(s).core.Process(firstList(s, "10"))
	src := cachetest.NewSource()
	inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "one", nil)))
	reach := func(version string) {
		inside(s).core.Process(&deltafifo.Batch{Reached: reachedAt(s, version, 0)})
	}
	reach("101")
	inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "one", nil)))
	reach("102")
	if n := s.GetStore().Len(); n != 0 {
		t.Errorf("%d objects stay", n)
	}
}

// TestWaitForARestoredServer: what was reached before does not count.
func TestWaitForARestoredServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "one", nil)
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet}))
		cachetest.Run(t, s.Run)
		synctest.Wait()
		if err := s.WaitFor(t.Context(), "101"); err != nil {
			t.Error(err)
		}
		src.Mu.Lock()
		src.Version, src.History = 100, nil
		clear(src.Objects)
		src.Mu.Unlock()
		src.EndWatches(cachetest.ErrGone)
		synctest.Wait()
		time.Sleep(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.WaitFor(ctx, "101"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the cache has version %s, WaitFor returned %v", s.LastSyncResourceVersion(), err)
		}
		s.Stop()
		if err := s.WaitFor(t.Context(), "100"); !errors.Is(err, ErrStopped) {
			t.Errorf("the cache is empty after Stop, WaitFor returned %v", err)
		}
		if inside(s).core.Waits() != 0 {
			t.Error("a waiter is left")
		}
	})
}

// TestScopeEndsDuringAWrite: the namespace is no scope any more when the response is decoded.
func TestScopeEndsDuringAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		s := newOwn(t, func(namespace string) bodies.OpenFunc { return cachetest.OpenerOf(w.of(namespace)) }, WithNamespaces("a", "b"), WithWatchErrorHandler(quiet))
		// The informer would call it one at a time.
		inside(s).set.reflectors()[1].gate.SetTransform(erasedTransform(func(obj object) (object, error) {
			setScopes(t, s, in("a")...)
			return obj, nil
		}))
		cachetest.Run(t, s.Run)
		heard, _ := listen(t, s)
		synctest.Wait()
		w.of("b").SetSilent(true) // so that only the response is transformed
		w.of("b").EndWatches(io.EOF)
		synctest.Wait()
		inside(s).own.Wrote(cachetest.ResponseTo(w.of("b").Set("b", "one", nil)))
		cachetest.WantLines(t, after(heard))
		if status := s.Status(); status.PendingWrites != 0 || status.Objects != 0 {
			t.Errorf("an object that no scope has was stored: %v", status)
		}
	})
}

// TestIndexFunctionPanicsInAWriter: a writer that recovers does not keep the state from the cache.
func TestIndexFunctionPanicsInAWriter(t *testing.T) {
	panics := true
	index := func(object) []string {
		if panics {
			panic("broken")
		}
		return nil
	}
	s := newOwn(t, func(string) bodies.OpenFunc { return cachetest.OpenerOf(cachetest.NewSource()) }, WithIndexers(Indexers[object]{"broken": index}))
	inside(s).core.Process(firstList(s, "10"))
	src := cachetest.NewSource()
	obj := src.Set("a", "one", nil)
	func() {
		defer func() { _ = recover() }()
		inside(s).own.Wrote(cachetest.ResponseTo(obj))
		t.Error("the panic was swallowed")
	}()
	if n := s.Status().PendingWrites; n != 0 {
		t.Errorf("%d writes are pending", n)
	}
	panics = false
	inside(s).core.Process(&deltafifo.Batch{Deltas: []deltafifo.Delta{{Type: deltafifo.Added, Item: cachetest.WireItem(obj)}}})
	if s.GetStore().Len() != 1 {
		t.Error("the event was ignored")
	}
}

// TestManyWaitersLeave without a trace.
func TestManyWaitersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		s := followOwn(t, map[string]*cachetest.Source{"": src})
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for n := range 2000 {
			all.Go(func() {
				err := s.WaitFor(ctx, strconv.Itoa(101+n%2*1000))
				if (err == nil) != (n%2 == 0) {
					t.Errorf("waiter %d: %v", n, err)
				}
			})
		}
		synctest.Wait()
		src.Bookmark()
		synctest.Wait()
		cancel()
		all.Wait()
		if inside(s).core.Waits() != 0 {
			t.Errorf("%d waiters are left", inside(s).core.Waits())
		}
	})
}

// TestStopDuringWrites: after Stop nothing is heard, cached or pending.
func TestStopDuringWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		s := followOwn(t, map[string]*cachetest.Source{"": src})
		heard, _ := listen(t, s)
		synctest.Wait()
		var all sync.WaitGroup
		for n := range 100 {
			obj := src.Set("a", strconv.Itoa(n), nil)
			all.Go(func() { inside(s).own.Wrote(cachetest.ResponseTo(obj)) })
			if n == 50 {
				all.Go(s.Stop)
			}
		}
		all.Wait()
		s.Stop()
		heard.Drain()
		inside(s).own.Wrote(cachetest.ResponseTo(src.Set("a", "late", nil)))
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain())
		if n := s.Status().PendingWrites; n != 0 || s.GetStore().Len() != 0 {
			t.Errorf("after Stop %d writes are pending, %d objects cached", n, s.GetStore().Len())
		}
	})
}
