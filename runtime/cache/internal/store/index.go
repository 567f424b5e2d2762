package store

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// index finds slots by value. Each value has a posting list. For each slot, refs has its
// positions in the lists, so that a slot can be removed or renumbered without a search.
//
//	lists  "node-7" ─▶ [ 3, 17, 4 ]
//	refs     3 ─▶ ("node-7", 0)   4 ─▶ ("node-7", 2)   17 ─▶ ("node-7", 1)
type index struct {
	name  string
	lists map[string]*postings
	// byID has the lists by their ids. An id whose list is nil is free, and is in free.
	byID []valued
	free []uint32
	// refs are by slot. That of a slot with more than one value is severalRefs, and its
	// refs are in more.
	refs []ref
	more map[uint32][]ref
	// posted is the number of entries in all lists.
	posted int
	// peak is the largest length of lists since it was made, and peakMore that of more.
	peak, peakMore int
}

// postings is a posting list: the slots that an index has under one value, in no order.
type postings struct {
	id uint32
	// shared is set by a reader that keeps reading slots after it releases the lock.
	// The writer then copies slots before it changes any of them.
	shared atomic.Bool
	slots  []uint32
	// refIndexes has, for each entry of slots whose object has several values, the index of
	// its ref in the refs of the slot, so that the entry can move without a search. It is
	// nil until there is such an entry, and means nothing for a slot with one value.
	refIndexes *[]uint32
}

// valued is a posting list with its value. has reads the value without a step to the list,
// which is in other memory.
type valued struct {
	value string
	list  *postings
}

// ref is a position in a posting list: the id of the list and an index of its slots. The
// zero value is no position.
type ref struct{ list, at uint32 }

var severalRefs = ref{list: ^uint32(0)}

func newIndex(name string) *index {
	return &index{name: name, lists: map[string]*postings{}, byID: make([]valued, 1)}
}

// add adds the next slot.
func (x *index) add(slot uint32, values []string) {
	x.refs = append(x.refs, ref{})
	x.enter(slot, values)
}

// update changes the values of a slot if they differ.
func (x *index) update(slot uint32, values []string) {
	if !x.has(slot, values) {
		x.leave(slot)
		x.enter(slot, values)
	}
}

// move renumbers a slot. The slot to has no values.
func (x *index) move(from, to uint32) {
	for _, r := range x.refsOf(from, &[1]ref{}) {
		x.byID[r.list].list.writable()[r.at] = to
	}
	x.refs[to] = x.refs[from]
	if x.refs[from] == severalRefs {
		x.more[to] = x.more[from]
		x.forget(from)
	}
	x.refs[from] = ref{}
}

// pop removes the last slot, which has no values.
func (x *index) pop() { x.refs = shrunk(x.refs[:len(x.refs)-1]) }

// refsOf returns the refs of a slot. It may use the memory of one.
func (x *index) refsOf(slot uint32, one *[1]ref) []ref {
	switch r := x.refs[slot]; r {
	case ref{}:
		return nil
	case severalRefs:
		return x.more[slot]
	default:
		one[0] = r
		return one[:]
	}
}

// has reports whether a slot has these values.
func (x *index) has(slot uint32, values []string) bool {
	if r := x.refs[slot]; len(values) == 1 && r != severalRefs { // as most are
		return r != ref{} && x.byID[r.list].value == values[0]
	}
	refs := x.refsOf(slot, &[1]ref{})
	if len(refs) != len(values) {
		return false // also if values has duplicates, which are then entered again
	}
	for i, r := range refs {
		if x.byID[r.list].value != values[i] {
			return false
		}
	}
	return true
}

// enter adds a slot without values to the lists of values.
func (x *index) enter(slot uint32, values []string) {
	switch len(values) {
	case 0:
	case 1:
		x.refs[slot] = x.post(slot, x.listOf(values[0]))
	default:
		refs := make([]ref, 0, len(values))
		for _, value := range values {
			list := x.listOf(value)
			if n := len(list.slots); n > 0 && list.slots[n-1] == slot {
				continue // a duplicate in values
			}
			r := x.post(slot, list)
			list.setRefIndex(r.at, uint32(len(refs)))
			refs = append(refs, r)
		}
		if len(refs) == 1 {
			x.refs[slot] = refs[0]
			return
		}
		if x.more == nil {
			x.more = map[uint32][]ref{}
		}
		x.refs[slot], x.more[slot] = severalRefs, refs
		x.peakMore = max(x.peakMore, len(x.more))
	}
}

