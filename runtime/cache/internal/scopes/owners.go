// Package scopes knows which scope of an informer speaks about each object of its cache. A scope is a part
// of a collection that is listed and watched on its own, by a Reflector. Scopes share no object, so each object
// has at most one owner, and deltas of another scope for it are dropped.
//
//	SetScopes ─▶ Set        ─▶ owners of new regions, and scopes that are no longer needed
//	event     ─▶ Owner      ─▶ is the scope that reports it the owner?
//	          ─▶ Note       ─▶ how far the owner is, where another scope will take over
//	list      ─▶ MinVersion ─▶ Commit: the new scope is the owner from now on
//
// A scope never changes. If a namespace gets another one, the new scope takes over when it has listed the
// namespace, and is not behind what the old one has reported of it. Until then the old one goes on. So a new scope
// that the server refuses makes nothing stale, and no state goes backwards. docs/design/scopes.md has the rules,
// and FuzzMoves tries them with random histories.
//
// The package has no I/O and no goroutines. Its callers hold a lock, but for those of Owner.
package scopes

import (
	"maps"
	"sync"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
)

// noScope is the ID of no scope. It is the owner of objects that no scope has.
const noScope = ^frontier.ID(0)

// Region has the objects that a scope may have, apart from its selectors.
type Region struct {
	// IsWide is set if it has each namespace that no other region names.
	IsWide bool
	// Namespace is the namespace that it has if IsWide is not set. It is empty for a cluster-scoped kind.
	Namespace string
	// Name, if it is not empty, is the name of its only object.
	Name string
}

// Scope is a region with the scope that has it.
type Scope struct {
	frontier.ID
	Region
}

// layout assigns regions to scopes.
type layout struct {
	names map[listed.Name]frontier.ID
	// spaces has noScope for a namespace in which only the objects in names have a scope.
	spaces map[string]frontier.ID
	// wide has all other namespaces, or is noScope.
	wide frontier.ID
}

func newLayout() layout { return layout{wide: noScope} } // an informer of all namespaces needs no maps

// of returns the scope that has an object, or noScope.
func (l *layout) of(name listed.Name) frontier.ID {
	if len(l.names) > 0 {
		if id, found := l.names[name]; found {
			return id
		}
	}
	if id, found := l.spaces[name.Namespace]; found {
		return id
	}
	return l.wide
}

// add assigns a region.
func (l *layout) add(s Scope) {
	switch {
	case s.IsWide:
		l.wide = s.ID
	case s.Name == "":
		l.setSpace(s.Namespace, s.ID)
	default:
		l.setName(listed.Name{Namespace: s.Namespace, Name: s.Name}, s.ID)
		l.setSpace(s.Namespace, noScope)
	}
}

func (l *layout) setSpace(namespace string, id frontier.ID) {
	if l.spaces == nil {
		l.spaces = map[string]frontier.ID{}
	}
	l.spaces[namespace] = id
}

func (l *layout) setName(name listed.Name, id frontier.ID) {
	if l.names == nil {
		l.names = map[listed.Name]frontier.ID{}
	}
	l.names[name] = id
}

// opening is a scope that has not taken over its region yet.
type opening struct {
	region Region
	// from are the owners of parts of the region, with a version that each has not passed in it.
	from map[frontier.ID]uint64
}

// Owners assigns each object to at most one scope. A new one has no scope.
type Owners struct {
	mu sync.RWMutex // guards owned for readers of other goroutines
	// wanted are the scopes of the last Set, and owned those that speak about the objects now. Everything that is
	// owned is in a wanted region too.
	wanted, owned layout
	openings      map[frontier.ID]*opening
	known         map[frontier.ID]struct{} // the scopes that are wanted or needed
}

// NewOwners returns Owners without a scope.
func NewOwners() *Owners { return &Owners{wanted: newLayout(), owned: newLayout()} }

// Owner returns the scope that speaks about an object, and false if there is none. Any goroutine may call it.
func (o *Owners) Owner(name listed.Name) (frontier.ID, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	id := o.owned.of(name)
	return id, id != noScope
}

