package member

import (
	"testing"
	"time"
)

// TestOtherMembersMayHaveLongerLeases changes LeaseDuration in one process after the other: the slots of a
// member with a long one are not free before that is over, also when someone deletes the table.
func TestOtherMembersMayHaveLongerLeases(t *testing.T) {
	const slots = 2
	for _, deleted := range []bool{false, true} {
		m := New(Config{
			Identity: "b", Slots: slots, LeaseDuration: 10 * time.Second, ClockMargin: time.Second, RenewPeriod: time.Second,
			NewSession: func() string { return "1" }, Jitter: func(time.Duration) time.Duration { return 0 },
		})
		other := Lease{Identity: "a", Version: "1", Session: "a/1", Duration: 40 * time.Second}
		table := Table{UID: "old", Version: "2", Owners: []string{"a/1", "a/1"}}
		own := Lease{}
		for now := time.Duration(0); now < 60*time.Second; now += 100 * time.Millisecond {
			if deleted && now == 5*time.Second {
				table = Table{UID: "new", Version: "3", Fresh: true, Owners: make([]string, slots)}
			}
			at := Time{Steady: now, Wall: now}
			switch q := m.Next(at); q.Kind {
			case List:
				snapshot := Snapshot{Table: &table, Leases: []Lease{other}}
				if own.Version != "" {
					snapshot.Leases = append(snapshot.Leases, own)
				}
				m.Answer(at, at, q, Response{Snapshot: snapshot})
			case PutLease:
				own = q.Lease
				own.Version = now.String()
				m.Answer(at, at, q, Response{Version: own.Version})
			case PutTable:
				table = q.Table
				table.Version = now.String()
				m.Answer(at, at, q, Response{Version: table.Version, UID: table.UID})
			}
			if table.Owners[0] == "b/1" || table.Owners[1] == "b/1" {
				// 40 seconds, and the margin in the same proportion as that of b
				if earliest := 44 * time.Second; now < earliest {
					t.Errorf("table deleted: %v: a slot was taken after %v, and a may act until %v", deleted, now, earliest)
				}
				break
			}
		}
		if table.Owners[0] == "a/1" {
			t.Errorf("table deleted: %v: no slot was taken", deleted)
		}
	}
}
