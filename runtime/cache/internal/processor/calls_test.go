package processor

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// serving runs one Listener in a bubble until the test ends.
func serving(t *testing.T, options Options) (p *Processor, l *Listener) {
	options.Failed = func(*Listener, *Notification, any) {}
	p, l = New(), NewListener(options)
	p.Add(l)
	p.Start()
	t.Cleanup(func() {
		p.Stop()
		p.Wait()
	})
	return p, l
}

// notes returns n adds, the object of each numbered.
func notes(n int) []Notification {
	all := make([]Notification, n)
	for i := range all {
		all[i] = Notification{Kind: Add, Obj: many(i, 1)}
	}
	return all
}

// wantCalls compares what can be observed in one line, the latency as the count in each bucket that
// is not empty and the sum.
func wantCalls(t *testing.T, l *Listener, want string) {
	t.Helper()
	synctest.Wait()
	c := l.Calls(clock.Now())
	got := fmt.Sprintf("%d wait, %d processed, %d merged, %d panics, running %v, slowest %v, latency", l.Backlog(), c.Processed, c.Merged, c.Panics, c.Running, c.Slowest)
	for i, n := range c.Latency {
		switch {
		case n == 0:
		case i < len(stats.Bounds):
			got += fmt.Sprintf(" %d≤%v", n, stats.Bounds[i])
		default:
			got += fmt.Sprintf(" %d more", n)
		}
	}
	if got += fmt.Sprintf(" sum %v", c.LatencySum); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSlowCallsAreTimedOneByOne has a handler that hangs in its second call.
func TestSlowCallsAreTimedOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		calls := 0
		p, l := serving(t, Options{Deliver: func(*Notification) {
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
		p.Distribute(Batch{Notes: notes(4), Received: received})
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
		p, l := serving(t, Options{Deliver: func(*Notification) {
			if calls++; calls > 70 {
				time.Sleep(time.Second)
			}
		}})
		p.Distribute(Batch{Notes: notes(73), Received: clock.Now()})
		time.Sleep(time.Hour)
		wantCalls(t, l, "0 wait, 73 processed, 0 merged, 0 panics, running 0s, slowest 1s, latency 70≤100µs 1≤1s 1≤2.5s 1≤5s sum 6s")
	})
}

// TestCallsForSeveralBatches counts the latency of each call from the receipt of its own batch.
func TestCallsForSeveralBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p, l := serving(t, Options{Deliver: func(*Notification) { <-release }})
		for range 4 {
			p.Distribute(Batch{Notes: notes(3), Received: clock.Now()})
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
		p, l := serving(t, Options{Deliver: func(*Notification) {
			time.Sleep(time.Second)
			switch calls++; calls {
			case 2:
				panic("no")
			case 3:
				runtime.Goexit()
			}
		}})
		p.Distribute(Batch{Notes: notes(4), Received: clock.Now()})
		time.Sleep(time.Minute)
		wantCalls(t, l, "0 wait, 4 processed, 0 merged, 2 panics, running 0s, slowest 1s, latency 1≤1s 1≤2.5s 2≤5s sum 10s")
	})
}

// TestMergedNotificationsAreCounted has a handler that hangs while events of two objects come.
func TestMergedNotificationsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p, l := serving(t, Options{Settings: Settings{BacklogLimit: 3}, Deliver: func(*Notification) { <-release }})
		p.Distribute(Batch{Notes: notes(1), Received: clock.Now()})
		for version := range 4 {
			time.Sleep(time.Second)
			p.Distribute(Batch{Notes: []Notification{{Kind: Update, Old: many(1, version), Obj: many(1, version+1)}}, Received: clock.Now()})
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
		p, l := serving(t, Options{Deliver: func(*Notification) { time.Sleep(time.Second) }})
		p.Distribute(Batch{Notes: notes(4), Received: clock.Now()})
		time.Sleep(1500 * time.Millisecond)
		p.Remove(l)
		wantCalls(t, l, "3 wait, 1 processed, 0 merged, 0 panics, running 500ms, slowest 1s, latency 1≤1s sum 1s")
		time.Sleep(time.Second)
		wantCalls(t, l, "0 wait, 2 processed, 0 merged, 0 panics, running 0s, slowest 1s, latency 1≤1s 1≤2.5s sum 3s")
		p.Distribute(Batch{Notes: notes(4), Received: clock.Now()})
		wantCalls(t, l, "0 wait, 2 processed, 0 merged, 0 panics, running 0s, slowest 1s, latency 1≤1s 1≤2.5s sum 3s")
	})
}

// TestListenersKeepTheirOrder adds and removes some while a reader ranges over them.
func TestListenersKeepTheirOrder(t *testing.T) {
	p := New()
	var all []*Listener
	for i := range 5 {
		l := NewListener(Options{Settings: Settings{Name: fmt.Sprint(i)}})
		p.Add(l)
		all = append(all, l)
	}
	before := p.Listeners()
	p.Remove(all[1])
	p.Add(NewListener(Options{Settings: Settings{Name: "5"}}))
	p.Remove(all[4])
	names := func(all []*Listener) (names string) {
		for _, l := range all {
			names += l.Name()
		}
		return names
	}
	if got := names(p.Listeners()) + " " + names(before); got != "0235 01234" {
		t.Errorf("the listeners are %s", got)
	}
}
