package memory

import "context"

// Names of rows, as far as another row refers to them.
const (
	rowSync          = "first sync from memory, two indexes, one handler"
	rowSyncAllocated = rowSync + ": allocations per object"
	rowEvents        = "events to one handler, from memory"
	rowAllocated     = rowEvents + ": allocations per event"
)

// ownSource is where ours reads from in the rows of the table. client-go reads from
// a typed client.
func (m *measurement) ownSource() sourceKind {
	if _, ok := m.side.(ours); ok {
		return paged
	}
	return typed
}

// first measures first lists of new informers.
func (m *measurement) first(ctx context.Context) error {
	took, err := m.firstOf(ctx, m.ownSource(), usual)
	if err != nil {
		return err
	}
	m.add(rowSync, "ms", median(took, cost.milliseconds))
	m.add(rowSyncAllocated, "allocs", median(took, m.allocationsPerObject))
	if m.ownSource() == typed {
		return nil
	}
	if took, err = m.firstOf(ctx, typed, usual); err != nil {
		return err
	}
	m.addOwn("first sync from memory, of a typed client's list", rowSync, "ms", median(took, cost.milliseconds))
	return nil
}

func (m *measurement) firstOf(ctx context.Context, kind sourceKind, indexes int) ([]cost, error) {
	var all []cost
	// A short one is repeated more often.
	for range m.Rounds * min(max(1, 100_000/m.Objects), 5) {
		r, took, err := m.start(ctx, kind, indexes, 1)
		if err != nil {
			return nil, err
		}
		r.stop()
		all = append(all, took)
	}
	return all, nil
}

func (c cost) milliseconds() float64 { return c.wall.Seconds() * 1e3 }

func (m *measurement) allocationsPerObject(c cost) float64 { return c.allocations / float64(m.Objects) }
