package cache

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// hooked records the calls of hooks, and lets each of them wait.
type hooked struct {
	// during is called by each hook with its line.
	during func(line string)

	mu      sync.Mutex // guards the fields below
	lines   []string
	changes []status.Change
	// errors and dropped are the number of errors that were heard, and were not.
	errors, dropped int
}

func (h *hooked) add(line string) {
	h.mu.Lock()
	h.lines = append(h.lines, line)
	h.mu.Unlock()
	if h.during != nil {
		h.during(line)
	}
}

func (h *hooked) onError(_ context.Context, resource gvr, err error) {
	h.mu.Lock()
	if dropped, ok := err.(*status.DroppedErrors); ok {
		h.dropped += dropped.Errors
	} else {
		h.errors++
	}
	h.mu.Unlock()
	h.add(resource.Resource + " " + string(reasonOf(err)))
}

func (h *hooked) onChange(_ context.Context, change status.Change) {
	h.mu.Lock()
	h.changes = append(h.changes, change)
	h.mu.Unlock()
	h.add(fmt.Sprintf("%s%s to %s%s", change.Old.Phase, change.Old.Reason, change.New.Phase, change.New.Reason))
}

func logTo(ctx context.Context, log *cachetest.LineLog) context.Context {
	return klog.NewContext(ctx, klog.New(log))
}

func (h *hooked) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	lines := h.lines
	h.lines = nil
	return lines
}

// informer returns an informer with these hooks over src. Its first list is in pages.
func (h *hooked) informer(src *cachetest.Source) *SharedIndexInformer[object] {
	return informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: h.onError, StatusHandler: h.onChange,
		Settings: Settings{Backoffs: map[Reason]Backoff{"": {Initial: time.Millisecond, Max: time.Millisecond}}}}))
}

// TestHooksAreCalledInOrder fails twice, with different reasons, and then follows.
func TestHooksAreCalledInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, heard := cachetest.NewSource(), &hooked{}
		src.Set("a", "w", nil)
		failures := []error{cachetest.ErrForbidden, cachetest.ErrForbidden, cachetest.ErrInternal}
		src.FailWith(func(cachetest.Request) (err error) {
			if len(failures) > 0 {
				err, failures = failures[0], failures[1:]
			}
			return err
		})
		s := heard.informer(src)
		stop := cachetest.Run(t, s.Run)
		time.Sleep(time.Minute)
		cachetest.WantLines(t, heard.take(), "Pending to Listing", "Listing to DegradedForbidden", "widgets Forbidden", "widgets Forbidden",
			"DegradedForbidden to DegradedServerError", "widgets ServerError", "DegradedServerError to Listing", "Listing to Watching")
		src.Set("a", "w", nil) // another version, and another number of objects
		src.Set("a", "v", nil)
		synctest.Wait()
		cachetest.WantLines(t, heard.take())
		last := heard.changes[len(heard.changes)-1]
		if got, want := last.String(), "widgets.test.example.com: Watching for "; !strings.HasPrefix(got, want) || last.New.Resource != widgets {
			t.Errorf("the last change is %q of %v, want %q", got, last.New.Resource, want)
		}
		stop()
		cachetest.WantLines(t, heard.take(), "Watching to Stopped")
		if s.Stop(); len(heard.take()) > 0 {
			t.Error("a second end is reported")
		}
	})
}

// TestBlockedHooksBlockNothing has hooks that block for an hour while 10,000 requests fail.
func TestBlockedHooksBlockNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, heard := cachetest.NewSource(), &hooked{}
		heard.during = func(line string) {
			if line == "Pending to Listing" {
				time.Sleep(time.Hour)
			}
		}
		const failures = 10_000
		failed := 0
		src.FailWith(func(cachetest.Request) error {
			if failed++; failed > failures {
				return nil
			}
			return fmt.Errorf("error %d", failed)
		})
		src.Set("a", "w", nil)
		s := heard.informer(src)
		handler, _ := listen(t, s)
		began := time.Now()
		stop := cachetest.Run(t, s.Run)
		if err := WaitForCacheSync(t.Context(), s); err != nil || time.Since(began) > time.Minute {
			t.Fatalf("after %v: %v", time.Since(began), err)
		}
		synctest.Wait()
		cachetest.WantLines(t, handler.Drain(), "add a/w@101 initial=true")
		if lines := heard.take(); len(lines) != 1 {
			t.Fatalf("%d hooks were called while the first one blocks", len(lines))
		}
		ended := make(chan struct{})
		go func() {
			s.Stop()
			stop()
			close(ended)
		}()
		synctest.Wait()
		if now := s.Status(); now.Phase != status.Stopped || isClosed(ended) {
			t.Errorf("with a blocked hook, Stop has returned is %v, and the status %v", isClosed(ended), now)
		}
		<-ended
		if waited := time.Since(began); waited != time.Hour {
			t.Errorf("the end came after %v", waited)
		}
		lines := heard.take()
		if heard.dropped+heard.errors != failures || len(lines) > 250 || lines[len(lines)-1] != "Watching to Stopped" {
			t.Errorf("%d calls, %d errors heard and %d dropped, the last line is %q", len(lines), heard.errors, heard.dropped, lines[len(lines)-1])
		}
		for i, change := range heard.changes {
			if i > 0 && !status.SameState(change.Old, heard.changes[i-1].New) {
				t.Errorf("change %d is from %v, the one before is to %v", i, change.Old, heard.changes[i-1].New)
			}
		}
	})
}