// Opening returns the scope that will take over an object. It returns false if none will.
func (o *Owners) Opening(name listed.Name) (frontier.ID, bool) {
	id := o.wanted.of(name)
	return id, o.openings[id] != nil
}

// Extends reports whether a wide region among regions would get a namespace that another scope has now. A wide
// scope that stays has left out such namespaces, so only a new one may have them.
func (o *Owners) Extends(regions []Region) bool {
	next := newLayout()
	for _, region := range regions {
		next.add(Scope{Region: region})
	}
	if next.wide == noScope {
		return false
	}
	for namespace := range o.wanted.spaces {
		if _, isNamed := next.spaces[namespace]; !isNamed {
			return true
		}
	}
	return false
}

// Change has the scopes and names that are no longer in use after Set.
type Change struct {
	// Closed are the scopes that are no longer needed.
	Closed []frontier.ID
	// Namespaces are those where objects may have lost their Owner. If IsWide is set, that may be anywhere.
	Namespaces []string
	IsWide     bool
}

// Set replaces the scopes. Those that were there before have their old IDs. version returns a version that a scope
// has not passed, 0 if it has reported nothing, and false if its versions cannot be compared. Scopes that are opening may be
// ready then, because a part of their regions is no longer there.
func (o *Owners) Set(scopes []Scope, version func(frontier.ID) (uint64, bool)) Change {
	o.mu.Lock()
	defer o.mu.Unlock()
	wanted := newLayout()
	for _, scope := range scopes {
		wanted.add(scope)
	}
	last := o.owned
	o.owned = last.within(&wanted)
	change := last.difference(&o.owned)
	before := o.openings
	o.wanted, o.openings = wanted, nil
	for _, scope := range scopes {
		if last := before[scope.ID]; last != nil {
			o.open(scope.ID, last)
			owners := o.ownersIn(scope)
			maps.DeleteFunc(last.from, func(owner frontier.ID, _ uint64) bool { _, still := owners[owner]; return !still })
			continue
		}
		if _, isKnown := o.known[scope.ID]; isKnown {
			continue // it has its region
		}
		opened := &opening{scope.Region, map[frontier.ID]uint64{}}
		isComparable := true
		for owner := range o.ownersIn(scope) {
			at, isNumber := version(owner)
			opened.from[owner] = at
			isComparable = isComparable && isNumber
		}
		if len(opened.from) > 0 && isComparable {
			o.open(scope.ID, opened)
		} else { // it is alone, or the region waits for its list as it is
			o.assign(scope)
		}
	}
	change.Closed = o.needed()
	return change
}

func (o *Owners) open(id frontier.ID, opened *opening) {
	if o.openings == nil {
		o.openings = map[frontier.ID]*opening{}
	}
	o.openings[id] = opened
}

// difference returns where objects are no longer owned.
func (l *layout) difference(next *layout) (change Change) {
	for namespace, owner := range l.spaces {
		if id, isNamed := next.spaces[namespace]; !isNamed || id != owner || id == noScope {
			change.Namespaces = append(change.Namespaces, namespace)
		}
	}
	for namespace, owner := range next.spaces {
		if _, wasNamed := l.spaces[namespace]; !wasNamed && owner == noScope {
			change.Namespaces = append(change.Namespaces, namespace)
		}
	}
	change.IsWide = l.wide != next.wide
	return change
}

// within returns the owners of the regions that are wanted.
func (l *layout) within(wanted *layout) layout {
	kept := newLayout()
	for name, owner := range l.names {
		if wanted.of(name) != noScope {
			kept.setName(name, owner)
			kept.setSpace(name.Namespace, noScope)
		}
	}
	for namespace, owner := range l.spaces {
		id, isNamed := wanted.spaces[namespace]
		if _, hasNames := kept.spaces[namespace]; !hasNames && (isNamed && id != noScope || !isNamed && wanted.wide != noScope) {
			kept.setSpace(namespace, owner) // also noScope: the wide scope has never had it
		}
	}
	// The scopes that take over from a wide one, or from one of a whole namespace, do so one by one.
	for namespace, id := range wanted.spaces {
		_, isKept := kept.spaces[namespace]
		_, wasNamed := l.spaces[namespace]
		switch {
		case isKept:
		case wasNamed || id == noScope:
			kept.setSpace(namespace, noScope)
		default:
			kept.setSpace(namespace, l.wide)
		}
	}
	for name := range wanted.names {
		if _, isNamed := kept.names[name]; isNamed {
			continue
		}
		kept.setSpace(name.Namespace, noScope)
		if owner := l.of(name); owner != noScope {
			kept.setName(name, owner)
		}
	}
	if wanted.wide != noScope {
		kept.wide = l.wide
	}
	return kept
}

