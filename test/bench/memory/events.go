package memory

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// Rows that are peers of others.
const (
	rowSync      = "first sync from memory, two indexes, one handler"
	rowEvents    = "events to one handler, from memory"
	rowAllocated = rowEvents + ": allocations per event"
)

// syncs measures first lists of new informers.
func (m *measurement) syncs(ctx context.Context) error {
	for _, row := range []struct {
		name    string
		kind    sourceKind
		indexes int
		// peer is set if only ours has the row.
		peer string
	}{
		{rowSync, sourceKind{}, usual, ""},
		{"first sync from memory, of a typed client's list", sourceKind{typed: true}, usual, rowSync},
		{"first sync from memory, 0 indexes, one handler", sourceKind{}, 0, ""},
		{"first sync from memory, 8 indexes, one handler", sourceKind{}, 8, ""},
	} {
		if row.peer != "" && m.Side == report.Theirs {
			continue
		}
		var all []cost
		// A short one is repeated more often.
		for range m.Rounds * min(max(1, 100_000/m.Objects), 5) {
			r, took, err := m.start(ctx, row.name, row.kind, row.indexes, 1)
			if err != nil {
				return err
			}
			r.stop()
			all = append(all, took)
		}
		m.addWithPeer(row.name, row.peer, "ms", median(all, cost.milliseconds))
		if row.name == rowSync {
			m.add(rowSync+": allocations per object", report.Allocations, median(all, cost.allocationsEach))
		}
	}
	return nil
}

// otherEvents measures updates of new informers, with other sources, handlers and
// indexes than the typical informer has.
func (m *measurement) otherEvents(ctx context.Context) error {
	for _, row := range []struct {
		name                      string
		kind                      sourceKind
		indexes, handlers, events int
	}{
		{"events to one handler, over a channel without room", sourceKind{unbuffered: true}, usual, 1, m.Events},
		{"events to one handler, in batches as of a body", sourceKind{batched: true}, usual, 1, m.Events},
		{"events to eight handlers", sourceKind{}, usual, 8, m.Events / 2},
		{"events to 64 handlers", sourceKind{}, usual, 64, m.Events / 8},
		{"events to one handler, 0 indexes", sourceKind{}, 0, 1, m.Events},
		{"events to one handler, 2 indexes", sourceKind{}, usual, 1, m.Events},
		{"events to one handler, 8 indexes", sourceKind{}, 8, 1, m.Events},
	} {
		if row.kind.batched && m.Side == report.Theirs {
			continue // client-go has no such source
		}
		if err := m.withInformer(ctx, row.kind, row.indexes, row.handlers, func(r *running) error {
			took, err := m.updates(ctx, r, row.name, row.events, often)
			if err != nil {
				return err
			}
			if !row.kind.batched {
				m.add(row.name, "ns", median(took, cost.nanosecondsEach))
			} else {
				m.addWithPeer(row.name, rowEvents, "ns", median(took, cost.nanosecondsEach))
				m.addWithPeer(row.name+": allocations per event", rowAllocated, report.Allocations, median(took, cost.allocationsEach))
			}
			return m.digest("", r, row.indexes)
		}); err != nil {
			return err
		}
	}
	return nil
}

// deletesAndAdds measures events that change all indexes.
func (m *measurement) deletesAndAdds(ctx context.Context) error {
	const row = "events to one handler, deletes and adds by turns"
	return m.withInformer(ctx, sourceKind{}, usual, 1, func(r *running) error {
		half := m.Events / 2 / 2
		took, err := m.send(ctx, r, row, meter.Counts{Adds: half, Deletes: half}, func() []watch.Event { return m.work.deletesAndAdds(2 * half) })
		if err != nil {
			return err
		}
		m.add(row, "ns", median(took, cost.nanosecondsEach))
		return m.digest("", r, usual)
	})
}

// updates measures count updates in each round, of among objects.
func (m *measurement) updates(ctx context.Context, r *running, row string, count, among int) ([]cost, error) {
	return m.send(ctx, r, row, meter.Counts{Updates: count}, func() []watch.Event { return m.work.next(count, among) })
}

// send sends events in each round, as fast as the informer reads them, until all handlers
// have received the last one.
func (m *measurement) send(ctx context.Context, r *running, row string, want meter.Counts, events func() []watch.Event) (all []cost, err error) {
	count := want.Adds + want.Updates + want.Deletes
	for range m.Rounds {
		send := r.source.send(events())
		r.counters.Expect(count)
		took, err := m.measure(row, count, func() (time.Time, error) {
			go send() // ends before the last event is received
			return r.counters.Await(ctx)
		})
		if err == nil {
			err = r.counters.Check(want)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row, err)
		}
		all = append(all, took)
	}
	return all, nil
}
