package cache

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// leased is a factory over one source, with a kind.
type leased struct {
	*testing.T
	src  *cachetest.Source
	f    *SharedInformerFactory
	kind Kind[object]
}

func newLeased(t *testing.T, set ...SharedInformerOption) *leased {
	l := &leased{T: t, src: cachetest.NewSource(), f: NewSharedInformerFactory(0, append(set, WithWatchErrorHandler(quiet))...)}
	l.kind = Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](l.src) }}
	if os.Getenv(cachetest.OverBodies) != "" {
		l.kind.Open, l.kind.ListWatch = func(string) bodies.OpenFunc { return cachetest.OpenerOf(l.src) }, nil
	}
	t.Cleanup(l.f.Shutdown)
	l.src.Set("a", "w", map[string]string{"letters": "x"})
	return l
}

func (l *leased) acquire(set ...SharedInformerOption) *Lease[object] {
	l.Helper()
	lease, err := Acquire(l.f, l.kind, set...)
	if err != nil {
		l.Fatal(err)
	}
	return lease
}

// part returns a lease with a handler that is synced.
func (l *leased) part() (*Lease[object], *cachetest.Recorder) {
	l.Helper()
	lease, heard := l.acquire(), &cachetest.Recorder{}
	if _, err := lease.AddEventHandler(heard); err != nil {
		l.Fatal(err)
	}
	if err := lease.WaitForCacheSync(l.Context()); err != nil {
		l.Fatal(err)
	}
	return lease, heard
}

// expectInformers checks how many informers the factory has, and how many watches are open.
func (l *leased) expectInformers(n, watches int) {
	l.Helper()
	synctest.Wait()
	for range l.f.Statuses() {
		n--
	}
	f := factoryOf(l.f)
	f.mu.Lock()
	for key, i := range f.informers {
		if i.informer.wasStopped() {
			l.Errorf("the factory keeps the informer %v, which was stopped", key)
		}
	}
	f.mu.Unlock()
	l.src.Mu.Lock()
	defer l.src.Mu.Unlock()
	if n != 0 || l.src.Open != watches {
		l.Errorf("%d informers too few, and %d watches are open, want %d", n, l.src.Open, watches)
	}
}

// get returns the result of a lister in words.
func get(s *SharedIndexInformer[object], namespace, name string) string {
	obj, err := NewLister(s.GetIndexer(), widgets.GroupResource()).Namespace(namespace).Get(name)
	switch {
	case errors.Is(err, ErrStopped):
		return "stopped"
	case err != nil:
		return err.Error()
	}
	return obj.Name
}

func TestLastReleaseStopsTheInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		l.f.Start(t.Context())
		l.expectInformers(0, 0)
		first, heardFirst := l.part()
		second, heardSecond := l.part()
		old := first.Informer()
		if old != second.Informer() {
			t.Error("two leases have two informers")
		}
		l.expectInformers(1, 1)
		cachetest.WantLines(t, heardFirst.Drain(), "add a/w@101 initial=true")
		cachetest.WantLines(t, heardSecond.Drain(), "add a/w@101 initial=true")

		first.Release()
		first.Release()
		l.src.Set("a", "v", nil)
		synctest.Wait()
		cachetest.WantLines(t, heardFirst.Drain())
		cachetest.WantLines(t, heardSecond.Drain(), "add a/v@102 initial=false")
		if got := get(old, "a", "v"); got != "v" {
			t.Errorf("a lister says %s while another lease is left", got)
		}
		l.expectInformers(1, 1)

		second.Release()
		l.expectInformers(0, 0)
		if got := get(old, "a", "v"); got != "stopped" || old.GetStore().Len() != 0 {
			t.Errorf("a lister says %s after the last release", got)
		}
		l.src.Remove("a", "v")
		third, heardThird := l.part()
		if third.Informer() == old {
			t.Error("a lease has the informer that was stopped")
		}
		cachetest.WantLines(t, heardThird.Drain(), "add a/w@101 initial=true")
		if got := get(old, "a", "v"); got != "stopped" {
			t.Errorf("a lister of the old informer says %s", got)
		}
		cachetest.WantLines(t, heardFirst.Drain())
		cachetest.WantLines(t, heardSecond.Drain())
		third.Release()
		l.expectInformers(0, 0)
	})
}

func TestAcquireBeforeStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		lease := l.acquire()
		heard := &cachetest.Recorder{}
		if _, err := lease.AddEventHandler(heard); err != nil {
			t.Fatal(err)
		}
		l.acquire().Release()
		l.expectInformers(1, 0)
		l.f.Start(t.Context())
		if err := lease.WaitForCacheSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.expectInformers(1, 1)
		lease.Release()

		l = newLeased(t) // one that never starts
		lease = l.acquire()
		if _, err := lease.AddEventHandler(heard); err != nil {
			t.Fatal(err)
		}
		lease.Release()
		l.expectInformers(0, 0)
		l.f.Start(t.Context())
		l.expectInformers(0, 0)
	})
}

// TestInformerForPinsTheInformer calls it before and after Acquire.
func TestInformerForPinsTheInformer(t *testing.T) {
	for _, early := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l := newLeased(t)
			var pinned *SharedIndexInformer[object]
			if early {
				pinned = InformerFor(l.f, l.kind)
			}
			l.f.Start(t.Context())
			lease, heard := l.part()
			if !early {
				pinned = InformerFor(l.f, l.kind)
			}
			other, _ := listen(t, pinned)
			synctest.Wait()
			heard.Drain()
			other.Drain()
			lease.Release()
			l.src.Set("a", "v", nil)
			synctest.Wait()
			cachetest.WantLines(t, heard.Drain())
			cachetest.WantLines(t, other.Drain(), "add a/v@102 initial=false")
			l.expectInformers(1, 1)
			if lease.Informer() != pinned || get(pinned, "a", "v") != "v" {
				t.Error("a release has stopped an informer that is pinned")
			}
		})
	}
}

// TestReleaseWaitsForItsHandlers has a handler that takes a minute. Meanwhile the kind is
// acquired again.
func TestReleaseWaitsForItsHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		l.f.Start(t.Context())
		lease := l.acquire()
		var calls, running atomic.Int32
		if _, err := lease.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) {
			calls.Add(1)
			running.Store(1)
			time.Sleep(time.Minute)
			running.Store(0)
		}}); err != nil {
			t.Fatal(err)
		}
		l.src.Set("a", "v", nil)
		synctest.Wait()
		if running.Load() == 0 {
			t.Fatal("the handler does not run")
		}
		began := time.Now()
		var releasing sync.WaitGroup
		for range 3 {
			releasing.Go(func() {
				lease.Release()
				if running.Load() != 0 || time.Since(began) != time.Minute {
					t.Errorf("Release returned after %v, and %d handlers run", time.Since(began), running.Load())
				}
			})
		}
		synctest.Wait()
		if _, err := lease.AddEventHandler(&cachetest.Recorder{}); !errors.Is(err, ErrStopped) {
			t.Errorf("a handler was added while the lease is being released: %v", err)
		}
		another, heard := l.part() // the first lease still counts
		if lines := heard.Drain(); len(lines) != 2 {
			t.Errorf("the other handler heard %q", lines)
		}
		releasing.Wait()
		if calls.Load() != 1 || another.Informer() != lease.Informer() {
			t.Errorf("the handler was called %d times", calls.Load())
		}
		another.Release()
	})
}

// TestAcquireWhileTheInformerStops acquires a kind while a handler that belongs to no lease
// delays the stop.
func TestAcquireWhileTheInformerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		l.f.Start(t.Context())
		lease := l.acquire()
		if _, err := lease.Informer().AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { time.Sleep(time.Minute) }}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		var releasing sync.WaitGroup
		releasing.Go(lease.Release)
		synctest.Wait()
		another, heard := l.part()
		if another.Informer() == lease.Informer() || time.Since(began) != 0 {
			t.Error("a lease has an informer that is being stopped")
		}
		cachetest.WantLines(t, heard.Drain(), "add a/w@101 initial=true")
		releasing.Wait()
		if waited := time.Since(began); waited != time.Minute || get(lease.Informer(), "a", "w") != "stopped" {
			t.Errorf("Release returned after %v", waited)
		}
		if got := get(another.Informer(), "a", "w"); got != "w" {
			t.Errorf("the new informer says %s", got)
		}
		var shut sync.WaitGroup
		releasing.Go(another.Release)
		shut.Go(l.f.Shutdown)
		releasing.Wait()
		shut.Wait()
	})
}

// TestReleaseInAHandlerIsNamed has one that waits for itself, which cannot end. The log has its
// name.
func TestReleaseInAHandlerIsNamed(t *testing.T) {
	log := &cachetest.LineLog{}
	defer klog.CaptureState().Restore()
	klog.SetLogger(klog.New(log))
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		l.f.Start(t.Context())
		lease, quit := l.acquire(), make(chan struct{})
		if _, err := lease.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) {
			released := make(chan struct{})
			go func() {
				defer close(released)
				lease.Release()
			}()
			select {
			case <-released:
				t.Error("Release did not wait for its handler")
			case <-quit:
			}
		}}, WithHandlerName("impatient")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(releaseWarning + time.Second)
		synctest.Wait()
		log.Mu.Lock()
		lines := strings.Join(log.Lines, "\n")
		log.Mu.Unlock()
		if !strings.Contains(lines, "Release waits for a handler that does not return") || !strings.Contains(lines, "impatient") {
			t.Errorf("the log is %q", lines)
		}
		close(quit)
		lease.Release()
		l.expectInformers(0, 0)
	})
}

func TestWaitOfALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		l.src.FailWith(func(cachetest.Request) error { return cachetest.ErrNotFound })
		l.f.Start(t.Context())
		lease, other := l.acquire(), l.acquire()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := lease.WaitForCacheSync(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "is its CRD installed?") {
			t.Errorf("without the CRD: %v", err)
		}
		time.AfterFunc(time.Second, lease.Release)
		if err := lease.WaitForCacheSync(t.Context()); !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "the lease of widgets.test.example.com was released") {
			t.Errorf("released meanwhile: %v", err)
		}
		// A wait for all informers goes on without the one that no one needs any more.
		last, src := widgets, cachetest.NewSource()
		last.Resource = "zones"
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrNotFound })
		kept := InformerFor(l.f, Kind[object]{Resource: last, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](src) }})
		l.f.Start(t.Context())
		time.AfterFunc(time.Second, other.Release)
		time.AfterFunc(time.Minute, func() { src.FailWith(nil) })
		if err := l.f.WaitForCacheSync(t.Context()); err != nil || !kept.HasSynced() {
			t.Errorf("the factory: %v, the other informer is synced: %v", err, kept.HasSynced())
		}
		if err := other.WaitForCacheSync(t.Context()); !errors.Is(err, ErrStopped) {
			t.Errorf("released: %v", err)
		}
		l.src.FailWith(nil)
		lease = l.acquire()
		if _, err := lease.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { time.Sleep(time.Hour) }}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := lease.WaitForCacheSync(t.Context()); err != nil || time.Since(began) < time.Hour {
			t.Errorf("it did not wait for a handler: %v", err)
		}
		lease.Release()
		lease = l.acquire()
		l.src.FailWith(func(cachetest.Request) error { return cachetest.ErrNotFound })
		time.AfterFunc(time.Second, lease.Release)
		if err := WaitForCacheSync(t.Context(), lease.Informer()); !errors.Is(err, ErrStopped) {
			t.Errorf("the informer of a lease that is released: %v", err)
		}
	})
}

func TestAcquireErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		wrong := func(what, want string, is error, set ...SharedInformerOption) {
			t.Helper()
			lease, err := Acquire(l.f, l.kind, set...)
			if lease != nil || err == nil || !strings.Contains(err.Error(), want) || is != nil && !errors.Is(err, is) {
				t.Errorf("%s: %v, want %q", what, err, want)
			}
			if option := (*OptionError)(nil); is == nil && !errors.As(err, &option) {
				t.Errorf("%s: %v is no OptionError", what, err)
			}
		}
		wrong("a bad selector", "is not a label selector", nil, WithLabelSelector("=="))
		if err := l.f.WaitForCacheSync(t.Context()); err != nil { // the caller has the error
			t.Errorf("a mistake of Acquire fails the factory: %v", err)
		}
		l.expectInformers(0, 0)
		lease := l.acquire(WithLabelSelector("a=b"))
		wrong("other options", "exists already with other options", nil, WithLabelSelector("a=c"))
		wrong("no options", "exists already with other options", nil)
		l.expectInformers(1, 0)
		lease.Release()
		l.acquire(WithLabelSelector("a=c")).Release()

		lease = l.acquire()
		lease.Informer().Stop() // by hand
		again := l.acquire()
		lease.Release()
		l.expectInformers(1, 0)
		if again.Informer() == lease.Informer() {
			t.Error("a lease has an informer that was stopped")
		}
		again.Release()
		l.expectInformers(0, 0)

		ctx, cancel := context.WithCancel(t.Context())
		l.f.Start(ctx)
		cancel()
		wrong("after the context of Start", "the context of its Start has ended", ErrStopped)
		l.f.Start(t.Context())
		lease, _ = l.part()
		lease.Release()

		kept, heard := l.part()
		heard.Drain()
		l.f.Shutdown()
		wrong("after Shutdown", "the factory was shut down", ErrStopped)
		if _, err := kept.AddEventHandler(heard); !errors.Is(err, ErrStopped) {
			t.Errorf("AddEventHandler after Shutdown: %v", err)
		}
		if got := get(kept.Informer(), "a", "w"); got != "w" {
			t.Errorf("after Shutdown a lister says %s", got)
		}
		kept.Release()
		if got := get(kept.Informer(), "a", "w"); got != "stopped" {
			t.Errorf("after Shutdown and Release a lister says %s", got)
		}
		cachetest.WantLines(t, heard.Drain())
	})
}

