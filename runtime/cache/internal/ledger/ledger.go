package ledger

import (
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/sharding"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// ID identifies a scope. IDs are not used again.
type ID uint32

// Traits are what the ledger has to know of a scope.
type Traits struct {
	Namespace string // empty for all
	// Moves is set if an object that exists can leave the scope.
	Moves bool
	Shard sharding.Selector
	// Excludes reports whether the scope never has objects of these names. It may be nil. Once it has
	// reported true for a name, it does so forever.
	Excludes func(namespace, name string) bool
}

// Scope is an open scope.
type Scope[T wire.Object] struct {
	Traits
	id ID
	// isListed is set when the cache has its first list, and isUnordered if the version of its last list
	// cannot be compared. reached is the version up to which all of its changes were applied.
	isListed, isUnordered bool
	reached               uint64
	// era counts how often the versions of the server went back, as of the last list of the scope.
	era uint32
	// isStale is set if they went back since. Then the scope has to list again: what it has told may be
	// from a future that the server has lost.
	isStale bool
	// held is the number of objects that it holds.
	held int
	// waits has the records that wait for the scope, the lowest version first, and void ones. When
	// it grows to limit, void ones are dropped.
	waits waits[T]
	limit int
	// listed is the version of its last list, 0 if that cannot be compared. From then on the scope tells
	// each change.
	listed uint64
	// advanced is set if Resolve has to look at waits.
	advanced bool
}

// Held returns the number of objects that the scope holds.
func (s *Scope[T]) Held() int { return s.held }

// Reached returns the version up to which all changes of the scope were applied, 0 if it is not known.
func (s *Scope[T]) Reached() uint64 {
	if s.isUnordered {
		return 0
	}
	return s.reached
}

// awaits reports whether the scope still has to tell what it knows of an object that has left another
// scope at a version.
func (s *Scope[T]) awaits(left uint64) bool {
	return !s.isListed || s.isStale || !s.isUnordered && s.reached < left
}

// mayHave reports whether the scope may have an object, now or later.
func (s *Scope[T]) mayHave(name listed.Name, uid types.UID) bool {
	if s.Namespace != "" && s.Namespace != name.Namespace || s.Excludes != nil && s.Excludes(name.Namespace, name.Name) {
		return false
	}
	if s.Shard.Empty() {
		return true
	}
	switch s.Shard.Key() {
	case sharding.UID:
		return uid == "" || s.Shard.Contains(sharding.Hash(string(uid)))
	case sharding.Namespace, sharding.SpreadNamespace:
		return s.Shard.Contains(sharding.HashOf(s.Shard.Key(), name.Namespace))
	}
	return true // the owner of an object may change
}

// Ledger knows which scopes hold each object of a cache. Only the writer of the cache uses it.
type Ledger[T wire.Object] struct {
	scopes map[ID]*Scope[T]
	// byNamespace has the scopes by their Namespace.
	byNamespace map[string][]*Scope[T]
	holdings    holdings
	// era is the latest one.
	era uint32

	records map[listed.Name]*record[T]
	// leaving is the number of records of objects that are leaving.
	leaving int
	// dead has the records of the objects that have ended, the oldest first, and void ones. When it
	// grows to deadLimit, these are dropped.
	dead      []*record[T]
	deadLimit int
	// advanced has the scopes that Resolve has to look at.
	advanced []*Scope[T]
	// asides has the versions of the states that only requests have told.
	asides map[aside]uint64
	// stale are the scopes for TakeStale.
	stale []ID
}

// New returns a Ledger without a scope.
func New[T wire.Object]() *Ledger[T] {
	return &Ledger[T]{
		scopes: map[ID]*Scope[T]{}, byNamespace: map[string][]*Scope[T]{},
		holdings: newHoldings(), records: map[listed.Name]*record[T]{},
	}
}

// Open adds a scope, which is not listed yet.
func (l *Ledger[T]) Open(id ID, traits Traits) *Scope[T] {
	s := &Scope[T]{Traits: traits, id: id, era: l.era, limit: minWaits}
	l.scopes[id] = s
	l.byNamespace[traits.Namespace] = append(l.byNamespace[traits.Namespace], s)
	for _, r := range l.records {
		if r.state == leaving && s.mayHave(r.name, r.uid) {
			s.push(wait[T]{r, r.turn, r.left})
			r.waiting++
		}
	}
	return s
}

// Adopt returns the Tag of n objects that a scope has told while it was the only one.
func (l *Ledger[T]) Adopt(s *Scope[T], n int) Tag {
	s.held, s.isListed = s.held+n, n > 0
	return l.holdings.change(step{0, tell, s.id, s.era})
}

// Scope returns an open scope, or nil.
func (l *Ledger[T]) Scope(id ID) *Scope[T] { return l.scopes[id] }

// Narrow records that Excludes of a scope reports true for more objects than before. The caller calls
// End for each object that it returns, and Forsake for those that the scope holds.
func (l *Ledger[T]) Narrow(s *Scope[T]) (over []Over[T]) {
	for _, r := range l.records {
		if r.state != leaving || !s.Excludes(r.name.Namespace, r.name.Name) {
			continue
		}
		if l.await(r, leaving); r.waiting == 0 {
			over = l.resolve(r, over)
		}
	}
	return over
}

// Close removes a scope. The caller calls Forsake for each object that it holds, and then Resolve.
func (l *Ledger[T]) Close(s *Scope[T]) {
	delete(l.scopes, s.id)
	of := l.byNamespace[s.Namespace]
	if of = slices.DeleteFunc(of, func(other *Scope[T]) bool { return other == s }); len(of) == 0 {
		delete(l.byNamespace, s.Namespace)
	} else {
		l.byNamespace[s.Namespace] = of
	}
	s.isListed, s.isUnordered, s.isStale = true, true, false // it keeps no record waiting
	maps.DeleteFunc(l.asides, func(a aside, _ uint64) bool { return a.scope == s.id })
	l.advance(s)
}

func nameOf[T wire.Object](obj T) listed.Name {
	return listed.Name{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// Parse returns a version as a number, 0 if it cannot be compared.
func Parse(resourceVersion string) uint64 {
	version, err := strconv.ParseUint(resourceVersion, 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// Reach records that all changes of a scope up to a version were applied, with that of an event or a
// bookmark. So the scope has been listed.
func (l *Ledger[T]) Reach(s *Scope[T], version uint64) {
	if s.isListed && version <= s.reached {
		return
	}
	s.isListed, s.reached = true, max(s.reached, version)
	l.advance(s)
}

// List records that a scope was listed at a version, before Judge is called for its objects. If
// that is earlier than what the scope has reached, the server was restored from a backup. What was
// told before has no order with what follows.
func (l *Ledger[T]) List(s *Scope[T], version uint64) {
	switch {
	case s.isStale: // another scope has noticed it
		s.isStale, s.reached = false, version
	case version != 0 && version < s.reached:
		l.rewind(s, version)
	}
	s.era = l.era // a list is what the server has now
	s.isListed, s.isUnordered = true, version == 0
	s.reached, s.listed = max(s.reached, version), version
	l.confirmListed(s, version)
	l.advance(s)
}

// rewind records that a scope was listed at a version of a server that was restored. All other scopes
// have to list again. One whose watch is behind that version would go on, and not say that an object
// has lost a state that only others have told.
func (l *Ledger[T]) rewind(s *Scope[T], version uint64) {
	l.era++
	clear(l.asides) // each scope lists again
	s.reached = version
	for _, other := range l.scopes {
		switch {
		case other == s || other.isStale:
		case !other.isListed: // it has told nothing so far
			other.era = l.era
		default:
			other.isStale = true
			l.relist(other)
		}
		other.listed = min(other.listed, version)
		other.waits.lower(version)
	}
	for _, r := range l.records {
		if r.state == ended {
			l.drop(r)
			continue
		}
		if r.absent = nil; r.left > version {
			r.left, r.hasFinal = version, false
		}
		for other := range l.candidates(r) {
			if other.isStale {
				other.push(wait[T]{r, r.turn, r.left})
				r.waiting++
			}
		}
	}
}

// Doubt records that a scope, which lists again, has told a version that is not of this server. What was told before
// has no order with what follows, so all other scopes have to list again too.
func (l *Ledger[T]) Doubt(s *Scope[T]) { l.rewind(s, s.reached) }

// relist adds a scope to the result of TakeStale.
func (l *Ledger[T]) relist(s *Scope[T]) {
	if !slices.Contains(l.stale, s.id) {
		l.stale = append(l.stale, s.id)
	}
}

// TakeStale returns the scopes that have to be listed again, each once.
func (l *Ledger[T]) TakeStale() (ids []ID) {
	ids, l.stale = l.stale, nil
	return ids
}

func (l *Ledger[T]) advance(s *Scope[T]) {
	if !s.advanced && len(s.waits) > 0 {
		s.advanced = true
		l.advanced = append(l.advanced, s)
	}
}

// Verdict is what to do with a state that a scope tells.
type Verdict uint8

const (
	// Ignore: it has no effect.
	Ignore Verdict = iota
	// Hold: the cached state is later, or the same. The scope holds the object.
	Hold
	// Compare: it has the version of the cached state. Hold, or Store if the content differs.
	Compare
	// Store: it is later.
	Store
)

// Judge decides about a state of an object that is cached with a Tag, at the version cached. Within
// one scope the last state counts. Otherwise the one with the later version does, if both are of the
// same era. A scope that is stale may tell a lost state, and lists again.
func (l *Ledger[T]) Judge(s *Scope[T], tag Tag, cached, told string, aside bool) Verdict {
	h := &l.holdings.all[tag]
	version := Parse(told)
	if aside && version != 0 && version <= s.reached {
		return Ignore // the watch has told what became of it
	}
	switch isOwn := !aside && !h.isAside && h.teller == s.id; {
	case told == cached:
		return Compare
	case isOwn || h.era < s.era:
		return Store
	case h.era > s.era:
		return Hold
	}
	if has := Parse(cached); version == 0 || has == 0 || version > has {
		return Store
	} else if version == has {
		return Compare
	}
	return Hold
}

// JudgeListed is Judge for a state in a list, after List.
func (l *Ledger[T]) JudgeListed(s *Scope[T], tag Tag, cached, told string) Verdict {
	verdict := l.Judge(s, tag, cached, told, false)
	if verdict == Hold && s.listed != 0 && Parse(cached) <= s.listed {
		return Store // the server was restored from a backup, and no scope has noticed that
	}
	return verdict
}

// Admit reports whether a state of an object that is not cached is stored. It is not if the object has
// ended since.
func (l *Ledger[T]) Admit(s *Scope[T], name listed.Name, told string, aside bool) bool {
	if len(l.records) == 0 && !aside {
		return true // nearly always
	}
	version := Parse(told)
	if aside && version != 0 && version <= s.reached {
		return false
	}
	r := l.records[name]
	return r == nil || version == 0 || version > r.left || !s.awaits(r.left) && !aside
}

// Hold records that a scope has an object that is cached with a Tag, and returns its next Tag.
func (l *Ledger[T]) Hold(s *Scope[T], tag Tag, cached T) Tag {
	h := &l.holdings
	do := step{tag, hold, s.id, 0}
	if h.all[tag].era < s.era { // the scope has told the same state, which counts in this era then
		do = step{tag, tell, s.id, s.era}
	}
	to := h.change(do)
	if h.has(tag, s.id) {
		return to
	}
	s.held++
	if len(l.records) > 0 && !h.isHeld(tag) {
		if r := l.records[nameOf(cached)]; r != nil {
			if r.left <= Parse(cached.GetResourceVersion()) {
				l.drop(r)
			} else {
				l.stay(r)
			}
		}
	}
	return to
}

// Store records that a scope has told the state that is stored, and returns the next Tag of the
// object; tag is 0 for one that was not cached. final is the last state of the object that was
// cached under the name, if another scope has told it.
func (l *Ledger[T]) Store(s *Scope[T], tag Tag, name listed.Name, told string, aside bool) (to Tag, final T, hasFinal bool) {
	h := &l.holdings
	if !h.has(tag, s.id) {
		s.held++
	}
	if len(l.records) > 0 {
		if r := l.records[name]; r != nil {
			final, hasFinal = r.final, r.hasFinal
			if version := Parse(told); r.state == ended || version == 0 || version >= r.left {
				l.drop(r)
			} else {
				l.stay(r)
			}
		}
	}
	do := tell
	if aside {
		do = tellAside
		l.expect(s, name, Parse(told))
	}
	return h.change(step{tag, do, s.id, s.era}), final, hasFinal
}

// Holds reports whether a scope holds the objects with a Tag.
func (l *Ledger[T]) Holds(s *Scope[T], tag Tag) bool { return l.holdings.has(tag, s.id) }

// IsRepeated reports whether the deletion of an object that was replaced by the cached one is an
// event that the scope has told before.
func (l *Ledger[T]) IsRepeated(s *Scope[T], tag Tag, version uint64) bool {
	h := &l.holdings.all[tag]
	return !h.isAside && h.teller == s.id || version < s.reached
}

// Compact is called now and then with the Tags of all objects, which it may change.
func (l *Ledger[T]) Compact(tags []uint32) {
	if len(l.holdings.all) > l.holdings.limit {
		l.holdings.compact(tags)
	}
}
