package ownwrites

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

const (
	// Max is the number of entries of a Table. A write that comes when it is full is left to
	// the watch.
	Max = 10_000
	// maxEnded is the number of deleted objects of the watch whose UIDs are remembered, so that
	// a response that comes after the event needs no entry.
	maxEnded = 256
)

// Entry is the state that a write has left, in the cache or waiting for its first list. It ends when the watch
// has reported that state, or a later one, or has passed its version.
type Entry struct {
	Name    listed.Name
	UID     types.UID
	Version uint64
	// Item is that state. It is zero if the object is outside of the scope, and was removed.
	Item wire.Item
	// OutOfScope is set in that case.
	OutOfScope bool
	// Reported is the last state of the name that a list or the watch has reported. The entry hides it. The cache gets it if the
	// watch does not confirm the entry. IsReported is false if they have reported no object.
	Reported   wire.Item
	IsReported bool

	// isKnown is set if a list or the watch has reported the UID.
	isKnown bool
	// isQuiet is set if the cache is the same without the entry.
	isQuiet bool
	Response
}

// Response is when the response to a write came.
type Response struct {
	// Order numbers the steps of the informer. A list that was requested later has the write.
	Order uint64
	frontier.Claim
}

// IsStateOf reports whether a cached object is the state of the entry.
func (e *Entry) IsStateOf(cached wire.Object) bool {
	version, ok := frontier.Parse(cached.GetResourceVersion())
	return ok && version == e.Version && cached.GetUID() == e.UID
}

// Table has the entries of one scope: of one list and watch. The zero value is empty.
type Table struct {
	// Selects is set if selectors select the objects. A deletion that the watch reports may then
	// mean that the object has left the scope. It may return.
	Selects bool

	entries map[listed.Name]*Entry
	// names counts the entries by a part of their names: most events are of none of them.
	names *[1024]uint16
	// byVersion has the entries, the lowest version first.
	byVersion []*Entry
	// gone are the deleted UIDs. ends has them, the oldest first, and others that were forgotten since.
	gone map[types.UID]*end
	ends []*end
	// quiet is the number of entries and of gone that are quiet.
	quiet int
	// ended is a ring of UIDs that the watch has reported as deleted.
	ended     []types.UID
	nextEnded int

	// isListed is set by the first list. reached is the version of which the cache has all changes. It is 0 if
	// versions cannot be compared.
	isListed bool
	reached  uint64
	// bookmarks is the number of bookmarks whose versions were reached.
	bookmarks int
	// refused counts the writes for which there was no room.
	refused int
	// before is the version that was reached before a list had a lower one. It counts until it is
	// reached again.
	before uint64
}

// Deletion is the response to a delete.
type Deletion struct {
	Name listed.Name
	UID  types.UID
	Response
}

// end is a deletion that is remembered, because the watch, or a list that was requested before,
// may still have states of the object.
type end struct {
	Deletion
	// reported is the highest version of the object that the cache had, or that the watch has reported since; 0 for none.
	reported uint64
	// isListed is set by Replace if the list has the object, and isForgotten when the end is no longer
	// in gone.
	isListed, isForgotten bool
	// isQuiet is set if the cache is the same without the end: it never had the object, or the
	// object has left the scope, and an event of before may follow.
	isQuiet bool
}

// Len returns the number of writes that the cache shows and that the watch has not confirmed.
func (t *Table) Len() int { return t.Size() - t.quiet }

// Size returns the number of entries, also of those without which the cache is the same.
func (t *Table) Size() int { return len(t.entries) + len(t.gone) }

// IsListed reports whether the cache has the first list.
func (t *Table) IsListed() bool { return t.isListed }

// Reached returns the version of which the cache has all changes, 0 before the first list.
func (t *Table) Reached() uint64 { return t.reached }

// Verdict says what to do with the cache.
type Verdict uint8

const (
	// Ignore: the cache stays.
	Ignore Verdict = iota
	// Store: the cache gets the object of the entry.
	Store
	// Remove: the cache loses the object.
	Remove
)

