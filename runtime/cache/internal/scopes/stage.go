package scopes

import (
	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Stage has the list of a scope that is opening, and the events after it. The zero value is empty.
type Stage struct {
	list     listed.List
	isListed bool
	// version is the version of the last list or event, 0 if it cannot be compared.
	version uint64
}

// Replace makes the stage that of a list. It takes over the slice.
func (s *Stage) Replace(items []wire.Item, version uint64) {
	s.list.Clear()
	s.list.AddPage(items)
	s.isListed, s.version = true, version
}

// Apply adds an event, which is no bookmark.
func (s *Stage) Apply(event watch.EventType, item *wire.Item, version uint64) {
	s.list.Apply(event, item)
	s.Reach(version)
}

// Reach records that the scope has reported everything up to a version.
func (s *Stage) Reach(version uint64) {
	if s.version != 0 { // otherwise the list could not be compared
		s.version = max(s.version, version)
	}
}

// IsListed reports whether there is a list, and Version up to which version it is complete.
func (s *Stage) IsListed() bool { return s.isListed }

// Version returns the version up to which the stage is complete, 0 if that cannot be compared.
func (s *Stage) Version() uint64 { return s.version }

// Items returns the list after the events. The caller owns the slice.
func (s *Stage) Items() []wire.Item { return s.list.Items() }
