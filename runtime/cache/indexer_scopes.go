package cache

import (
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// scopeID identifies a scope of an informer, in the order in which they were opened. Ids are not used again.
type scopeID uint32

// scopeTraits are what the cache needs to know of a scope.
type scopeTraits struct {
	namespace string // empty for all
	// moves is set if an object that exists can leave the scope: by a selector of labels or fields, or
	// by a shard of owners. Then a Deleted may be about an object that has moved to another scope.
	moves bool
	shard sharding.Selector
	// excludes reports whether the scope never has objects of these names. It may be nil.
	excludes func(namespace, name string) bool
}

// openScope adds a scope, before its first delta. It may be called at any time.
func (x *Indexer[T]) openScope(id scopeID, traits scopeTraits) {}

// closeScope removes a scope. It returns notifications of the objects that no other scope has, or
// may have: a scope that was not listed yet. Later deltas of the scope have no effect.
func (x *Indexer[T]) closeScope(id scopeID) []processor.Notification[T] { return nil }

// reachScope records that all deltas of a scope up to a version were applied. It returns notifications
// of the objects that have left another scope by then.
func (x *Indexer[T]) reachScope(id scopeID, version string) []processor.Notification[T] { return nil }

// leaving returns the number of cached objects that no scope has, and some scope may still have.
func (x *Indexer[T]) leaving() int { return 0 }

// awaitedObject is an object that is leaving, and a scope that may have it.
type awaitedObject struct {
	name ObjectName
	// version is the one that the scope has to reach. It is empty if the scope has to be listed.
	version string
	// since is when the object began to wait.
	since time.Time
}

// awaitedFrom returns the objects that have waited for a scope since before that time.
func (x *Indexer[T]) awaitedFrom(id scopeID, before time.Time) []awaitedObject { return nil }

// absentFrom records that a list of a scope at a version does not have the object of that name. The
// watch of the scope need not have reached the version.
func (x *Indexer[T]) absentFrom(id scopeID, name ObjectName, version string) []processor.Notification[T] {
	return nil
}
