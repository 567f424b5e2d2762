package shard

import (
	"maps"
	"slices"
)

// maxParts is the largest number of parts before they are joined. Each part has a watch of each scope, and a
// server that does not know shards sends everything on each watch.
const maxParts = 4

// part is what one list and watch of an informer has: some slots, each with the hold that it was opened for.
// When a slot goes to another member, the part still has it for a while, because a smaller part
// would have to list again.
type part map[int]uint64

func (p part) slots() []int { return slices.Sorted(maps.Keys(p)) }

// only returns the slots of a part that the member holds as it did when the part was opened.
func (p part) only(holds []uint64) part {
	held := part{}
	for slot, hold := range p {
		if holds[slot] == hold {
			held[slot] = hold
		}
	}
	return held
}

// parted returns the parts that an informer needs to have all objects of the slots that a member holds. The
// informer has to follow all of the steps, in order. A slot that was lost and taken back is removed first,
// so that its objects are listed again: the caches of a member that lost it may be behind what
// another member wrote.
func parted(parts []part, holds []uint64) (steps [][]part) {
	next := make([]part, 0, len(parts)+1)
	removed := false
	covered := part{}
	for _, p := range parts {
		held := p.only(holds)
		for slot, hold := range p {
			if holds[slot] != 0 && holds[slot] != hold {
				p, removed = held, true
				break
			}
		}
		maps.Copy(covered, held)
		if len(held) > 0 {
			next = append(next, p)
		}
	}
	if removed {
		steps = append(steps, next)
	}
	added := part{}
	for slot, hold := range holds {
		if _, ok := covered[slot]; hold != 0 && !ok {
			added[slot] = hold
		}
	}
	switch {
	case len(added) == 0:
		if !removed && len(next) < len(parts) {
			steps = append(steps, next)
		}
	case len(next) < maxParts:
		steps = append(steps, append(slices.Clone(next), added))
	default:
		maps.Copy(added, covered)
		steps = append(steps, []part{added})
	}
	return steps
}

// narrowed returns the one part that has exactly the slots that a member holds, or false if that is
// what parts are.
func narrowed(parts []part, holds []uint64) ([]part, bool) {
	all := part{}
	for slot, hold := range holds {
		if hold != 0 {
			all[slot] = hold
		}
	}
	switch {
	case len(all) == 0:
		return nil, len(parts) > 0
	case len(parts) == 1 && maps.Equal(parts[0], all):
		return parts, false
	}
	return []part{all}, true
}
