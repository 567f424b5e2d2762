package indexer

import (
	"slices"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Apply applies deltas to the cache and returns the notifications for handlers. Readers see
// each relist, and all that comes between two relists, as one step, but for Get, which reads
// single objects meanwhile. The index functions, which are foreign code, run before readers
// are kept out.
func (x *Indexer) Apply(deltas []deltafifo.Delta) (notes []processor.Notification) {
	x.writing.Lock()
	defer x.writing.Unlock()
	for len(deltas) > 0 {
		if deltas[0].Type == deltafifo.Replaced {
			notes = x.replace(notes, &deltas[0])
			deltas = deltas[1:]
			continue
		}
		n := slices.IndexFunc(deltas, func(d deltafifo.Delta) bool { return d.Type == deltafifo.Replaced })
		if n < 0 {
			n = len(deltas)
		}
		notes = x.change(notes, deltas[:n])
		deltas = deltas[n:]
	}
	return notes
}

// Put stores an object, for a cache without an informer. It replaces an object of the same name.
func (x *Indexer) Put(obj wire.Object) {
	x.Apply([]deltafifo.Delta{{Type: deltafifo.Updated, Item: wire.Item{Object: obj}}})
}

// Delete removes the object with the name of obj, if there is one, for a cache without an informer.
func (x *Indexer) Delete(obj wire.Object) {
	x.Apply([]deltafifo.Delta{{Type: deltafifo.Deleted, Item: wire.Item{Object: obj}}})
}

// withRoom returns notes with room for n more. It allocates once, also under the race
// detector, where slices.Grow allocates twice.
func withRoom(notes []processor.Notification, n int) []processor.Notification {
	if cap(notes)-len(notes) >= n {
		return notes
	}
	return append(make([]processor.Notification, 0, len(notes)+n), notes...)
}

// enter appends a new state of an object to the entries of the batch.
func (x *Indexer) enter(call *calling, e store.Entry) {
	first := len(x.room)
	if len(x.functions) > 0 {
		if lists := x.arrivals.listsOf(e.Object); lists != nil {
			x.room = append(x.room, lists...)
		} else {
			x.room = call.allValuesOf(x.room, x.functions, e.Object)
		}
	}
	e.Values = x.room[first:len(x.room):len(x.room)]
	x.entries = append(x.entries, e)
}

// expectEntries makes room for n entries.
func (x *Indexer) expectEntries(n int) {
	x.entries = x.freeEntries.Take(n)
	x.room = x.freeRoom.Take(n * len(x.functions))
}

// endBatch drops the entries. The next batch may use their memory.
func (x *Indexer) endBatch() {
	clear(x.entries)
	clear(x.room)
	x.freeEntries.Give(x.entries)
	x.freeRoom.Give(x.room)
	x.entries, x.room = nil, nil
}

// change applies events of a watch.
func (x *Indexer) change(notes []processor.Notification, deltas []deltafifo.Delta) []processor.Notification {
	call := x.arrivals.calling()
	defer call.guard()
	defer x.endBatch()
	notes = withRoom(notes, len(deltas))
	x.expectEntries(len(deltas))
	for i := range deltas {
		if d := &deltas[i]; d.IsState() {
			name := listed.NameOfObject(d.Object)
			x.enter(&call, store.Entry{
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
		case deltafifo.Added, deltafifo.Updated:
			if delta.IsState() {
				notes = x.put(notes, &entries[0])
				entries = entries[1:]
			}
		case deltafifo.Deleted:
			notes = x.drop(notes, delta)
		}
	}
	return notes
}

// put stores an entry.
func (x *Indexer) put(notes []processor.Notification, e *store.Entry) []processor.Notification {
	switch old, known := x.store.Put(e); {
	case !known:
		return append(notes, processor.Notification{Kind: processor.Add, Obj: e.Object})
	case e.IsMatched: // it has the same UID
		return append(notes, processor.Notification{Kind: processor.Update, Old: old, Obj: e.Object})
	default:
		return noteChange(notes, old, e.Object)
	}
}

// endOf returns the notification of the end of a cached object whose final state is not known.
func endOf(old wire.Object) processor.Notification {
	return processor.Notification{Kind: processor.Delete, Old: old, Obj: old, FinalStateUnknown: true}
}

// noteChange notes that obj replaces old. Under another UID it is another object, even
// if it has the name of the first, which has ended then.
func noteChange(notes []processor.Notification, old, obj wire.Object) []processor.Notification {
	if old.GetUID() != obj.GetUID() {
		return append(notes,
			endOf(old),
			processor.Notification{Kind: processor.Add, Obj: obj})
	}
	return append(notes, processor.Notification{Kind: processor.Update, Old: old, Obj: obj})
}

// drop removes the object of a Deleted.
func (x *Indexer) drop(notes []processor.Notification, delta *deltafifo.Delta) []processor.Notification {
	name := listed.NameOf(&delta.Item)
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
	return append(notes, processor.Notification{Kind: processor.Delete, Old: old, Obj: delta.Object})
}

// listing is a collection while it is compared with the cache.
type listing struct {
	// part is the listed part; nil for everything.
	part *deltafifo.Part
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

// Replace makes items all of the objects.
func (x *Indexer) Replace(items []wire.Item) {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.replace(nil, &deltafifo.Delta{Type: deltafifo.Replaced, Collection: &deltafifo.Collection{Items: items}})
}

// replace makes the objects of a relist all of the objects, or all of a part, and notes
// exactly the difference. Where an object did not change, the cached one stays, and costs nothing. It
// also stays if an undecodable state of it is listed: a delete would be wrong.
func (x *Indexer) replace(notes []processor.Notification, delta *deltafifo.Delta) []processor.Notification {
	items := delta.Collection.Items
	r := listing{kept: x.store.NewMarks(), part: delta.Collection.Part}
	call := x.arrivals.calling()
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
	noteEnd := func(old wire.Object) { notes = append(notes, endOf(old)) }
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
	for i := range notes[first:] {
		n := &notes[first+i]
		n.Initial = delta.Collection.IsFirst && n.Kind == processor.Add
	}
	return notes
}

// slotsOf returns the slots of the objects of a part.
func (x *Indexer) slotsOf(p *deltafifo.Part) (slots []uint32) {
	add := func(slot uint32) {
		if p.Has(listed.NameOfObject(x.store.At(slot))) {
			slots = append(slots, slot)
		}
	}
	if p.Name != "" { // thousands of scopes may have one object each
		if slot, _, found := x.store.Find(p.Namespace, p.Name, store.HashOf(p.Namespace, p.Name)); found {
			add(slot)
		}
		return slots
	}
	if p.Namespace != "" {
		for _, slot := range x.store.SlotsOf(p.Namespace) {
			add(slot)
		}
		return slots
	}
	for slot := range uint32(x.store.Count()) {
		add(slot)
	}
	return slots
}

// Unchanged returns an Update, with the object twice, for each object of a part, or of everything if it is nil, that notes do
// not name.
func (x *Indexer) Unchanged(part *deltafifo.Part, notes []processor.Notification) []processor.Notification {
	x.writing.Lock()
	defer x.writing.Unlock()
	if part == nil {
		part = &deltafifo.Part{Has: func(listed.Name) bool { return true }}
	}
	noted := make(map[listed.Name]struct{}, len(notes))
	for i := range notes {
		noted[listed.NameOfObject(notes[i].Obj)] = struct{}{}
	}
	slots := x.slotsOf(part)
	unchanged := make([]processor.Notification, 0, len(slots))
	for _, slot := range slots {
		obj := x.store.At(slot)
		if _, is := noted[listed.NameOfObject(obj)]; !is {
			unchanged = append(unchanged, processor.Notification{Kind: processor.Update, Old: obj, Obj: obj})
		}
	}
	return unchanged
}

// Forget removes the objects of some parts, and notes their ends.
func (x *Indexer) Forget(parts ...deltafifo.Part) (notes []processor.Notification) {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.store.Begin()
	defer x.store.End()
	for i := range parts {
		x.store.RemoveAll(x.slotsOf(&parts[i]), func(old wire.Object) { notes = append(notes, endOf(old)) })
	}
	return notes
}

// list compares an item of the collection with the cache. It adds an entry unless the
// cached object stays as it is, for all that is listed so far.
func (x *Indexer) list(r *listing, call *calling, item *wire.Item) {
	// The decoder takes most objects of an unchanged collection from the cache. The hash covers the whole text.
	at := r.next
	isHeld := item.Held && item.ContentHash != 0 && int(at) < x.store.Count() && x.store.ContentHash(at) == item.ContentHash
	if isHeld && !r.kept.Add(at) {
		r.next++
		return
	}
	name := listed.NameOf(item)
	if r.part != nil && !r.part.Has(name) {
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
		if held := x.store.ContentHash(slot); IsSame(old, held, item) {
			switch {
			case content == 0:
				content = held
			case content != held:
				r.refreshed = append(r.refreshed, refreshed{slot, content})
			}
			if !again {
				return
			}
			obj = old // another state of it is listed before
		}
	}
	x.enter(call, store.Entry{Namespace: name.Namespace, Name: name.Name, Hash: hash, Slot: slot, Object: obj, ContentHash: content})
}

// IsSame reports whether item is the state that is cached, old with the content hash held:
// of the same version and the same content. Content is compared as it is now, even if the
// decoder took it from the cache: other deltas may have been applied since.
func IsSame(old wire.Object, held uint64, item *wire.Item) bool {
	obj := item.Object
	switch {
	case old.GetUID() != obj.GetUID() || old.GetResourceVersion() != obj.GetResourceVersion():
		return false
	case item.ContentHash != 0 && item.ContentHash == held:
		return true
	}
	return equalContent(old, obj)
}

// netOf returns the difference from before a relist to after it: of an object with several
// states, the last one counts. notes are the steps. The objects keep the order in which they
// first occur.
func netOf(notes []processor.Notification) []processor.Notification {
	firsts := make([]processor.Notification, 0, len(notes))
	at := make(map[listed.Name]int, len(notes)) // of firsts
	for i := range notes {
		n := &notes[i]
		name := listed.NameOfObject(n.Obj)
		if first, seen := at[name]; seen {
			firsts[first].Kind, firsts[first].Obj = n.Kind, n.Obj
			continue
		}
		at[name] = len(firsts)
		firsts = append(firsts, *n)
	}
	net := make([]processor.Notification, 0, len(firsts))
	for _, n := range firsts {
		switch {
		case n.Kind == processor.Delete: // it is not listed; the last step of a listed object is no delete
			net = append(net, n)
		case n.Old == nil:
			net = append(net, processor.Notification{Kind: processor.Add, Obj: n.Obj})
		case n.Old.GetUID() != n.Obj.GetUID() || n.Old.GetResourceVersion() != n.Obj.GetResourceVersion() || !equalContent(n.Old, n.Obj):
			net = noteChange(net, n.Old, n.Obj)
		}
	}
	return net
}
