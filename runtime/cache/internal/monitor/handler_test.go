package monitor

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/internal/leaks"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

func TestMain(m *testing.M) { leaks.Main(m) }

type object = *metav1.PartialObjectMetadata

func many(name, version int) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("object-", name), ResourceVersion: fmt.Sprint(version)}}
}

// serving runs one Listener in a bubble until the test ends.
func serving(t *testing.T, options processor.Options) (p *processor.Processor, l *processor.Listener) {
	all := &Handlers{Recovers: true, Logger: klog.Background, Changed: func() {}}
	options.Observer = all.Observe
	p, l = processor.New(), processor.NewListener(options)
	p.Add(l)
	p.Start()
	t.Cleanup(func() {
		p.Stop()
		p.Wait()
	})
	return p, l
}

// notes returns n adds, the object of each numbered.
func notes(n int) []processor.Notification {
	all := make([]processor.Notification, n)
	for i := range all {
		all[i] = processor.Notification{Kind: processor.Add, Obj: many(i, 1)}
	}
	return all
}

// wantCalls compares what can be observed in one line, the latency as the count in each bucket that
// is not empty and the sum.
func wantCalls(t *testing.T, l *processor.Listener, want string) {
	t.Helper()
	synctest.Wait()
	c := HandlerOf(l).stats(clock.Now())
	got := fmt.Sprintf("%d wait, %d processed, %d merged, %d panics, running %v, slowest %v, latency", l.Backlog(), c.Processed, c.Merged, c.Panics, c.Running, c.Slowest)
	for i, n := range c.Latency.Counts {
		switch {
		case n == 0:
		case i < len(stats.Bounds):
			got += fmt.Sprintf(" %d≤%v", n, stats.Bounds[i])
		default:
			got += fmt.Sprintf(" %d more", n)
		}
	}
	if got += fmt.Sprintf(" sum %v", c.Latency.Sum); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSlowCallsAreTimedOneByOne has a handler that hangs in its second call.
func TestSlowCallsAreTimedOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		calls := 0
		p, l := serving(t, processor.Options{Deliver: func(*processor.Notification) {
			switch calls++; calls {
			case 1:
				time.Sleep(2 * time.Second)
			case 2:
				<-release
			}
		}})
		wantCalls(t, l, "0 wait, 0 processed, 0 merged, 0 panics, running 0s, slowest 0s, latency sum 0s")
		received := clock.Now()
		time.Sleep(time.Second)
		p.Distribute(processor.Batch{Notes: notes(4), Received: received})
		time.Sleep(2*time.Second + time.Millisecond)
		wantCalls(t, l, "3 wait, 1 processed, 0 merged, 0 panics, running 1ms, slowest 2s, latency 1≤5s sum 3s")
		time.Sleep(time.Hour)
		wantCalls(t, l, "3 wait, 1 processed, 0 merged, 0 panics, running 1h0m0.001s, slowest 1h0m0.001s, latency 1≤5s sum 3s")
		time.Sleep(time.Hour - time.Millisecond)
		close(release)
		wantCalls(t, l, "0 wait, 4 processed, 0 merged, 0 panics, running 0s, slowest 2h0m0s, latency 1≤5s 3 more sum 6h0m12s")
		time.Sleep(time.Hour)
		wantCalls(t, l, "0 wait, 4 processed, 0 merged, 0 panics, running 0s, slowest 2h0m0s, latency 1≤5s 3 more sum 6h0m12s")
	})
}

// TestEachCallIsTimed has fast calls and slow ones in one batch.
func TestEachCallIsTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		p, l := serving(t, processor.Options{Deliver: func(*processor.Notification) {
			if calls++; calls > 70 {
				time.Sleep(time.Second)
			}
		}})
		p.Distribute(processor.Batch{Notes: notes(73), Received: clock.Now()})
		time.Sleep(time.Hour)
		wantCalls(t, l, "0 wait, 73 processed, 0 merged, 0 panics, running 0s, slowest 1s, latency 70≤100µs 1≤1s 1≤2.5s 1≤5s sum 6s")
	})
}

