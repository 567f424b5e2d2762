package cache

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/wire"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// TestWaitForAtTheSameTime: the watch reaches the version while WaitFor looks whether it has.
func TestWaitForAtTheSameTime(t *testing.T) {
	s := newOwn(t, func(string) OpenFunc { return openerOf(newSource()) })
	r, queue := inside(s).reflectors()[0], inside(s).queue
	for version := 1; version <= 50; version++ {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		var all sync.WaitGroup
		release := queue.Hold() // so that WaitFor has read the version, and goes no further
		all.Go(func() {
			if err := s.WaitFor(ctx, strconv.Itoa(version)); err != nil {
				t.Error(err)
			}
		})
		for inside(s).mu.TryLock() {
			inside(s).mu.Unlock()
			runtime.Gosched()
		}
		for range 100 {
			runtime.Gosched()
		}
		all.Go(func() {
			r.status.Reach(strconv.Itoa(version), 1)
			inside(s).afterBatch()
		})
		for range 100 {
			runtime.Gosched()
		}
		release()
		all.Wait()
		cancel()
		if t.Failed() {
			return
		}
	}
}

// TestWaitForAfterTheBatch: WaitFor is called when a batch was processed, and the Reflector has not
// set its version yet.
func TestWaitForAfterTheBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFollower(newSource())
		r, in := inside(s).reflectors()[0], protocol.Input{Verb: protocol.OpenWatch}
		first := waitFor(t, s, 5)
		if first.returned(t) {
			t.Error("WaitFor returned before the event")
		}
		inside(s).queue.Close() // the batch of this event was processed
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one", UID: "u1", ResourceVersion: "5"}}
		if err := r.forward(t.Context(), []wire.Event{{Type: watch.Added, ResourceVersion: "5", Item: stated(obj)}}, &in); err != nil {
			t.Fatal(err)
		}
		if !first.returned(t) {
			t.Error("WaitFor waits for another event")
		}
	})
}

// TestWriteAfterTheBookmark: the watch has passed a state that the server does not have in the scope,
// when the response with the next one comes.
func TestWriteAfterTheBookmark(t *testing.T) {
	s := newOwn(t, func(string) OpenFunc { return openerOf(newSource()) })
	inside(s).process([]deltafifo.Delta{{Type: deltafifo.Replaced, Collection: &deltafifo.Collection{IsFirst: true, Version: "10"}}})
	src, r := newSource(), inside(s).reflectors()[0]
	inside(s).own.Load().Wrote(response(src.set("a", "one", nil)))
	r.status.Reach("101", 1) // it has not told that yet
	inside(s).own.Load().Wrote(response(src.set("a", "one", nil)))
	r.status.Reach("102", 1)
	r.reached(false)
	if n := s.GetStore().Len(); n != 0 {
		t.Errorf("%d objects stay", n)
	}
}

// TestWaitForARestoredServer: what was reached before does not count.
func TestWaitForARestoredServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.set("a", "one", nil)
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet}))
		run(t, s.Run)
		synctest.Wait()
		if err := s.WaitFor(t.Context(), "101"); err != nil {
			t.Error(err)
		}
		src.mu.Lock()
		src.version, src.history, src.objects = 100, nil, map[ObjectName]object{}
		src.mu.Unlock()
		src.endWatches(errGone)
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
		if own := inside(s).own.Load(); own.waiting.Load() != 0 || len(own.waiters) != 0 {
			t.Error("a waiter is left")
		}
	})
}

// TestFormChangesDuringAWrite: the response is decoded to the old form, and comes when the cache has
// the new one.
func TestFormChangesDuringAWrite(t *testing.T) {
	if servesProtobuf() {
		t.Skip("unstructured objects are JSON")
	}
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.streams = true
		src.set("a", "one", nil)
		own := &writes.Observer{}
		own.Transport(http.DefaultTransport)
		kind := Kind[GenericObject]{Resource: widgets, Namespaced: true, Object: &gadget{}, Server: testServer("https://test"), Open: func(string) OpenFunc { return formOpener(src) }}
		s, err := kind.NewInformer(ReadYourWrites(own), WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		writing, changed := false, false
		inside(s).reflectors()[0].config.Transform = func(obj GenericObject) (GenericObject, error) {
			if writing && !changed {
				changed = true
				applied, err := s.SetForm(&unstructured.Unstructured{}, false)
				if err != nil {
					t.Error(err)
				}
				<-applied
			}
			return obj, nil
		}
		run(t, s.Run)
		synctest.Wait()
		src.setSilent(true)
		src.endWatches(io.EOF)
		synctest.Wait()
		writing = true
		// The list of the new form does not have the write: another server is behind.
		obj := src.objects[ObjectName{"a", "one"}].DeepCopy()
		obj.ResourceVersion = "102"
		inside(s).own.Load().Wrote(response(obj))
		wantForm(t, s, 1, formUnstructured)
		if got := s.GetStore().List()[0].GetResourceVersion(); got != "102" {
			t.Errorf("cached is version %s", got)
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
	s := newOwn(t, func(string) OpenFunc { return openerOf(newSource()) }, WithIndexers(Indexers[object]{"broken": index}))
	inside(s).process([]deltafifo.Delta{{Type: deltafifo.Replaced, Collection: &deltafifo.Collection{IsFirst: true, Version: "10"}}})
	src := newSource()
	obj := src.set("a", "one", nil)
	func() {
		defer func() { _ = recover() }()
		inside(s).own.Load().Wrote(response(obj))
		t.Error("the panic was swallowed")
	}()
	if n := s.Status().PendingWrites; n != 0 {
		t.Errorf("%d writes are pending", n)
	}
	panics = false
	inside(s).process([]deltafifo.Delta{{Type: deltafifo.Added, Item: stated(obj)}})
	if s.GetStore().Len() != 1 {
		t.Error("the event was ignored")
	}
}

// TestManyWaitersLeave without a trace.
func TestManyWaitersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		s := followOwn(t, map[string]*fakeSource{"": src})
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
		src.bookmark()
		synctest.Wait()
		cancel()
		all.Wait()
		if own := inside(s).own.Load(); own.waiting.Load() != 0 || len(own.waiters) != 0 {
			t.Errorf("%d waiters are left", len(own.waiters))
		}
	})
}

// TestStopDuringWrites: after Stop nothing is heard, cached or pending.
func TestStopDuringWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		s := followOwn(t, map[string]*fakeSource{"": src})
		heard, _ := listen(t, s)
		synctest.Wait()
		var all sync.WaitGroup
		for n := range 100 {
			obj := src.set("a", strconv.Itoa(n), nil)
			all.Go(func() { inside(s).own.Load().Wrote(response(obj)) })
			if n == 50 {
				all.Go(s.Stop)
			}
		}
		all.Wait()
		s.Stop()
		heard.drain()
		inside(s).own.Load().Wrote(response(src.set("a", "late", nil)))
		synctest.Wait()
		wantLines(t, heard.drain())
		if n := s.Status().PendingWrites; n != 0 || s.GetStore().Len() != 0 {
			t.Errorf("after Stop %d writes are pending, %d objects cached", n, s.GetStore().Len())
		}
	})
}
