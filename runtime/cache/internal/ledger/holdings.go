package ledger

import (
	"encoding/binary"
	"slices"
)

// Tag is the number of a holding. The cache keeps one for each object. 0 means that no scope holds it, and
// that no scope has told its state.
type Tag uint32

// holding is what the ledger knows of each of the objects with a Tag.
type holding struct {
	// scopes are those that hold the object, sorted.
	scopes []ID
	// teller is the scope that has told the cached state, unless isAside is set. It may be closed.
	teller  ID
	isAside bool
	// era is that of the teller, at that time.
	era uint32
}

// holdings has each holding once: most objects have one of a few.
type holdings struct {
	// all are by Tag.
	all  []holding
	tags map[string]Tag
	// steps remembers the results of change, and last the last one: the objects of a list nearly all
	// make the same step.
	steps      map[step]Tag
	last       step
	lastResult Tag
	// limit is the number of holdings at which compact is worth its time.
	limit int
	room  []byte
}

// step is a change of a holding.
type step struct {
	from  Tag
	do    action
	scope ID
	era   uint32
}

type action uint8

const (
	// hold: the scope has the object.
	hold action = iota + 1
	// tell: it has told the cached state too.
	tell
	// tellAside: it has the object, and the cached state is from a request of its own.
	tellAside
	// release: the scope does not have the object.
	release
)

// minCompact is the least number of holdings at which compact is worth its time.
const minCompact = 1024

func newHoldings() holdings {
	return holdings{all: []holding{{isAside: true}}, tags: map[string]Tag{}, steps: map[step]Tag{}, limit: minCompact}
}

// has reports whether a scope is one of the holders.
func (h *holdings) has(tag Tag, id ID) bool {
	_, found := slices.BinarySearch(h.all[tag].scopes, id)
	return found
}

// isHeld reports whether there is a holder.
func (h *holdings) isHeld(tag Tag) bool { return len(h.all[tag].scopes) > 0 }

// change returns the Tag after a step.
func (h *holdings) change(s step) Tag {
	if s == h.last {
		return h.lastResult
	}
	to, known := h.steps[s]
	if !known {
		to = h.make(s)
		if len(h.steps) >= 4*h.limit {
			clear(h.steps)
		}
		h.steps[s] = to
	}
	h.last, h.lastResult = s, to
	return to
}

func (h *holdings) make(s step) Tag {
	from := h.all[s.from]
	to := holding{teller: from.teller, isAside: from.isAside, era: from.era}
	at, has := slices.BinarySearch(from.scopes, s.scope)
	switch {
	case s.do != release && !has:
		to.scopes = slices.Insert(slices.Clone(from.scopes), at, s.scope)
	case s.do == release && has:
		to.scopes = slices.Delete(slices.Clone(from.scopes), at, at+1)
	default:
		to.scopes = from.scopes
	}
	switch s.do {
	case tell:
		to.teller, to.isAside, to.era = s.scope, false, s.era
	case tellAside:
		to.teller, to.isAside, to.era = 0, true, s.era
	}
	return h.tagOf(to)
}

func (h *holdings) tagOf(of holding) Tag {
	h.room = binary.LittleEndian.AppendUint32(h.room[:0], uint32(of.teller))
	h.room = binary.LittleEndian.AppendUint32(h.room, of.era<<1)
	if of.isAside {
		h.room[4] |= 1
	}
	for _, id := range of.scopes {
		h.room = binary.LittleEndian.AppendUint32(h.room, uint32(id))
	}
	if tag, known := h.tags[string(h.room)]; known {
		return tag
	}
	tag := Tag(len(h.all))
	h.all = append(h.all, of)
	h.tags[string(h.room)] = tag
	return tag
}

// compact drops the holdings of no object, and renumbers those of tags.
func (h *holdings) compact(tags []uint32) {
	old := h.all
	*h = newHoldings()
	renumbered := make([]Tag, len(old)) // 0 until it is known
	for i, tag := range tags {
		if tag == 0 {
			continue
		}
		if renumbered[tag] == 0 {
			renumbered[tag] = h.tagOf(old[tag])
		}
		tags[i] = uint32(renumbered[tag])
	}
	h.limit = max(minCompact, 2*len(h.all))
}