// TestCallsForSeveralBatches counts the latency of each call from the receipt of its own batch.
func TestCallsForSeveralBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p, l := serving(t, processor.Options{Deliver: func(*processor.Notification) { <-release }})
		for range 4 {
			p.Distribute(processor.Batch{Notes: notes(3), Received: clock.Now()})
			time.Sleep(time.Second)
			synctest.Wait()
		}
		time.Sleep(6 * time.Second)
		close(release)
		wantCalls(t, l, "0 wait, 12 processed, 0 merged, 0 panics, running 0s, slowest 10s, latency 12≤10s sum 1m42s")
	})
}

// TestCallsThatDoNotReturn counts panics and exits among the calls.
func TestCallsThatDoNotReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		p, l := serving(t, processor.Options{Deliver: func(*processor.Notification) {
			time.Sleep(time.Second)
			switch calls++; calls {
			case 2:
				panic("no")
			case 3:
				runtime.Goexit()
			}
		}})
		p.Distribute(processor.Batch{Notes: notes(4), Received: clock.Now()})
		time.Sleep(time.Minute)
		wantCalls(t, l, "0 wait, 4 processed, 0 merged, 2 panics, running 0s, slowest 1s, latency 1≤1s 1≤2.5s 2≤5s sum 10s")
	})
}

// TestMergedNotificationsAreCounted has a handler that hangs while events of two objects come.
func TestMergedNotificationsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p, l := serving(t, processor.Options{Settings: processor.Settings{BacklogLimit: 3}, Deliver: func(*processor.Notification) { <-release }})
		p.Distribute(processor.Batch{Notes: notes(1), Received: clock.Now()})
		for version := range 4 {
			time.Sleep(time.Second)
			p.Distribute(processor.Batch{Notes: []processor.Notification{{Kind: processor.Update, Old: many(1, version), Obj: many(1, version+1)}}, Received: clock.Now()})
		}
		wantCalls(t, l, "2 wait, 0 processed, 3 merged, 0 panics, running 4s, slowest 4s, latency sum 0s")
		time.Sleep(time.Second)
		close(release)
		wantCalls(t, l, "0 wait, 2 processed, 3 merged, 0 panics, running 0s, slowest 5s, latency 2≤5s sum 9s")
	})
}

// TestStoppedListenerHasCounters stops one during a call.
func TestStoppedListenerHasCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, l := serving(t, processor.Options{Deliver: func(*processor.Notification) { time.Sleep(time.Second) }})
		p.Distribute(processor.Batch{Notes: notes(4), Received: clock.Now()})
		time.Sleep(1500 * time.Millisecond)
		p.Remove(l)
		wantCalls(t, l, "3 wait, 1 processed, 0 merged, 0 panics, running 500ms, slowest 1s, latency 1≤1s sum 1s")
		time.Sleep(time.Second)
		wantCalls(t, l, "0 wait, 2 processed, 0 merged, 0 panics, running 0s, slowest 1s, latency 1≤1s 1≤2.5s sum 3s")
		p.Distribute(processor.Batch{Notes: notes(4), Received: clock.Now()})
		wantCalls(t, l, "0 wait, 2 processed, 0 merged, 0 panics, running 0s, slowest 1s, latency 1≤1s 1≤2.5s sum 3s")
	})
}

// TestRemovedHandlerIsReleased removes handlers of which no one reads the counters: only their sums may be kept.
func TestRemovedHandlerIsReleased(t *testing.T) {
	for name, test := range map[string]struct{ isRunning, isStopped bool }{
		"before the start": {},
		"while it runs":    {isRunning: true},
		"after the stop":   {isRunning: true, isStopped: true},
	} {
		t.Run(name, func(t *testing.T) {
			all, p := &Handlers{}, processor.New()
			if test.isRunning {
				p.Start()
			}
			l := processor.NewListener(processor.Options{Observer: all.Observe})
			p.Add(l)
			if test.isStopped {
				p.Stop()
				p.Wait()
			}
			p.Remove(l)
			p.Wait()
			kept := weak.Make(l)
			l = nil
			runtime.GC()
			if kept.Value() != nil {
				t.Error("the listener is kept")
			}
			if present, removed := all.divide(p); len(present) != 0 || len(removed) != 1 || len(all.leaving) != 0 {
				t.Errorf("%d handlers, %d sums, %d leave", len(present), len(removed), len(all.leaving))
			}
		})
	}
}
