package store

// ByIndexIn returns the objects of a namespace that the index has under value, in no
// particular order. The slice belongs to the caller. It returns false if there is no such
// index.
func (s *Store[T]) ByIndexIn(namespace, name, value string) ([]T, bool) {
	s.mu.RLock()
	idx := s.index(name)
	if idx == nil {
		s.mu.RUnlock()
		return nil, false
	}
	ofNamespace := s.indexes[0]
	found, inNamespace := idx.lists[value], ofNamespace.lists[namespace]
	if found == nil || inNamespace == nil {
		s.mu.RUnlock()
		return []T{}, true
	}
	// The refs tell which slots of the shorter list are in the other one too. They are those
	// of this moment, so they are read under the lock.
	slots, other, in := found.slots, ofNamespace, inNamespace
	if len(inNamespace.slots) < len(slots) {
		slots, other, in = inNamespace.slots, idx, found
	}
	if len(slots) <= maxLocked {
		defer s.mu.RUnlock()
		return s.objects.now().collectIn(slots, other, in), true
	}
	slots, all := found.share(), s.objects.snapshot()
	s.mu.RUnlock()
	return all.collectOf(slots, namespace), true
}

// collectIn returns the objects in those of the slots that an index has in a list.
func (s snapshot[T]) collectIn(slots []uint32, x *index, list *postings) []T {
	n := 0
	for _, slot := range slots {
		if x.isIn(slot, list) {
			n++
		}
	}
	objs := make([]T, 0, n)
	for _, slot := range slots {
		if len(objs) == n {
			break
		}
		if x.isIn(slot, list) {
			objs = append(objs, s.at(slot))
		}
	}
	return objs
}

// isIn reports whether a list has a slot.
func (x *index) isIn(slot uint32, list *postings) bool {
	r := x.refs[slot]
	if r != severalRefs {
		return r.list == list.id
	}
	for _, r := range x.more[slot] {
		if r.list == list.id {
			return true
		}
	}
	return false
}

// collectOf returns the objects in those of the slots whose object is in a namespace.
func (s snapshot[T]) collectOf(slots []uint32, namespace string) []T {
	n := 0
	for _, slot := range slots {
		if s.at(slot).GetNamespace() == namespace {
			n++
		}
	}
	objs := make([]T, 0, n)
	for _, slot := range slots {
		if len(objs) == n {
			break
		}
		if obj := s.at(slot); obj.GetNamespace() == namespace {
			objs = append(objs, obj)
		}
	}
	return objs
}
