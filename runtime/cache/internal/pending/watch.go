package pending

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Admit reports whether an event of the watch is news for the cache. isSame compares its state with
// that of an entry of the same version: a server may answer with other content.
func (t *Table[T]) Admit(item *wire.Item[T], isDeleted bool, isSame func(e *Entry[T], item *wire.Item[T]) bool) bool {
	name := listed.NameOf(item)
	mayHave := t.names != nil && t.names[partOf(name.Name)] > 0
	if !mayHave && !isDeleted && len(t.gone) == 0 {
		return true // nearly always
	}
	uid, resourceVersion := listed.IdentityOf(item)
	if isDeleted && uid != "" {
		t.noteEnd(uid)
	}
	e := t.entries[name]
	if d := t.gone[uid]; d != nil {
		if e != nil && e.UID == uid {
			e.isNew = false
		}
		if isDeleted {
			t.confirm(d)
		}
		return false
	}
	if e == nil {
		return true
	}
	version, ok := Parse(resourceVersion)
	switch {
	case ok && version < e.Version:
		return false
	case ok && version == e.Version && uid == e.UID:
		t.drop(e)
		switch {
		case isDeleted:
			return !e.OutOfScope
		case e.OutOfScope: // the server knows better
			return true
		}
		return !isSame(e, item)
	}
	t.drop(e)
	return true
}

// noteEnd remembers that the watch has reported the end of a UID.
func (t *Table[T]) noteEnd(uid types.UID) {
	if len(t.ended) < maxEnded {
		t.ended = append(t.ended, uid)
		return
	}
	t.ended[t.nextEnded] = uid
	t.nextEnded = (t.nextEnded + 1) % maxEnded
}

// IsEmpty reports whether Admit returns true for each event that is no deletion.
func (t *Table[T]) IsEmpty() bool { return t.Size() == 0 }

// Reach records that the cache has all changes up to a version, and ends the entries up to there. It
// returns those that the watch should have reported, and has not: the server does not have them in
// the scope. No later event would remove them from the cache.
func (t *Table[T]) Reach(version uint64) (unconfirmed []*Entry[T]) {
	t.reached = max(t.reached, version)
	n := 0
	for n < len(t.byVersion) && t.byVersion[n].Version <= t.reached {
		e := t.byVersion[n]
		t.remove(e)
		switch d := t.gone[e.UID]; {
		case e.isNew && !e.OutOfScope:
			unconfirmed = append(unconfirmed, e)
		case e.isNew && d != nil:
			t.quieten(d)
		}
		n++
	}
	t.byVersion = without(t.byVersion, n)
	t.endPassed()
	return unconfirmed
}

// endPassed forgets the ends that the watch has passed. A list that is under way may have the state
// before the deletion.
func (t *Table[T]) endPassed() {
	n := 0
	for n < len(t.bounded) && t.hasPassed(t.bounded[n].Version) {
		if d := t.bounded[n]; !d.isForgotten {
			t.forget(d)
		}
		n++
	}
	t.bounded = without(t.bounded, n)
}

// Replace returns the items of a list, with the writes that came after it. began is the result of
// Begin from before the list was requested. The list has all earlier writes, also if the server was
// restored from a backup and has forgotten them.
func (t *Table[T]) Replace(items []wire.Item[T], version uint64, began uint64) []wire.Item[T] {
	isRestored := version < t.reached
	if isRestored {
		t.before = max(t.before, t.reached)
	}
	t.isListed, t.isListing, t.reached = true, false, version
	for _, d := range t.gone {
		if d.isListed = false; d.order <= began || isRestored {
			t.forget(d)
		}
	}
	t.ended, t.nextEnded = nil, 0 // a restored server may have them again
	var kept []*Entry[T]
	for _, e := range t.byVersion {
		if e.order > began && e.Version > version && version > 0 && !t.isOfOtherServer(e.Version) {
			e.isNew = true // unless it is listed
			kept = append(kept, e)
			continue
		}
		t.remove(e)
	}
	t.byVersion = kept
	if t.IsEmpty() {
		return items
	}
	n := 0
	for i := range items {
		name := listed.NameOf(&items[i])
		uid, _ := listed.IdentityOf(&items[i])
		e := t.entries[name]
		if e != nil {
			e.isNew = e.isNew && e.UID != uid
		}
		d := t.gone[uid]
		if d != nil {
			d.isListed = true
		}
		if e == nil && d == nil {
			items[n] = items[i]
			n++
		}
	}
	for _, d := range t.gone {
		if !d.isListed && 0 < d.cached && d.cached <= version { // it was deleted, or left the scope, before the list
			t.confirm(d)
		}
	}
	t.endPassed()
	clear(items[n:])
	items = items[:n]
	for _, e := range t.byVersion {
		if !e.OutOfScope {
			items = append(items, e.Item)
		}
	}
	return items
}
