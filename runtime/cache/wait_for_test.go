package cache

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// waiting is a call of WaitFor in a goroutine.
type waiting struct{ result chan error }

func waitFor(t *testing.T, s *SharedIndexInformer[object], version int) *waiting {
	w := &waiting{make(chan error, 1)}
	go func() { w.result <- s.WaitFor(t.Context(), strconv.Itoa(version)) }()
	return w
}

// returned reports whether the call has returned, when nothing more happens.
func (w *waiting) returned(t *testing.T) bool {
	t.Helper()
	synctest.Wait()
	select {
	case err := <-w.result:
		if err != nil {
			t.Error(err)
		}
		return true
	default:
		return false
	}
}

// TestWaitFor waits for the first list, an event, a bookmark, and a relist.
func TestWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		src.Set("a", "one", nil) // 101
		s := newFollower(src)
		first := waitFor(t, s, 101)
		if first.returned(t) {
			t.Error("WaitFor returned before the informer has run")
		}
		cachetest.Run(t, s.Run)
		if !first.returned(t) {
			t.Error("the first list does not end WaitFor")
		}
		steps := []func(){
			func() { src.Set("a", "one", nil) },
			src.Bookmark,
			func() { src.Remove("a", "one") },
		}
		for i, step := range steps {
			next, later := waitFor(t, s, 102+i), waitFor(t, s, 103+i)
			if next.returned(t) {
				t.Errorf("step %d: WaitFor returned before it", i)
			}
			step()
			if !next.returned(t) || later.returned(t) {
				t.Errorf("step %d: WaitFor does not return at its version", i)
			}
			if !waitFor(t, s, 101+i).returned(t) {
				t.Errorf("step %d: WaitFor waits for the past", i)
			}
		}
		src.SetSilent(true)
		src.Set("a", "two", nil)
		relisted := waitFor(t, s, 105)
		src.EndWatches(cachetest.ErrGone)
		time.Sleep(time.Minute)
		if !relisted.returned(t) {
			t.Error("a relist does not end WaitFor")
		}
		if n := inside(s).core.Waits(); n != 0 {
			t.Errorf("%d calls wait", n)
		}
	})
}

// newInformer returns an informer of a source without ReadYourWrites.
func newFollower(src *cachetest.Source) *SharedIndexInformer[object] {
	return informerOf(via(Config[object]{ListerWatcher: src, Resource: widgets, WatchErrorHandler: quiet}))
}

// TestWaitForNamespaces: all namespaces have to reach the version.
func TestWaitForNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := cachetest.NewSource(), cachetest.NewSource()
		s := followAll(t, map[string]*cachetest.Source{"a": a, "b": b})
		a.Set("a", "one", nil)
		w := waitFor(t, s, 101)
		if w.returned(t) {
			t.Error("one of two namespaces is behind")
		}
		b.Bookmark()
		if !w.returned(t) {
			t.Error("both namespaces have the version")
		}
	})
}

// TestWaitForEnds: the error has the reason, and nothing is left.
func TestWaitForEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := cachetest.NewSource()
		s := newFollower(src)
		cachetest.Run(t, s.Run)
		synctest.Wait()
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		src.EndWatches(cachetest.ErrCut)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := s.WaitFor(ctx, "500")
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "widgets.test.example.com") || !strings.Contains(err.Error(), "Forbidden") || !strings.Contains(err.Error(), "version 500") {
			t.Errorf("the error is %v", err)
		}
		for _, version := range []string{"", "0", "abc", "-5"} {
			if err := s.WaitFor(t.Context(), version); err == nil {
				t.Errorf("version %q is accepted", version)
			}
		}
		if inside(s).core.Waits() != 0 {
			t.Errorf("%d calls are left", inside(s).core.Waits())
		}
		ended := make(chan error)
		go func() { ended <- s.WaitFor(context.Background(), "500") }()
		synctest.Wait()
		s.Stop()
		if err := <-ended; !errors.Is(err, ErrStopped) {
			t.Errorf("after Stop the error is %v", err)
		}
		if err := s.WaitFor(t.Context(), "501"); !errors.Is(err, ErrStopped) {
			t.Errorf("a call after Stop returns %v", err)
		}
	})
}