// Refute ends and returns the entry of a name if another write to the name shows that its version is not of
// this server: the request of that write was sent after the response with the higher version. It returns nil
// otherwise. isAlive reports whether the write shows that the object was not deleted. Then only a list has its state.
func (t *Table) Refute(name listed.Name, uid types.UID, version uint64, sent time.Time) (last *Entry, isAlive bool) {
	isAfter := func(c frontier.Claim) bool { // two clocks: the later one last
		waited := clock.Now().Since(c.At)
		return time.Since(sent) < waited
	}
	if d := t.gone[uid]; d != nil && isAfter(d.Claim) {
		t.forget(d)
		isAlive = true
	}
	last = t.entries[name]
	if last == nil || version >= last.Version || !isAfter(last.Claim) {
		return nil, isAlive
	}
	t.drop(last)
	return last, isAlive
}

// Offer decides about a state that a write has left. cached is the object that the cache has under
// the name, if it has one.
func (t *Table) Offer(e Entry, cached wire.Object, isCached bool) Verdict {
	if t.IsLeftToWatch(e.Version) {
		return Ignore
	}
	if !isCached && t.hasEnded(e.UID) {
		return Ignore
	}
	if _, gone := t.gone[e.UID]; gone { // an entry that was there before it is gone too
		e.clear()
	}
	last := t.entries[e.Name]
	switch {
	case last != nil && e.Version == last.Version && e.UID == last.UID && last.OutOfScope && !e.OutOfScope:
		// Another scope had the name, and did not select that state. Now it is known.
		e.Reported, e.IsReported, e.isKnown = last.Reported, last.IsReported, last.isKnown
	case last != nil && e.Version <= last.Version:
		return Ignore
	case last != nil:
		e.Reported, e.IsReported, e.isKnown = last.Reported, last.IsReported, last.isKnown && last.UID == e.UID
	case isCached:
		e.Reported.Object, e.IsReported = cached, true
	}
	if e.IsReported {
		if version, ok := frontier.Parse(e.Reported.Object.GetResourceVersion()); !ok || e.Version <= version {
			return Ignore
		}
		e.isKnown = e.isKnown || e.Reported.Object.GetUID() == e.UID
	}
	if last == nil && !t.hasRoom(e.OutOfScope && !isCached) {
		return Ignore
	}
	e.isQuiet = e.OutOfScope && !e.IsReported
	t.put(&e)
	switch {
	case !t.isListed:
		return Ignore // until Replace
	case !e.OutOfScope:
		return Store
	case isCached:
		return Remove
	}
	return Ignore
}

// IsLeftToWatch reports whether a write is of no use to the cache: the watch reports, or has reported, what became of it.
func (t *Table) IsLeftToWatch(version uint64) bool {
	return t.isListed && (t.reached == 0 || version <= t.reached) || t.isOfOtherServer(version)
}

// hasEnded reports whether the watch has reported the end of a UID, and nothing can follow.
func (t *Table) hasEnded(uid types.UID) bool { return !t.Selects && slices.Contains(t.ended, uid) }

// hasRoom reports whether one more can be remembered. Half of the room is for entries that change the
// cache. If there is none, the oldest quiet end is forgotten.
func (t *Table) hasRoom(isQuiet bool) bool {
	limit := Max
	if isQuiet {
		limit = Max / 2
	}
	if t.Size() < limit {
		return true
	}
	t.dropForgotten()
	for _, d := range t.ends {
		if d.isQuiet && !d.isForgotten {
			t.forget(d)
			return true
		}
	}
	t.refused++
	return false
}

// TakeRefused returns the number of writes for which there was no room since the last call.
func (t *Table) TakeRefused() int {
	n := t.refused
	t.refused = 0
	return n
}

// dropForgotten drops the first of ends that are no longer in gone.
func (t *Table) dropForgotten() {
	n := 0
	for n < len(t.ends) && t.ends[n].isForgotten {
		n++
	}
	t.ends = without(t.ends, n)
}

