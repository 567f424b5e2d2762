package ledger

import (
	"container/heap"
	"iter"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// record is what the ledger knows of an object that has left a scope.
type record[T wire.Object] struct {
	name  listed.Name
	uid   types.UID
	state recordState
	// left is the latest version at which a scope is known not to have the object any more, or of
	// the cached state if that is later. 0 means that it cannot be compared.
	left uint64
	// final is the state at that version, if hasFinal is set.
	final    T
	hasFinal bool
	// waiting is the number of scopes that the record waits for. Waits of an earlier turn are void.
	waiting int
	turn    uint32
	since   time.Time
	// absent are the answers of requests for this object.
	absent []absence
}

// absence is the version of a list of a scope that does not have an object.
type absence struct {
	scope   ID
	version uint64
}

type recordState uint8

const (
	// void: the record is over.
	void recordState = iota
	// held: some scope holds the object, but not all that may have it have told its state at left.
	held
	// leaving: no scope holds the object. It stays until all that may have it have reached left.
	leaving
	// ended: the object is not cached. Scopes that have not reached left may tell earlier states.
	ended
)

const (
	// maxDead is the largest number of records of ended objects, and minDead the one from which
	// old ones are looked for.
	maxDead, minDead = 1 << 17, 256
	// deadFor is how long such a record waits for scopes that were never listed: they may be
	// forbidden. A first list that takes longer may add an object for a moment that has ended.
	deadFor = 10 * time.Minute
)

// Departure is the end of an object in one scope.
type Departure[T wire.Object] struct {
	// Version is 0 if it cannot be compared.
	Version uint64
	// Final is the last state of the object, if HasFinal is set.
	Final    T
	HasFinal bool
	// IsEnd is set if the object is known to have ended.
	IsEnd bool
}

// Leave records that a scope no longer has an object, which is cached with a Tag. It reports whether
// the object has ended. Then its last state is in last, if that has one, and the caller removes it from
// the cache. Otherwise to is its next Tag.
func (l *Ledger[T]) Leave(s *Scope[T], tag Tag, cached T, d Departure[T]) (to Tag, isOver bool, last Departure[T]) {
	before := l.holdings.all[tag]
	to = l.release(s, tag)
	name := nameOf(cached)
	version := uint64(0) // of the cached state, if it can be compared with d
	if before.era >= s.era {
		version = Parse(cached.GetResourceVersion())
	}
	isOwn := !before.isAside && before.teller == s.id
	// It says nothing of the cached object if the scope has told the end of another one of that name, which is
	// in its shard. And it may be an end that the server has lost, if the era is past: the scope lists again.
	saysNothing := before.era > s.era || !s.mayHave(name, cached.GetUID())
	if saysNothing && !d.IsEnd {
		d = Departure[T]{}
	}
	if d.IsEnd || !saysNothing && !s.Moves && (isOwn || d.Version == 0 || d.Version >= version) {
		l.end(name, to, max(d.Version, version), cached)
		return 0, true, d
	}
	return l.depart(name, to, cached, version, d)
}

// Forsake records that a scope was closed that holds an object. It is Leave at no version.
func (l *Ledger[T]) Forsake(s *Scope[T], tag Tag, cached T) (to Tag, isOver bool, last Departure[T]) {
	to = l.release(s, tag)
	name := nameOf(cached)
	return l.depart(name, to, cached, Parse(cached.GetResourceVersion()), Departure[T]{})
}

// release records that a scope does not hold an object.
func (l *Ledger[T]) release(s *Scope[T], tag Tag) Tag {
	to := l.holdings.change(step{tag, release, s.id, 0})
	if to != tag {
		s.held--
	}
	return to
}

// depart decides what becomes of an object that a scope does not have any more, but maybe another one.
// version is that of the cached state.
func (l *Ledger[T]) depart(name listed.Name, tag Tag, cached T, version uint64, d Departure[T]) (to Tag, isOver bool, last Departure[T]) {
	isHeld := l.holdings.isHeld(tag)
	r := l.records[name]
	if r == nil {
		if isHeld && d.Version <= version {
			return tag, false, last // nearly always
		}
		r = &record[T]{name: name, uid: cached.GetUID(), state: held}
		l.records[name] = r
	}
	if d.Version >= r.left && (d.HasFinal || d.Version > r.left) {
		r.left, r.final, r.hasFinal = d.Version, d.Final, d.HasFinal
	}
	if version > r.left {
		var none T
		r.left, r.final, r.hasFinal = version, none, false
	}
	r.uid = cached.GetUID()
	if isHeld {
		l.stay(r)
		return tag, false, last
	}
	if l.await(r, leaving); r.waiting > 0 {
		return tag, false, last
	}
	last = Departure[T]{Version: r.left, Final: r.final, HasFinal: r.hasFinal}
	l.drop(r)
	l.end(name, tag, last.Version, cached)
	return 0, true, last
}

// end records that an object with a Tag has ended at a version.
func (l *Ledger[T]) end(name listed.Name, tag Tag, left uint64, cached T) {
	for _, id := range l.holdings.all[tag].scopes {
		if s := l.scopes[id]; s != nil {
			s.held--
		}
	}
	if r := l.records[name]; r != nil {
		l.drop(r)
	}
	if left == 0 {
		return
	}
	r := &record[T]{name: name, uid: cached.GetUID(), left: left}
	if l.await(r, ended); r.waiting > 0 {
		l.records[name] = r
		l.bury(r)
	}
}

// bury adds a record to dead. It drops those that are over, or too old, now and then.
func (l *Ledger[T]) bury(r *record[T]) {
	l.dead = append(l.dead, r)
	if len(l.dead) < max(minDead, l.deadLimit) {
		return
	}
	surplus := len(l.dead) - maxDead
	l.dead = slices.DeleteFunc(l.dead, func(old *record[T]) bool {
		if surplus--; old.state != void && (surplus >= 0 || r.since.Sub(old.since) > deadFor && !l.awaitsListed(old)) {
			l.drop(old)
		}
		return old.state == void
	})
	l.deadLimit = 2 * len(l.dead)
}

// awaitsListed reports whether a record waits for a scope that was listed once.
func (l *Ledger[T]) awaitsListed(r *record[T]) bool {
	for s := range l.candidates(r) {
		if s.isListed && s.awaits(r.left) {
			return true
		}
	}
	return false
}

// await lets a record wait, in a new turn, for each scope that may have the object.
func (l *Ledger[T]) await(r *record[T], state recordState) {
	if r.state != state {
		if r.state == leaving {
			l.leaving--
		}
		if state == leaving {
			l.leaving++
		}
		r.state, r.since = state, time.Now()
	}
	if state == leaving {
		left := r.left
		for s := range l.candidates(r) {
			if s.listed > left && left > 0 && s.isListed && !r.isAbsent(s) {
				// The scope may have had the object at left, and not any more when it was listed.
				var none T
				left, r.final, r.hasFinal = s.listed, none, false
			}
		}
		r.left = left
	}
	r.turn++
	r.waiting = 0
	for s := range l.candidates(r) {
		if s.awaits(r.left) && !r.isAbsent(s) {
			s.push(wait[T]{r, r.turn, r.left})
			r.waiting++
		}
	}
}

// candidates ranges over the scopes that may have the object of a record.
func (l *Ledger[T]) candidates(r *record[T]) iter.Seq[*Scope[T]] {
	return func(yield func(*Scope[T]) bool) {
		for _, s := range l.byNamespace[""] {
			if s.mayHave(r.name, r.uid) && !yield(s) {
				return
			}
		}
		if r.name.Namespace == "" {
			return
		}
		for _, s := range l.byNamespace[r.name.Namespace] {
			if s.mayHave(r.name, r.uid) && !yield(s) {
				return
			}
		}
	}
}

// isAbsent reports whether a scope is known not to have had the object at left.
func (r *record[T]) isAbsent(s *Scope[T]) bool {
	return slices.ContainsFunc(r.absent, func(a absence) bool { return a.scope == s.id && a.version >= r.left })
}

// stay records that some scope holds an object that has left another one.
func (l *Ledger[T]) stay(r *record[T]) {
	if l.await(r, held); r.waiting == 0 {
		l.drop(r)
	}
}

// drop ends a record.
func (l *Ledger[T]) drop(r *record[T]) {
	if r.state == leaving {
		l.leaving--
	}
	r.state = void
	r.turn++
	if l.records[r.name] == r {
		delete(l.records, r.name)
	}
}

// Leaving returns the number of objects that are leaving.
func (l *Ledger[T]) Leaving() int { return l.leaving }

// HasRecords reports whether the ledger still needs versions that scopes reach.
func (l *Ledger[T]) HasRecords() bool { return len(l.records) > 0 || len(l.asides) > 0 }

// Over is an object that no scope has, at the last version at which one had it.
type Over[T wire.Object] struct {
	Name listed.Name
	Departure[T]
}

// Resolve returns the objects that were leaving, and that no scope has. The caller calls End for each,
// with the cached state, and removes it.
func (l *Ledger[T]) Resolve() (over []Over[T]) {
	for _, s := range l.advanced {
		s.advanced = false
		for len(s.waits) > 0 && !s.awaits(s.waits[0].left) {
			w := heap.Pop(&s.waits).(wait[T])
			r := w.record
			if r.turn != w.turn {
				continue
			}
			if r.waiting--; r.state == leaving && s.listed > r.left {
				l.await(r, leaving) // at listed
			}
			if r.waiting == 0 {
				over = l.resolve(r, over)
			}
		}
		if len(s.waits) == 0 {
			s.waits = nil // a burst must not keep its memory
			s.limit = minWaits
		}
	}
	clear(l.advanced)
	l.advanced = l.advanced[:0]
	l.findLost()
	return over
}

func (l *Ledger[T]) resolve(r *record[T], over []Over[T]) []Over[T] {
	if r.state == leaving {
		over = append(over, Over[T]{r.name, Departure[T]{Version: r.left, Final: r.final, HasFinal: r.hasFinal}})
	}
	l.drop(r)
	return over
}

// End records that an object of Resolve or Absent has ended.
func (l *Ledger[T]) End(o Over[T], tag Tag, cached T) { l.end(o.Name, tag, o.Version, cached) }

// Absent records that a list of a scope at a version does not have an object. It returns the object
// if it has ended.
func (l *Ledger[T]) Absent(s *Scope[T], name listed.Name, version uint64) (over []Over[T]) {
	r := l.records[name]
	if r == nil || r.state != leaving {
		return nil
	}
	if version == 0 { // the server does not know the version that was asked for either
		version = r.left
	}
	r.absent = append(r.absent, absence{s.id, version})
	if l.await(r, leaving); r.waiting == 0 {
		over = l.resolve(r, over)
	}
	return over
}

// Awaited is an object that is leaving.
type Awaited struct {
	Name listed.Name
	// Version is the one that the scope has to reach, 0 if it only has to be listed.
	Version uint64
	Since   time.Time
}

// AwaitedFrom returns the objects that have waited for a scope since before that time.
func (l *Ledger[T]) AwaitedFrom(s *Scope[T], before time.Time) (all []Awaited) {
	for _, w := range s.waits {
		if r := w.record; r.turn == w.turn && r.state == leaving && !r.since.After(before) {
			all = append(all, Awaited{r.name, r.left, r.since})
		}
	}
	return all
}

// wait is a record in a turn that waits for a scope.
type wait[T wire.Object] struct {
	record *record[T]
	turn   uint32
	left   uint64
}

// waits is a heap of container/heap.
type waits[T wire.Object] []wait[T]

func (w waits[T]) Len() int           { return len(w) }
func (w waits[T]) Less(i, j int) bool { return w[i].left < w[j].left }
func (w waits[T]) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }

// Push is called by package heap.
func (w *waits[T]) Push(x any) { *w = append(*w, x.(wait[T])) }

// Pop is called by package heap.
func (w *waits[T]) Pop() any {
	last := len(*w) - 1
	x := (*w)[last]
	(*w)[last] = wait[T]{}
	*w = (*w)[:last]
	return x
}

// lower lowers all versions to one. The order stays.
func (w waits[T]) lower(version uint64) {
	for i := range w {
		w[i].left = min(w[i].left, version)
	}
}

// minWaits is the least number of waits at which void ones are dropped.
const minWaits = 64

// push adds a wait.
func (s *Scope[T]) push(w wait[T]) {
	if len(s.waits) >= s.limit {
		s.waits = slices.DeleteFunc(s.waits, func(w wait[T]) bool { return w.record.turn != w.turn })
		heap.Init(&s.waits)
		s.limit = max(minWaits, 2*len(s.waits))
	}
	heap.Push(&s.waits, w)
}
