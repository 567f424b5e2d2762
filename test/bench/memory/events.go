package memory

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// syncs measures first lists of new informers.
func (m *measurement) syncs(ctx context.Context) error {
	for _, row := range []struct {
		name    string
		indexes int
	}{
		{"first sync from memory, two indexes, one handler", usual},
		{"first sync from memory, 0 indexes, one handler", 0},
		{"first sync from memory, 8 indexes, one handler", 8},
	} {
		var all []cost
		// A short one is repeated more often.
		for range m.Rounds * min(max(1, 100_000/m.Objects), 5) {
			r, took, err := m.start(ctx, row.name, channelSize, row.indexes, 1)
			if err != nil {
				return err
			}
			r.stop()
			all = append(all, took)
		}
		m.add(row.name, "ms", median(all, cost.milliseconds))
		if row.indexes == usual {
			m.add(row.name+": allocations per object", report.Allocations, median(all, cost.allocationsEach))
		}
	}
	return nil
}

// otherEvents measures updates of new informers, with another channel, other handlers and
// indexes than the typical informer has.
func (m *measurement) otherEvents(ctx context.Context) error {
	for _, row := range []struct {
		name                            string
		room, indexes, handlers, events int
	}{
		{"events to one handler, over a channel without room", 0, usual, 1, m.Events},
		{"events to eight handlers", channelSize, usual, 8, m.Events / 2},
		{"events to 64 handlers", channelSize, usual, 64, m.Events / 8},
		{"events to one handler, 0 indexes", channelSize, 0, 1, m.Events},
		{"events to one handler, 2 indexes", channelSize, usual, 1, m.Events},
		{"events to one handler, 8 indexes", channelSize, 8, 1, m.Events},
	} {
		if err := m.withInformer(ctx, row.room, row.indexes, row.handlers, func(r *running) error {
			took, err := m.updates(ctx, r, row.name, row.events, often)
			if err != nil {
				return err
			}
			m.add(row.name, "ns", median(took, cost.nanosecondsEach))
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
	return m.withInformer(ctx, channelSize, usual, 1, func(r *running) error {
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
