package cache

import "testing"

// checkNames checks what lets every search in the table end: used counts the slots that
// are taken, of which there are as many as objects, and enough of them are empty.
func checkNames(t *testing.T, table *names, objects int) {
	t.Helper()
	taken := 0
	if slots := table.slots.Load(); slots != nil {
		for _, slot := range *slots {
			if slot != 0 {
				taken++
			}
		}
	}
	if n := table.len(); taken != objects || table.used != objects || 16*taken > 13*n || n&(n-1) != 0 {
		t.Fatalf("of %d slots %d are taken by %d objects, and counted as %d", n, taken, objects, table.used)
	}
}

func TestNamesCountTheirSlots(t *testing.T) {
	var table names
	checkNames(t, &table, 0)
	hash := func(place uint32) uint32 { return place % 7 * 0x9e3779b9 } // many are alike
	for place := range uint32(200) {
		table.add(hash(place), place)
		checkNames(t, &table, int(place)+1)
	}
	largest := table.len()
	for place := range uint32(200) {
		table.remove(hash(place), place)
		checkNames(t, &table, 199-int(place))
	}
	if table.len() >= largest {
		t.Errorf("an empty table has %d slots", table.len())
	}
}
