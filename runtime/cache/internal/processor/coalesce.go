package processor

import "k8s.io/apimachinery/pkg/types"

// Coalesce merges the notifications of each object into one, or into two if it was
// deleted and added again. The objects keep the order of their first notifications.
//
//	add, update      an add of the later state
//	update, update   an update from the first to the last state
//	update, delete   a delete
//	add, delete      nothing
//	delete, add      both
func Coalesce(pending []Batch) []Notification {
	total := 0
	for _, b := range pending {
		total += len(b.Notes)
	}
	merged := make([]Notification, 0, total/2)
	last := make(map[types.NamespacedName]int, total/2) // the index of the last notification of an object
	for _, b := range pending {
		for i := range b.Notes {
			n := &b.Notes[i]
			name := types.NamespacedName{Namespace: n.Obj.GetNamespace(), Name: n.Obj.GetName()}
			at, seen := last[name]
			if seen && merge(&merged[at], n) {
				if merged[at].Kind == nothing {
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
		if merged[i].Kind != nothing {
			kept = append(kept, merged[i])
		}
	}
	clear(merged[len(kept):])
	return kept
}

// merge merges n into earlier, which is about the same object. It returns false if the
// handler has to get both.
func merge(earlier, n *Notification) bool {
	switch {
	case earlier.Kind == Delete:
		return false
	case n.Kind == Delete && earlier.Kind == Add:
		*earlier = Notification{Kind: nothing}
	case n.Kind == Delete:
		old := earlier.Old // the state that the handler got
		*earlier = *n
		earlier.Old = old
	default: // an update; an add cannot follow an add or an update
		earlier.Obj = n.Obj
	}
	return true
}
