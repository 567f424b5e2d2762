package store

import (
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Entry is a state of an object to store.
type Entry struct {
	// Namespace and Name identify Object, and Hash is their HashOf.
	Namespace, Name string
	Hash            uint32
	// Slot is where the caller has found the object, NoSlot if it has not. It is a guess:
	// Put does not depend on it.
	Slot   uint32
	Object wire.Object
	// ContentHash is 0 if it is not known.
	ContentHash uint64
	// Values has the values in each index but the one by namespace, in the order of
	// AddIndexes.
	Values [][]string
	// IsMatched is set by Match if the object in Slot has the name, the UID and the values of Object. Put clears it if
	// that has changed.
	IsMatched bool
}

// AddIndexes adds indexes over the present objects. values returns the values of an
// object in names[i]. Readers continue until all of them have been called, so this is called
// outside Begin and End.
func (s *Store) AddIndexes(names []string, values func(i int, obj wire.Object) []string) {
	added := make([]*index, len(names))
	for i, name := range names {
		added[i] = newIndex(name)
		for slot := range uint32(s.objects.len()) {
			added[i].add(slot, values(i, s.objects.at(slot)))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.indexes = append(s.indexes, added...)
}

// RemoveIndexes removes indexes, but for the one by namespace. Names of no index have no effect.
func (s *Store) RemoveIndexes(names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.indexes[:1:1]
	for _, idx := range s.indexes[1:] {
		if !slices.Contains(names, idx.name) {
			kept = append(kept, idx)
		}
	}
	s.indexes = kept
}

// Begin keeps readers out until End, but for Get.
func (s *Store) Begin() {
	s.mu.Lock()
	s.steps.Add(1)
	s.objects.begin()
}

// End lets readers in.
func (s *Store) End() {
	s.length.Store(int64(s.objects.len()))
	s.steps.Add(1)
	s.mu.Unlock()
}

// Clear removes all objects, and releases the memory for them. The indexes stay.
func (s *Store) Clear() {
	s.names.table.Store(nil)
	s.names.used = 0
	s.objects.clear()
	s.fingerprints.clear()
	for i, idx := range s.indexes {
		s.indexes[i] = newIndex(idx.name)
	}
	s.nameHashes, s.hashes = nil, nil
}

// Count returns the number of objects, for the writer.
func (s *Store) Count() int { return s.objects.len() }

// At returns the object in a slot, for the writer.
func (s *Store) At(slot uint32) wire.Object { return s.objects.at(slot) }

// SlotsOf returns the slots of the objects of a namespace, for the writer, until it changes the store.
func (s *Store) SlotsOf(namespace string) []uint32 {
	if list := s.indexes[0].lists[namespace]; list != nil {
		return list.slots
	}
	return nil
}

// Each ranges over the objects, for the writer, which does not change them meanwhile.
func (s *Store) Each() iter.Seq[wire.Object] { return s.objects.now().all() }

// Match finds the entries that Put can store without a search; most of a watch can be. It
// is called before Begin. It looks at one property of all entries, then at the next: so the
// CPU loads the memory of many objects at a time, instead of one after the other.
func (s *Store) Match(entries []Entry) {
	s.touched, s.allTouched = s.touched[:0], false
	for i := range entries {
		search := s.names.probe(entries[i].Hash)
		entries[i].Slot = search.next()
	}
	for i := range entries {
		e := &entries[i]
		if e.Slot == NoSlot {
			continue
		}
		old := s.objects.at(e.Slot)
		e.IsMatched = old.GetName() == e.Name && old.GetNamespace() == e.Namespace && old.GetUID() == e.Object.GetUID()
	}
	for which, idx := range s.indexes[1:] {
		for i := range entries {
			if e := &entries[i]; e.IsMatched && !idx.has(e.Slot, e.Values[which]) {
				e.IsMatched = false
			}
		}
	}
}

// Put stores an entry. It returns the object that was stored under its name.
func (s *Store) Put(e *Entry) (old wire.Object, known bool) {
	if e.IsMatched && !s.allTouched && !slices.Contains(s.touched, e.Slot) {
		old = s.objects.at(e.Slot)
		s.objects.set(e.Slot, e.Object)
		s.SetContentHash(e.Slot, e.ContentHash)
		return old, true
	}
	// It is new, a value or the UID changes, or an earlier entry changed it.
	e.IsMatched = false
	slot, old, known := s.Find(e.Namespace, e.Name, e.Hash)
	if known {
		s.touch(slot)
		s.objects.set(slot, e.Object)
		s.SetContentHash(slot, e.ContentHash)
		for i, idx := range s.indexes[1:] {
			idx.update(slot, e.Values[i])
		}
		return old, true
	}
	slot = s.objects.push(e.Object)
	s.fingerprints.push(fingerprintOf(e.Namespace, e.Name))
	s.nameHashes = append(s.nameHashes, e.Hash)
	if s.keepsHashes {
		s.hashes = append(s.hashes, e.ContentHash)
	}
	s.indexes[0].add(slot, []string{e.Namespace})
	for i, idx := range s.indexes[1:] {
		idx.add(slot, e.Values[i])
	}
	s.names.add(e.Hash, slot) // last, as Get does not wait
	return old, false
}

// maxTouched is the number of slots that are remembered as touched. It is small because each Put looks at them.
const maxTouched = 16

// touch records that the result of Match for a slot does not count any more.
func (s *Store) touch(slot uint32) {
	if len(s.touched) == maxTouched {
		s.allTouched = true
		return
	}
	s.touched = append(s.touched, slot)
}

// SetContentHash sets the content hash of the object in a slot.
func (s *Store) SetContentHash(slot uint32, contentHash uint64) {
	if s.keepsHashes {
		s.hashes[slot] = contentHash
	}
}

// manyValues is the number of values in the indexes that makes it expensive to move an
// object.
const manyValues = 64

// Remove removes the object in a slot. Another one moves there.
func (s *Store) Remove(slot uint32) {
	s.vacate(slot)
	last := uint32(s.objects.len() - 1)
	values := 0 // of the last object, in all indexes
	for _, idx := range s.indexes {
		values += len(idx.refsOf(last, &[1]ref{}))
	}
	if slot != last && values > manyValues {
		// If it moved to slot, the removal of the objects before it, in reverse order,
		// would move it each time. From a random slot it moves again when half of the
		// objects are gone, on average.
		if at := rand.Uint32N(last); at != slot {
			s.move(at, slot)
			slot = at
		}
	}
	s.fill(slot)
}

// vacate removes the object in a slot from all tables but that of the objects.
func (s *Store) vacate(slot uint32) {
	s.touch(slot)
	for _, idx := range s.indexes {
		idx.leave(slot)
	}
	s.names.remove(s.nameHashes[slot], slot)
}

// fill moves the last object to a slot that was vacated, and shortens the tables.
func (s *Store) fill(slot uint32) {
	last := uint32(s.objects.len() - 1)
	if slot != last {
		s.move(last, slot)
	}
	for _, idx := range s.indexes {
		idx.pop()
	}
	s.objects.pop()
	s.fingerprints.pop()
	s.nameHashes = shrunk(s.nameHashes[:last])
	if s.keepsHashes {
		s.hashes = shrunk(s.hashes[:last])
	}
}

// move moves an object to a slot that was vacated.
func (s *Store) move(from, to uint32) {
	s.touch(from)
	for _, idx := range s.indexes {
		idx.move(from, to)
	}
	s.objects.set(to, s.objects.at(from))
	s.fingerprints.set(to, s.fingerprints.at(from))
	s.names.move(s.nameHashes[from], from, to)
	s.nameHashes[to] = s.nameHashes[from]
	s.SetContentHash(to, s.ContentHash(from))
}

// NewMarks returns Marks without an object.
func (s *Store) NewMarks() Marks {
	n := s.objects.len()
	return Marks{bits: make([]uint64, (n+63)/64), unmarked: n}
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
