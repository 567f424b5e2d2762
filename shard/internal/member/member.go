package member

import (
	"cmp"
	"slices"
	"time"
)

// Member is the state of one member. Its methods may be called by one goroutine at a time. The times that they
// get never go back, except for Time.Wall.
type Member struct {
	Config

	// session is the session that the Lease is to have. It is valid if valid is set.
	session string
	valid   bool
	// renewed is the start of the last successful renewal, and confirmed that of the last successful read
	// of the table.
	renewed, confirmed Time
	hasRenewed         bool
	// restUntil is when the next session may begin.
	restUntil time.Duration
	past      map[string]bool // the earlier sessions of this process, by name

	lease     *Lease              // own Lease, as it was seen last
	table     *Table              // as it was seen last
	stale     bool                // something changed that only a list shows
	sightings map[string]sighting // by session: see sightingKey
	longest   time.Duration       // the largest duration of all Leases that were seen
	tableAt   time.Duration       // the response that had the table's UID first
	doubt     string              // version that an update of the table without an answer was based on
	doubtful  bool

	members  []string // identities that count, sorted
	ignored  int      // number of others that would count, because there are too many
	wanted   []string // by slot: the identity that should own it
	garbage  []Lease  // that no one needs
	slots    []slot
	holds    uint64 // number of holds so far
	moves    Moves
	changes  uint64 // number of changes to slots
	nextPut  time.Duration
	nextList time.Duration
	leaving  bool
	left     bool
}

// sighting is how long the Lease of a session has been seen at one version.
type sighting struct {
	version string // empty if there is no Lease, or if it has another session
	since   time.Duration
	dead    bool
	expired bool // dead for so long that its Lease can be deleted
}

// New returns a Member without a session.
func New(config Config) *Member {
	return &Member{
		Config: config, stale: true,
		past: map[string]bool{}, sightings: map[string]sighting{},
		slots: make([]slot, config.Slots), wanted: make([]string, config.Slots),
	}
}

// Advance ends the session if its time is over. All other methods that get the time call it.
func (m *Member) Advance(now Time) {
	if m.valid && m.ended(now) {
		m.lapse()
	}
}

// ended reports whether the time of the session is over.
func (m *Member) ended(now Time) bool {
	limit := m.LeaseDuration - m.ClockMargin
	over := func(since Time) bool { return now.Steady-since.Steady >= limit || now.Wall-since.Wall >= limit }
	return over(m.renewed) || over(m.confirmed)
}

// Renewed returns the start of the last successful renewal, by the steady clock. It is false before the first one.
func (m *Member) Renewed() (at time.Duration, ok bool) { return m.renewed.Steady, m.hasRenewed }

// Idle reports whether a Wait means that nothing is left to do. Otherwise the member waits with a list because a request failed.
func (m *Member) Idle() bool { return !m.stale }

// Deadline returns when the session ends if nothing is renewed, by the steady clock.
func (m *Member) Deadline() (at time.Duration, ok bool) {
	return min(m.renewed.Steady, m.confirmed.Steady) + m.LeaseDuration - m.ClockMargin, m.valid
}

// lapse ends the session, although the member did not want to leave.
func (m *Member) lapse() {
	m.moves.Lapses++
	m.end()
}

// end ends the session. The next one begins when the others may have taken the slots.
func (m *Member) end() {
	m.valid, m.stale = false, true
	m.restUntil = m.renewed.Steady + m.LeaseDuration + m.ClockMargin
	m.past[m.session] = true
	m.session = ""
	for i := range m.slots {
		m.slots[i].lose(m)
	}
}

// Leave begins to give up all slots. The next requests do the rest.
func (m *Member) Leave(now Time) {
	m.Advance(now)
	if m.leaving {
		return
	}
	m.leaving = true
	m.nextPut = now.Steady
	m.plan()
}

// Stop ends the session at once. The Lease and the slots stay as they are, so others take the slots
// as those of a dead member.
func (m *Member) Stop() {
	if m.valid {
		m.end()
	}
	m.left = true
}