// TestShutdownWithLeases ends some that were started, and some that were not.
func TestShutdownWithLeases(t *testing.T) {
	for _, starts := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l := newLeased(t)
			if starts {
				l.f.Start(t.Context())
			}
			var leases []*Lease[object]
			for range 5 {
				leases = append(leases, l.acquire())
				if _, err := leases[0].AddEventHandler(&cachetest.Recorder{}); err != nil {
					t.Fatal(err)
				}
			}
			var ending sync.WaitGroup
			for _, lease := range leases {
				ending.Go(lease.Release)
				ending.Go(l.f.Shutdown)
			}
			ending.Wait()
			l.expectInformers(0, 0)
			if got := get(leases[0].Informer(), "a", "w"); got != "stopped" {
				t.Errorf("a lister says %s", got)
			}
		})
	}
}

// TestReleaseFreesTheCache keeps the lease and a lister.
func TestReleaseFreesTheCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		for i := range 600 {
			l.src.Set("a", fmt.Sprint(i), nil)
		}
		l.f.Start(t.Context())
		lease, _ := l.part()
		lister := NewLister(lease.Informer().GetIndexer(), widgets.GroupResource())
		var cached []weak.Pointer[metav1.PartialObjectMetadata]
		for obj := range lease.Informer().GetStore().All() {
			cached = append(cached, weak.Make(obj))
		}
		if len(cached) != 601 {
			t.Fatalf("%d objects are cached", len(cached))
		}
		lease.Release()
		runtime.GC()
		runtime.GC()
		for _, pointer := range cached {
			if pointer.Value() != nil {
				t.Fatal("an object of the cache is alive after the last release")
			}
		}
		runtime.KeepAlive(lister)
		runtime.KeepAlive(lease)
	})
}

// TestManyLeases has goroutines that acquire, read and release at random, while objects
// change. What a lease promises is compared with a naive count of the leases.
func TestManyLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLeased(t)
		l.f.Start(t.Context())
		var held atomic.Int32
		var parts sync.WaitGroup
		for range 8 {
			parts.Go(func() {
				for range 20 {
					time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond) // at the same moment as others
					useLease(l, &held)
				}
			})
		}
		parts.Go(func() {
			for i := range 200 {
				time.Sleep(time.Millisecond)
				l.src.Set("a", fmt.Sprint("v", i%5), nil)
			}
		})
		for range 50 {
			time.Sleep(7 * time.Millisecond)
			synctest.Wait()
			informers := 0
			for range l.f.Statuses() {
				informers++
			}
			if want := min(int(held.Load()), 1); informers != want {
				t.Fatalf("there are %d informers for %d leases", informers, held.Load())
			}
		}
		parts.Wait()
		l.expectInformers(0, 0)
	})
}

// useLease acquires a lease, uses it for a while and releases it.
func useLease(l *leased, held *atomic.Int32) {
	held.Add(1)
	lease := l.acquire()
	var calls, alive atomic.Int32
	alive.Store(1)
	heard := map[string]bool{}
	if _, err := lease.AddEventHandler(ResourceEventHandlerFuncs[object]{
		AddFunc: func(obj object, _ bool) {
			calls.Add(alive.Load())
			if alive.Load() == 0 || heard[obj.Name] {
				l.Errorf("a handler that is released or not hears of %s again", obj.Name)
			}
			heard[obj.Name] = true
			if rand.IntN(5) == 0 {
				time.Sleep(time.Millisecond)
			}
		},
		UpdateFunc: func(_, obj object) {
			if alive.Load() == 0 || !heard[obj.Name] {
				l.Errorf("a handler hears of an update of %s too early or too late", obj.Name)
			}
		},
	}); err != nil {
		l.Error(err)
	}
	if rand.IntN(4) > 0 {
		if err := lease.WaitForCacheSync(l.Context()); err != nil {
			l.Error(err)
		}
		if got := get(lease.Informer(), "a", "w"); got != "w" || calls.Load() == 0 {
			l.Errorf("with a lease that is synced, a lister says %s, and %d adds were heard", got, calls.Load())
		}
	}
	time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
	lease.Release()
	alive.Store(0)
	held.Add(-1)
	if _, err := lease.AddEventHandler(&cachetest.Recorder{}); !errors.Is(err, ErrStopped) {
		l.Errorf("after Release: %v", err)
	}
}
