package cache

import (
	"testing"
	"testing/synctest"
)

// TestListsOfAllObjectsAreNotCoalesced looks at the queues of handlers with a limit
// after a first list, a relist, a late registration and a resync: each is in the queue
// as it was made, so nothing was done for each object under the informer's lock.
func TestListsOfAllObjectsAreNotCoalesced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count, limit = 1000, 10
		s := NewSharedIndexInformer(via(Config[object]{ListerWatcher: newSource(), Resource: widgets}))
		queueOf := func(r ResourceEventHandlerRegistration) *listener[object] { return r.(*registration[object]).listener }
		var handlers []*listener[object]
		for range 5 {
			_, reg := listen(t, s, WithBacklogLimit(limit))
			handlers = append(handlers, queueOf(reg))
		}
		list := func(version int) Deltas[object] {
			all := &Collection[object]{}
			for n := range count {
				all.Items = append(all.Items, itemOf(many(n, version, "")))
			}
			return Deltas[object]{{Type: Replaced, Collection: all}}
		}
		// alike fails unless each handler waits for the same notifications, in the same memory.
		alike := func(what string) {
			t.Helper()
			first := handlers[0].pending
			for _, l := range handlers {
				if len(l.pending) != 1 || len(l.pending[0].notes) != count || &l.pending[0].notes[0] != &first[0].notes[0] {
					t.Errorf("%s: %d batches wait, with %d notifications, in memory of their own", what, len(l.pending), l.waiting)
				}
			}
		}
		empty := func() {
			for _, l := range handlers {
				l.takePending()
				l.backlog.Store(0)
			}
		}
		s.process(t.Context(), list(1))
		alike("the first list")
		empty()
		s.process(t.Context(), list(2))
		alike("a relist")
		empty()
		for _, l := range handlers[:1] {
			l.resync()
			if len(l.pending) != 1 || len(l.pending[0].notes) != count || l.coalesced != count {
				t.Errorf("a resync: %d batches wait, %d were coalesced", len(l.pending), l.coalesced)
			}
		}
		_, reg := listen(t, s, WithBacklogLimit(limit))
		late := queueOf(reg)
		if len(late.pending) != 1 || len(late.pending[0].notes) != count {
			t.Errorf("a late registration: %d batches wait, with %d notifications", len(late.pending), late.waiting)
		}

		// The list does not count, but what comes after it does: the queue of a handler that
		// never returns stays bounded, by the objects and not by the events.
		coalesced := 0
		for n := range 20 * count {
			before := len(late.pending)
			s.process(t.Context(), Deltas[object]{{Type: Updated, Item: itemOf(many(n%count, 3+n, ""))}})
			if late.waiting > 2*count {
				t.Fatalf("%d notifications wait, of %d objects", late.waiting, count)
			}
			if len(late.pending) < before {
				coalesced++
			}
		}
		if coalesced < 15 || coalesced > 20 {
			t.Errorf("a queue that filled 20 times with %d objects was coalesced %d times", count, coalesced)
		}
		if got := late.backlog.Load(); got != int64(late.waiting) {
			t.Errorf("the backlog is %d, %d notifications wait", got, late.waiting)
		}
		s.Stop()
	})
}

// TestRelistsThatPileUpAreCoalesced has lists that differ from one to the next, and a
// handler that never returns.
func TestRelistsThatPileUpAreCoalesced(t *testing.T) {
	l := newListener[object](ResourceEventHandlerFuncs[object]{}, handlerOptions{backlogLimit: 10})
	for version := range 50 {
		notes := make([]notification[object], 100)
		for i := range notes {
			notes[i] = notification[object]{kind: notifyUpdate, old: many(i, version, ""), obj: many(i, version+1, "")}
		}
		l.enqueue(batch[object]{notes: notes, distinct: true})
		if l.waiting > 200 {
			t.Fatalf("%d notifications wait, of 100 objects", l.waiting)
		}
	}
	if version := l.pending[0].notes[0].old.ResourceVersion; version != "0" {
		t.Errorf("the first update is from version %s", version)
	}
}