// Next returns the next request. The caller sends it, and calls Answer with its result, before it
// calls Next again. A Wait ends at its time, or when another method was called.
func (m *Member) Next(now Time) Request {
	m.Advance(now)
	if m.left || m.leaving && !m.valid {
		m.left = true
		return Request{Kind: Leave}
	}
	if m.stale && now.Steady >= m.nextList {
		return Request{Kind: List}
	}
	if !m.valid {
		return m.join(now)
	}
	if now.Steady >= m.nextPut {
		return Request{Kind: PutLease, Lease: m.ownLease()}
	}
	if now.Steady >= m.nextList {
		return Request{Kind: List}
	}
	if table, ok := m.change(); ok && !m.stale {
		return Request{Kind: PutTable, Table: table}
	}
	if m.leaving && !m.holdsAny() && !m.stale {
		return Request{Kind: DeleteLease, Lease: *m.lease}
	}
	if len(m.garbage) > 0 && !m.leaving {
		return Request{Kind: DeleteLease, Lease: m.garbage[0]}
	}
	deadline, _ := m.Deadline()
	return Request{Kind: Wait, Until: min(m.nextPut, m.nextList, deadline)}
}

// join returns the next request of a member without a session.
func (m *Member) join(now Time) Request {
	switch {
	case now.Steady < m.restUntil:
		return Request{Kind: Wait, Until: m.restUntil}
	case now.Steady >= m.nextList:
		return Request{Kind: List}
	case m.stale || m.taken():
		return Request{Kind: Wait, Until: m.nextList}
	case now.Steady < m.nextPut:
		return Request{Kind: Wait, Until: min(m.nextPut, m.nextList)}
	}
	if m.session == "" {
		m.session = m.Identity + "/" + m.NewSession()
	}
	return Request{Kind: PutLease, Lease: m.ownLease()}
}

// taken reports whether another process may have the identity of this one.
func (m *Member) taken() bool {
	other := func(session string) bool {
		return session != m.session && !m.past[session] && !m.sightings[session].dead
	}
	if m.lease != nil && m.lease.Session != "" {
		return other(m.lease.Session)
	}
	return m.table != nil && slices.ContainsFunc(m.table.Owners, func(owner string) bool {
		return owner != "" && identityOf(owner) == m.Identity && other(owner)
	})
}

func (m *Member) ownLease() Lease {
	lease := Lease{Identity: m.Identity, Session: m.session, Duration: m.LeaseDuration, Leaving: m.leaving}
	if m.lease != nil {
		lease.Version = m.lease.Version
	}
	return lease
}

// Answer reports the result of the last request, which was sent at start.
func (m *Member) Answer(start, now Time, request Request, response Response) {
	m.Advance(now)
	garbage := request.Kind == DeleteLease && request.Lease.Identity != m.Identity
	if response.Result != Done && !garbage { // the next list shows garbage again, and no one waits for it
		m.stale = true
		m.nextList = now.Steady + m.Jitter(m.RenewPeriod/4)
	}
	switch request.Kind {
	case List:
		if response.Result == Done {
			m.listed(start, now, response.Snapshot)
		} else {
			m.nextList = now.Steady + m.RenewPeriod/4 + m.Jitter(m.RenewPeriod/4)
		}
	case PutLease:
		m.put(start, now, request.Lease, response)
	case DeleteLease:
		if garbage {
			m.garbage = m.garbage[1:]
			return
		}
		if response.Result != Unknown {
			m.end()
			m.left = true
		}
	case PutTable:
		m.wrote(start, now, request.Table, response)
	}
}

// put records the result of an update of the own Lease.
func (m *Member) put(start, now Time, lease Lease, response Response) {
	if response.Result != Done {
		m.nextPut = now.Steady + m.RenewPeriod/4 + m.Jitter(m.RenewPeriod/4)
		return
	}
	m.nextPut = start.Steady + m.RenewPeriod
	lease.Version = response.Version
	m.lease = &lease
	if lease.Session != m.session {
		return // the session has ended meanwhile
	}
	m.renewed, m.hasRenewed = start, true
	if !m.valid {
		m.valid, m.confirmed, m.stale = true, start, true
		m.nextList = now.Steady
	}
	m.Advance(now)
}

// listed records a list.
func (m *Member) listed(start, now Time, snapshot Snapshot) {
	m.stale = false
	m.nextList = start.Steady + m.RenewPeriod
	m.sight(start, now, snapshot)
	m.lease = nil
	for i := range snapshot.Leases {
		if snapshot.Leases[i].Identity == m.Identity {
			m.lease = &snapshot.Leases[i]
		}
	}
	if m.valid && (m.lease == nil || m.lease.Session != m.session) {
		m.lapse() // someone deleted the Lease, or another process has this identity
		m.stale = false
	}
	m.see(start, now, snapshot.Table)
	m.elect(snapshot.Leases)
	m.plan()
}

