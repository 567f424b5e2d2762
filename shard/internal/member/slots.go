package member

import "slices"

// state is the state of a slot for a member.
type state uint8

const (
	foreign  state = iota // not ours
	syncing               // ours, but the caches do not have its objects yet
	active                // ours, and work may begin
	draining              // ours, but no work may begin; free when the work has ended
)

// slot is one slot, as the member holds it.
type slot struct {
	state state
	// hold is different each time that the member begins to hold the slot; 0 while it is foreign.
	hold uint64
	// busy is the number of pieces of work in progress, also of earlier holds.
	busy int
}

// lose makes a slot foreign.
func (s *slot) lose(m *Member) {
	if s.state != foreign {
		s.state, s.hold = foreign, 0
		m.moves.Lost++
		m.changes++
	}
}

// take makes a slot ours, whose objects have to be cached.
func (s *slot) take(m *Member) {
	if s.state == foreign {
		m.moves.Gained++
	}
	m.holds++
	m.changes++
	s.state, s.hold = syncing, m.holds
}

// drain stops new work.
func (s *slot) drain(m *Member) {
	if s.state == syncing || s.state == active {
		s.state = draining
		m.changes++
	}
}

// Changes returns a number that is different after each change of a slot.
func (m *Member) Changes() uint64 { return m.changes }

// Holds returns the holds of the slots that are not free yet, by slot; 0 for the others. The caches keep the objects
// of a slot that drains, because work on them goes on. A slot that was lost and taken again has another hold.
func (m *Member) Holds() []uint64 {
	holds := make([]uint64, len(m.slots))
	for i, s := range m.slots {
		holds[i] = s.hold
	}
	return holds
}

// Synced tells that the caches have the objects of a slot. It reports whether work may begin: the
// member may have lost the slot meanwhile.
func (m *Member) Synced(now Time, slot int, hold uint64) bool {
	m.Advance(now)
	s := &m.slots[slot]
	if s.hold != hold || s.state != syncing && s.state != active {
		return false
	}
	if s.state == syncing {
		s.state = active
		m.changes++
	}
	return true
}

// Active reports whether work on a slot may begin.
func (m *Member) Active(now Time, slot int) bool {
	return m.valid && !m.ended(now) && m.slots[slot].state == active
}

// Begin begins a piece of work on a slot, and returns its hold. It returns 0 if work may not begin.
// Otherwise Done has to be called once.
func (m *Member) Begin(now Time, slot int) (hold uint64) {
	m.Advance(now)
	if !m.Active(now, slot) {
		return 0
	}
	m.slots[slot].busy++
	return m.slots[slot].hold
}

// Valid reports whether a piece of work may go on.
func (m *Member) Valid(now Time, slot int, hold uint64) bool {
	return m.valid && !m.ended(now) && m.slots[slot].hold == hold
}

// Done ends a piece of work. It reports whether there is a request to send now.
func (m *Member) Done(slot int) bool {
	s := &m.slots[slot]
	s.busy--
	return s.busy == 0 && s.state != active
}

// Draining returns the holds of the slots that go to other members, by slot.
func (m *Member) Draining() []uint64 {
	holds := make([]uint64, len(m.slots))
	for i, s := range m.slots {
		if s.state == draining {
			holds[i] = s.hold
		}
	}
	return holds
}

func (m *Member) holdsAny() bool {
	return slices.ContainsFunc(m.slots, func(s slot) bool { return s.state != foreign })
}

// Counts are numbers of slots, and of pieces of work.
type Counts struct{ Active, Syncing, Draining, Working int }

// Counts returns the numbers of slots by their state at a time.
func (m *Member) Counts(now Time) Counts {
	m.Advance(now)
	var c Counts
	for _, s := range m.slots {
		switch s.state {
		case active:
			c.Active++
		case syncing:
			c.Syncing++
		case draining:
			c.Draining++
		}
		c.Working += s.busy
	}
	return c
}

// Moves counts the changes of owners since New.
type Moves struct {
	// Gained and Lost are numbers of slots that the member began and ceased to own, for any cause.
	Gained, Lost uint64
	// Lapses is the number of sessions that ended although the member was not leaving.
	Lapses uint64
}

// Moves returns the changes of owners since New.
func (m *Member) Moves() Moves { return m.moves }

// Owners returns the number of slots of each member, as the table has it. Members without slots are there too.
func (m *Member) Owners() map[string]int {
	owners := map[string]int{}
	for _, identity := range m.members {
		owners[identity] = 0
	}
	if m.table != nil {
		for _, session := range m.table.Owners {
			if session != "" {
				owners[identityOf(session)]++
			}
		}
	}
	return owners
}
