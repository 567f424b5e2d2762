package store

import "testing"

func TestNamesCountTheirEntries(t *testing.T) {
	var table names
	check := func(objects int) {
		t.Helper()
		if err := table.check(objects); err != nil {
			t.Fatal(err)
		}
	}
	check(0)
	hash := func(slot uint32) uint32 { return slot % 7 * 0x9e3779b9 } // many collide
	for slot := range uint32(200) {
		table.add(hash(slot), slot)
		check(int(slot) + 1)
	}
	largest := table.len()
	for slot := range uint32(200) {
		table.remove(hash(slot), slot)
		check(199 - int(slot))
	}
	if table.len() >= largest {
		t.Errorf("an empty table has room for %d entries", table.len())
	}
}
