package ledger

import (
	"maps"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
)

// aside is a state that a request of a scope has told, before the watch of the scope has reached its version.
type aside struct {
	scope ID
	name  listed.Name
}

// expect records that the watch of a scope, or its next list, has to confirm the state at a version.
func (l *Ledger[T]) expect(s *Scope[T], name listed.Name, version uint64) {
	if version == 0 || s.isUnordered {
		return
	}
	if l.asides == nil {
		l.asides = map[aside]uint64{}
	}
	l.asides[aside{s.id, name}] = version
}

// Confirm records that the watch of a scope has told a state or the end of an object.
func (l *Ledger[T]) Confirm(s *Scope[T], name listed.Name, version uint64) {
	if at, known := l.asides[aside{s.id, name}]; known && version >= at {
		delete(l.asides, aside{s.id, name})
	}
}

// HasAsides reports whether states of requests are not confirmed yet.
func (l *Ledger[T]) HasAsides() bool { return len(l.asides) > 0 }

// confirmListed drops the asides of a scope up to the version of its list. The list replaces them.
func (l *Ledger[T]) confirmListed(s *Scope[T], version uint64) {
	maps.DeleteFunc(l.asides, func(a aside, at uint64) bool { return a.scope == s.id && (version == 0 || at <= version) })
}

// findLost begins a new era, and lists all scopes again, if the watch of a scope has passed the version of a
// state that a request has told, and has not told that state. The server was restored from a backup then. If
// no watch had reached a version that the server has lost, nothing else shows that. Another scope may
// hold the object too, and keep the lost state.
func (l *Ledger[T]) findLost() {
	for a, at := range l.asides {
		s := l.scopes[a.scope]
		if s.Excludes != nil && s.Excludes(a.name.Namespace, a.name.Name) { // its events are left out
			delete(l.asides, a)
			continue
		}
		if s.reached < at {
			continue
		}
		if !s.isStale {
			s.isStale = true
			l.relist(s)
		}
		l.rewind(s, s.reached)
		return // without asides
	}
}
