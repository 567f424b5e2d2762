package store

import (
	"slices"
	"sync"
)

// ByIndexIn returns the objects of a namespace that the index has under value, in no
// particular order. The slice belongs to the caller. It returns false if there is no such
// index. It holds the read lock for 1 to 5 ns for each entry of the shorter list: the one of
// the namespace, or the one of value.
func (s *Store) ByIndexIn(namespace, name, value string) (Objects, bool) {
	s.mu.RLock()
	idx := s.index(name)
	if idx == nil {
		s.mu.RUnlock()
		return Objects{}, false
	}
	ofNamespace := s.indexes[0]
	inNamespace, found := ofNamespace.lists[namespace], idx.lists[value]
	if inNamespace == nil || found == nil {
		s.mu.RUnlock()
		return s.objects.none(), true
	}
	both := scratch.Get().(*[]uint32)
	defer scratch.Put(both)
	if len(found.slots) <= len(inNamespace.slots) {
		*both = ofNamespace.appendIn((*both)[:0], found.slots, inNamespace)
	} else {
		*both = idx.appendIn((*both)[:0], inNamespace.slots, found)
	}
	if len(*both) <= maxLocked {
		all := s.objects.now()
		objs := all.collect(*both)
		s.mu.RUnlock()
		return objs, true
	}
	all := s.objects.snapshot()
	s.mu.RUnlock()
	return all.collect(*both), true
}

// scratch has the slots that ByIndexIn finds, so that it allocates only its result.
var scratch = sync.Pool{New: func() any { return new([]uint32) }}

// appendIn appends those of the slots to both that are in the list as well, which is one of
// the index.
func (x *index) appendIn(both, slots []uint32, list *postings) []uint32 {
	both = slices.Grow(both, len(slots))
	for _, slot := range slots {
		if r := x.refs[slot]; r.list == list.id || r == severalRefs && x.isAmong(slot, list) {
			both = append(both, slot)
		}
	}
	return both
}

// isAmong reports whether a slot with several values is in a list.
func (x *index) isAmong(slot uint32, list *postings) bool {
	return slices.ContainsFunc(x.more[slot], func(r ref) bool { return r.list == list.id })
}
