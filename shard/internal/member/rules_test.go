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
	if s.Draining()[0] == 0 || s.Synced(at(s.now), 0, s.Holds()[0]) {
		t.Error("the member acts on a slot that its own update may still release")
	}
	s.answer(PutTable, 0, Response{Result: Refused})
	s.answer(List, 0, list("6", "a/1", lease("a", "4"))) // someone has changed the table, so the update cannot succeed
	if !s.Synced(at(s.now), 0, s.Holds()[0]) {
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

// Someone deletes the Lease of b, so that another process begins a session of b while the first one may act.
func TestSessionWithoutItsLease(t *testing.T) {
	for name, before := range map[string]time.Duration{"other session": 0, "dead before": 15 * time.Second} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			dead := lease("b", "2")
			s.answer(List, 0, list("1", "b/1", dead))
			s.answer(PutLease, 0, Response{Version: "3"})
			version := '3'
			round := func(b Lease) {
				if q := s.Next(at(s.now)); q.Kind == Wait {
					s.now = q.Until
				}
				for s.Next(at(s.now)).Kind == PutLease {
					version++
					s.answer(PutLease, 0, Response{Version: string(version)})
				}
				s.answer(List, 0, list("1", "b/1", lease("a", string(version)), b))
			}
			for s.now < before {
				round(dead)
				s.wanted[0] = "b" // a does not want the slot yet
			}
			next := dead
			next.Session = "b/2"
			deleted := s.now
			for i := '0'; s.now < deleted+30*time.Second; i++ {
				next.Version = "n" + string(i)
				round(next)
				s.wanted[0] = "a"
				if _, ok := s.change(); ok {
					break
				}
				s.wanted[0] = "b"
			}
			waited := s.now - deleted
			if before == 0 && waited < 11*time.Second {
				t.Errorf("a takes a slot of b/1 after %v, and b/1 may act until its time is over", waited)
			}
			if limit := 13 * time.Second; waited > limit || before > 0 && waited > 2*time.Second {
				t.Errorf("a takes a slot of b/1 only after %v", waited)
			}
		})
	}
}

// A wall clock that goes back changes nothing, and one that goes forward only ends the session.
func TestWallClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{-time.Hour, time.Hour} {
		s := begin(t)
		set := func(now time.Duration) Time { return Time{Steady: now, Wall: now + by} }
		if active := s.Active(set(s.now+time.Second), 0); active != (by < 0) {
			t.Errorf("after the wall clock was set by %v, the slot is active: %v", by, active)
		}
		if s.Active(set(s.now+9*time.Second), 0) {
			t.Errorf("after the wall clock was set by %v, the session goes on after its time", by)
		}
		// A renewal counts from what the clocks show then.
		s.Advance(set(s.now))
		if by < 0 {
			start := s.now + time.Second
			q := s.Next(set(start))
			s.Answer(set(start), set(start), q, Response{Version: "9"})
			if s.Active(Time{Steady: start + time.Second, Wall: start + by + 9*time.Second}, 0) {
				t.Error("a machine that was suspended after its wall clock went back does not know it")
			}
		}
	}
}
