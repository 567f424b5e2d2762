package memory

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// handlers measures events to several handlers.
func (m *measurement) handlers(ctx context.Context) error {
	for _, test := range []struct {
		row              string
		handlers, events int
	}{{"events to eight handlers", 8, m.Events / 2}, {"events to 64 handlers", 64, m.Events / 8}} {
		err := m.eventsOf(ctx, test.row, m.ownSource(), usual, test.handlers, test.events)
		if err != nil {
			return err
		}
	}
	return nil
}

// indexes measures first lists and events with more indexes, and with fewer.
func (m *measurement) indexes(ctx context.Context) error {
	for _, count := range []int{0, usual, 8} {
		if count != usual {
			took, err := m.firstOf(ctx, m.ownSource(), count)
			if err != nil {
				return err
			}
			m.add(fmt.Sprintf("first sync from memory, %d indexes, one handler", count), "ms", median(took, cost.milliseconds))
		}
		err := m.eventsOf(ctx, fmt.Sprintf("events to one handler, %d indexes", count), m.ownSource(), count, 1, m.Events)
		if err != nil {
			return err
		}
	}
	return nil
}

// sources measures events that come, or that change the cache, in other ways.
func (m *measurement) sources(ctx context.Context) error {
	err := m.withInformer(ctx, m.ownSource(), usual, 1, func(r *running) error {
		const row = "events to one handler, deletes and adds by turns"
		var all []sent
		for range m.Rounds {
			events := m.work.deletesAndAdds(m.Events / 2)
			took, err := m.sendRound(ctx, r, row, events)
			if err == nil {
				err = check(r.counters, len(events)/2, 0, len(events)/2)
			}
			if err != nil {
				return err
			}
			all = append(all, sent{took, len(events)})
		}
		m.add(row, "ns", median(all, sent.each))
		return nil
	})
	if err != nil {
		return err
	}
	kind := unbuffered
	if m.ownSource() == typed {
		kind = typedUnbuffered
	}
	err = m.eventsOf(ctx, "events to one handler, over a channel without room", kind, usual, 1, m.Events)
	if err != nil || m.ownSource() == typed {
		return err
	}
	const row = "events to one handler, in batches as of a body"
	took, err := m.sentTo(ctx, row, batched, usual, 1, m.Events)
	if err == nil {
		m.addOwn(row, rowEvents, "ns", median(took, sent.each))
		m.addOwn(row+": allocations per event", rowAllocated, "allocs", median(took, sent.allocationsEach))
	}
	return err
}

// eventsOf adds a row of updates that are sent to a new informer.
func (m *measurement) eventsOf(ctx context.Context, row string, kind sourceKind, indexes, handlers, events int) error {
	took, err := m.sentTo(ctx, row, kind, indexes, handlers, events)
	if err == nil {
		m.add(row, "ns", median(took, sent.each))
	}
	return err
}

// sentTo sends updates to a new informer.
func (m *measurement) sentTo(ctx context.Context, row string, kind sourceKind, indexes, handlers, events int) (took []sent, err error) {
	err = m.withInformer(ctx, kind, indexes, handlers, func(r *running) (err error) {
		took, err = m.sendAll(ctx, r, row, updates{events, often})
		return err
	})
	return took, err
}

// withInformer measures something of a new informer, and compares in the end what is
// in its cache.
func (m *measurement) withInformer(ctx context.Context, kind sourceKind, indexes, handlers int, rows func(*running) error) error {
	m.work.reset()
	r, _, err := m.start(ctx, kind, indexes, handlers)
	if err != nil {
		return err
	}
	defer r.stop()
	if err := rows(r); err != nil {
		return err
	}
	return m.digest("", r, indexes)
}

// sent is the cost of count events.
type sent struct {
	cost
	count int
}

func (c sent) each() float64 { return float64(c.wall.Nanoseconds()) / float64(c.count) }

func (c sent) allocationsEach() float64 { return c.allocations / float64(c.count) }

// updates are how many are sent, of how many objects.
type updates struct{ count, among int }

// sendAll sends updates in each round, as fast as the informer reads them.
func (m *measurement) sendAll(ctx context.Context, r *running, row string, u updates) ([]sent, error) {
	var all []sent
	for range m.Rounds {
		took, err := m.sendRound(ctx, r, row, allModified(m.work.next(u.count, u.among)))
		if err == nil {
			err = check(r.counters, 0, u.count, 0)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row, err)
		}
		all = append(all, sent{took, u.count})
	}
	return all, nil
}

func (m *measurement) sendRound(ctx context.Context, r *running, row string, events []watch.Event) (cost, error) {
	send := r.source.send(events)
	expect(r.counters, len(events))
	return m.measure(row, func() (time.Time, error) {
		go send() // ends before the last event is heard
		return await(ctx, r.counters)
	})
}
