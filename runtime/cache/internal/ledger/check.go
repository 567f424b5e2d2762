package ledger

import "fmt"

// Check returns an error if an invariant is broken while no scope is late: then no record is left. It is
// for tests. tags are those of all objects.
func (l *Ledger[T]) Check(tags []uint32) error {
	held := map[ID]int{}
	for slot, tag := range tags {
		for _, id := range l.holdings.all[tag].scopes {
			if l.scopes[id] == nil {
				return fmt.Errorf("scope %d is closed, and holds the object in slot %d", id, slot)
			}
			held[id]++
		}
	}
	for id, s := range l.scopes {
		if s.held != held[id] {
			return fmt.Errorf("scope %d holds %d objects, counted as %d", id, held[id], s.held)
		}
		for _, w := range s.waits {
			if w.record.turn == w.turn {
				return fmt.Errorf("%v waits for scope %d, which has reached %d", w.record, id, s.reached)
			}
		}
	}
	for name, r := range l.records {
		return fmt.Errorf("there is a record of %s in state %d, left at %d", name, r.state, r.left)
	}
	if l.leaving != 0 {
		return fmt.Errorf("%d objects are leaving", l.leaving)
	}
	return nil
}

// Size returns the numbers of records and of waits for scopes. It is for tests.
func (l *Ledger[T]) Size() (records, waiting int) {
	for _, s := range l.scopes {
		waiting += len(s.waits)
	}
	return len(l.records), waiting
}
