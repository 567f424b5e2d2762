package cache

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

func TestWaitIgnoresARemovedHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "one", nil)
		src.Set("a", "two", nil)
		var asked []string
		f := NewSharedInformerFactory(0)
		defer f.Shutdown()
		s := InformerFor(f, kindOf(src, &asked))
		registered := make(chan ResourceEventHandlerRegistration, 1)
		reg, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) {
			if err := s.RemoveEventHandler(<-registered); err != nil {
				t.Error(err)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		registered <- reg
		f.Start(t.Context())
		if err := f.WaitForCacheSync(t.Context()); err != nil {
			t.Error(err)
		}
		for range inside(s).core.Processor.Listeners() {
			t.Error("a removed handler still gets changes")
		}
	})
}

func TestWaitEndsWhenTheInformerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet}))
		stop := cachetest.Run(t, s.Run)
		go func() {
			time.Sleep(time.Second)
			stop()
		}()
		began := time.Now()
		err := WaitForCacheSync(t.Context(), s)
		if !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "widgets.test.example.com: Stopped for 0s (Forbidden") || time.Since(began) > time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestWaitForSyncedInformersSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, Config[object]{ListerWatcher: cachetest.NewSource()})
		_, reg := listen(t, s)
		if err := WaitForCacheSync(t.Context(), s, reg); err != nil {
			t.Fatal(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 {
			if err := WaitForCacheSync(ended, s, reg); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestHandlerIsNeverSyncedBeforeItsInformer runs without a bubble: it is about
// two goroutines that really race.
func TestHandlerIsNeverSyncedBeforeItsInformer(t *testing.T) {
	for range 100 {
		src := cachetest.NewSource()
		src.Set("a", "w", nil)
		s := informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets}))
		_, reg := listen(t, s)
		for range 50 { // more handlers make the window larger
			listen(t, s)
		}
		stop := cachetest.Run(t, s.Run)
		<-reg.Synced()
		if !s.HasSynced() {
			t.Error("the handler is synced, the informer is not")
		}
		stop()
	}
}

func TestNothingStartsAfterShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, asked := cachetest.NewSource(), []string{}
		f := NewSharedInformerFactory(0)
		before := InformerFor(f, kindOf(src, &asked))
		_, reg := listen(t, before)
		f.Shutdown()
		kind := kindOf(src, &asked)
		kind.Resource.Resource = "others"
		after := InformerFor(f, kind)
		f.Start(t.Context())
		synctest.Wait()
		for _, s := range []*SharedIndexInformer[object]{before, after} {
			if s.Status().Phase != status.Stopped || !isClosed(s.Ended()) {
				t.Errorf("an informer of a factory that was shut down is %v", s.Status())
			}
			if _, err := s.AddEventHandler(&cachetest.Recorder{}); !errors.Is(err, ErrStopped) {
				t.Errorf("adding a handler to it: %v", err)
			}
			s.Run(t.Context())
		}
		if !isClosed(reg.Ended()) || src.Count("list") != 0 {
			t.Errorf("%d lists", src.Count("list"))
		}
	})
}

// TestRunOfARefusedInformer runs an informer whose options have a mistake, in a program that does not start
// its factory.
func TestRunOfARefusedInformer(t *testing.T) {
	f, asked, logged := NewSharedInformerFactory(0), []string{}, 0
	defer f.Shutdown()
	s := InformerFor(f, kindOf(cachetest.NewSource(), &asked), WithNamespace("a "))
	s.Run(klog.NewContext(t.Context(), klog.New(errorLog{&logged})))
	if logged != 1 || s.Status().Reason != status.Misconfigured {
		t.Errorf("%d errors were logged, and the informer is %v", logged, s.Status())
	}
}

