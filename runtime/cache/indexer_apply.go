package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// apply takes deltas into the cache and returns what handlers shall hear of it.
// Readers see each relist, and all that comes between two relists, as one step, but
// for Get, which reads single objects beside it.
// The index functions, which are foreign code, run before readers are kept out.
func (x *Indexer[T]) apply(deltas Deltas[T]) []processor.Notification[T] {
	x.writing.Lock()
	defer x.writing.Unlock()
	notes := make([]processor.Notification[T], 0, x.expect(deltas))
	for len(deltas) > 0 {
		if deltas[0].Type == Replaced {
			notes = x.replace(notes, deltas[0].Collection)
			deltas = deltas[1:]
			continue
		}
		n := slices.IndexFunc(deltas, func(d Delta[T]) bool { return d.Type == Replaced })
		if n < 0 {
			n = len(deltas)
		}
		notes = x.change(notes, deltas[:n])
		deltas = deltas[n:]
	}
	return notes
}

// expect says how many notifications to make room for.
func (x *Indexer[T]) expect(deltas Deltas[T]) (total int) {
	for i := range deltas {
		switch deltas[i].Type {
		case Replaced:
			if x.objects.len() == 0 {
				total += len(deltas[i].Collection.Items)
			} // otherwise few objects will have changed
		case Sync:
			total += x.objects.len()
		default:
			total++
		}
	}
	return total
}

// entry is a new state of an object, and what is stored with it.
type entry[T Object] struct {
	obj  T
	name ObjectName
	hash uint32
	// content is the content hash of obj, 0 if it is not known.
	content uint64
	// old is the state of the object that stands at place, if nothing but the state
	// changes: neither the UID nor the values of an index.
	old   T
	place uint32
	// values are those in each of the indexes, but for the one by namespace.
	values [][]string
}

// enter appends e, which has no values yet, to the entries of the batch.
func (x *Indexer[T]) enter(call *calling[T], e entry[T]) {
	first := len(x.room)
	for _, idx := range x.indexes[1:] {
		x.room = append(x.room, call.valuesOf(idx, e.obj))
	}
	e.values = x.room[first:len(x.room):len(x.room)]
	x.entries = append(x.entries, e)
}

// expectEntries makes room for n entries.
func (x *Indexer[T]) expectEntries(n int) {
	x.entries = x.freeEntries.Take(n)
	x.room = x.freeRoom.Take(n * (len(x.indexes) - 1))
}

// endBatch forgets the entries. Their memory may serve the next batch.
func (x *Indexer[T]) endBatch() {
	clear(x.entries)
	clear(x.room)
	x.freeEntries.Give(x.entries)
	x.freeRoom.Give(x.room)
	x.entries, x.room = nil, nil
}

// guard says of a panic of an index function where it came from. It is deferred by
// who calls such functions, and sets calling before each call: one deferred call
// serves a batch.
func (c *calling[T]) guard() {
	if c.index == nil {
		return
	}
	if value := recover(); value != nil {
		panic(fmt.Sprintf("index %q panicked on %s: %v", c.index.name, MetaObjectToName(c.obj), value))
	}
}

// calling is the call of an index function that is under way; there is none if index
// is nil.
type calling[T Object] struct {
	index *index[T]
	obj   T
}

// valuesOf calls the index function.
func (c *calling[T]) valuesOf(x *index[T], obj T) []string {
	c.index, c.obj = x, obj
	values := x.values(obj)
	c.index = nil
	return values
}

// lock keeps readers out until unlock.
func (x *Indexer[T]) lock() {
	x.mu.Lock()
	x.steps.Add(1)
	x.objects.begin()
}

func (x *Indexer[T]) unlock() {
	x.length.Store(int64(x.objects.len()))
	x.steps.Add(1)
	x.mu.Unlock()
}

// change takes in what a watch reported.
func (x *Indexer[T]) change(notes []processor.Notification[T], deltas Deltas[T]) []processor.Notification[T] {
	var none T
	var call calling[T]
	defer call.guard()
	defer x.endBatch()
	x.expectEntries(len(deltas))
	for i := range deltas {
		if d := &deltas[i]; d.Type == Added || d.Type == Updated {
			name := MetaObjectToName(d.Object)
			x.enter(&call, entry[T]{obj: d.Object, name: name, hash: hashOf(name), content: d.ContentHash})
		}
	}
	x.findPlaces()
	entries := x.entries
	x.lock()
	defer x.unlock()
	for i := range deltas {
		switch delta := &deltas[i]; delta.Type {
		case Added, Updated:
			e := &entries[0]
			entries = entries[1:]
			if e.old != none && int(e.place) < x.objects.len() && x.objects.at(e.place) == e.old {
				notes = append(notes, processor.Notification[T]{Kind: processor.Update, Old: e.old, Obj: e.obj})
				x.objects.set(e.place, e.obj)
				x.setContent(e.place, e.content)
			} else { // it is new, something else changes, or an earlier delta changed it
				notes = x.put(notes, e)
			}
		case Deleted:
			notes = x.drop(notes, delta)
		case Sync:
			for obj := range x.objects.now().all() {
				notes = append(notes, processor.Notification[T]{Kind: processor.Update, Old: obj, Obj: obj})
			}
		}
	}
	return notes
}

