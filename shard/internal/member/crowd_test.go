package member

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// crowd returns Leases of members that no process has.
func crowd(n int) []Lease {
	leases := make([]Lease, n)
	for i := range leases {
		leases[i] = lease(fmt.Sprintf("0-made-up-%05d", i), "1")
	}
	return leases
}

func newMember(identity string, slots int) *Member {
	return New(Config{
		Identity: identity, Slots: slots, LeaseDuration: 10 * time.Second, ClockMargin: time.Second, RenewPeriod: time.Second,
		NewSession: func() string { return "1" }, Jitter: func(time.Duration) time.Duration { return 0 },
	})
}

// TestMadeUpMembersTakeNoSlot: whoever creates Leases makes members. Those that have slots keep them, and agree.
func TestMadeUpMembersTakeNoSlot(t *testing.T) {
	const slots = 4096
	honest := []Lease{lease("web-1", "1"), lease("web-2", "1"), lease("web-3", "1")}
	owners := Assign(slots, []string{"web-1", "web-2", "web-3"})
	for i := range owners {
		owners[i] += "/1"
	}
	var before []string
	for _, identity := range []string{"web-1", "web-2", "web-3"} {
		m := newMember(identity, slots)
		m.session, m.valid = identity+"/1", true
		snapshot := Snapshot{Table: &Table{UID: "t", Version: "1", Owners: owners}, Leases: append(slices.Clone(honest), crowd(5000)...)}
		m.listed(at(0), at(0), snapshot)
		if want := []string{"web-1", "web-2", "web-3"}; !slices.Equal(m.members, want) || m.Ignored() != 5000 || m.Size() != 5003 {
			t.Errorf("%s: %d members count, %d do not", identity, len(m.members), m.Ignored())
		}
		if before != nil && !slices.Equal(m.wanted, before) {
			t.Errorf("%s wants other owners", identity)
		}
		before = m.wanted
		for i, owner := range m.wanted {
			if owner+"/1" != owners[i] {
				t.Fatalf("%s: slot %d should go to %s", identity, i, owner)
			}
		}
		m.listed(at(time.Second), at(time.Second), Snapshot{Table: snapshot.Table, Leases: honest})
		if m.Ignored() != 0 || len(m.members) != 3 {
			t.Errorf("%s: %d members do not count after the Leases were deleted", identity, m.Ignored())
		}
	}
}

// TestCrowdWithoutTable: no member has a slot, so the first ones by name count.
func TestCrowdWithoutTable(t *testing.T) {
	m := newMember("web-1", 256)
	m.listed(at(0), at(0), Snapshot{Leases: crowd(MaxMembers + 1)})
	if len(m.members) != MaxMembers || m.Ignored() != 1 {
		t.Errorf("%d members count, %d do not", len(m.members), m.Ignored())
	}
	m.listed(at(0), at(0), Snapshot{Leases: crowd(MaxMembers)})
	if len(m.members) != MaxMembers || m.Ignored() != 0 {
		t.Errorf("%d members count, %d do not", len(m.members), m.Ignored())
	}
}

// TestCostOfACrowd: the memory of an assignment does not depend on the number of made-up members.
func TestCostOfACrowd(t *testing.T) {
	result := testing.Benchmark(func(b *testing.B) {
		leases := crowd(5000)
		b.ReportAllocs()
		for b.Loop() {
			newMember("web-1", 4096).listed(at(0), at(0), Snapshot{Leases: leases})
		}
	})
	if bytes := result.AllocedBytesPerOp(); bytes > 64<<20 {
		t.Errorf("5,000 members cost %d MB", bytes>>20)
	}
}
