package cache

import (
	"maps"
	"slices"
	"sync/atomic"
)

// index finds places by value. Each value has a posting list, and each place knows
// where in which lists it stands, so that it can be taken out, or its place be
// changed, without a search.
//
//	lists  "node-7" ─▶ [ 3, 17, 4 ]
//	refs     3 ─▶ ("node-7", 0)   4 ─▶ ("node-7", 2)   17 ─▶ ("node-7", 1)
type index[T Object] struct {
	name string
	// values is nil for the index by namespace.
	values IndexFunc[T]
	lists  map[string]*postings
	// byID has the lists by their ids; nil ones are free, and their ids are in free.
	byID []*postings
	free []uint32
	// refs are by place. That of a place with more than one value is severalRefs, and
	// they are in more.
	refs []ref
	more map[uint32][]ref
	// posted is how many places all lists have.
	posted int
	// peak is the most values that there were since lists was made, and peakMore the
	// most places in more.
	peak, peakMore int
}

// postings are the places that an index has under one value, in no order.
type postings struct {
	value string
	id    uint32
	// shared is set by a reader that keeps reading places after it releases the lock.
	// The writer then copies places before it changes any of them.
	shared atomic.Bool
	places []uint32
	// slots has, next to each place that has several values, the index of this list in
	// the refs of the place, so that moving it in the list needs no search. It is nil
	// until such a place comes, and means nothing for a place with one value.
	slots *[]uint32
}

// ref is where a place stands: at an index of the places of a list. The zero value
// is nowhere.
type ref struct{ list, at uint32 }

var severalRefs = ref{list: ^uint32(0)}

func newIndex[T Object](name string, values IndexFunc[T]) *index[T] {
	return &index[T]{name: name, values: values, lists: map[string]*postings{}, byID: make([]*postings, 1)}
}

// add enters a place that is not in the index, the next one.
func (x *index[T]) add(place uint32, values []string) {
	x.refs = append(x.refs, ref{})
	x.enter(place, values)
}

// update changes the values of a place, if they are others.
func (x *index[T]) update(place uint32, values []string) {
	if !x.has(place, values) {
		x.leave(place)
		x.enter(place, values)
	}
}

// move gives a new place to what stands at from. Nothing may stand at to.
func (x *index[T]) move(from, to uint32) {
	for _, r := range x.refsOf(from, &[1]ref{}) {
		x.byID[r.list].writable()[r.at] = to
	}
	x.refs[to] = x.refs[from]
	if x.refs[from] == severalRefs {
		x.more[to] = x.more[from]
		x.forget(from)
	}
	x.refs[from] = ref{}
}

// pop removes the last place, at which nothing stands.
func (x *index[T]) pop() { x.refs = shrunk(x.refs[:len(x.refs)-1]) }

// valuesAt returns how many values a place has.
func (x *index[T]) valuesAt(place uint32) int { return len(x.refsOf(place, &[1]ref{})) }

// refsOf returns where a place stands. It may use the memory of one.
func (x *index[T]) refsOf(place uint32, one *[1]ref) []ref {
	switch r := x.refs[place]; r {
	case ref{}:
		return nil
	case severalRefs:
		return x.more[place]
	default:
		one[0] = r
		return one[:]
	}
}

// has says whether the values of a place are these.
func (x *index[T]) has(place uint32, values []string) bool {
	refs := x.refsOf(place, &[1]ref{})
	if len(refs) != len(values) {
		return false // or the values repeat themselves; then they are entered again
	}
	for i, r := range refs {
		if x.byID[r.list].value != values[i] {
			return false
		}
	}
	return true
}

// enter adds a place that stands nowhere to the lists of its values.
func (x *index[T]) enter(place uint32, values []string) {
	switch len(values) {
	case 0:
	case 1:
		x.refs[place] = x.post(place, x.listOf(values[0]))
	default:
		refs := make([]ref, 0, len(values))
		for _, value := range values {
			list := x.listOf(value)
			if n := len(list.places); n > 0 && list.places[n-1] == place {
				continue // values has this one twice
			}
			r := x.post(place, list)
			list.setSlot(r.at, uint32(len(refs)))
			refs = append(refs, r)
		}
		if len(refs) == 1 {
			x.refs[place] = refs[0]
			return
		}
		if x.more == nil {
			x.more = map[uint32][]ref{}
		}
		x.refs[place], x.more[place] = severalRefs, refs
		x.peakMore = max(x.peakMore, len(x.more))
	}
}

