package processor

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type object = *metav1.PartialObjectMetadata

func many(name, version int) object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("object-", name), ResourceVersion: fmt.Sprint(version)}}
}

// TestCoalescingIsSpread counts how often a growing queue is coalesced, while the
// handler has many notifications in hand: not for each event.
func TestCoalescingIsSpread(t *testing.T) {
	l := NewListener(Options{})
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
	l := NewListener(Options{Settings: Settings{BacklogLimit: 10}})
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

// TestRemovedListenerIsReleased removes listeners of which no one reads the counters: nothing may keep their handlers.
func TestRemovedListenerIsReleased(t *testing.T) {
	for name, test := range map[string]struct{ isRunning, isStopped bool }{
		"before the start": {},
		"while it runs":    {isRunning: true},
		"after the stop":   {isRunning: true, isStopped: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := New()
			if test.isRunning {
				p.Start()
			}
			l := NewListener(Options{})
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
				t.Error("the Processor keeps the listener")
			}
			if _, gone := p.Observe(); len(gone) != 1 {
				t.Errorf("the counters of removed handlers are %v", gone)
			}
		})
	}
}
