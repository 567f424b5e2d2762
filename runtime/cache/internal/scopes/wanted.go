package scopes

import (
	"iter"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
)

// Wanted is a scope of a partition.
type Wanted struct {
	*informer.Scope
	Region
	// IsHeld is set while the objects that the scope has read are not in the cache, because another one still has them.
	IsHeld atomic.Bool
	// LeaveOut makes the scope drop the objects of some namespaces, which it never has again. It is nil unless the scope has all
	// namespaces that no other one names.
	LeaveOut func(namespaces []string)

	isWanted bool
}

// Follower is a feature behind a Partition that keeps something for each scope.
type Follower interface {
	// Follow is called when other scopes are open. isWhole is not set.
	Follow(open iter.Seq[*informer.Scope], isWhole bool)
	// Move is called when a scope takes over some names from another one, before its list is admitted.
	Move(from, to frontier.ID, has func(listed.Name) bool)
	// Behind returns a version above after that a scope has to reach before it may take over, and 0 if there is none.
	Behind(id frontier.ID, after uint64) uint64
}
