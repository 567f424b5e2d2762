package ownwrites

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Admit reports whether an event of the watch is news for the cache. isSame compares its state with
// that of an entry of the same version: a server may answer with other content. refuted is an entry that the event has shown
// not to be of this server, or nil.
func (t *Table) Admit(item *wire.Item, isDeleted bool, isSame func(e *Entry, item *wire.Item) bool) (isNews bool, refuted *Entry) {
	name := listed.NameOf(item)
	mayHave := t.names != nil && t.names[partOf(name.Name)] > 0
	if !mayHave && !isDeleted && len(t.gone) == 0 {
		return true, nil // nearly always
	}
	uid, resourceVersion := listed.IdentityOf(item)
	if isDeleted && uid != "" {
		t.noteEnd(uid)
	}
	e := t.entries[name]
	if d := t.gone[uid]; d != nil {
		if e != nil && e.UID == uid {
			e.isKnown = true
			if isDeleted && !t.Selects {
				t.drop(e) // nothing of the UID can follow
			}
		}
		if isDeleted {
			t.confirm(d)
		} else {
			t.hide(d, resourceVersion)
		}
		return false, nil
	}
	if e == nil {
		return true, nil
	}
	version, ok := frontier.Parse(resourceVersion)
	switch {
	case ok && version < e.Version && t.isBefore(e, uid, isDeleted):
		t.hear(e, item, uid, isDeleted)
		return false, nil
	case ok && version == e.Version && uid == e.UID:
		t.drop(e)
		switch {
		case isDeleted:
			return !e.OutOfScope, nil
		case e.OutOfScope: // the server knows better
			return true, nil
		}
		return !isSame(e, item), nil
	case ok && version < e.Version:
		refuted = e
	}
	t.drop(e)
	return true, refuted
}

// hear records the state that the watch, or a list, has for the name of an entry that hides it.
func (t *Table) hear(e *Entry, item *wire.Item, uid types.UID, isDeleted bool) {
	e.isKnown = e.isKnown || uid == e.UID
	switch {
	case isDeleted:
		t.tell(e, nil)
	case item.Err == nil:
		t.tell(e, item)
	}
}

// isBefore reports whether an event with a lower version than an entry can be from before the write. UIDs of a name
// follow each other, so a UID that the watch has reported does not come back after another one.
func (t *Table) isBefore(e *Entry, uid types.UID, isDeleted bool) bool {
	switch uid {
	case "": // an undecodable one
		return true
	case e.UID:
		return !isDeleted || t.Selects
	}
	return !e.isKnown
}

// noteEnd remembers that the watch has reported the end of a UID.
func (t *Table) noteEnd(uid types.UID) {
	if len(t.ended) < maxEnded {
		t.ended = append(t.ended, uid)
		return
	}
	t.ended[t.nextEnded] = uid
	t.nextEnded = (t.nextEnded + 1) % maxEnded
}

// IsEmpty reports whether Admit returns true for each event that is no deletion.
func (t *Table) IsEmpty() bool { return t.Size() == 0 }

// Reach records that the cache has all changes up to a version, and ends the entries up to there. It
// returns those that the watch should have reported, and has not: the server does not have that state. No later
// event would remove it from the cache.
func (t *Table) Reach(version uint64) (unconfirmed []*Entry) {
	t.reached = max(t.reached, version)
	n := 0
	for n < len(t.byVersion) && t.byVersion[n].Version <= t.reached {
		e := t.byVersion[n]
		t.remove(e)
		switch d := t.gone[e.UID]; {
		case d != nil && !e.isKnown:
			t.quieten(d)
		case d == nil && !e.isQuiet:
			unconfirmed = append(unconfirmed, e)
		}
		n++
	}
	t.byVersion = without(t.byVersion, n)
	return unconfirmed
}

// Unconfirmed is a write that the watch has not confirmed in time. The Version of a deletion is 0.
type Unconfirmed struct {
	Name    listed.Name
	Version uint64
}

// Bookmarks records that the versions of n bookmarks are reached, of all that the Reflector has read, after Reach. It
// returns the writes that the watch has not confirmed in time. The next list, which has to begin now, ends them. Those
// without which the cache is the same end at once.
func (t *Table) Bookmarks(n int) (overdue []Unconfirmed) {
	if n <= t.bookmarks {
		return nil
	}
	t.bookmarks = n
	for _, e := range slices.Clone(t.byVersion) {
		switch {
		case !e.IsOverdue(t.bookmarks):
		case e.isQuiet:
			t.drop(e)
		default:
			overdue = append(overdue, Unconfirmed{e.Name, e.Version})
		}
	}
	for _, d := range t.ends {
		switch {
		case d.isForgotten:
		case !d.IsOverdue(t.bookmarks): // all that follow are younger
			return overdue
		case d.isQuiet:
			t.forget(d)
		default:
			overdue = append(overdue, Unconfirmed{Name: d.Name})
		}
	}
	t.dropForgotten()
	return overdue
}

// Replace returns the items of a list, with the writes that came after it. began is the number of the
// step before the list was requested. The list has all earlier writes, also if the server was
// restored from a backup and has forgotten them.
func (t *Table) Replace(items []wire.Item, version uint64, began uint64) []wire.Item {
	isRestored := version < t.reached
	if isRestored {
		t.before = max(t.before, t.reached)
	}
	t.isListed, t.reached = true, version
	for _, d := range t.gone {
		if d.isListed = false; d.Order <= began || isRestored {
			t.forget(d)
		}
	}
	t.ended, t.nextEnded = nil, 0 // a restored server may have them again
	var kept []*Entry
	for _, e := range t.byVersion {
		if e.Order > began && e.Version > version && version > 0 && !t.isOfOtherServer(e.Version) {
			e.isKnown = false // unless it is listed
			t.tell(e, nil)
			kept = append(kept, e)
			continue
		}
		t.remove(e)
	}
	t.byVersion = kept
	t.dropForgotten()
	if t.IsEmpty() {
		return items
	}
	n := 0
	for i := range items {
		name := listed.NameOf(&items[i])
		uid, resourceVersion := listed.IdentityOf(&items[i])
		e := t.entries[name]
		d := t.gone[uid]
		switch {
		case d != nil:
			d.isListed = true
			t.hide(d, resourceVersion)
		case e != nil:
			t.hear(e, &items[i], uid, false)
		}
		if e == nil && d == nil {
			items[n] = items[i]
			n++
		}
	}
	for _, d := range t.gone {
		if !d.isListed && 0 < d.reported && d.reported <= version { // it was deleted, or left the scope, before the list
			t.confirm(d)
		}
	}
	t.dropForgotten()
	clear(items[n:])
	items = items[:n]
	for _, e := range t.byVersion {
		if !e.OutOfScope {
			items = append(items, e.Item)
		}
	}
	return items
}
