package store

// Marks is a set of the objects that are stored, by slot. It holds for as long as
// no object is added or removed.
type Marks struct {
	// bits has a bit for each slot. unmarked is how many of them are not set.
	bits     []uint64
	unmarked int
}

// Has reports whether the object in a slot is in the set.
func (m *Marks) Has(slot uint32) bool { return m.bits[slot/64]&(1<<(slot%64)) != 0 }

// Add adds the object in a slot. It reports whether it was in the set before.
func (m *Marks) Add(slot uint32) (again bool) {
	if m.Has(slot) {
		return true
	}
	m.bits[slot/64] |= 1 << (slot % 64)
	m.unmarked--
	return false
}