// TestSlowIndexFuncBlocksNoAccessor asks the factory for an informer while an
// index function of another one runs, and somebody waits for both.
func TestSlowIndexFuncBlocksNoAccessor(t *testing.T) {
	src, asked := cachetest.NewSource(), []string{}
	src.Set("a", "w", nil)
	f := NewSharedInformerFactory(0)
	defer f.Shutdown()
	entered, release := make(chan struct{}), make(chan struct{})
	kind := kindOf(src, &asked)
	kind.Indexers = Indexers[object]{"slow": func(object) []string {
		close(entered)
		<-release
		return nil
	}}
	InformerFor(f, kind)
	f.Start(t.Context())
	<-entered
	waited := make(chan error)
	go func() { waited <- f.WaitForCacheSync(t.Context()) }()
	other := kindOf(cachetest.NewSource(), &asked)
	other.Resource.Resource = "others"
	for range 1000 { // one of which meets the wait half-way
		InformerFor(f, other)
		runtime.Gosched()
	}
	f.Start(t.Context())
	close(release)
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

// TestPanicEndsTheProgram runs itself as a program whose index function panics.
func TestPanicEndsTheProgram(t *testing.T) {
	if os.Getenv("PANIC_IN_INDEX_FUNC") == "" {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		program := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestPanicEndsTheProgram$")
		program.Env = append(os.Environ(), "PANIC_IN_INDEX_FUNC=yes")
		output, err := program.CombinedOutput()
		if ctx.Err() != nil || err == nil || !strings.Contains(string(output), `index "bad" panicked on a/w: no such field`) {
			t.Fatalf("the program ended with %v:\n%s", err, output)
		}
		return
	}
	src := cachetest.NewSource()
	src.Set("a", "w", nil)
	informerOf(Config[object]{ListerWatcher: src, Resource: widgets,
		Indexers: Indexers[object]{"bad": func(object) []string { panic("no such field") }}}).Run(context.Background())
}

// errorLog is a log that counts errors.
type errorLog struct{ errors *int }

func (l errorLog) Init(klog.RuntimeInfo)          {}
func (l errorLog) Enabled(int) bool               { return true }
func (l errorLog) Info(int, string, ...any)       {}
func (l errorLog) Error(error, string, ...any)    { *l.errors++ }
func (l errorLog) WithValues(...any) klog.LogSink { return l }
func (l errorLog) WithName(string) klog.LogSink   { return l }

// TestStopBeforeStartIsNoError starts a factory of which one informer was stopped. To
// run one twice is an error.
func TestStopBeforeStartIsNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logged := 0
		ctx := klog.NewContext(t.Context(), klog.New(errorLog{&logged}))
		src, asked := cachetest.NewSource(), []string{}
		f := NewSharedInformerFactory(0)
		s := InformerFor(f, kindOf(src, &asked))
		s.Stop()
		f.Start(ctx)
		synctest.Wait()
		s.Run(ctx)
		if s.Status().Phase != status.Stopped || src.Count("list") != 0 || logged != 0 {
			t.Errorf("the informer is %v, it made %d lists, %d errors were logged", s.Status(), src.Count("list"), logged)
		}
		other := kindOf(src, &asked)
		other.Resource.Resource = "others"
		twice := InformerFor(f, other)
		f.Start(ctx)
		synctest.Wait()
		twice.Run(ctx)
		if logged != 1 {
			t.Errorf("%d errors were logged of an informer that was run twice", logged)
		}
		f.Shutdown()
	})
}

// hasty is an informer whose phase changes whenever somebody asks for the reason.
type hasty struct {
	*sharedInformer
	phases []status.Phase
}

func (h *hasty) waitsFor() (subject, status.NotSynced) {
	about, reason := h.sharedInformer.waitsFor()
	h.set.reflectors()[0].Reflector.Progress().Enter(string(h.phases[0]), progress.Failure{})
	h.phases = h.phases[1:]
	return about, reason
}

// TestNotSyncedErrorNamesAnInformerOnce changes its phase between its entry and those
// of its handlers, and lets it become synced before the last of them.
func TestNotSyncedErrorNamesAnInformerOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := informerOf(via(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets}))
		other := informerOf(via(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: gvr{Group: "test.example.com", Version: "v1", Resource: "others"}}))
		_, first := listen(t, s)
		_, second := listen(t, s)
		_, third := listen(t, other)
		_, fourth := listen(t, other)
		inside(other).core.Listed().Reach(inside(other).core.Mark())
		err := notSynced(context.DeadlineExceeded, []Syncer{&hasty{inside(s), []status.Phase{status.Listing}}, first, &hasty{inside(s), []status.Phase{status.Degraded}}, third, second, fourth})
		var notSynced *NotSyncedError
		if !errors.As(err, &notSynced) {
			t.Fatal(err)
		}
		of := "others.test.example.com: Pending for 0s (not started)"
		var reasons []string
		for _, w := range notSynced.Waiting {
			reasons = append(reasons, w.Reason)
		}
		if w := notSynced.Waiting[1]; w.Status.Resource.Resource != "others" || w.Handler != "*cachetest.Recorder" || w.Status.Phase != status.Pending {
			t.Errorf("the entry of a handler is %+v", w)
		}
		cachetest.WantLines(t, reasons, "widgets.test.example.com: Pending for 0s (not started)", of, of)
		s.Stop()
		other.Stop()
	})
}

// TestNotSyncedErrorOfAnInformerThatSyncsMeanwhile names it, and not its handler as
// well.
func TestNotSyncedErrorOfAnInformerThatSyncsMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := informerOf(via(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets}))
		_, reg := listen(t, s)
		err := notSynced(context.DeadlineExceeded, []Syncer{&late{inside(s)}, reg})
		if want := "not synced (context deadline exceeded):\n\twidgets.test.example.com: Pending for 0s (not started)"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		s.Stop()
	})
}

// late is an informer that is synced once it was asked for the reason why not.
type late struct{ *sharedInformer }

func (l *late) waitsFor() (subject, status.NotSynced) {
	defer l.core.Listed().Reach(l.core.Mark())
	return l.sharedInformer.waitsFor()
}

// TestInformerWithoutAResourceIsNamedByItsType has one that was made by hand.
func TestInformerWithoutAResourceIsNamedByItsType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := via(Config[object]{ListerWatcher: cachetest.NewSource()})
		s := informerOf(config)
		defer s.Stop()
		if got, want := s.NotSyncedReason(), "v1.PartialObjectMetadata: Pending for 0s (not started)"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		erasedView := erasedConfig(Config[*widgetSummary]{Namespace: "team-a"})
		if got, want := erasedView.name(), "cache.widgetSummary in namespace team-a"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
