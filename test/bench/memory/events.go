package memory

import (
	"context"
	"fmt"
	"time"
)

// handlers measures events to several handlers.
func (m *measurement) handlers(ctx context.Context) error {
	for _, test := range []struct {
		row      string
		handlers int
	}{{"events to eight handlers", 8}, {"events to 64 handlers", 64}} {
		r, _, err := m.start(ctx, m.ownSource(), usual, test.handlers)
		if err != nil {
			return err
		}
		took, err := m.sendAll(ctx, r, test.row, updates{m.Events * 2 / test.handlers, often})
		r.stop()
		if err != nil {
			return err
		}
		m.add(test.row, "ns", median(took, sent.each))
	}
	return nil
}

// indexes measures first lists and events with more indexes, and with fewer.
func (m *measurement) indexes(ctx context.Context) error {
	for _, count := range []int{0, 8} {
		took, err := m.firstOf(ctx, m.ownSource(), count)
		if err != nil {
			return err
		}
		m.add(fmt.Sprintf("first sync from memory, %d indexes, one handler", count), "ms", median(took, cost.milliseconds))
		r, _, err := m.start(ctx, m.ownSource(), count, 1)
		if err != nil {
			return err
		}
		row := fmt.Sprintf("events to one handler, %d indexes", count)
		all, err := m.sendAll(ctx, r, row, updates{m.Events / 2, often})
		r.stop()
		if err != nil {
			return err
		}
		m.add(row, "ns", median(all, sent.each))
	}
	return nil
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
		send := r.source.send(m.work.next(u.count, u.among))
		expect(r.counters, u.count)
		took, err := m.measure(row, func() (time.Time, error) {
			go send() // ends before the last event is heard
			return await(ctx, r.counters)
		})
		if err == nil {
			err = check(r.counters, 0, u.count)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row, err)
		}
		all = append(all, sent{took, u.count})
	}
	return all, nil
}
