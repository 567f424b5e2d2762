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
	// peak is the most values that there were since lists was made, and peakMore the
	// most places in more.
	peak, peakMore int
}

// postings are the places that an index has under one value, in no order.
type postings struct {
	value  string
	id     uint32
	places []uint32
	// shared is set by a reader who goes on to read places when he lets the writer
	// in, which then makes a copy before it changes any of them.
	shared atomic.Bool
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

// remove takes a place out. The last place moves to it.
func (x *index[T]) remove(place uint32) {
	x.leave(place)
	last := uint32(len(x.refs) - 1)
	if place != last {
		for _, r := range x.refsOf(last, &[1]ref{}) {
			x.byID[r.list].writable()[r.at] = place
		}
		x.refs[place] = x.refs[last]
		if x.refs[last] == severalRefs {
			x.more[place] = x.more[last]
			x.forget(last)
		}
	}
	x.refs = shrunk(x.refs[:last])
}

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
		x.refs[place] = x.post(place, values[0])
	default:
		refs := make([]ref, 0, len(values))
		var seen map[string]bool
		for i, value := range values {
			if len(values) <= 8 && slices.Contains(values[:i], value) || seen[value] {
				continue
			}
			if len(values) > 8 {
				if seen == nil {
					seen = make(map[string]bool, len(values))
				}
				seen[value] = true
			}
			refs = append(refs, x.post(place, value))
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

// post appends a place to the list of a value.
func (x *index[T]) post(place uint32, value string) ref {
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
	// A reader does not look behind the end of what he has.
	list.places = append(list.places, place)
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
		x.shrink()
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
		moved := places[last]
		places[r.at] = moved
		if x.refs[moved] != severalRefs {
			x.refs[moved].at = r.at
		} else {
			several := x.more[moved]
			several[slices.Index(several, ref{r.list, last})].at = r.at
		}
	}
	if list.places = shrunk(places[:last]); last > 0 {
		return
	}
	delete(x.lists, list.value)
	x.byID[r.list] = nil
	x.free = append(x.free, r.list)
}

// shrink gives memory back. The lists get new ids, without gaps, which takes a step
// for each place in them.
func (x *index[T]) shrink() {
	byID := make([]*postings, 1, len(x.lists)+1)
	for _, list := range x.byID {
		if list == nil {
			continue
		}
		old := list.id
		// In this order no new id is one that another list still has.
		list.id = uint32(len(byID))
		byID = append(byID, list)
		for at, place := range list.places {
			if x.refs[place] != severalRefs {
				x.refs[place].list = list.id
			} else {
				several := x.more[place]
				several[slices.Index(several, ref{old, uint32(at)})].list = list.id
			}
		}
	}
	x.lists, x.byID, x.free, x.peak = copied(x.lists), byID, nil, len(x.lists)
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