// findPlaces finds the entries that can be stored in place; most of a watch can. It
// looks at one thing of all entries, then at the next: so the processor waits for
// the memory of many objects at a time, where it would wait for one after the other.
func (x *Indexer[T]) findPlaces() {
	var none T
	for i := range x.entries {
		x.entries[i].place = x.names.first(x.entries[i].hash)
	}
	for i := range x.entries {
		e := &x.entries[i]
		if e.place == noPlace {
			continue
		}
		if old := x.objects.at(e.place); old.GetName() == e.name.Name && old.GetNamespace() == e.name.Namespace && old.GetUID() == e.obj.GetUID() {
			e.old = old
		}
	}
	for which, idx := range x.indexes[1:] {
		for i := range x.entries {
			if e := &x.entries[i]; e.old != none && !idx.has(e.place, e.values[which]) {
				e.old = none
			}
		}
	}
}

// put stores an entry.
func (x *Indexer[T]) put(notes []processor.Notification[T], e *entry[T]) []processor.Notification[T] {
	place, old, known := x.find(e.name, e.hash)
	if known {
		x.objects.set(place, e.obj)
		x.setContent(place, e.content)
		for i, idx := range x.indexes[1:] {
			idx.update(place, e.values[i])
		}
		return noteChange(notes, old, e.obj)
	}
	place = x.objects.push(e.obj)
	x.hashes = append(x.hashes, e.hash)
	x.pushContent(e.content)
	x.indexes[0].add(place, []string{e.name.Namespace})
	for i, idx := range x.indexes[1:] {
		idx.add(place, e.values[i])
	}
	x.names.add(e.hash, place) // last, for those who look beside us
	return append(notes, processor.Notification[T]{Kind: processor.Add, Obj: e.obj})
}

// noteChange tells of obj in the place of old. An object of another UID is
// another object, even under the name of the first: that one has ended.
func noteChange[T Object](notes []processor.Notification[T], old, obj T) []processor.Notification[T] {
	if old.GetUID() != obj.GetUID() {
		return append(notes,
			processor.Notification[T]{Kind: processor.Delete, Old: old, Obj: old, FinalStateUnknown: true},
			processor.Notification[T]{Kind: processor.Add, Obj: obj})
	}
	return append(notes, processor.Notification[T]{Kind: processor.Update, Old: old, Obj: obj})
}

func (x *Indexer[T]) drop(notes []processor.Notification[T], delta *Delta[T]) []processor.Notification[T] {
	name := nameOf(&delta.Item)
	place, old, known := x.find(name, hashOf(name))
	if !known {
		return notes // nobody heard of it, so nobody needs to hear of its end
	}
	uid, version := identityOf(&delta.Item)
	another := uid != "" && old.GetUID() != "" && uid != old.GetUID()
	if another && isEarlier(version, old.GetResourceVersion()) {
		return notes // a server repeats the end of an object that has a successor
	}
	x.remove(place)
	if another || delta.Err != nil {
		return append(notes, processor.Notification[T]{Kind: processor.Delete, Old: old, Obj: old, FinalStateUnknown: true})
	}
	return append(notes, processor.Notification[T]{Kind: processor.Delete, Old: old, Obj: delta.Object})
}

// manyValues is how many values in the indexes make it expensive to give an object
// another place.
const manyValues = 64

// remove removes the object at a place. Another one moves there.
func (x *Indexer[T]) remove(place uint32) {
	x.vacate(place)
	last := uint32(len(x.hashes) - 1)
	if place != last && x.valuesAt(last) > manyValues {
		// If it moved to place, the removal of the objects before it, in reverse order,
		// would move it each time. From a random place it moves again when half of the
		// objects are gone, on average.
		if at := rand.Uint32N(last); at != place {
			x.move(at, place)
			place = at
		}
	}
	x.fill(place)
}

// vacate takes the object at a place out of all tables but that of the objects.
func (x *Indexer[T]) vacate(place uint32) {
	for _, idx := range x.indexes {
		idx.leave(place)
	}
	x.names.remove(x.hashes[place], place)
}

// fill moves the last object to a place that was vacated, and makes the tables shorter.
func (x *Indexer[T]) fill(place uint32) {
	last := uint32(len(x.hashes) - 1)
	if place != last {
		x.move(last, place)
	}
	for _, idx := range x.indexes {
		idx.pop()
	}
	x.objects.pop()
	x.hashes = shrunk(x.hashes[:last])
	x.popContent()
}

// valuesAt returns how many values an object has in all indexes.
func (x *Indexer[T]) valuesAt(place uint32) (n int) {
	for _, idx := range x.indexes {
		n += idx.valuesAt(place)
	}
	return n
}

// move moves an object to a place that was vacated.
func (x *Indexer[T]) move(from, to uint32) {
	for _, idx := range x.indexes {
		idx.move(from, to)
	}
	x.objects.set(to, x.objects.at(from))
	x.names.move(x.hashes[from], from, to)
	x.hashes[to] = x.hashes[from]
	x.setContent(to, x.contentAt(from))
}