// listOf returns the list of a value. If it is new, it is empty, and the caller posts a
// slot to it.
func (x *index) listOf(value string) *postings {
	list := x.lists[value]
	if list == nil {
		list = &postings{id: uint32(len(x.byID))}
		if n := len(x.free); n > 0 {
			list.id, x.free = x.free[n-1], x.free[:n-1]
			x.byID[list.id] = valued{value, list}
		} else {
			x.byID = append(x.byID, valued{value, list})
		}
		x.lists[value] = list
		x.peak = max(x.peak, len(x.lists))
	}
	return list
}

// post appends a slot to a list.
func (x *index) post(slot uint32, list *postings) ref {
	// A reader that shares the slots does not read past its own end of them.
	list.slots = append(list.slots, slot)
	x.posted++
	return ref{list.id, uint32(len(list.slots) - 1)}
}

// leave removes a slot from all lists.
func (x *index) leave(slot uint32) {
	for _, r := range x.refsOf(slot, &[1]ref{}) {
		x.unpost(r)
	}
	if x.refs[slot] == severalRefs {
		x.forget(slot)
	}
	x.refs[slot] = ref{}
	// Both need refs without the lists that are gone.
	if x.peak > 64 && 8*len(x.lists) < x.peak {
		x.lists, x.peak = copied(x.lists), len(x.lists)
	}
	if len(x.free) > 64 && len(x.free) > x.posted {
		x.renumber()
	}
}

// forget removes a slot from more.
func (x *index) forget(slot uint32) {
	delete(x.more, slot)
	if x.peakMore > 64 && 8*len(x.more) < x.peakMore {
		x.more, x.peakMore = copied(x.more), len(x.more)
	}
}

// copied returns a copy of a map that was larger, as a map does not release memory.
func copied[K comparable, V any](m map[K]V) map[K]V {
	small := make(map[K]V, len(m))
	maps.Copy(small, m)
	return small
}

// unpost removes the entry at r from its list. The last entry moves there.
func (x *index) unpost(r ref) {
	list := x.byID[r.list].list
	slots := list.writable()
	last := uint32(len(slots) - 1)
	if r.at != last {
		slots[r.at] = slots[last]
		x.refAt(list, last).at = r.at
		if list.refIndexes != nil {
			list.setRefIndex(r.at, list.refIndex(last))
		}
	}
	x.posted--
	list.slots = shrunk(slots[:last])
	if list.refIndexes != nil {
		*list.refIndexes = shrunk((*list.refIndexes)[:min(last, uint32(len(*list.refIndexes)))])
	}
	if last > 0 {
		return
	}
	delete(x.lists, x.byID[r.list].value)
	x.byID[r.list] = valued{}
	x.free = append(x.free, r.list)
}

// refAt returns the ref of an entry of a list.
func (x *index) refAt(list *postings, at uint32) *ref {
	slot := list.slots[at]
	if r := &x.refs[slot]; *r != severalRefs {
		return r
	}
	return &x.more[slot][list.refIndex(at)]
}

// renumber gives the lists new ids, without gaps, to release memory. It takes a step
// for each list and entry, so the caller waits until as many lists have ended.
func (x *index) renumber() {
	byID := make([]valued, 1, len(x.lists)+1)
	for _, v := range x.byID {
		list := v.list
		if list == nil {
			continue
		}
		// In this order no list with the old id of another one is left.
		list.id = uint32(len(byID))
		byID = append(byID, v)
		for at := range list.slots {
			x.refAt(list, uint32(at)).list = list.id
		}
	}
	x.byID, x.free = byID, nil
}

// refIndex returns the ref index of an entry, 0 if none was set.
func (p *postings) refIndex(at uint32) uint32 {
	if p.refIndexes == nil || int(at) >= len(*p.refIndexes) {
		return 0
	}
	return (*p.refIndexes)[at]
}

// setRefIndex sets the ref index of an entry. A list whose slots have one value each, as
// in most indexes, spends no memory on it.
func (p *postings) setRefIndex(at, index uint32) {
	if p.refIndexes == nil {
		if index == 0 {
			return
		}
		p.refIndexes = new([]uint32)
	}
	for len(*p.refIndexes) <= int(at) {
		*p.refIndexes = append(*p.refIndexes, 0)
	}
	(*p.refIndexes)[at] = index
}

// share returns the slots for a reader, which may read them after it releases the lock.
func (p *postings) share() []uint32 {
	if !p.shared.Load() {
		p.shared.Store(true)
	}
	return p.slots
}

// writable returns the slots for a change.
func (p *postings) writable() []uint32 {
	if p.shared.Load() {
		p.shared.Store(false)
		p.slots = slices.Clone(p.slots)
	}
	return p.slots
}

// shrunk releases memory of which little is used. The elements hold no pointers, so it
// does not clear those past the end.
func shrunk[E any](s []E) []E {
	if cap(s) > 64 && 4*len(s) < cap(s) {
		return append(make([]E, 0, 2*len(s)), s...)
	}
	return s
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