// put adds an entry, or replaces the one of the same name.
func (t *Table) put(e *Entry) {
	if t.entries == nil {
		t.entries, t.names = map[listed.Name]*Entry{}, new([1024]uint16)
	}
	if last := t.entries[e.Name]; last != nil {
		t.drop(last)
	}
	t.entries[e.Name] = e
	t.names[partOf(e.Name.Name)]++
	if e.isQuiet {
		t.quiet++
	}
	t.byVersion = slices.Insert(t.byVersion, t.after(e.Version), e)
}

// after returns the number of entries up to a version.
func (t *Table) after(version uint64) int {
	at := len(t.byVersion)
	for at > 0 && t.byVersion[at-1].Version > version { // nearly always the last one is lower
		at--
	}
	return at
}

// drop removes an entry.
func (t *Table) drop(e *Entry) {
	t.remove(e)
	at, _ := slices.BinarySearchFunc(t.byVersion, e.Version, func(e *Entry, version uint64) int {
		if e.Version < version {
			return -1
		}
		return 1
	})
	for t.byVersion[at] != e { // a server may give several objects one version
		at++
	}
	if t.byVersion = slices.Delete(t.byVersion, at, at+1); len(t.byVersion) == 0 {
		t.byVersion = nil // a burst must not keep its memory
	}
}

// remove removes an entry, but not from byVersion.
func (t *Table) remove(e *Entry) {
	delete(t.entries, e.Name)
	t.names[partOf(e.Name.Name)]--
	if e.isQuiet {
		t.quiet--
	}
}

// partOf returns a number below 1024 that is the same for equal names. Generated names differ in
// their ends.
func partOf(name string) uint32 {
	n := len(name)
	if n < 4 {
		return uint32(n)
	}
	last := uint32(name[n-4]) | uint32(name[n-3])<<8 | uint32(name[n-2])<<16 | uint32(name[n-1])<<24
	return last * 0x9E3779B1 >> 22 // Fibonacci hashing
}

// clear makes the entry one of a state that is not in the cache.
func (e *Entry) clear() {
	var none wire.Item
	e.Item, e.OutOfScope = none, true
}

// isOfOtherServer reports whether a version is probably from before the server was restored from a
// backup.
func (t *Table) isOfOtherServer(version uint64) bool {
	return t.reached < t.before && version > t.before
}

// tell records the object that lists and the watch have for the name of an entry, nil for none.
func (t *Table) tell(e *Entry, item *wire.Item) {
	e.Reported, e.IsReported = wire.Item{}, item != nil
	if item != nil {
		e.Reported = *item
	}
	t.countQuiet(e)
}

// countQuiet records whether the cache is the same without an entry.
func (t *Table) countQuiet(e *Entry) {
	if e.isQuiet {
		t.quiet--
	}
	if e.isQuiet = e.OutOfScope && !e.IsReported; e.isQuiet {
		t.quiet++
	}
}

// Forget drops the entry of an object that could not be stored.
func (t *Table) Forget(name listed.Name) {
	if e := t.entries[name]; e != nil {
		t.drop(e)
	}
}

// ForgetAll drops the entries of the objects that are not in a scope any more.
func (t *Table) ForgetAll(isOver func(listed.Name) bool) {
	for _, e := range slices.Clone(t.byVersion) {
		if isOver(e.Name) {
			t.drop(e)
		}
	}
	for _, d := range t.gone {
		if isOver(d.Name) {
			t.forget(d)
		}
	}
}

// End records that the server has deleted an object. cached is the object that the cache has under
// the name and the UID, if it has one. End reports whether the cache has to remove it.
func (t *Table) End(deleted Deletion, cached wire.Object, isCached bool) bool {
	if t.gone[deleted.UID] != nil || !isCached && t.hasEnded(deleted.UID) {
		return false
	}
	e := t.entries[deleted.Name]
	if e != nil && e.IsReported && e.Reported.Object.GetUID() == deleted.UID {
		t.tell(e, nil)
	}
	if e != nil && e.UID != deleted.UID {
		e = nil
	}
	switch hasRoom := t.hasRoom(!isCached); {
	case e != nil && !hasRoom:
		t.drop(e) // its room is for the end
	case e != nil:
		e.clear() // it stays: an earlier state of the name may be that of another UID
		t.countQuiet(e)
	case !hasRoom:
		return false
	}
	d := &end{Deletion: deleted, isQuiet: !isCached}
	if isCached {
		d.reported, _ = frontier.Parse(cached.GetResourceVersion())
	} else {
		t.quiet++
	}
	t.remember(d)
	return t.isListed && isCached
}