// listOf returns the list of a value. If it is new, it is empty, and a place has to
// be posted to it.
func (x *index[T]) listOf(value string) *postings {
	list := x.lists[value]
	if list == nil {
		list = &postings{value: value, id: uint32(len(x.byID))}
		if n := len(x.free); n > 0 {
			list.id, x.free = x.free[n-1], x.free[:n-1]
			x.byID[list.id] = list
		} else {
			x.byID = append(x.byID, list)
		}
		x.lists[value] = list
		x.peak = max(x.peak, len(x.lists))
	}
	return list
}

// post appends a place to a list.
func (x *index[T]) post(place uint32, list *postings) ref {
	// A reader does not look after the end of the places that it has.
	list.places = append(list.places, place)
	x.posted++
	return ref{list.id, uint32(len(list.places) - 1)}
}

// leave takes a place out of all lists.
func (x *index[T]) leave(place uint32) {
	for _, r := range x.refsOf(place, &[1]ref{}) {
		x.unpost(r)
	}
	if x.refs[place] == severalRefs {
		x.forget(place)
	}
	x.refs[place] = ref{}
	if x.peak > 64 && 8*len(x.lists) < x.peak { // not before: place stood in lists that are gone
		x.lists, x.peak = copied(x.lists), len(x.lists)
	}
	if len(x.free) > 64 && len(x.free) > x.posted {
		x.renumber()
	}
}

// forget takes a place out of more.
func (x *index[T]) forget(place uint32) {
	delete(x.more, place)
	if x.peakMore > 64 && 8*len(x.more) < x.peakMore {
		x.more, x.peakMore = copied(x.more), len(x.more)
	}
}

// copied gives back the memory of a map that was larger, which a map does not do.
func copied[K comparable, V any](m map[K]V) map[K]V {
	small := make(map[K]V, len(m))
	maps.Copy(small, m)
	return small
}

// unpost takes out of a list what stands at r; the last one moves there.
func (x *index[T]) unpost(r ref) {
	list := x.byID[r.list]
	places := list.writable()
	last := uint32(len(places) - 1)
	if r.at != last {
		places[r.at] = places[last]
		x.refAt(list, last).at = r.at
		if list.slots != nil {
			list.setSlot(r.at, list.slot(last))
		}
	}
	x.posted--
	list.places = shrunk(places[:last])
	if list.slots != nil {
		*list.slots = shrunk((*list.slots)[:min(last, uint32(len(*list.slots)))])
	}
	if last > 0 {
		return
	}
	delete(x.lists, list.value)
	x.byID[r.list] = nil
	x.free = append(x.free, r.list)
}

// refAt returns the ref of the place at an index of a list.
func (x *index[T]) refAt(list *postings, at uint32) *ref {
	place := list.places[at]
	if r := &x.refs[place]; *r != severalRefs {
		return r
	}
	return &x.more[place][list.slot(at)]
}

// renumber gives the lists new ids, without gaps, to free memory. It takes a step
// for each list and place; the caller waits until as many lists have ended.
func (x *index[T]) renumber() {
	byID := make([]*postings, 1, len(x.lists)+1)
	for _, list := range x.byID {
		if list == nil {
			continue
		}
		// In this order no new id is one that another list still has.
		list.id = uint32(len(byID))
		byID = append(byID, list)
		for at := range list.places {
			x.refAt(list, uint32(at)).list = list.id
		}
	}
	x.byID, x.free = byID, nil
}

// slot returns the slot at an index of places, 0 if none was set.
func (p *postings) slot(at uint32) uint32 {
	if p.slots == nil || int(at) >= len(*p.slots) {
		return 0
	}
	return (*p.slots)[at]
}

// setSlot sets the slot at an index of places. Lists of places with one value each,
// most indexes have no others, spend no memory on it.
func (p *postings) setSlot(at, slot uint32) {
	if p.slots == nil {
		if slot == 0 {
			return
		}
		p.slots = new([]uint32)
	}
	for len(*p.slots) <= int(at) {
		*p.slots = append(*p.slots, 0)
	}
	(*p.slots)[at] = slot
}

// share returns the places for a reader, who may go on to read them when he lets the
// writer in.
func (p *postings) share() []uint32 {
	if !p.shared.Load() {
		p.shared.Store(true)
	}
	return p.places
}

// writable returns the places for a change.
func (p *postings) writable() []uint32 {
	if p.shared.Load() {
		p.shared.Store(false)
		p.places = slices.Clone(p.places)
	}
	return p.places
}

// shrunk gives memory back if little of it is used. What is behind the end is not
// cleared, as it holds no pointers.
func shrunk[E any](s []E) []E {
	if cap(s) > 64 && 4*len(s) < cap(s) {
		return append(make([]E, 0, 2*len(s)), s...)
	}
	return s
}
