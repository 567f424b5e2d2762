package processor

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// delivered records the ends of deliveries.
type delivered struct {
	mu    sync.Mutex
	lines []string
}

// delivery returns a Delivery that records its end.
func (d *delivered) delivery(name string) *Delivery {
	return NewDelivery(func(handled []Handled) {
		d.mu.Lock()
		defer d.mu.Unlock()
		var parts []string
		for _, h := range handled {
			at := "never"
			if !h.At.IsZero() {
				at = h.At.UTC().Format("04:05")
			}
			parts = append(parts, fmt.Sprintf(" %s %d %s", h.Name, h.Events, at))
		}
		slices.Sort(parts)
		d.lines = append(d.lines, name+":"+strings.Join(parts, ","))
	})
}

func (d *delivered) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Equal(d.lines, want) {
		t.Errorf("got  %q\nwant %q", d.lines, want)
	}
	d.lines = nil
}

func adds(n, from int) []Notification[object] {
	notes := make([]Notification[object], n)
	for i := range notes {
		notes[i] = Notification[object]{Kind: Add, Obj: many(from+i, 1)}
	}
	return notes
}

// slow returns a Listener that needs a second for each notification.
func slow(name string, limit int, do func()) *Listener[object] {
	return NewListener(Options[object]{
		Settings: Settings{Name: name, BacklogLimit: limit},
		Deliver:  func(*Notification[object]) { time.Sleep(time.Second); do() },
		Failed:   func(*Listener[object], *Notification[object], any) {},
	})
}

func nothingToDo() {}

func started(t *testing.T, listeners ...*Listener[object]) *Processor[object] {
	p := New[object]()
	for _, l := range listeners {
		p.Add(l)
	}
	p.Start()
	t.Cleanup(func() { p.Stop(); p.Wait() })
	return p
}

func TestDeliveryEndsWithTheSlowestHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &delivered{}
		a, b := slow("a", 0, nothingToDo), slow("b", 0, func() { time.Sleep(time.Second) })
		p := started(t, a, b)
		p.Distribute(Batch[object]{Notes: adds(10, 0)})
		p.Deliver(Batch[object]{Notes: adds(5, 10)}, d.delivery("first"))
		p.Distribute(Batch[object]{Notes: adds(5, 20)})
		p.Deliver(Batch[object]{Notes: adds(1, 30)}, d.delivery("second"))
		time.Sleep(29 * time.Second)
		d.want(t)
		time.Sleep(time.Second)
		d.want(t, "first: a 5 00:15, b 5 00:30")
		time.Sleep(time.Minute)
		d.want(t, "second: a 1 00:21, b 1 00:42")
		if a.awaited != nil || b.awaited != nil {
			t.Error("a delivery is kept after its end")
		}
	})
}

func TestDeliveryToNoOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &delivered{}
		p := started(t)
		p.Deliver(Batch[object]{Notes: adds(1, 0)}, d.delivery("list"))
		d.want(t, "list:")
	})
}

// TestDeliveryDoesNotWaitForRemovedHandlers has one that hangs, and one that did not begin.
func TestDeliveryDoesNotWaitForRemovedHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, hang := &delivered{}, make(chan struct{})
		defer close(hang)
		hung, other := slow("hung", 0, func() { <-hang }), slow("other", 0, nothingToDo)
		p := started(t, hung, other)
		p.Deliver(Batch[object]{Notes: adds(3, 0)}, d.delivery("first"))
		p.Deliver(Batch[object]{Notes: adds(3, 0)}, d.delivery("second"))
		time.Sleep(time.Hour)
		d.want(t)
		p.Remove(hung)
		d.want(t, "first: hung 3 never, other 3 00:03", "second: hung 3 never, other 3 00:06")
		p.Remove(other)
		p.Deliver(Batch[object]{Notes: adds(3, 0)}, d.delivery("third"))
		d.want(t, "third:")
	})
}

// TestDeliveryEndsWhenTheProcessorStops although a handler hangs.
func TestDeliveryEndsWhenTheProcessorStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, hang := &delivered{}, make(chan struct{})
		hung := slow("hung", 0, func() { <-hang })
		p := started(t, hung)
		p.Deliver(Batch[object]{Notes: adds(3, 0)}, d.delivery("list"))
		time.Sleep(time.Minute)
		p.Stop()
		d.want(t, "list: hung 3 never")
		close(hang)
		p.Wait()
		d.want(t)
	})
}

// TestDeliveryOfMergedBatches ends when the handler has returned from the batch that they were
// merged into.
func TestDeliveryOfMergedBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &delivered{}
		l := slow("l", 2, nothingToDo)
		p := started(t, l)
		p.Distribute(Batch[object]{Notes: adds(1, 0)})
		synctest.Wait() // it is in hand
		for i := range 4 {
			notes := adds(10, 100)
			if i > 0 {
				for j := range notes {
					notes[j].Kind = Update
				}
			}
			p.Deliver(Batch[object]{Notes: notes}, d.delivery(fmt.Sprint("list ", i)))
		}
		p.Distribute(Batch[object]{Notes: adds(1, 200)})
		l.mu.Lock()
		if n := len(l.pending); n > 3 {
			t.Errorf("%d batches were not merged", n)
		}
		l.mu.Unlock()
		time.Sleep(time.Minute)
		d.mu.Lock()
		got := d.lines
		d.mu.Unlock()
		if len(got) != 4 || !slices.IsSorted(got) || l.awaited != nil {
			t.Errorf("the deliveries are %q", got)
		}
	})
}

// TestDeliveryToAHandlerThatFails counts a call that panics, or that ends the goroutine, as one that
// has returned.
func TestDeliveryToAHandlerThatFails(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("no") }, "Goexit": runtime.Goexit} {
		synctest.Test(t, func(t *testing.T) {
			d := &delivered{}
			p := started(t, slow(name, 0, fail))
			p.Deliver(Batch[object]{Notes: adds(3, 0)}, d.delivery("list"))
			time.Sleep(time.Minute)
			d.want(t, "list: "+name+" 3 00:03")
		})
	}
}

// TestDeliveriesEndOnce removes handlers and stops while deliveries are made.
func TestDeliveriesEndOnce(t *testing.T) {
	for range 100 {
		var mu sync.Mutex
		ended := map[int]int{}
		p := New[object]()
		var listeners []*Listener[object]
		for i := range 5 {
			l := NewListener(Options[object]{Settings: Settings{Name: fmt.Sprint(i), BacklogLimit: i}, Deliver: func(*Notification[object]) { runtime.Gosched() }})
			listeners = append(listeners, l)
			p.Add(l)
		}
		p.Start()
		for i := range 20 {
			p.Deliver(Batch[object]{Notes: adds(5, 0)}, NewDelivery(func([]Handled) {
				mu.Lock()
				defer mu.Unlock()
				ended[i]++
			}))
			if i%5 == 4 {
				p.Remove(listeners[i/5])
			}
		}
		p.Stop()
		p.Wait()
		mu.Lock()
		for i := range 20 {
			if ended[i] != 1 {
				t.Fatalf("delivery %d has ended %d times", i, ended[i])
			}
		}
		mu.Unlock()
	}
}