// remember adds an end.
func (t *Table) remember(d *end) {
	if t.gone == nil {
		t.gone = map[types.UID]*end{}
	}
	t.gone[d.UID] = d
	if len(t.ends) >= 2*len(t.gone)+maxEnded {
		t.ends = slices.DeleteFunc(t.ends, func(d *end) bool { return d.isForgotten })
	}
	t.ends = append(t.ends, d)
}

// without returns a slice without its first n elements. A burst must not keep its memory.
func without[E any](all []*E, n int) []*E {
	clear(all[:n])
	if n == len(all) {
		return nil
	}
	return all[n:]
}

// confirm records that the watch has reported the end of a deleted UID.
func (t *Table) confirm(d *end) {
	if t.Selects { // it may have left the scope, returned, and been deleted then
		t.quieten(d)
		return
	}
	t.forget(d)
}

// hide records that an end hides a state of the watch, so the cache is not the same without it.
func (t *Table) hide(d *end, resourceVersion string) {
	if version, ok := frontier.Parse(resourceVersion); ok {
		d.reported = max(d.reported, version)
	}
	if d.isQuiet {
		d.isQuiet = false
		t.quiet--
	}
}

// quieten records that the cache is the same without an end.
func (t *Table) quieten(d *end) {
	if !d.isQuiet {
		d.isQuiet = true
		t.quiet++
	}
}

// forget forgets a deleted UID.
func (t *Table) forget(d *end) {
	if d.isQuiet {
		t.quiet--
	}
	d.isForgotten = true
	delete(t.gone, d.UID)
}

// Clear forgets all entries.
func (t *Table) Clear() {
	*t = Table{Selects: t.Selects, bookmarks: t.bookmarks}
}

// LeftToWatch looks at the entries that Move drops because only the server knows whether a scope selects them. It returns the highest of these
// versions above after, and 0 without one.
func (t *Table) LeftToWatch(selection *Selection, after uint64, has func(listed.Name) bool) uint64 {
	for _, e := range slices.Backward(t.byVersion) {
		if e.Version <= after {
			break
		}
		if e.OutOfScope || !has(e.Name) {
			continue
		}
		if _, known := selection.Matches(e.Item.Object); !known {
			return e.Version
		}
	}
	return 0
}

// Move moves the entries of some names to the table of the scope that takes them over, before its list. selection is that
// of the scope, whose Reflector has read some bookmarks. Bookmarks from now on have to confirm the moved entries.
func (t *Table) Move(to *Table, selection *Selection, bookmarks int, has func(listed.Name) bool) {
	to.bookmarks = max(to.bookmarks, bookmarks)
	for _, e := range slices.Clone(t.byVersion) {
		if !has(e.Name) {
			continue
		}
		t.drop(e)
		if !e.OutOfScope { // otherwise it is not known which object the write has left
			switch selected, known := selection.Matches(e.Item.Object); {
			case !known || selection.NeverHas(e.Item.Object):
				continue // its watch tells
			case !selected:
				e.clear()
			}
		}
		e.Claim.Bookmarks = to.bookmarks
		to.put(e)
		to.countQuiet(e)
	}
	for _, d := range t.ends {
		if d.isForgotten || !has(d.Name) {
			continue
		}
		if selection.NeverHas(&metav1.ObjectMeta{Namespace: d.Name.Namespace, Name: d.Name.Name, UID: d.UID}) {
			t.forget(d)
			continue
		}
		moved := *d
		moved.Claim.Bookmarks = to.bookmarks
		t.forget(d)
		to.remember(&moved)
		if moved.isQuiet {
			to.quiet++
		}
	}
	t.dropForgotten()
	slices.SortFunc(to.ends, func(a, b *end) int { return cmp.Compare(a.Order, b.Order) })
}
