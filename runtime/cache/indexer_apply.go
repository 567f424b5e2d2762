package cache

import (
	"fmt"
	"slices"
)

// notification is what one change means to a handler.
type notification[T Object] struct {
	kind notificationKind
	// initial marks an add of the first list.
	initial bool
	// stateUnknown marks a delete that was noticed by a relist only.
	stateUnknown bool
	// old is nil for an add.
	old T
	// obj is the new state, and for a delete the last one known.
	obj T
}

type notificationKind uint8

const (
	notifyAdd notificationKind = iota
	notifyUpdate
	notifyDelete
	// notifyNothing is an add and a delete that have been coalesced.
	notifyNothing
)

// apply takes deltas into the cache, all under one lock, and returns what
// handlers shall hear of it. The index functions, which are foreign code, have
// run before the lock is taken.
func (x *Indexer[T]) apply(deltas Deltas[T]) []notification[T] {
	x.writing.Lock()
	defer x.writing.Unlock()
	prepared, total := x.prepare(deltas)

	x.mu.Lock()
	defer x.mu.Unlock()
	notes := make([]notification[T], 0, total)
	for i := range deltas {
		delta := &deltas[i]
		switch delta.Type {
		case Added, Updated:
			notes = x.put(notes, prepared[0])
			prepared = prepared[1:]
		case Deleted:
			notes = x.drop(notes, delta)
		case Replaced:
			notes = x.replace(notes, prepared[:len(delta.Objects)], delta.Undecodable)
			prepared = prepared[len(delta.Objects):]
		case Sync:
			for _, e := range x.items {
				notes = append(notes, notification[T]{kind: notifyUpdate, old: e.obj, obj: e.obj})
			}
		}
	}
	return notes
}

// prepare makes the entries that the deltas will store, in their order, and
// says how many notifications to expect. Only writers change x.indexes.
func (x *Indexer[T]) prepare(deltas Deltas[T]) (entries []*entry[T], total int) {
	for i := range deltas {
		switch delta := &deltas[i]; delta.Type {
		case Added, Updated:
			entries = append(entries, x.newEntry(delta.Object))
			total++
		case Replaced:
			if len(x.items) == 0 {
				total += len(delta.Objects)
			} // otherwise few objects will have changed
			entries = slices.Grow(entries, len(delta.Objects))
			for _, obj := range delta.Objects {
				entries = append(entries, x.newEntry(obj))
			}
		case Deleted:
			total++
		case Sync:
			total += len(x.items)
		}
	}
	return entries, total
}

func (x *Indexer[T]) newEntry(obj T) *entry[T] {
	e := &entry[T]{obj: obj, values: make([][]string, len(x.indexes))}
	for i, idx := range x.indexes {
		e.values[i] = idx.valuesOf(obj)
	}
	return e
}

// valuesOf calls the index function. Of a panic it says where it came from.
func (idx *index[T]) valuesOf(obj T) []string {
	defer func() {
		if value := recover(); value != nil {
			panic(fmt.Sprintf("index %q panicked on %s: %v", idx.name, MetaObjectToName(obj), value))
		}
	}()
	return idx.values(obj)
}

// put stores what a watch reported.
func (x *Indexer[T]) put(notes []notification[T], e *entry[T]) []notification[T] {
	name := MetaObjectToName(e.obj)
	old := x.items[name]
	x.swap(name, old, e)
	return noteChange(notes, old, e)
}

// noteChange tells of e in the place of old. An object of another UID is
// another object, even under the name of the first: that one has ended.
func noteChange[T Object](notes []notification[T], old, e *entry[T]) []notification[T] {
	switch {
	case old == nil:
		return append(notes, notification[T]{kind: notifyAdd, obj: e.obj})
	case old.obj.GetUID() != e.obj.GetUID():
		return append(notes,
			notification[T]{kind: notifyDelete, obj: old.obj, stateUnknown: true},
			notification[T]{kind: notifyAdd, obj: e.obj})
	}
	return append(notes, notification[T]{kind: notifyUpdate, old: old.obj, obj: e.obj})
}

func (x *Indexer[T]) drop(notes []notification[T], delta *Delta[T]) []notification[T] {
	name := delta.name()
	old := x.items[name]
	if old == nil {
		return notes // nobody heard of it, so nobody needs to hear of its end
	}
	x.swap(name, old, nil)
	if len(delta.Undecodable) > 0 {
		return append(notes, notification[T]{kind: notifyDelete, old: old.obj, obj: old.obj, stateUnknown: true})
	}
	return append(notes, notification[T]{kind: notifyDelete, old: old.obj, obj: delta.Object})
}

// replace makes entries all that there is, and tells exactly the difference.
// Where the resourceVersion is the one in the cache, the cached object stays. So
// does one of which undecodable is a later state: to tell that it is gone would be
// wrong.
func (x *Indexer[T]) replace(notes []notification[T], entries []*entry[T], undecodable []*DecodeError) []notification[T] {
	listed := make(map[ObjectName]struct{}, len(entries))
	for _, e := range entries {
		listed[MetaObjectToName(e.obj)] = struct{}{}
	}
	for _, state := range undecodable {
		name := nameOf(state)
		if old := x.items[name]; old != nil && string(old.obj.GetUID()) == state.UID {
			listed[name] = struct{}{}
		}
	}
	// What is gone comes first, so that a handler that counts never counts an
	// object and its successor at one time.
	for name, old := range x.items {
		if _, ok := listed[name]; !ok {
			x.swap(name, old, nil)
			notes = append(notes, notification[T]{kind: notifyDelete, old: old.obj, obj: old.obj, stateUnknown: true})
		}
	}
	for _, e := range entries {
		name := MetaObjectToName(e.obj)
		old := x.items[name]
		if old != nil && sameVersion(old.obj, e.obj) {
			continue
		}
		x.swap(name, old, e)
		notes = noteChange(notes, old, e)
	}
	return notes
}

// sameVersion tells that a and b are the same state of one object. Objects
// without a resourceVersion, as tests have them, never are.
func sameVersion[T Object](a, b T) bool {
	version := a.GetResourceVersion()
	return version != "" && version == b.GetResourceVersion() && a.GetUID() == b.GetUID()
}

// swap puts e, or nothing if e is nil, in the place of old, which may be nil.
func (x *Indexer[T]) swap(name ObjectName, old, e *entry[T]) {
	if old != nil {
		for i, idx := range x.indexes {
			idx.remove(old, old.values[i])
		}
	}
	if e == nil {
		delete(x.items, name)
		return
	}
	x.items[name] = e
	for i, idx := range x.indexes {
		idx.insert(e, e.values[i])
	}
}