// sightingKey returns the key of the sighting of a Lease: its session, or the identity if someone has removed the session.
func sightingKey(lease Lease) string { return cmp.Or(lease.Session, lease.Identity) }

// sight records which Leases have not changed for how long. A session in the table whose Lease has another session, or does not
// exist, may still act: someone may have deleted the Lease, so that the next session did not have to wait. It
// cannot renew any more, so it is dead after the same time.
func (m *Member) sight(start, now Time, snapshot Snapshot) {
	found := map[string]Lease{}
	for _, lease := range snapshot.Leases {
		found[sightingKey(lease)] = lease
		m.longest = max(m.longest, lease.Duration)
	}
	if snapshot.Table != nil {
		for _, owner := range snapshot.Table.Owners {
			if _, ok := found[owner]; owner != "" && !ok {
				found[owner] = Lease{Duration: m.longest}
			}
		}
	}
	sightings := make(map[string]sighting, len(found))
	for session, lease := range found {
		s, ok := m.sightings[session]
		switch {
		case ok && s.dead && lease.Version == "":
			// It has ended, so it cannot come back.
		case !ok || s.version != lease.Version:
			s = sighting{version: lease.Version, since: now.Steady}
		}
		patience := m.patience(lease.Duration)
		s.dead = s.dead || start.Steady-s.since >= patience
		s.expired = start.Steady-s.since >= 10*patience
		sightings[session] = s
	}
	m.sightings = sightings
}

// patience returns how long a Lease of a duration has to be unchanged until its holder has stopped. The
// holder may have another LeaseDuration than this member, with a ClockMargin in the same proportion.
func (m *Member) patience(d time.Duration) time.Duration {
	d = max(d, m.LeaseDuration)
	return d + time.Duration(float64(d)/float64(m.LeaseDuration)*float64(m.ClockMargin))
}

// elect decides which member should own each slot, and which Leases no one needs.
func (m *Member) elect(leases []Lease) {
	var members []string
	m.garbage = nil
	for _, lease := range leases {
		mine := lease.Identity == m.Identity
		switch seen := m.sightings[sightingKey(lease)]; {
		case mine:
		case !seen.dead && !lease.Leaving && lease.Session != "":
			members = append(members, lease.Identity)
		case seen.expired && !m.owns(lease.Identity):
			m.garbage = append(m.garbage, lease)
		}
	}
	if m.valid && !m.leaving {
		members = append(members, m.Identity)
	}
	slices.Sort(members)
	if len(members) == 0 || members[0] != m.Identity {
		m.garbage = nil // the first member does it
	}
	m.ignored = 0
	if len(members) > MaxMembers {
		all := len(members)
		members = m.seated(members)
		m.ignored = all - len(members)
	}
	if !slices.Equal(members, m.members) {
		m.members, m.wanted = members, Assign(m.Slots, members)
	}
}

// MaxMembers is the number of members of a group. To assign the slots takes time and memory for each pair of a
// slot and a member, and any user that may create Leases can make members.
const MaxMembers = 500

// seated returns those of too many members that count: the ones that have slots, so that no new member takes a slot from
// them. All members read that from the same table. If none has a slot, the first ones by name count.
func (m *Member) seated(members []string) []string {
	owners := map[string]bool{}
	if m.table != nil {
		for _, session := range m.table.Owners {
			owners[identityOf(session)] = true
		}
	}
	seated := slices.DeleteFunc(slices.Clone(members), func(identity string) bool { return !owners[identity] })
	if len(seated) == 0 {
		seated = members
	}
	return seated[:min(len(seated), MaxMembers)]
}

// Ignored returns the number of members that do not count, because there are more than MaxMembers.
func (m *Member) Ignored() int { return m.ignored }

// Size returns the number of members with those that do not count.
func (m *Member) Size() int { return len(m.members) + m.ignored }

// owns reports whether the table has a slot of a member.
func (m *Member) owns(identity string) bool {
	return m.table != nil && slices.ContainsFunc(m.table.Owners, func(s string) bool { return s != "" && identityOf(s) == identity })
}
