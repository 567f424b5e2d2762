package cache

import (
	"slices"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/ledger"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/store"
	"github.com/typedinformers/informer-gen/runtime/internal/identity"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// scopeID identifies a scope of an informer, in the order in which they were opened. IDs are not used again.
type scopeID = ledger.ID

// scopeTraits are what the cache needs to know of a scope. Moves is set if an object that exists can
// leave the scope: by a selector of labels or fields, or by a shard of owners. Then a Deleted may be
// about an object that has moved to another scope.
type scopeTraits = ledger.Traits

// traits returns what the cache needs to know of the scope.
func (r *Reflector[T]) traits() scopeTraits {
	rule := r.config.rule
	if rule == nil {
		return scopeTraits{Namespace: r.config.Namespace}
	}
	traits := scopeTraits{Namespace: r.config.Namespace, Moves: rule.Moves || rule.Shard.Key() == sharding.Owner, Shard: rule.Shard}
	if rule.HasTerms() {
		traits.Excludes = rule.Excludes
	}
	return traits
}

// openScope adds a scope, before its first delta. It may be called at any time.
func (x *Indexer[T]) openScope(id scopeID, traits scopeTraits) {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.scopes == nil && !x.only.isOpen {
		x.only.id, x.only.traits, x.only.isOpen = id, traits, true
		return
	}
	x.keepScopes()
	x.scopes.Open(id, traits)
}

// keepScopes begins to distinguish scopes. The objects so far are those of the only scope.
func (x *Indexer[T]) keepScopes() {
	if x.scopes == nil {
		x.scopes = ledger.New[T]()
		only := x.scopes.Open(x.only.id, x.only.traits)
		x.store.KeepTags(uint32(x.scopes.Adopt(only, x.store.Count())))
	}
}

// closeScope removes a scope. It returns notifications of the objects that no other scope has, or
// may have: a scope that was not listed yet. Later deltas of the scope have no effect.
func (x *Indexer[T]) closeScope(id scopeID) (notes []processor.Notification[T]) {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.keepScopes()
	s := x.scopes.Scope(id)
	if s == nil {
		return nil
	}
	x.scopes.Close(s)
	x.store.Begin()
	defer x.store.End()
	var over []uint32
	tags := x.store.Tags()
	x.eachHeld(s, func(slot uint32) {
		old := x.store.At(slot)
		to, isOver, last := x.scopes.Forsake(s, ledger.Tag(tags[slot]), old)
		tags[slot] = uint32(to)
		if isOver {
			over, notes = append(over, slot), append(notes, noteEnd(old, &last))
		}
	})
	over, notes = x.resolve(over, notes, x.scopes.Resolve())
	x.store.RemoveAll(over)
	x.scopes.Compact(x.store.Tags())
	return notes
}

// narrowScope records that a scope does not have some namespaces any more, which its traits exclude now.
// It returns notifications as closeScope does. Deltas of the scope about these namespaces have no
// effect any more.
func (x *Indexer[T]) narrowScope(id scopeID, namespaces []string) (notes []processor.Notification[T]) {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.keepScopes() // which drops such deltas
	s := x.scopes.Scope(id)
	if s == nil {
		return nil
	}
	x.store.Begin()
	defer x.store.End()
	over, notes := x.resolve(nil, nil, x.scopes.Narrow(s))
	tags := x.store.Tags()
	for _, namespace := range namespaces {
		for _, slot := range x.store.SlotsOf(namespace) {
			if !x.scopes.Holds(s, ledger.Tag(tags[slot])) {
				continue
			}
			old := x.store.At(slot)
			to, isOver, last := x.scopes.Forsake(s, ledger.Tag(tags[slot]), old)
			tags[slot] = uint32(to)
			if isOver {
				over, notes = append(over, slot), append(notes, noteEnd(old, &last))
			}
		}
	}
	x.store.RemoveAll(over)
	x.scopes.Compact(x.store.Tags())
	return notes
}

// doubtScope records that a scope has told a version that is not of this server. Other scopes may keep what was told.
func (x *Indexer[T]) doubtScope(id scopeID) {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.scopes == nil {
		return
	}
	if s := x.scopes.Scope(id); s != nil {
		x.scopes.Doubt(s)
	}
}

// excludes reports whether a scope cannot have an item. It is nearly always in a namespace that was
// removed from the scope after the item was read.
func excludes[T Object](s *ledger.Scope[T], item *Item[T]) bool {
	if s == nil || s.Excludes == nil {
		return false
	}
	name := nameOf(item)
	return s.Excludes(name.Namespace, name.Name)
}

// eachHeld calls yield with the slot of each object that a scope holds.
func (x *Indexer[T]) eachHeld(s *ledger.Scope[T], yield func(slot uint32)) {
	if s.Held() == 0 {
		return
	}
	tags := x.store.Tags()
	if s.Namespace != "" {
		for _, slot := range x.store.SlotsOf(s.Namespace) {
			if x.scopes.Holds(s, ledger.Tag(tags[slot])) {
				yield(slot)
			}
		}
		return
	}
	for slot, tag := range tags {
		if x.scopes.Holds(s, ledger.Tag(tag)) {
			yield(uint32(slot))
		}
	}
}

// reachScope records that all deltas of a scope up to a version were applied. It returns notifications
// of the objects that have left another scope by then.
func (x *Indexer[T]) reachScope(id scopeID, version string) (notes []processor.Notification[T]) {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.scopes == nil {
		return nil
	}
	if s := x.scopes.Scope(id); s != nil {
		x.scopes.Reach(s, ledger.Parse(version))
		notes = x.remove(nil, x.scopes.Resolve())
	}
	return notes
}

// absentFrom records that a list of a scope at a version does not have the object of that name. The
// watch of the scope need not have reached the version.
func (x *Indexer[T]) absentFrom(id scopeID, name listed.Name, version uint64) (notes []processor.Notification[T]) {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.scopes == nil {
		return nil
	}
	s := x.scopes.Scope(id)
	if s == nil {
		return nil
	}
	return x.remove(nil, x.scopes.Absent(s, name, version))
}

// remove removes objects, and notes it. It is not called between Begin and End.
func (x *Indexer[T]) remove(notes []processor.Notification[T], all []ledger.Over[T]) []processor.Notification[T] {
	if len(all) == 0 {
		return notes
	}
	x.store.Begin()
	defer x.store.End()
	over, notes := x.resolve(nil, notes, all)
	x.store.RemoveAll(over)
	return notes
}

// resolve notes the end of objects that have left all scopes, and adds their slots to over.
func (x *Indexer[T]) resolve(over []uint32, notes []processor.Notification[T], all []ledger.Over[T]) ([]uint32, []processor.Notification[T]) {
	for i := range all {
		o := &all[i]
		slot, old, known := x.store.Find(o.Name.Namespace, o.Name.Name, store.HashOf(o.Name.Namespace, o.Name.Name))
		if known {
			x.scopes.End(*o, ledger.Tag(x.store.Tags()[slot]), old)
			over, notes = append(over, slot), append(notes, noteEnd(old, &o.Departure))
		}
	}
	return over, notes
}

// noteEnd returns the notification of the end of old, the cached object.
func noteEnd[T Object](old T, last *ledger.Departure[T]) processor.Notification[T] {
	if last.HasFinal && last.Final.GetUID() == old.GetUID() {
		return processor.Notification[T]{Kind: processor.Delete, Old: old, Obj: last.Final}
	}
	return processor.Notification[T]{Kind: processor.Delete, Old: old, Obj: old, FinalStateUnknown: true}
}

// leaving returns the number of cached objects that no scope has, and some scope may still have.
func (x *Indexer[T]) leaving() int {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.scopes == nil {
		return 0
	}
	return x.scopes.Leaving()
}

// staleScopes returns the scopes that have to be listed again, because the list of another one shows that
// the server was restored from a backup. It returns each once.
func (x *Indexer[T]) staleScopes() []scopeID {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.scopes == nil {
		return nil
	}
	return x.scopes.TakeStale()
}

// departed returns the result of leaving, and whether anything is recorded of objects that have left a
// scope, until the others have reached the version.
func (x *Indexer[T]) departed() (leaving int, hasRecords bool) {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.scopes == nil {
		return 0, false
	}
	return x.scopes.Leaving(), x.scopes.HasRecords()
}

// awaitedFrom returns the objects that have waited for a scope since before that time.
func (x *Indexer[T]) awaitedFrom(id scopeID, before time.Time) []ledger.Awaited {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.scopes == nil {
		return nil
	}
	s := x.scopes.Scope(id)
	if s == nil {
		return nil
	}
	return x.scopes.AwaitedFrom(s, before)
}

// changeScopes is the part of change that stores, for several scopes.
func (x *Indexer[T]) changeScopes(notes []processor.Notification[T], deltas Deltas[T]) []processor.Notification[T] {
	entries := x.entries
	var s *ledger.Scope[T]
	for i := range deltas {
		delta := &deltas[i]
		var e *store.Entry[T]
		if delta.isState() {
			e, entries = &entries[0], entries[1:]
		}
		if delta.Type == Sync {
			notes = x.resync(withRoom(notes, x.store.Count()+len(deltas)-i))
			continue
		}
		if s = x.scopes.Scope(delta.scope); s == nil {
			continue
		}
		if !delta.aside && x.scopes.HasAsides() {
			x.scopes.Confirm(s, listed.Name(nameOf(&delta.Item)), ledger.Parse(versionOf(delta)))
		}
		if excludes(s, &delta.Item) {
			if !delta.aside {
				x.scopes.Reach(s, ledger.Parse(versionOf(delta)))
			}
			continue
		}
		if delta.Type == Deleted {
			notes = x.leave(notes, s, delta)
			continue
		}
		if !delta.aside {
			x.scopes.Reach(s, ledger.Parse(versionOf(delta)))
		}
		if e != nil {
			notes = x.tell(notes, s, delta, e)
		} else {
			x.holdUndecodable(s, delta)
		}
	}
	over, notes := x.resolve(nil, notes, x.scopes.Resolve())
	x.store.RemoveAll(over)
	return notes
}

// judge decides about a state of the object old in a slot.
func (x *Indexer[T]) judge(s *ledger.Scope[T], slot uint32, old T, delta *Delta[T]) ledger.Verdict {
	return x.scopes.Judge(s, ledger.Tag(x.store.Tags()[slot]), old.GetResourceVersion(), delta.Object.GetResourceVersion(), delta.aside)
}

// judgeListed does the same for an item of a list.
func (x *Indexer[T]) judgeListed(s *ledger.Scope[T], slot uint32, old T, item *Item[T]) ledger.Verdict {
	return x.scopes.JudgeListed(s, ledger.Tag(x.store.Tags()[slot]), old.GetResourceVersion(), item.Object.GetResourceVersion())
}

// tell applies a new state of an object.
func (x *Indexer[T]) tell(notes []processor.Notification[T], s *ledger.Scope[T], delta *Delta[T], e *store.Entry[T]) []processor.Notification[T] {
	slot, old := e.Slot, e.Old
	known := !identity.IsNil(old) && x.store.IsAt(slot, old)
	if !known {
		slot, old, known = x.store.Find(e.Namespace, e.Name, e.Hash)
	}
	if !known {
		if !x.scopes.Admit(s, listed.Name{Namespace: e.Namespace, Name: e.Name}, e.Object.GetResourceVersion(), delta.aside) {
			return notes
		}
		slot = uint32(x.store.Count())
		notes = x.put(notes, e)
		x.tag(s, e, slot, delta.aside)
		return notes
	}
	verdict := x.judge(s, slot, old, delta)
	if verdict == ledger.Compare && isSame(old, x.store.ContentHash(slot), &delta.Item) {
		verdict = ledger.Hold
	}
	switch verdict {
	case ledger.Hold:
		tags := x.store.Tags()
		tags[slot] = uint32(x.scopes.Hold(s, ledger.Tag(tags[slot]), old))
		return notes
	case ledger.Ignore:
		return notes
	}
	notes = x.put(notes, e)
	last := x.tag(s, e, slot, delta.aside)
	if n := len(notes); last.HasFinal && old.GetUID() != e.Object.GetUID() && last.Final.GetUID() == old.GetUID() {
		notes[n-2] = noteEnd(old, &last)
	}
	return notes
}

// tag records that a scope has told the object of an entry, which is in a slot. It returns the last
// state that another scope has told of the object before it.
func (x *Indexer[T]) tag(s *ledger.Scope[T], e *store.Entry[T], slot uint32, aside bool) (last ledger.Departure[T]) {
	tags := x.store.Tags()
	name := listed.Name{Namespace: e.Namespace, Name: e.Name}
	to, final, hasFinal := x.scopes.Store(s, ledger.Tag(tags[slot]), name, e.Object.GetResourceVersion(), aside)
	tags[slot] = uint32(to)
	return ledger.Departure[T]{Final: final, HasFinal: hasFinal}
}

// holdUndecodable records that a scope has a state of an object that cannot be decoded.
func (x *Indexer[T]) holdUndecodable(s *ledger.Scope[T], delta *Delta[T]) {
	name := nameOf(&delta.Item)
	slot, old, known := x.store.Find(name.Namespace, name.Name, store.HashOf(name.Namespace, name.Name))
	if uid, _ := listed.IdentityOf(&delta.Item); known && (uid == "" || uid == old.GetUID()) {
		tags := x.store.Tags()
		tags[slot] = uint32(x.scopes.Hold(s, ledger.Tag(tags[slot]), old))
	}
}

// leave applies the end of an object in a scope.
func (x *Indexer[T]) leave(notes []processor.Notification[T], s *ledger.Scope[T], delta *Delta[T]) []processor.Notification[T] {
	name := nameOf(&delta.Item)
	uid, resourceVersion := listed.IdentityOf(&delta.Item)
	version := ledger.Parse(resourceVersion)
	slot, old, known := x.store.Find(name.Namespace, name.Name, store.HashOf(name.Namespace, name.Name))
	if !known {
		if !delta.aside {
			x.scopes.Reach(s, version)
		}
		return notes
	}
	tags := x.store.Tags()
	another := uid != "" && old.GetUID() != "" && uid != old.GetUID()
	if another && protocol.IsEarlier(resourceVersion, old.GetResourceVersion()) && x.scopes.IsRepeated(s, ledger.Tag(tags[slot]), version) {
		return notes // a server sends the deletion of a replaced object again
	}
	if !delta.aside {
		x.scopes.Reach(s, version)
	}
	to, isOver, last := x.scopes.Leave(s, ledger.Tag(tags[slot]), old, ledger.Departure[T]{
		Version: version, Final: delta.Object, HasFinal: delta.Err == nil, IsEnd: delta.aside,
	})
	tags[slot] = uint32(to)
	if !isOver {
		return notes
	}
	x.store.Remove(slot)
	return append(notes, noteEnd(old, &last))
}

// endListing ends the listing of a scope, before what is new is stored. The scope holds the
// objects that it has listed. It does not have its others.
func (x *Indexer[T]) endListing(notes []processor.Notification[T], r *listing[T]) []processor.Notification[T] {
	tags := x.store.Tags()
	version := r.scope.Reached()
	var over []uint32
	x.eachHeld(r.scope, func(slot uint32) {
		if r.kept.Has(slot) {
			return
		}
		old := x.store.At(slot)
		to, isOver, last := x.scopes.Leave(r.scope, ledger.Tag(tags[slot]), old, ledger.Departure[T]{Version: version})
		tags[slot] = uint32(to)
		if isOver {
			over, notes = append(over, slot), append(notes, noteEnd(old, &last))
		}
	})
	for slot := range r.kept.All() {
		tags[slot] = uint32(x.scopes.Hold(r.scope, ledger.Tag(tags[slot]), x.store.At(slot)))
	}
	over, notes = x.resolve(over, notes, x.scopes.Resolve())
	x.store.RemoveAll(over)
	return notes
}

// awaitScopes notes whether objects wait for scopes, and lists scopes again that have to be. The mutex is held.
func (s *SharedIndexInformer[T]) awaitScopes() {
	if s.prober == nil {
		return // there is one scope
	}
	if stale := s.indexer.staleScopes(); len(stale) > 0 {
		for _, r := range s.controller.reflectors() {
			if slices.Contains(stale, r.id) {
				r.relist(Restored)
			}
		}
	}
	leaving, hasRecords := s.indexer.departed()
	isAwaiting, wasAwaiting := leaving > 0, s.awaiting.Load()
	if wasAwaiting != isAwaiting {
		s.awaiting.Store(isAwaiting)
	}
	if s.recalls.Load() != hasRecords {
		s.recalls.Store(hasRecords)
	}
	if isAwaiting || wasAwaiting {
		s.prober.schedule.Wake()
	}
}

// reachScopes tells the cache which versions the scopes have reached, if no deltas wait. Otherwise it
// is called again when they were processed.
func (s *SharedIndexInformer[T]) reachScopes() {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.controller.reflectors()
	versions := make([]string, len(all))
	for i, r := range all {
		versions[i] = r.status.Version()
	}
	if !s.controller.queue.IsIdle() { // a Reflector pushes the deltas before it sets their version
		return
	}
	var notes []processor.Notification[T]
	for i, r := range all {
		if r.listed && versions[i] != "" {
			notes = append(notes, s.indexer.reachScope(r.id, versions[i])...)
		}
	}
	s.processor.Deliver(processor.Batch[T]{Notes: notes, Received: stats.Now()}, nil)
	s.awaitScopes()
}
