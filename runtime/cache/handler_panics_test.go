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

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestHandlerThatRemovesItselfAndPanics keeps the status of an informer
// without the handler, whether the removal comes before the panic is reported or after.
func TestHandlerThatRemovesItselfAndPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
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
			src.Set("a", fmt.Sprint(src.Version), nil)
			synctest.Wait()
			if now := s.Status(); now.Phase != status.Watching || now.Err != nil {
				t.Errorf("without the handler the status is %+v", now)
			}
		}
	})
}

// TestHandlerContinuesAfterGoexit has one that calls runtime.Goexit on its first
// and its last initial event, and on each update.
func TestHandlerContinuesAfterGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		for _, name := range []string{"a", "b", "c"} {
			src.Set("ns", name, nil)
		}
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet, ResyncPeriod: time.Hour}))
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
		stop := cachetest.Run(t, s.Run)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := WaitForCacheSync(ctx, s, reg); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		cachetest.WantLines(t, heard, "add a", "add b", "add c")
		now := s.Status()
		var exited *status.HandlerPanicError
		if now.Phase != status.Degraded || now.Reason != status.HandlerPanic || !errors.As(now.Err, &exited) || !exited.Exited ||
			exited.Error() != "handler quitter called runtime.Goexit on ns/c" || !strings.Contains(string(exited.Stack), "handler_panics_test.go") {
			t.Errorf("the status is %+v", now)
		}
		for range 100 {
			src.Set("ns", "b", nil)
		}
		synctest.Wait()
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		if len(heard) != 3+100+3 || reg.Backlog() != 0 {
			t.Errorf("it heard %d events, its backlog is %d", len(heard), reg.Backlog())
		}
		src.Set("ns", "b", nil)
		stop() // returns, with the handler in a goroutine of a goroutine of its first one
		if !isClosed(reg.Ended()) || s.Status().Phase != status.Stopped {
			t.Errorf("in the end the informer is %v", s.Status())
		}
	})
}

// TestShutdownWhileHandlersEndTheirGoroutines races both.
func TestShutdownWhileHandlersEndTheirGoroutines(t *testing.T) {
	for range 20 {
		src, asked := cachetest.NewSource(), []string{}
		for n := range 20 {
			src.Set("a", fmt.Sprint(n), nil)
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

// TestIndexFuncThatEndsTheGoroutineEndsRun is the same for the goroutine that fills a
// shared cache.
func TestIndexFuncThatEndsTheGoroutineEndsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, asked := cachetest.NewSource(), []string{}
		src.Set("ns", "a", nil)
		f := NewSharedInformerFactory(0)
		kind := kindOf(src, &asked)
		kind.Indexers = Indexers[object]{"quitter": func(object) []string { runtime.Goexit(); return nil }}
		_, reg := listen(t, InformerFor(f, kind))
		f.Start(t.Context())
		if err := f.WaitForCacheSync(t.Context()); !errors.Is(err, ErrStopped) {
			t.Errorf("the wait ended with %v", err)
		}
		f.Shutdown()
		if !isClosed(reg.Ended()) || src.Open != 0 {
			t.Errorf("the handler has not ended, or %d watches are open", src.Open)
		}
	})
}
