package cache

import (
	"testing"
	"testing/synctest"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// TestListsOfAllObjectsAreNotCoalesced looks at the queues of handlers with a limit
// after a first list, a relist, a late registration and a resync: each is in the queue
// as it was made, so nothing was done for each object under the informer's lock.
func TestListsOfAllObjectsAreNotCoalesced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count, limit = 1000, 10
		s := informerOf(via(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets}))
		handlers := make([]*processor.Listener, 5)
		for i := range handlers {
			_, reg := listen(t, s, WithBacklogLimit(limit))
			handlers[i] = reg.(*registration).Listener
		}
		list := func(version int) []deltafifo.Delta {
			all := &deltafifo.Collection{IsFirst: version == 1}
			for n := range count {
				all.Items = append(all.Items, cachetest.WireItem(cachetest.Many(n, version, "")))
			}
			return []deltafifo.Delta{{Type: deltafifo.Replaced, Collection: all}}
		}
		// empty takes the one batch that waits for a handler, as the handler would.
		empty := func(what string, l *processor.Listener) processor.Batch {
			t.Helper()
			pending := l.Drain()
			if len(pending) != 1 || len(pending[0].Notes) != count || !pending[0].Distinct {
				t.Fatalf("%s: %d batches wait: %v", what, len(pending), pending)
			}
			return pending[0]
		}
		// alike fails unless each handler waits for the same notifications, in the same memory.
		alike := func(what string) {
			t.Helper()
			first := empty(what, handlers[0])
			for _, l := range handlers[1:] {
				if other := empty(what, l); &other.Notes[0] != &first.Notes[0] {
					t.Errorf("%s: the notifications are in memory of their own", what)
				}
			}
		}
		inside(s).core.Process(&deltafifo.Batch{Deltas: list(1)})
		alike("the first list")
		inside(s).core.Process(&deltafifo.Batch{Deltas: list(2)})
		alike("a relist")
		inside(s).core.Resync(handlers[0])
		empty("a resync", handlers[0])
		_, reg := listen(t, s, WithBacklogLimit(limit))
		late := reg.(*registration).Listener
		empty("a late registration", late)
		_, reg = listen(t, s, WithBacklogLimit(limit))
		late = reg.(*registration).Listener

		// The list does not count, but what comes after it does: the queue of a handler that
		// never returns stays bounded, by the objects and not by the events.
		coalesced := 0
		for n := range 20 * count {
			before := reg.Backlog()
			inside(s).core.Process(&deltafifo.Batch{Deltas: []deltafifo.Delta{{Type: deltafifo.Updated, Item: cachetest.WireItem(cachetest.Many(n%count, 3+n, ""))}}})
			if reg.Backlog() > 2*count {
				t.Fatalf("%d notifications wait, of %d objects", reg.Backlog(), count)
			}
			if reg.Backlog() <= before {
				coalesced++
			}
		}
		if coalesced < 15 || coalesced > 20 {
			t.Errorf("a queue that filled 20 times with %d objects was coalesced %d times", count, coalesced)
		}
		backlog, waiting := reg.Backlog(), 0
		for _, b := range late.Drain() {
			waiting += len(b.Notes)
		}
		if backlog != waiting {
			t.Errorf("the backlog is %d, %d notifications wait", backlog, waiting)
		}
		s.Stop()
	})
}

// TestEventsAfterAListAreCoalesced has a list and many events of one object in one batch. The list does not count for the
// limit of a handler, and the events do.
func TestEventsAfterAListAreCoalesced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 10
		s := informerOf(via(Config[object]{ListerWatcher: cachetest.NewSource(), Resource: widgets}))
		_, reg := listen(t, s, WithBacklogLimit(limit))
		for version := 1; version < 1000; version += 500 {
			deltas := []deltafifo.Delta{{Type: deltafifo.Replaced, Collection: &deltafifo.Collection{IsFirst: version == 1, Items: cachetest.WireItems(cachetest.Many(0, version, ""))}}}
			for n := 1; n < 500; n++ {
				deltas = append(deltas, deltafifo.Delta{Type: deltafifo.Updated, Item: cachetest.WireItem(cachetest.Many(0, version+n, ""))})
			}
			inside(s).core.Process(&deltafifo.Batch{Deltas: deltas})
			if backlog := reg.Backlog(); backlog > limit {
				t.Errorf("at version %d, %d notifications of one object wait, with a limit of %d", version, backlog, limit)
			}
		}
		s.Stop()
	})
}
