package cache

// coalesce makes of all that is pending for a handler what it still has to hear:
// for each object one notification, or two if it ended and was born again. The
// objects keep the order in which they were first mentioned.
//
//	add, update      an add of the later state
//	update, update   an update from the first to the last state
//	update, delete   a delete
//	add, delete      nothing
//	delete, add      both
func coalesce[T Object](pending []batch[T]) []notification[T] {
	total := 0
	for _, b := range pending {
		total += len(b.notes)
	}
	merged := make([]notification[T], 0, total/2)
	last := make(map[ObjectName]int, total/2) // the place of the last notification of an object
	for _, b := range pending {
		for i := range b.notes {
			n := &b.notes[i]
			name := MetaObjectToName(n.obj)
			place, seen := last[name]
			if seen && merge(&merged[place], n) {
				if merged[place].kind == notifyNothing {
					delete(last, name)
				}
				continue
			}
			last[name] = len(merged)
			merged = append(merged, *n)
		}
	}
	kept := merged[:0]
	for i := range merged {
		if merged[i].kind != notifyNothing {
			kept = append(kept, merged[i])
		}
	}
	clear(merged[len(kept):])
	return kept
}

// merge takes n into earlier, which is about the same object. It returns false if
// both have to be told.
func merge[T Object](earlier, n *notification[T]) bool {
	switch {
	case earlier.kind == notifyDelete:
		return false
	case n.kind == notifyDelete && earlier.kind == notifyAdd:
		*earlier = notification[T]{kind: notifyNothing}
	case n.kind == notifyDelete:
		old := earlier.old // what the handler knows
		*earlier = *n
		earlier.old = old
	default: // an update; an add cannot follow an add or an update
		earlier.obj = n.obj
	}
	return true
}
