package clientgo

import (
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/internal/synced"
)

// A later version of client-go adds methods to its interfaces. So that a program still compiles and starts with it, each
// type of this package that becomes such an interface embeds a nil value of the interface, one level deeper than its own
// methods, of which Go prefers these. A method that this package does not know fails when it is called, and the stack has
// its name.
type (
	laterInformer     struct{ toolscache.SharedIndexInformer }
	laterController   struct{ toolscache.Controller }
	laterRegistration struct {
		toolscache.ResourceEventHandlerRegistration
	}
	laterIndexer         struct{ toolscache.Indexer }
	laterLister          struct{ toolscache.GenericLister }
	laterNamespaceLister struct {
		toolscache.GenericNamespaceLister
	}
)

// These fail to compile if a method of client-go gets another signature.
var (
	_ toolscache.SharedIndexInformer              = (*sharedInformer)(nil)
	_ toolscache.Controller                       = controller{}
	_ toolscache.ResourceEventHandlerRegistration = (*registration)(nil)
)

// Two methods have types that the oldest client-go does not have: HasSyncedChecker returns a DoneChecker, since v0.36, and
// SetShardSelector accepts a sharding.Selector, since v0.38. So that this package compiles with v0.34 too, it does not name
// them: Go infers D and S from the methods of probe. These are client-go's, or those of fallback, which is deeper, if
// client-go has none.
type (
	probe struct {
		toolscache.SharedIndexInformer
		deeper
	}
	deeper   struct{ fallback }
	fallback struct{}
)

// HasSyncedChecker is never called.
func (fallback) HasSyncedChecker() (none struct{}) { return none }

// SetShardSelector is never called.
func (fallback) SetShardSelector(struct{}) error { return nil }

// optionsProbe has the field ShardSelector of client-go's options, which is new in v0.38, or else that of noShard.
type (
	optionsProbe struct {
		toolscache.SharedIndexInformerOptions
		noShard
	}
	noShard struct{ noSelector }
	// noSelector has the field, which nothing sets.
	noSelector struct{ ShardSelector struct{} }
)

// shardIn returns the ShardSelector of options, or nil.
func shardIn(options toolscache.SharedIndexInformerOptions) shardSelector {
	return shardOf(optionsProbe{SharedIndexInformerOptions: options}.ShardSelector)
}

// shardSelector is the part of a sharding.Selector of k8s.io/apimachinery that an informer needs.
type shardSelector interface {
	Empty() bool
	String() string
}

// shardOf returns a sharding.Selector, or nil for nil.
func shardOf[S any](selector S) shardSelector {
	shard, _ := any(selector).(shardSelector)
	return shard
}

// checked is implemented by each type that gets a method HasSyncedChecker below.
type checked interface{ synced() synced.Checker }

type (
	versionedInformer[D, S any]  struct{ *sharedInformer }
	versionedController[D any]   struct{ controller }
	versionedRegistration[D any] struct{ *registration }
)

func (i versionedInformer[D, S]) HasSyncedChecker() D  { return synced.As[D](i.sharedInformer.synced()) }
func (c versionedController[D]) HasSyncedChecker() D   { return synced.As[D](c.controller.synced()) }
func (r versionedRegistration[D]) HasSyncedChecker() D { return synced.As[D](r.registration.synced()) }

func (i versionedInformer[D, S]) SetShardSelector(selector S) error {
	return i.sharedInformer.setShard(shardOf(selector))
}

// informerOf returns s with the methods that the present version of client-go has.
func informerOf(s *sharedInformer) toolscache.SharedIndexInformer {
	return versionInformer(probe.HasSyncedChecker, probe.SetShardSelector, s)
}

func versionInformer[D, S any](_ func(probe) D, _ func(probe, S) error, s *sharedInformer) toolscache.SharedIndexInformer {
	return any(versionedInformer[D, S]{s}).(toolscache.SharedIndexInformer)
}

func controllerOf(c controller) toolscache.Controller {
	return versionController(probe.HasSyncedChecker, c)
}

func versionController[D any](_ func(probe) D, c controller) toolscache.Controller {
	return any(versionedController[D]{c}).(toolscache.Controller)
}

func registrationOf(r *registration) toolscache.ResourceEventHandlerRegistration {
	return versionRegistration(probe.HasSyncedChecker, r)
}

func versionRegistration[D any](_ func(probe) D, r *registration) toolscache.ResourceEventHandlerRegistration {
	return any(versionedRegistration[D]{r}).(toolscache.ResourceEventHandlerRegistration)
}
