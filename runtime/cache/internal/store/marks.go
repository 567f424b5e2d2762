package store

import "github.com/typedinformers/informer-gen/runtime/wire"

// Marks is a set of the objects that are stored, by slot. It holds for as long as
// no object is added or removed.
type Marks struct {
	// bits has a bit for each slot. unmarked is how many of them are not set.
	bits     []uint64
	unmarked int
}

// NewMarks returns Marks without an object.
func (s *Store) NewMarks() Marks {
	n := s.objects.len()
	return Marks{bits: make([]uint64, (n+63)/64), unmarked: n}
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

// RemoveUnmarked removes the objects that are not in the set, and calls removed with each
// of them. It moves each of the others once at most. The set is no longer valid then.
func (s *Store) RemoveUnmarked(m *Marks, removed func(obj wire.Object)) {
	var first uint32 // all objects before it are marked
	for ; m.unmarked > 0; m.unmarked-- {
		slot := uint32(s.objects.len() - 1)
		if m.Has(slot) {
			for m.Has(first) {
				first++
			}
			slot = first
			first++
		}
		obj := s.objects.at(slot)
		s.vacate(slot)
		s.fill(slot)
		removed(obj)
	}
}

// RemoveAll removes the objects in some slots, and calls removed with each of them. It moves each of the others once at
// most.
func (s *Store) RemoveAll(slots []uint32, removed func(obj wire.Object)) {
	if len(slots) == 0 {
		return
	}
	m := s.NewMarks()
	for i := range m.bits {
		m.bits[i] = ^uint64(0)
	}
	m.unmarked = 0
	for _, slot := range slots {
		m.bits[slot/64] &^= 1 << (slot % 64)
		m.unmarked++
	}
	s.RemoveUnmarked(&m, removed)
}
