package processor

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"weak"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
)

type object = *metav1.PartialObjectMetadata

func many(name, version int) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("object-", name), ResourceVersion: fmt.Sprint(version)}}
}

// TestCoalescingIsSpread counts how often a growing queue is coalesced, while the
// handler has many notifications in hand: not for each event.
func TestCoalescingIsSpread(t *testing.T) {
	l := NewListener(Options{Observer: (&heard{}).observe})
	l.Enqueue(Batch{Notes: make([]Notification, 20_000)})
	inHand := l.takePending()
	l.options.BacklogLimit = 50
	times, before := 0, 0
	for i := range 10_000 {
		l.Enqueue(Batch{Notes: []Notification{{Kind: Add, Obj: many(i, 1)}}})
		if len(l.pending) <= before {
			times++
		}
		before = len(l.pending)
	}
	if times < 5 || times > 10 {
		t.Errorf("it was coalesced %d times", times)
	}
	if got, want := l.Backlog(), len(inHand[0].Notes)+10_000; got != want {
		t.Errorf("the backlog is %d, want %d", got, want)
	}
}

// TestPendingRelistsAreCoalesced has lists that differ from one to the next, and a
// handler that never returns.
func TestPendingRelistsAreCoalesced(t *testing.T) {
	l := NewListener(Options{Settings: Settings{BacklogLimit: 10}, Observer: (&heard{}).observe})
	for version := range 50 {
		notes := make([]Notification, 100)
		for i := range notes {
			notes[i] = Notification{Kind: Update, Old: many(i, version), Obj: many(i, version+1)}
		}
		l.Enqueue(Batch{Notes: notes, Distinct: true})
		if l.waiting > 200 {
			t.Fatalf("%d notifications wait, of 100 objects", l.waiting)
		}
	}
	if version := l.pending[0].Notes[0].Old.GetResourceVersion(); version != "0" {
		t.Errorf("the first update is from version %s", version)
	}
}

// heard is an Observer that notes what it hears, in words.
type heard struct{ words []string }

func (h *heard) observe(*Listener) Observer { return h }

func (h *heard) Begin()                    { h.words = append(h.words, "begin") }
func (h *heard) End(clock.Stamp)           { h.words = append(h.words, "end") }
func (h *heard) Rest()                     { h.words = append(h.words, "rest") }
func (h *heard) Failed(*Notification, any) { h.words = append(h.words, "failed") }
func (h *heard) Removed()                  { h.words = append(h.words, "removed") }
func (h *heard) Gone()                     { h.words = append(h.words, "gone") }

// TestRemovedListenerIsReleased removes listeners: the Processor may not keep their handlers.
func TestRemovedListenerIsReleased(t *testing.T) {
	for name, test := range map[string]struct {
		isRunning, isStopped bool
		want                 string
	}{
		"before the start":     {false, false, "[removed gone]"},
		"while it runs":        {true, false, "[removed rest gone]"},
		"after the stop":       {true, true, "[rest gone removed]"},
		"stopped, but not run": {false, true, "[gone removed]"},
	} {
		t.Run(name, func(t *testing.T) {
			p := New()
			if test.isRunning {
				p.Start()
			}
			var observer heard
			l := NewListener(Options{Observer: observer.observe})
			p.Add(l)
			if test.isStopped {
				p.Stop()
				p.Wait()
			}
			p.Remove(l)
			p.Remove(l)
			p.Wait()
			kept := weak.Make(l)
			l = nil
			runtime.GC()
			if kept.Value() != nil {
				t.Error("the Processor keeps the listener")
			}
			if got := fmt.Sprint(observer.words); got != test.want {
				t.Errorf("the Observer has heard %s, want %s", got, test.want)
			}
		})
	}
}

// asked is an Observer that notes what can be asked of its Listener meanwhile.
type asked struct {
	l    *Listener
	of   *Processor
	note func(string)
}

func (a *asked) look(what string) {
	gone := "in use"
	select {
	case <-a.l.Gone():
		gone = "gone"
	default:
	}
	a.note(fmt.Sprintf("%s: %d processed, %d listeners, %s", what, a.l.Processed(), len(a.of.Listeners()), gone))
}

func (a *asked) Begin()                   { a.look("begin") }
func (a *asked) End(received clock.Stamp) { a.look(fmt.Sprint("end of ", int64(received))) }
func (a *asked) Rest()                    { a.look("rest") }
func (a *asked) Failed(n *Notification, value any) {
	a.look(fmt.Sprint(n.Obj.GetName(), " failed by ", value))
}
func (a *asked) Removed() { a.look("removed") }
func (a *asked) Gone()    { a.look("gone") }

// TestObserverHearsInOrder has a handler that returns, panics, exits, and is removed during a call.
func TestObserverHearsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		p, release := New(), make(chan struct{})
		l := NewListener(Options{
			Observer: func(l *Listener) Observer { return &asked{l, p, func(line string) { got = append(got, line) }} },
			Deliver: func(n *Notification) {
				switch n.Obj.GetName() {
				case "object-1":
					panic("no")
				case "object-2":
					runtime.Goexit()
				case "object-4":
					<-release
				}
			},
		})
		p.Add(l)
		p.Start()
		for i := range 6 {
			p.Distribute(Batch{Received: clock.Stamp(10 + i), Notes: []Notification{{Kind: Add, Obj: many(i, 1)}}})
			synctest.Wait()
		}
		p.Remove(l)
		close(release)
		<-l.Gone()
		p.Wait()
		want := []string{
			"begin: 0 processed, 1 listeners, in use", "end of 10: 1 processed, 1 listeners, in use", "rest: 1 processed, 1 listeners, in use",
			"begin: 1 processed, 1 listeners, in use", "end of 11: 2 processed, 1 listeners, in use",
			"object-1 failed by no: 2 processed, 1 listeners, in use", "rest: 2 processed, 1 listeners, in use",
			"begin: 2 processed, 1 listeners, in use", "end of 12: 3 processed, 1 listeners, in use",
			"object-2 failed by <nil>: 3 processed, 1 listeners, in use",
			"begin: 3 processed, 1 listeners, in use", "rest: 3 processed, 1 listeners, in use", // the next goroutine has nothing left to do
			"begin: 3 processed, 1 listeners, in use", "end of 13: 4 processed, 1 listeners, in use", "rest: 4 processed, 1 listeners, in use",
			"begin: 4 processed, 1 listeners, in use", "removed: 4 processed, 1 listeners, in use",
			"end of 14: 5 processed, 0 listeners, in use", "rest: 5 processed, 0 listeners, in use", "gone: 5 processed, 0 listeners, in use",
		}
		if !slices.Equal(got, want) {
			t.Errorf("the Observer has heard\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestListenersKeepTheirOrder adds and removes some while a reader ranges over them.
func TestListenersKeepTheirOrder(t *testing.T) {
	p := New()
	var all []*Listener
	for i := range 5 {
		l := NewListener(Options{Settings: Settings{Name: fmt.Sprint(i)}, Observer: (&heard{}).observe})
		p.Add(l)
		all = append(all, l)
	}
	before := p.Listeners()
	p.Remove(all[1])
	p.Add(NewListener(Options{Settings: Settings{Name: "5"}, Observer: (&heard{}).observe}))
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
