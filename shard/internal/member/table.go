package member

import "slices"

// see records the table of a list.
func (m *Member) see(start, now Time, table *Table) {
	if table == nil || m.table == nil || table.UID != m.table.UID {
		known := m.table != nil
		m.tableAt = now.Steady
		m.doubtful = false
		if m.valid && known {
			m.table = table
			m.lapse() // someone deleted the table that the slots are of
			m.stale = false
			return
		}
	}
	m.confirm(start, table)
}

// confirm records the table of a response to a request that was sent at start.
func (m *Member) confirm(start Time, table *Table) {
	m.table = table
	if !m.valid {
		return
	}
	m.confirmed = start
	if table == nil {
		return
	}
	if m.doubtful && table.Version != m.doubt {
		m.doubtful = false
	}
	for i := range m.slots {
		s := &m.slots[i]
		switch ours := table.Owners[i] == m.session; {
		case !ours:
			s.lose(m)
		case s.state == foreign && s.busy == 0:
			s.take(m) // the response to the update that took it was lost
		}
	}
}

// plan stops new work on the slots that should go to another member, and takes back those that
// should not any more.
func (m *Member) plan() {
	if !m.valid {
		return
	}
	for i := range m.slots {
		s := &m.slots[i]
		switch {
		case m.leaving || m.wanted[i] != m.Identity:
			s.drain(m)
		case s.state == draining && s.busy == 0 && !m.doubtful:
			// The caches may have dropped its objects, so it is as a slot that was just taken.
			s.take(m)
		}
	}
}

// change returns the table as it should be, if that differs from the present one.
func (m *Member) change() (Table, bool) {
	if m.table == nil {
		return Table{Fresh: true, Owners: make([]string, m.Slots)}, !m.leaving
	}
	next := *m.table
	next.Owners = slices.Clone(next.Owners)
	if next.Fresh && m.tableSettled() {
		next.Fresh = false
	}
	for i := range m.slots {
		switch s := &m.slots[i]; {
		case s.state == draining && s.busy == 0:
			next.Owners[i] = ""
		case !m.leaving && !next.Fresh && s.state == foreign && s.busy == 0 && m.wanted[i] == m.Identity && m.mayTake(next.Owners[i]):
			next.Owners[i] = m.session
		}
	}
	return next, next.Fresh != m.table.Fresh || !slices.Equal(next.Owners, m.table.Owners)
}

// tableSettled reports whether no member acts by an earlier table.
func (m *Member) tableSettled() bool {
	return m.confirmed.Steady-m.tableAt >= m.patience(m.longest)
}

// mayTake reports whether a slot of a session, or a free one, may be taken.
func (m *Member) mayTake(owner string) bool {
	return owner == "" || m.past[owner] || m.sightings[owner].dead
}

// wrote records the result of an update of the table.
func (m *Member) wrote(start, now Time, table Table, response Response) {
	if response.Result != Done {
		m.doubtful, m.doubt = true, table.Version
		return
	}
	if !m.valid {
		m.stale = true
		return
	}
	created := table.Version == ""
	table.Version = response.Version
	if created {
		table.UID = response.UID
		m.tableAt = now.Steady
	}
	m.confirm(start, &table)
	m.plan()
}