// ownersIn returns the scopes that own a part of the region of a wanted scope.
func (o *Owners) ownersIn(scope Scope) map[frontier.ID]struct{} {
	owners := map[frontier.ID]struct{}{}
	add := func(id frontier.ID) {
		if id != noScope && id != scope.ID {
			owners[id] = struct{}{}
		}
	}
	for name, owner := range o.owned.names {
		if o.wanted.of(name) == scope.ID {
			add(owner)
		}
	}
	for namespace, owner := range o.owned.spaces {
		if o.wanted.of(listed.Name{Namespace: namespace}) == scope.ID {
			add(owner)
		}
	}
	if scope.IsWide {
		add(o.owned.wide)
	}
	return owners
}

// assign makes a wanted scope the owner of its region.
func (o *Owners) assign(scope Scope) {
	for name := range o.owned.names {
		if o.wanted.of(name) == scope.ID {
			delete(o.owned.names, name)
		}
	}
	for namespace := range o.owned.spaces {
		if _, isNamed := o.wanted.spaces[namespace]; !isNamed && scope.IsWide {
			delete(o.owned.spaces, namespace)
		}
	}
	o.owned.add(scope)
}

// needed returns the scopes that are neither wanted nor own anything any more, once.
func (o *Owners) needed() (closed []frontier.ID) {
	needed := map[frontier.ID]struct{}{}
	for _, l := range []*layout{&o.wanted, &o.owned} {
		for _, id := range l.names {
			needed[id] = struct{}{}
		}
		for _, id := range l.spaces {
			needed[id] = struct{}{}
		}
		needed[l.wide] = struct{}{}
	}
	delete(needed, noScope)
	for id := range o.known {
		if _, stays := needed[id]; !stays {
			closed = append(closed, id)
		}
	}
	o.known = needed
	return closed
}

// IsOpening reports whether a scope has not taken over its region yet.
func (o *Owners) IsOpening(id frontier.ID) bool { return o.openings[id] != nil }

// HasOpenings reports whether any scope has not taken over its region yet.
func (o *Owners) HasOpenings() bool { return len(o.openings) > 0 }

// Note records that the owner of an object has reported a state or the end of it, at a version.
func (o *Owners) Note(owner frontier.ID, name listed.Name, version uint64) {
	if opened := o.openings[o.wanted.of(name)]; opened != nil {
		if at, isFrom := opened.from[owner]; isFrom && version > at {
			opened.from[owner] = version
		}
	}
}

// NoteList records that an owner was listed at a version. What it has reported before does not count any more: the
// server may have been restored from a backup.
func (o *Owners) NoteList(owner frontier.ID, version uint64) {
	for _, opened := range o.openings {
		if _, isFrom := opened.from[owner]; isFrom {
			opened.from[owner] = version
		}
	}
}

// MinVersion returns the version that a scope which is opening has to reach before it may take over: the latest one that the
// owners of its region have reported of it.
func (o *Owners) MinVersion(id frontier.ID) (version uint64) {
	for _, reported := range o.openings[id].from {
		version = max(version, reported)
	}
	return version
}

// Commit makes a scope that was opening the owner of its region. from are the scopes that have reported it so far, and closed
// the ones of them that are no longer needed.
func (o *Owners) Commit(id frontier.ID) (from, closed []frontier.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	opened := o.openings[id]
	delete(o.openings, id)
	for owner := range opened.from {
		from = append(from, owner)
	}
	o.assign(Scope{id, opened.region})
	return from, o.needed()
}
