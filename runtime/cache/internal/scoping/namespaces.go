package scoping

import (
	"maps"
	"slices"
	"sync/atomic"
)

// Namespaces is a set of namespaces that one watch of all namespaces follows. Namespaces are removed
// from it while it is in use, and never added. Two sets are the same only if their pointers are.
type Namespaces struct {
	names atomic.Pointer[map[string]struct{}] // the map does not change
	// except is set if names are those that are not in the set.
	except bool
}

// NewNamespaces returns a set.
func NewNamespaces(names []string) *Namespaces {
	all := make(map[string]struct{}, len(names))
	for _, name := range names {
		all[name] = struct{}{}
	}
	n := &Namespaces{}
	n.names.Store(&all)
	return n
}

// NewOtherNamespaces returns a set of all namespaces.
func NewOtherNamespaces() *Namespaces {
	n := NewNamespaces(nil)
	n.except = true
	return n
}

// Has reports whether a namespace is in the set. A nil set has all namespaces.
func (n *Namespaces) Has(name string) bool {
	if n == nil {
		return true
	}
	_, has := (*n.names.Load())[name]
	return has != n.except
}

// HasText is Has for the text of a name, which it does not copy.
func (n *Namespaces) HasText(name []byte) bool {
	if n == nil {
		return true
	}
	_, has := (*n.names.Load())[string(name)]
	return has != n.except
}

// Len returns the number of namespaces, 0 for a nil set.
func (n *Namespaces) Len() int {
	if n == nil {
		return 0
	}
	return len(*n.names.Load())
}

// Without returns the namespaces of the set that are not in others, sorted.
func (n *Namespaces) Without(others []string) []string {
	left := maps.Clone(*n.names.Load())
	for _, name := range others {
		delete(left, name)
	}
	return slices.Sorted(maps.Keys(left))
}

// Remove removes namespaces. One goroutine at a time may call it.
func (n *Namespaces) Remove(names []string) {
	left := maps.Clone(*n.names.Load())
	for _, name := range names {
		if n.except {
			left[name] = struct{}{}
		} else {
			delete(left, name)
		}
	}
	n.names.Store(&left)
}

// minApart is how many namespaces may have watches of their own next to one of all namespaces, at
// least.
const minApart = 16

// Plan divides namespaces, which have no duplicates, among watches. If there are more than above, wide has
// the namespaces that one watch of all namespaces follows, and apart has those with watches of their own.
// Otherwise wide is nil. have is the wide set of the watch that is open, or nil.
//
// It keeps have as long as that is possible, because a new set has to be listed: while few namespaces
// are added, and until at most half of above are left. The caller removes from have the namespaces that
// are no longer there.
func Plan(namespaces []string, have *Namespaces, above int) (wide *Namespaces, apart []string) {
	if len(namespaces) <= above && (have == nil || 2*len(namespaces) <= above) {
		return nil, namespaces
	}
	if have != nil {
		apart = slices.DeleteFunc(slices.Clone(namespaces), have.Has)
		if len(apart) < len(namespaces) && len(apart) <= max(above, minApart) {
			return have, apart
		}
	}
	return NewNamespaces(namespaces), nil
}
