package cache

import "github.com/typedinformers/informer-gen/runtime/cache/internal/processor"

// listing is a collection while it is compared with the cache.
type listing[T Object] struct {
	// listed has a bit for each place of the cache, which is set if its object is in
	// the collection. left is how many are not set.
	listed []uint64
	left   int
	// refreshed are cached objects that stay, but were made of another text.
	refreshed []refreshed
	// repeats is set if the collection has several states of one object.
	repeats bool
}

// refreshed is the content hash of the text that is listed of the object at a place.
type refreshed struct {
	place   uint32
	content uint64
}

// see notes that the object at a place is in the collection. It reports whether that was
// noted before.
func (r *listing[T]) see(place uint32) (again bool) {
	if r.has(place) {
		return true
	}
	r.listed[place/64] |= 1 << (place % 64)
	r.left--
	return false
}

func (r *listing[T]) has(place uint32) bool { return r.listed[place/64]&(1<<(place%64)) != 0 }

// replace makes the objects of a relist all that there is, and tells exactly the
// difference. Where an object did not change, the cached one stays, and costs nothing. So
// does one of which an undecodable state is listed: to tell that it is gone would be
// wrong.
func (x *Indexer[T]) replace(notes []processor.Notification[T], all *Collection[T]) []processor.Notification[T] {
	before := x.objects.len()
	r := listing[T]{listed: make([]uint64, (before+63)/64), left: before}
	var call calling[T]
	defer call.guard()
	defer x.endBatch()
	if before == 0 {
		x.expectEntries(len(all.Items))
	}
	for i := range all.Items {
		item := &all.Items[i]
		if item.Err != nil {
			x.keep(&r, item)
		} else if e, changed := x.compare(&r, item); changed {
			x.enter(&call, e)
		}
	}
	x.lock()
	defer x.unlock()
	for _, same := range r.refreshed {
		x.setContent(same.place, same.content)
	}
	told := len(notes)
	// What is gone comes first, so that a handler that counts never counts an
	// object and its successor at one time.
	notes = x.removeUnlisted(notes, &r)
	for i := range x.entries {
		e, n := &x.entries[i], x.objects.len()
		notes = x.put(notes, e)
		if e.place == noPlace && x.objects.len() == n { // it was new, and is not any more
			r.repeats = true
		}
	}
	if r.repeats {
		notes = append(notes[:told], netOf(notes[told:])...)
	}
	return notes
}

// removeUnlisted removes the objects that are not in the collection. It moves each of
// the others once at most.
func (x *Indexer[T]) removeUnlisted(notes []processor.Notification[T], r *listing[T]) []processor.Notification[T] {
	var first uint32 // all objects before it stay
	for ; r.left > 0; r.left-- {
		place := uint32(x.objects.len() - 1)
		if r.has(place) {
			for r.has(first) {
				first++
			}
			place = first
			first++
		}
		old := x.objects.at(place)
		x.vacate(place)
		x.fill(place)
		notes = append(notes, processor.Notification[T]{Kind: processor.Delete, Old: old, Obj: old, FinalStateUnknown: true})
	}
	return notes
}

// keep keeps the cached object of which an undecodable state is listed. Without a UID it
// is taken for the same object.
func (x *Indexer[T]) keep(r *listing[T], item *Item[T]) {
	name := nameOf(item)
	place, old, known := x.find(name, hashOf(name))
	if uid, _ := identityOf(item); known && (uid == "" || old.GetUID() == "" || uid == old.GetUID()) {
		r.see(place)
	}
}

// compare returns the entry of an object that is listed. changed is false if the cached
// object stays as it is, for all that is listed so far.
func (x *Indexer[T]) compare(r *listing[T], item *Item[T]) (e entry[T], changed bool) {
	obj, content := item.Object, item.ContentHash
	name := MetaObjectToName(obj)
	e = entry[T]{obj: obj, name: name, hash: hashOf(name), content: content, place: noPlace}
	place, old, known := x.find(name, e.hash)
	if !known {
		return e, true
	}
	e.place = place
	again := r.see(place)
	r.repeats = r.repeats || again
	if !x.isSame(place, old, obj, content) {
		return e, true
	}
	switch held := x.contentAt(place); {
	case content == 0:
		e.content = held
	case content != held && x.keepsHashes:
		r.refreshed = append(r.refreshed, refreshed{place, content})
	}
	e.obj = old // in the place of another state, if that is listed before
	return e, again
}

// isSame reports whether obj is the state that is cached at a place, which is old: of the
// same version and the same content. Content is compared as it is now, whatever the
// decoder took from the cache: other deltas may have been applied since.
func (x *Indexer[T]) isSame(place uint32, old, obj T, content uint64) bool {
	switch {
	case old == obj:
		return true
	case old.GetUID() != obj.GetUID() || old.GetResourceVersion() != obj.GetResourceVersion():
		return false
	case content != 0 && content == x.contentAt(place):
		return true
	}
	return equalContent(old, obj)
}

// netOf makes of the notifications of a relist what changed from its begin to its end: of
// an object with several states, the last one counts. The objects keep the order in which
// they were first mentioned.
func netOf[T Object](notes []processor.Notification[T]) []processor.Notification[T] {
	var none T
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
		case n.Kind == processor.Delete: // it is not listed: an object that is ends with its state
			net = append(net, n)
		case n.Old == none:
			net = append(net, processor.Notification[T]{Kind: processor.Add, Obj: n.Obj})
		case n.Old != n.Obj:
			net = noteChange(net, n.Old, n.Obj)
		}
	}
	return net
}
