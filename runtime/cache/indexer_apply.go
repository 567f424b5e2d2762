package cache

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/mutation"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/internal/identity"
)

// apply applies deltas to the cache and returns the notifications for handlers. Readers see
// each relist, and all that comes between two relists, as one step, but for Get, which reads
// single objects meanwhile. The index functions, which are foreign code, run before readers
// are kept out.
func (x *Indexer[T]) apply(deltas Deltas[T]) (notes []processor.Notification[T]) {
	x.writing.Lock()
	defer x.writing.Unlock()
	for len(deltas) > 0 {
		if deltas[0].Type == Replaced {
			notes = x.replace(notes, &deltas[0])
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
	if x.detector != nil {
		for i := range notes {
			x.detector.Check(mutation.Reader, notes[i].Old, notes[i].Obj)
		}
	}
	return notes
}

// withRoom returns notes with room for n more. It allocates once, also under the race
// detector, where slices.Grow allocates twice.
func withRoom[T Object](notes []processor.Notification[T], n int) []processor.Notification[T] {
	if cap(notes)-len(notes) >= n {
		return notes
	}
	return append(make([]processor.Notification[T], 0, len(notes)+n), notes...)
}

// enter appends a new state of an object to the entries of the batch.
func (x *Indexer[T]) enter(call *calling[T], e store.Entry[T]) {
	first := len(x.room)
	for i := range x.functions {
		x.room = append(x.room, call.valuesOf(&x.functions[i], e.Object))
	}
	e.Values = x.room[first:len(x.room):len(x.room)]
	x.entries = append(x.entries, e)
}

// expectEntries makes room for n entries.
func (x *Indexer[T]) expectEntries(n int) {
	x.entries = x.freeEntries.Take(n)
	x.room = x.freeRoom.Take(n * len(x.functions))
}

// endBatch drops the entries. The next batch may use their memory.
func (x *Indexer[T]) endBatch() {
	clear(x.entries)
	clear(x.room)
	x.freeEntries.Give(x.entries)
	x.freeRoom.Give(x.room)
	x.entries, x.room = nil, nil
}

// calling is the call of an index function that is in progress; there is none if function
// is nil.
type calling[T Object] struct {
	function *indexFunction[T]
	obj      T
}

// valuesOf calls the index function.
func (c *calling[T]) valuesOf(function *indexFunction[T], obj T) []string {
	c.function, c.obj = function, obj
	values := function.values(obj)
	c.function = nil
	return values
}

// guard adds to the panic of an index function the index and the object. The caller of such
// functions defers it: one deferred call serves a batch.
func (c *calling[T]) guard() {
	if c.function == nil {
		return
	}
	if value := recover(); value != nil {
		panic(fmt.Sprintf("index %q panicked on %s: %v", c.function.name, MetaObjectToName(c.obj), value))
	}
}

// change applies what a watch reported.
func (x *Indexer[T]) change(notes []processor.Notification[T], deltas Deltas[T]) []processor.Notification[T] {
	var call calling[T]
	defer call.guard()
	defer x.endBatch()
	notes = withRoom(notes, len(deltas))
	x.expectEntries(len(deltas))
	for i := range deltas {
		if d := &deltas[i]; d.isState() {
			name := MetaObjectToName(d.Object)
			x.enter(&call, store.Entry[T]{
				Namespace: name.Namespace, Name: name.Name, Hash: store.HashOf(name.Namespace, name.Name),
				Object: d.Object, ContentHash: d.ContentHash,
			})
		}
	}
	x.store.Match(x.entries)
	x.store.Begin()
	defer x.store.End()
	entries := x.entries
	for i := range deltas {
		switch delta := &deltas[i]; delta.Type {
		case Added, Updated:
			if delta.isState() {
				notes = x.put(notes, &entries[0])
				entries = entries[1:]
			}
		case Deleted:
			notes = x.drop(notes, delta)
		case Sync:
			notes = x.resync(withRoom(notes, x.store.Count()+len(deltas)-i))
		}
	}
	return notes
}

// resync notes an update of each object. It is not a part of change: there, the function
// that is the body of the loop would make notes escape.
func (x *Indexer[T]) resync(notes []processor.Notification[T]) []processor.Notification[T] {
	for obj := range x.store.Each() {
		notes = append(notes, processor.Notification[T]{Kind: processor.Update, Old: obj, Obj: obj})
	}
	return notes
}

// put stores an entry.
func (x *Indexer[T]) put(notes []processor.Notification[T], e *store.Entry[T]) []processor.Notification[T] {
	switch old, known := x.store.Put(e); {
	case e.IsSame:
		return notes
	case !known:
		return append(notes, processor.Notification[T]{Kind: processor.Add, Obj: e.Object})
	case e.IsMatched: // it has the same UID
		return append(notes, processor.Notification[T]{Kind: processor.Update, Old: old, Obj: e.Object})
	default:
		return noteChange(notes, old, e.Object)
	}
}

// endOf returns the notification of the end of a cached object whose final state is not known.
func endOf[T Object](old T) processor.Notification[T] {
	return processor.Notification[T]{Kind: processor.Delete, Old: old, Obj: old, FinalStateUnknown: true}
}

// noteChange notes that obj replaces old. Under another UID it is another object, even
// if it has the name of the first, which has ended then.
func noteChange[T Object](notes []processor.Notification[T], old, obj T) []processor.Notification[T] {
	if old.GetUID() != obj.GetUID() {
		return append(notes,
			endOf(old),
			processor.Notification[T]{Kind: processor.Add, Obj: obj})
	}
	return append(notes, processor.Notification[T]{Kind: processor.Update, Old: old, Obj: obj})
}

// drop removes the object of a Deleted.
func (x *Indexer[T]) drop(notes []processor.Notification[T], delta *Delta[T]) []processor.Notification[T] {
	name := nameOf(&delta.Item)
	slot, old, known := x.store.Find(name.Namespace, name.Name, store.HashOf(name.Namespace, name.Name))
	if !known {
		return notes // no handler has seen it
	}
	uid, version := listed.IdentityOf(&delta.Item)
	another := uid != "" && old.GetUID() != "" && uid != old.GetUID()
	if another && protocol.IsEarlier(version, old.GetResourceVersion()) {
		return notes // a server sends the deletion of a replaced object again
	}
	x.store.Remove(slot)
	if another || delta.Err != nil {
		return append(notes, endOf(old))
	}
	return append(notes, processor.Notification[T]{Kind: processor.Delete, Old: old, Obj: delta.Object})
}

// part is a part of a cache: what one scope has of it.
type part struct {
	// namespace is empty for several.
	namespace string
	has       func(name ObjectName) bool
}

// listing is a collection while it is compared with the cache.
type listing[T Object] struct {
	// part is what was listed; nil for everything.
	part *part
	// kept are the cached objects that are in the collection.
	kept store.Marks
	// refreshed are cached objects that stay, but were decoded from another text.
	refreshed []refreshed
	// repeats is set if the collection has several states of one object.
	repeats bool
	// next is the slot after that of the last item. If both were in the first list, the next
	// item is there: a server lists objects in the order of their names.
	next uint32
}

// refreshed is the content hash of the listed text of the object in a slot.
type refreshed struct {
	slot        uint32
	contentHash uint64
}

// replace makes the objects of a relist all of the objects, or all of a part, and notes
// exactly the difference. Where an object did not change, the cached one stays, and costs nothing. It
// also stays if an undecodable state of it is listed: a delete would be wrong.
func (x *Indexer[T]) replace(notes []processor.Notification[T], delta *Delta[T]) []processor.Notification[T] {
	items := delta.Collection.Items
	r := listing[T]{kept: x.store.NewMarks(), part: delta.Collection.part}
	var call calling[T]
	defer call.guard()
	defer x.endBatch()
	if x.store.Count() == 0 { // otherwise few objects will have changed
		notes = withRoom(notes, len(items))
		x.expectEntries(len(items))
	}
	for i := range items {
		x.list(&r, &call, &items[i])
	}
	x.store.Begin()
	defer x.store.End()
	for _, same := range r.refreshed {
		x.store.SetContentHash(same.slot, same.contentHash)
	}
	first := len(notes)
	// Deletes come first, so that a handler that counts never counts an object and its
	// successor at one time.
	noteEnd := func(old T) { notes = append(notes, endOf(old)) }
	if r.part == nil {
		x.store.RemoveUnmarked(&r.kept, noteEnd)
	} else {
		x.store.RemoveAll(slices.DeleteFunc(x.slotsOf(r.part), r.kept.Has), noteEnd)
	}
	for i := range x.entries {
		e, before := &x.entries[i], x.store.Count()
		notes = x.put(notes, e)
		if x.store.Count() == before && e.Slot == store.NoSlot { // it was new, and is listed again
			r.repeats = true
		}
	}
	if r.repeats {
		notes = append(notes[:first], netOf(notes[first:])...)
	}
	return notes
}

// slotsOf returns the slots of the objects of a part.
func (x *Indexer[T]) slotsOf(p *part) (slots []uint32) {
	add := func(slot uint32) {
		if p.has(MetaObjectToName(x.store.At(slot))) {
			slots = append(slots, slot)
		}
	}
	if p.namespace != "" {
		for _, slot := range x.store.SlotsOf(p.namespace) {
			add(slot)
		}
		return slots
	}
	for slot := range uint32(x.store.Count()) {
		add(slot)
	}
	return slots
}

// forget removes the objects of some parts, and notes their ends.
func (x *Indexer[T]) forget(parts ...part) (notes []processor.Notification[T]) {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.store.Begin()
	defer x.store.End()
	for i := range parts {
		x.store.RemoveAll(x.slotsOf(&parts[i]), func(old T) { notes = append(notes, endOf(old)) })
	}
	return notes
}

// list compares an item of the collection with the cache. It adds an entry unless the
// cached object stays as it is, for all that is listed so far.
func (x *Indexer[T]) list(r *listing[T], call *calling[T], item *Item[T]) {
	// The decoder takes most objects of an unchanged collection from the cache. The hash is that of the whole text.
	at := r.next
	isHeld := item.Held && item.ContentHash != 0 && int(at) < x.store.Count() && x.store.ContentHash(at) == item.ContentHash
	if isHeld && !r.kept.Add(at) {
		r.next++
		return
	}
	name := nameOf(item)
	if r.part != nil && !r.part.has(name) {
		return
	}
	hash := store.HashOf(name.Namespace, name.Name)
	slot, old, known := x.store.Find(name.Namespace, name.Name, hash)
	if item.Err != nil {
		// Without a UID, it is taken for the same object.
		if uid, _ := listed.IdentityOf(item); known && (uid == "" || old.GetUID() == "" || uid == old.GetUID()) {
			r.kept.Add(slot)
		}
		return
	}
	obj, content := item.Object, item.ContentHash
	if known {
		r.next = slot + 1
		again := r.kept.Add(slot)
		r.repeats = r.repeats || again
		if held := x.store.ContentHash(slot); isSame(old, held, item) {
			switch {
			case content == 0:
				content = held
			case content != held:
				r.refreshed = append(r.refreshed, refreshed{slot, content})
			}
			switch isOther := isOtherForm(old, obj); {
			case !again && !isOther:
				return
			case !again: // no handler needs to know
				x.enter(call, store.Entry[T]{Namespace: name.Namespace, Name: name.Name, Hash: hash, Slot: slot, Object: obj, ContentHash: content, IsSame: true})
				return
			case !isOther:
				obj = old // another state of it is listed before
			}
		}
	}
	x.enter(call, store.Entry[T]{Namespace: name.Namespace, Name: name.Name, Hash: hash, Slot: slot, Object: obj, ContentHash: content})
}

// isSame reports whether item is the state that is cached, old with the content hash held:
// of the same version and the same content. Content is compared as it is now, even if the
// decoder took it from the cache: other deltas may have been applied since.
func isSame[T Object](old T, held uint64, item *Item[T]) bool {
	obj := item.Object
	switch {
	case old.GetUID() != obj.GetUID() || old.GetResourceVersion() != obj.GetResourceVersion():
		return false
	case item.ContentHash != 0 && item.ContentHash == held:
		return true
	case isOtherForm(old, obj):
		return true // the content of two forms cannot be compared
	}
	return listed.EqualContent(old, obj)
}

// isOtherForm reports whether two objects of an interface type have different Go types: the
// DecodeOptions were changed between them.
func isOtherForm[T Object](a, b T) bool { return reflect.TypeOf(a) != reflect.TypeOf(b) }

// netOf returns the difference from before a relist to after it: of an object with several
// states, the last one counts. notes are the steps. The objects keep the order in which they
// first occur.
func netOf[T Object](notes []processor.Notification[T]) []processor.Notification[T] {
	firsts := make([]processor.Notification[T], 0, len(notes))
	at := make(map[ObjectName]int, len(notes)) // of firsts
	for i := range notes {
		n := &notes[i]
		name := MetaObjectToName(n.Obj)
		if first, seen := at[name]; seen {
			firsts[first].Kind, firsts[first].Obj = n.Kind, n.Obj
			continue
		}
		at[name] = len(firsts)
		firsts = append(firsts, *n)
	}
	net := make([]processor.Notification[T], 0, len(firsts))
	for _, n := range firsts {
		switch {
		case n.Kind == processor.Delete: // it is not listed; the last step of a listed object is no delete
			net = append(net, n)
		case identity.IsNil(n.Old):
			net = append(net, processor.Notification[T]{Kind: processor.Add, Obj: n.Obj})
		case n.Old.GetUID() != n.Obj.GetUID() || n.Old.GetResourceVersion() != n.Obj.GetResourceVersion() || !listed.EqualContent(n.Old, n.Obj):
			net = noteChange(net, n.Old, n.Obj)
		}
	}
	return net
}
