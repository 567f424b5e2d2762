package member

import (
	"slices"
	"testing"
	"time"
)

// script drives a member by hand: with L = 10s, M = 1s and one slot.
type script struct {
	*testing.T
	*Member
	now time.Duration
}

func newScript(t *testing.T) *script {
	return &script{T: t, Member: New(Config{
		Identity: "a", Slots: 1, LeaseDuration: 10 * time.Second, ClockMargin: time.Second, RenewPeriod: time.Second,
		NewSession: func() string { return "1" }, Jitter: func(time.Duration) time.Duration { return 0 },
	})}
}

func at(d time.Duration) Time { return Time{Steady: d, Wall: d} }

// answer waits for the next request, which has to be of a kind. Its response comes after a while.
func (s *script) answer(kind Kind, after time.Duration, r Response) {
	s.Helper()
	q := s.Next(at(s.now))
	for q.Kind == Wait {
		s.now = q.Until
		q = s.Next(at(s.now))
	}
	if q.Kind != kind {
		s.Fatalf("the request at %v is %v, want %v", s.now, q.Kind, kind)
	}
	start := s.now
	s.now += after
	s.Answer(at(start), at(s.now), q, r)
}

func list(table string, owner string, leases ...Lease) Response {
	return Response{Snapshot: Snapshot{Table: &Table{UID: "t", Version: table, Owners: []string{owner}}, Leases: leases}}
}

func lease(identity, version string) Lease {
	return Lease{Identity: identity, Version: version, Session: identity + "/1", Duration: 10 * time.Second}
}

// begin begins a session that owns the slot.
func begin(t *testing.T) *script {
	s := newScript(t)
	s.answer(List, 0, list("1", ""))
	s.answer(PutLease, 0, Response{Version: "2"})
	s.answer(List, 0, list("1", "", lease("a", "2")))
	s.answer(PutTable, 0, Response{Version: "3", UID: "t"})
	if !s.Synced(at(s.now), 0, s.Holds()[0]) || !s.Active(at(s.now), 0) {
		t.Fatal("the slot is not active")
	}
	return s
}

// A renewal counts from its start, and not at all if the time was over when the response came.
func TestRenewalCountsFromItsStart(t *testing.T) {
	s := begin(t)
	s.answer(PutLease, 500*time.Millisecond, Response{Version: "4"})
	s.answer(List, 0, list("3", "a/1", lease("a", "4")))
	if end, ok := s.Member.Deadline(); !ok || end != time.Second+9*time.Second {
		t.Errorf("the session ends at %v, want 10s", end)
	}
	s.answer(PutLease, 8*time.Second, Response{Version: "5"})
	if s.Active(at(s.now), 0) {
		t.Errorf("at %v the session goes on, because of a renewal whose response came after its end", s.now)
	}
}

// The response to a release was lost. The member gets the slot back, but the release may still arrive.
func TestSlotInDoubtIsNotTakenBack(t *testing.T) {
	s := begin(t)
	other := lease("b", "5")
	for i := 0; Assign(1, []string{"a", other.Identity})[0] == "a"; i++ {
		other = lease("b"+string(rune('a'+i)), "5")
	}
	s.answer(PutLease, 0, Response{Version: "4"})
	s.answer(List, 0, list("3", "a/1", lease("a", "4"), other))
	s.answer(PutTable, 0, Response{Result: Unknown})
	s.answer(List, 0, list("3", "a/1", lease("a", "4"))) // the other member has gone
	if s.Holds()[0] != 0 {
		t.Error("the member acts on a slot that its own update may still release")
	}
	s.answer(PutTable, 0, Response{Result: Refused})
	s.answer(List, 0, list("6", "a/1", lease("a", "4"))) // someone has changed the table, so the update cannot succeed
	if s.Holds()[0] == 0 {
		t.Error("the member does not take the slot back when the update can no longer succeed")
	}
}

// A Lease is dead only if a list that started late enough still has it.
func TestDeadFromTheStartOfAList(t *testing.T) {
	s := newScript(t)
	dead := lease("b", "2")
	s.answer(List, 0, list("1", "b/1", dead))
	s.answer(PutLease, 0, Response{Version: "3"})
	version := '3'
	own := func() Lease { return lease("a", string(version)) }
	renew := func() {
		version++
		s.answer(PutLease, 0, Response{Version: string(version)})
	}
	for s.now < 10*time.Second {
		s.answer(List, 0, list("1", "b/1", own(), dead))
		renew()
	}
	s.answer(List, 2*time.Second, list("1", "b/1", own(), dead)) // from 10s to 12s
	if table, ok := s.change(); ok {
		t.Errorf("at %v the member takes the slot with %+v, but the list may show the state of 10s", s.now, table)
	}
	renew()
	s.answer(List, 0, list("1", "b/1", own(), dead))
	q := s.Next(at(s.now))
	if q.Kind != PutTable || !slices.Equal(q.Table.Owners, []string{"a/1"}) {
		t.Errorf("the request at %v is %+v, want one that takes the slot", s.now, q)
	}
}
