package member

import (
	"fmt"
	"testing"
)

// TestAssign adds members one by one. The slots are even, and not many more move than have to.
func TestAssign(t *testing.T) {
	for _, slots := range []int{16, 256, 1024} {
		var members []string
		var before []string
		moved, needed := 0, 0
		for i := range min(slots/4, 24) {
			members = append(members, fmt.Sprintf("web-7d4b9c%d-x%d", i*i, i))
			after := Assign(slots, members)
			counts := map[string]int{}
			for slot, owner := range after {
				counts[owner]++
				if before != nil && before[slot] != owner {
					moved++
				}
			}
			for _, m := range members {
				if n := counts[m]; n < slots/len(members) || n > slots/len(members)+1 {
					t.Errorf("with %d members of %d slots %s has %d", len(members), slots, m, n)
				}
			}
			if before != nil {
				needed += slots / len(members)
			}
			before = after
		}
		t.Logf("%d slots: %d moved, at least %d", slots, moved, needed)
		if moved > 2*needed {
			t.Errorf("of %d slots %d moved, but only %d had to", slots, moved, needed)
		}
	}
	for slot, owner := range Assign(4, []string{"a", "b", "c", "d", "e", "f"}) {
		if owner == "" {
			t.Errorf("slot %d has no owner with more members than slots", slot)
		}
	}
	if got := Assign(2, nil); got[0] != "" {
		t.Errorf("without members the slots belong to %q", got)
	}
}
