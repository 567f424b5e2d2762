package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestHandlerThatRemovesItselfAndPanics keeps the status of an informer
// without the handler, whether the removal comes before the panic is reported or after.
func TestHandlerThatRemovesItselfAndPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		s := start(t, Config[object]{ListerWatcher: src, Settings: Settings{HandlerPanicRecovery: true}})
		synctest.Wait()
		for _, quit := range []func(){func() { panic("gone") }, runtime.Goexit} {
			added := make(chan ResourceEventHandlerRegistration, 1)
			reg, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) {
				if err := s.RemoveEventHandler(<-added); err != nil {
					t.Error(err)
				}
				quit()
			}})
			if err != nil {
				t.Fatal(err)
			}
			added <- reg
			src.set("a", fmt.Sprint(src.version), nil)
			synctest.Wait()
			if status := s.Status(); status.Phase != Watching || status.Err != nil {
				t.Errorf("without the handler the status is %+v", status)
			}
		}
	})
}

// TestHandlerContinuesAfterGoexit has one that calls runtime.Goexit on its first
// and its last initial event, and on each update.
func TestHandlerContinuesAfterGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		for _, name := range []string{"a", "b", "c"} {
			src.set("ns", name, nil)
		}
		s := NewSharedIndexInformer(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet, ResyncPeriod: time.Hour}))
		var heard []string
		reg, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{
			AddFunc: func(obj object, _ bool) {
				heard = append(heard, "add "+obj.Name)
				if obj.Name != "b" {
					runtime.Goexit()
				}
			},
			UpdateFunc: func(_, obj object) {
				heard = append(heard, "update "+obj.Name)
				runtime.Goexit()
			},
		}, WithHandlerName("quitter"))
		if err != nil {
			t.Fatal(err)
		}
		stop := run(t, s.Run)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := WaitForCacheSync(ctx, s, reg); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantLines(t, heard, "add a", "add b", "add c")
		status := s.Status()
		var exited *HandlerPanicError
		if status.Phase != Degraded || status.Reason != HandlerPanic || !errors.As(status.Err, &exited) || !exited.Exited ||
			exited.Error() != "handler quitter called runtime.Goexit on ns/c" || !strings.Contains(string(exited.Stack), "handler_panics_test.go") {
			t.Errorf("the status is %+v", status)
		}
		for range 100 {
			src.set("ns", "b", nil)
		}
		synctest.Wait()
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		if len(heard) != 3+100+3 || reg.Backlog() != 0 {
			t.Errorf("it heard %d events, its backlog is %d", len(heard), reg.Backlog())
		}
		src.set("ns", "b", nil)
		stop() // returns, with the handler in a goroutine of a goroutine of its first one
		if !isClosed(reg.Ended()) || s.Status().Phase != Stopped {
			t.Errorf("in the end the informer is %v", s.Status())
		}
	})
}

// TestShutdownWhileHandlersEndTheirGoroutines races both.
func TestShutdownWhileHandlersEndTheirGoroutines(t *testing.T) {
	for range 20 {
		src, asked := newSource(), []string{}
		for n := range 20 {
			src.set("a", fmt.Sprint(n), nil)
		}
		f := NewSharedInformerFactory(0)
		s := InformerFor(f, kindOf(src, &asked))
		reached := make(chan struct{}, 20)
		reg, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) {
			reached <- struct{}{}
			runtime.Goexit()
		}})
		if err != nil {
			t.Fatal(err)
		}
		f.Start(t.Context())
		for range 7 {
			<-reached
		}
		f.Shutdown()
		if !isClosed(reg.Ended()) || reg.Backlog() != 0 {
			t.Error("Shutdown returned before the handler ended")
		}
	}
}

func TestUnsharedHandlerContinuesAfterPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		for _, name := range []string{"a", "b", "c"} {
			src.set("ns", name, nil)
		}
		var heard []string
		_, controller := NewInformer(via(Config[object]{ListerWatcher: src, Resource: widgets, Settings: Settings{HandlerPanicRecovery: true}}), ResourceEventHandlerFuncs[object]{
			AddFunc: func(obj object, _ bool) {
				heard = append(heard, obj.Name)
				if obj.Name == "b" {
					panic("no b please")
				}
			},
		})
		run(t, controller.Run)
		if err := WaitForCacheSync(t.Context(), controller); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantLines(t, heard, "a", "b", "c")
		if status := controller.Status(); status.Phase != Degraded || status.Reason != HandlerPanic || !strings.Contains(status.Err.Error(), "panicked on ns/b: no b please") {
			t.Errorf("the status is %+v", status)
		}
	})
}