// TestStatusHandlerOfAnInformerThatNeverRan stops one by hand, and one by its factory.
func TestStatusHandlerOfAnInformerThatNeverRan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &hooked{during: func(string) { time.Sleep(time.Minute) }}
		s := heard.informer(cachetest.NewSource())
		began := time.Now()
		s.Stop()
		cachetest.WantLines(t, heard.take(), "Pending to Stopped")
		if waited := time.Since(began); waited != time.Minute {
			t.Errorf("Stop returned after %v", waited)
		}
		s.Stop()
		cachetest.WantLines(t, heard.take())

		f := NewSharedInformerFactory(0, WithStatusHandler(heard.onChange))
		var asked []string
		early := InformerFor(f, kindOf(cachetest.NewSource(), &asked))
		began = time.Now()
		f.Shutdown()
		cachetest.WantLines(t, heard.take(), "Pending to Stopped")
		if waited := time.Since(began); waited != time.Minute || early.Status().Phase != status.Stopped {
			t.Errorf("Shutdown returned after %v", waited)
		}
		late := kindOf(cachetest.NewSource(), &asked)
		late.Resource.Resource = "others"
		if s := InformerFor(f, late); s.Status().Phase != status.Stopped {
			t.Errorf("after Shutdown the status is %v", s.Status())
		}
		synctest.Wait()
		cachetest.WantLines(t, heard.take())
	})
}

// TestHooksOfAControllerAndAReflector have no shared informer around them.
func TestHooksOfAControllerAndAReflector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &hooked{}
		config := *inside(heard.informer(cachetest.NewSource())).config
		for _, run := range []func(context.Context){newInformer(config).Run, queueing(config, &deltafifo.Queue{}).Run} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			heard.during = func(line string) {
				if line == "Watching to Stopped" {
					time.Sleep(time.Minute)
				}
			}
			began := time.Now()
			run(ctx)
			cancel()
			cachetest.WantLines(t, heard.take(), "Pending to Listing", "Listing to Watching", "Watching to Stopped")
			if waited := time.Since(began); waited != 2*time.Minute {
				t.Errorf("Run returned after %v", waited)
			}
		}
	})
}

// TestHandlerPanicIsAStatusChange has a handler that panics, and is removed then.
func TestHandlerPanicIsAStatusChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, heard := cachetest.NewSource(), &hooked{}
		config := *inside(heard.informer(src)).config
		config.HandlerPanicRecovery = true
		s := faceOf[object](newInformer(config))
		reg, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { panic("no") }})
		if err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		heard.take()
		src.Set("a", "w", nil)
		synctest.Wait()
		cachetest.WantLines(t, heard.take(), "Watching to DegradedHandlerPanic")
		if err := s.RemoveEventHandler(reg); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		cachetest.WantLines(t, heard.take(), "DegradedHandlerPanic to Watching")
	})
}

// TestHooksThatFail panic and end their goroutine; the informer and the other calls
// continue.
func TestHooksThatFail(t *testing.T) {
	for name, fail := range map[string]func(){"panicked: no": func() { panic("no") }, "called runtime.Goexit": runtime.Goexit} {
		synctest.Test(t, func(t *testing.T) {
			src, heard := cachetest.NewSource(), &hooked{during: func(string) { fail() }}
			src.FailWith(func(cachetest.Request) error {
				src.FailWith(nil)
				return cachetest.ErrForbidden
			})
			config := *inside(heard.informer(src)).config
			config.HandlerPanicRecovery = true
			s := newInformer(config)
			log := &cachetest.LineLog{}
			stop := cachetest.Run(t, func(ctx context.Context) { s.Run(logTo(ctx, log)) })
			time.Sleep(time.Minute)
			if s.Status().Phase != status.Watching {
				t.Errorf("the status is %v", s.Status())
			}
			stop()
			cachetest.WantLines(t, heard.take(), "Pending to Listing", "Listing to DegradedForbidden", "widgets Forbidden",
				"DegradedForbidden to Listing", "Listing to Watching", "Watching to Stopped")
			for _, part := range []string{"handler StatusHandler " + name, "handler WatchErrorHandler " + name, "onError", "resourcewidgets.test.example.com"} {
				if text := strings.Join(log.Lines, "\n"); !strings.Contains(text, part) {
					t.Errorf("%q is not in the log:\n%.1000s", part, text)
				}
			}
		})
	}
}

// TestPanicOfAHookEndsTheProgram calls what is called with the panic.
func TestPanicOfAHookEndsTheProgram(t *testing.T) {
	defer func() {
		if err, ok := recover().(*status.HandlerPanicError); !ok || err.Error() != "handler StatusHandler panicked: no" {
			t.Errorf("recovered %v", err)
		}
	}()
	config := erasedConfig(Config[object]{Resource: widgets})
	config.hookFailed(logTo(t.Context(), &cachetest.LineLog{}), "StatusHandler", "no")
}

// TestDefaultOfWatchErrorsIsDirect has no goroutine for the log.
func TestDefaultOfWatchErrorsIsDirect(t *testing.T) {
	s := informerOf(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets})
	if inside(s).monitor.HasHooks() {
		t.Error("an informer without hooks has a queue for them")
	}
	s.Stop()
}
