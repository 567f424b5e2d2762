package pending

import (
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

const (
	// Max is the number of entries of a Table. A write that comes when it is full is left to
	// the watch.
	Max = 10_000
	// goneFor is how long a deleted UID is remembered if the watch does not report its end. The
	// watch never does if the object was not in its scope, or if it did so before the response.
	goneFor = 2 * time.Minute
	// maxStep is how much of goneFor may pass between two versions of the watch: it may have
	// stalled, and a deletion may be in its backlog.
	maxStep = 30 * time.Second
	// maxEnded is the number of deleted objects of the watch whose UIDs are remembered, so that
	// a response that comes after the event needs no entry.
	maxEnded = 256
)

// Parse returns a version as a number. It reports false for the versions of servers other than
// Kubernetes.
func Parse(resourceVersion string) (uint64, bool) {
	version, err := strconv.ParseUint(resourceVersion, 10, 64)
	return version, err == nil && version > 0
}

// Entry is the state that a write has left, in the cache or waiting for its first list.
type Entry[T wire.Object] struct {
	Name    listed.Name
	UID     types.UID
	Version uint64
	// Item is that state. It is zero if the object is outside of the scope, and was removed.
	Item wire.Item[T]
	// OutOfScope is set in that case.
	OutOfScope bool
	// Body is the response, if Item may have to be decoded to another form.
	Body []byte

	// isNew is set if neither a list nor the watch has ever had the object.
	isNew bool
	// isQuiet is set if the cache is the same without the entry.
	isQuiet bool
	// order counts the responses.
	order uint64
}

// Table has the entries of one scope: of one list and watch. The zero value is empty.
type Table[T wire.Object] struct {
	// Selects is set if selectors select the objects. A deletion that the watch reports may then
	// mean that the object has left the scope. It may return.
	Selects bool

	entries map[listed.Name]*Entry[T]
	// names counts the entries by a part of their names: most events are of none of them.
	names *[1024]uint16
	// byVersion has the entries, the lowest version first.
	byVersion []*Entry[T]
	// gone are the deleted UIDs, and goneOrder the same, the oldest first. It may have UIDs that
	// are no longer in gone.
	gone      map[types.UID]end
	goneOrder []types.UID
	// quiet is the number of entries and of gone that are quiet.
	quiet int
	// progress is how much time the versions of the watch have taken while there were gone, at
	// most maxStep for each. progressed is when it last reached one.
	progress   time.Duration
	progressed time.Time
	// ended is a ring of UIDs that the watch has reported as deleted.
	ended     []types.UID
	nextEnded int

	// isListed is set by the first list, and reached is the version of which the cache has all
	// changes. It is 0 if versions cannot be compared.
	isListed bool
	reached  uint64
	order    uint64
	// before is the version that was reached before a list had a lower one. It counts until it is
	// reached again.
	before uint64
}

// end is the deletion of a UID.
type end struct {
	order uint64
	// at is the progress at that time.
	at time.Duration
	// isQuiet is set if the cache never had the object, or if the watch has reported the end too, and
	// an event of before may follow.
	isQuiet bool
}

// Len returns the number of writes that the cache shows and that the watch has not confirmed.
func (t *Table[T]) Len() int { return t.Size() - t.quiet }

// Size returns the number of entries, also of those without which the cache is the same.
func (t *Table[T]) Size() int { return len(t.entries) + len(t.gone) }

// Order returns the number of responses so far, for Replace.
func (t *Table[T]) Order() uint64 { return t.order }

// IsListed reports whether the cache has the first list.
func (t *Table[T]) IsListed() bool { return t.isListed }

// Reached returns the version of which the cache has all changes, 0 before the first list.
func (t *Table[T]) Reached() uint64 { return t.reached }

// Verdict is what to do with the cache.
type Verdict uint8

const (
	// Ignore: the cache stays.
	Ignore Verdict = iota
	// Store: the cache gets the object of the entry.
	Store
	// Remove: the cache loses the object.
	Remove
)

// Offer decides about a state that a write has left. cached is the object that the cache has under
// the name, if it has one.
func (t *Table[T]) Offer(e Entry[T], cached T, isCached bool) Verdict {
	t.order++
	if t.isListed && t.reached == 0 || t.isOfOtherServer(e.Version) {
		return Ignore
	}
	if _, gone := t.gone[e.UID]; gone { // what was there before it is gone too
		e.clear()
	}
	last := t.entries[e.Name]
	if last != nil && e.Version <= last.Version {
		return Ignore
	}
	e.isNew = !isCached
	switch {
	case isCached:
		version, ok := Parse(cached.GetResourceVersion())
		if !ok || e.Version <= version {
			return Ignore
		}
		e.isNew = cached.GetUID() != e.UID || last != nil && last.isNew
	case t.isListed && e.Version <= t.reached:
		return Ignore // the watch has told what became of it
	}
	if last == nil && t.Size() >= Max || e.OutOfScope && !isCached && last == nil && t.Size() >= Max/2 {
		return Ignore
	}
	e.order = t.order
	e.isQuiet = e.OutOfScope && !isCached && (last == nil || last.isQuiet)
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

// put adds an entry, or replaces the one of the same name.
func (t *Table[T]) put(e *Entry[T]) {
	if t.entries == nil {
		t.entries, t.names = map[listed.Name]*Entry[T]{}, new([1024]uint16)
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
func (t *Table[T]) after(version uint64) int {
	at := len(t.byVersion)
	for at > 0 && t.byVersion[at-1].Version > version { // nearly always the last one is lower
		at--
	}
	return at
}

// drop removes an entry.
func (t *Table[T]) drop(e *Entry[T]) {
	t.remove(e)
	at, _ := slices.BinarySearchFunc(t.byVersion, e.Version, func(e *Entry[T], version uint64) int {
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
func (t *Table[T]) remove(e *Entry[T]) {
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
func (e *Entry[T]) clear() {
	var none wire.Item[T]
	e.Item, e.Body, e.OutOfScope = none, nil, true
}

// isOfOtherServer reports whether a version is probably from before the server was restored from a
// backup.
func (t *Table[T]) isOfOtherServer(version uint64) bool {
	return t.reached < t.before && version > t.before
}

// Forget drops the entry of an object that could not be stored.
func (t *Table[T]) Forget(name listed.Name) {
	if e := t.entries[name]; e != nil {
		t.drop(e)
	}
}

// ForgetAll drops the entries of the objects that are not in the scope any more.
func (t *Table[T]) ForgetAll(excludes func(namespace, name string) bool) {
	for _, e := range slices.Clone(t.byVersion) {
		if excludes(e.Name.Namespace, e.Name.Name) {
			t.drop(e)
		}
	}
}

// End records that the server has deleted an object. isCached is set if the cache has it. End
// reports whether the cache has to remove it.
func (t *Table[T]) End(name listed.Name, uid types.UID, isCached bool) bool {
	t.order++
	ended := !isCached && slices.Contains(t.ended, uid)
	if _, known := t.gone[uid]; known || ended && !t.Selects {
		return false
	}
	isFull := t.Size() >= Max || !isCached && t.Size() >= Max/2
	switch e := t.entries[name]; {
	case e != nil && e.UID == uid && isFull:
		t.drop(e) // its room is for the UID
	case e != nil && e.UID == uid:
		e.clear() // it stays: an earlier state of the name may be that of another UID
		if !e.isQuiet {
			e.isQuiet = true
			t.quiet++
		}
	case isFull:
		return false
	}
	now := time.Now()
	if t.gone == nil {
		t.gone = map[types.UID]end{}
	}
	if len(t.gone) == 0 {
		t.progressed = now
	}
	t.gone[uid] = end{t.order, t.progressAt(now), !isCached}
	if !isCached {
		t.quiet++
	}
	if len(t.goneOrder) >= 2*len(t.gone)+maxEnded {
		t.goneOrder = slices.DeleteFunc(t.goneOrder, func(uid types.UID) bool { _, known := t.gone[uid]; return !known })
	}
	t.goneOrder = append(t.goneOrder, uid)
	return t.isListed && isCached
}

// confirm records that the watch has reported the end of a deleted UID.
func (t *Table[T]) confirm(uid types.UID) {
	gone := t.gone[uid]
	switch {
	case !t.Selects:
		t.forget(uid) // goneOrder drops it later
	case !gone.isQuiet: // it may have left the scope, returned, and been deleted then
		gone.isQuiet = true
		t.gone[uid] = gone
		t.quiet++
	}
}

// forget forgets a deleted UID.
func (t *Table[T]) forget(uid types.UID) {
	if t.gone[uid].isQuiet {
		t.quiet--
	}
	delete(t.gone, uid)
}

// progressAt returns progress as of now.
func (t *Table[T]) progressAt(now time.Time) time.Duration {
	return t.progress + min(now.Sub(t.progressed), maxStep)
}

// expire forgets the deleted UIDs about which the watch will say nothing. It is called when the watch
// makes progress.
func (t *Table[T]) expire(now time.Time) {
	t.progress, t.progressed = t.progressAt(now), now
	for n, uid := range t.goneOrder {
		if gone, known := t.gone[uid]; known && t.progress-gone.at < goneFor {
			t.goneOrder = t.goneOrder[n:]
			return
		}
		t.forget(uid)
	}
	t.goneOrder = nil
}

// Clear forgets all entries.
func (t *Table[T]) Clear() { *t = Table[T]{Selects: t.Selects, order: t.order} }