// TestUnsharedHandlerThatEndsTheGoroutineEndsRun leaves no queue that grows, and no
// caller that waits.
func TestUnsharedHandlerThatEndsTheGoroutineEndsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.set("ns", "a", nil)
		src.set("ns", "b", nil)
		_, controller := NewInformer(via(Config[object]{ListerWatcher: src, Resource: widgets, ResyncPeriod: time.Hour}),
			ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { runtime.Goexit() }})
		returned := make(chan struct{})
		go func() {
			defer close(returned)
			controller.Run(t.Context())
		}()
		err := WaitForCacheSync(t.Context(), controller)
		if !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "widgets.test.example.com: Stopped for 0s (HandlerPanic: ") || !strings.Contains(err.Error(), "called runtime.Goexit on ns/a") {
			t.Errorf("the wait ended with %v", err)
		}
		<-returned
		if src.open != 0 || controller.HasSynced() {
			t.Errorf("%d watches are open, synced is %v", src.open, controller.HasSynced())
		}
	})
}

// TestIndexFuncThatEndsTheGoroutineEndsRun is the same for the goroutine that fills a
// shared cache.
func TestIndexFuncThatEndsTheGoroutineEndsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, asked := newSource(), []string{}
		src.set("ns", "a", nil)
		f := NewSharedInformerFactory(0)
		kind := kindOf(src, &asked)
		kind.Indexers = Indexers[object]{"quitter": func(object) []string { runtime.Goexit(); return nil }}
		_, reg := listen(t, InformerFor(f, kind))
		f.Start(t.Context())
		if err := f.WaitForCacheSync(t.Context()); !errors.Is(err, ErrStopped) {
			t.Errorf("the wait ended with %v", err)
		}
		f.Shutdown()
		if !isClosed(reg.Ended()) || src.open != 0 {
			t.Errorf("the handler has not ended, or %d watches are open", src.open)
		}
	})
}

func TestUnsharedHandlerMutationIsDetected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.set("a", "w", map[string]string{"letters": "x"})
		store, controller := NewInformer(via(Config[object]{ListerWatcher: src, Resource: widgets, Settings: Settings{MutationDetector: true, HandlerPanicRecovery: true}}),
			ResourceEventHandlerFuncs[object]{AddFunc: func(obj object, _ bool) { obj.Labels["letters"] = "y" }})
		run(t, controller.Run)
		synctest.Wait()
		if err := controller.Status().Err; err == nil || !strings.Contains(err.Error(), "has changed widgets.test.example.com a/w") {
			t.Errorf("the error is %v", err)
		}
		obj, _ := store.Get(ObjectName{"a", "w"})
		obj.Labels["letters"] = "x" // or the end of Run would find it again
	})
}

// TestUnsharedMutationOfAReaderIsDetected looks at the cache once more when Run ends.
func TestUnsharedMutationOfAReaderIsDetected(t *testing.T) {
	src := newSource()
	src.set("a", "w", map[string]string{"letters": "x"})
	store, controller := NewInformer(via(Config[object]{ListerWatcher: src, Resource: widgets, Settings: Settings{MutationDetector: true}}), ResourceEventHandlerFuncs[object]{})
	ctx, cancel := context.WithCancel(t.Context())
	found := make(chan any)
	go func() {
		defer func() { found <- recover() }()
		controller.Run(ctx)
	}()
	<-controller.Synced()
	obj, _ := store.Get(ObjectName{"a", "w"})
	obj.Labels["letters"] = "y"
	cancel()
	if value := fmt.Sprint(<-found); !strings.Contains(value, "a reader of the cache has changed") {
		t.Errorf("Run ended with %v", value)
	}
}

// TestUnsharedInformerStoppedEarlyIsNotSynced ends ctx in the first of two
// initial events.
func TestUnsharedInformerStoppedEarlyIsNotSynced(t *testing.T) {
	src := newSource()
	src.set("a", "one", nil)
	src.set("a", "two", nil)
	ctx, cancel := context.WithCancel(t.Context())
	_, controller := NewInformer(via(Config[object]{ListerWatcher: src, Resource: widgets}), ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { cancel() }})
	controller.Run(ctx)
	if controller.HasSynced() {
		t.Error("synced before the handler has got the first list")
	}
}
