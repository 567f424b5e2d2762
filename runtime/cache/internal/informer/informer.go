// Package informer applies the deltas of Reflectors to a cache, and passes the changes to handlers, in steps under one mutex.
//
//	Scope ─deltas─▶ Queue ─batch─▶ features: Admit ─▶ Indexer ─▶ Processor
//	                                  ▲                  │
//	                                  └──── Reached ◀────┘
//
// So a handler that is added at any time gets exactly the objects of the cache, and readers never see a handler ahead of the
// cache. What only some informers do is a Feature. A plain informer has none, and one Scope.
package informer

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// Informer is a queue, a cache, and the handlers. Any goroutine may call its methods, unless they say otherwise.
type Informer struct {
	Queue     *deltafifo.Queue
	Indexer   *indexer.Indexer
	Processor *processor.Processor
	observer  Observer
	// Changes counts the calls of Change. A list that is requested after one contains its cause.
	Changes atomic.Uint64

	lists initial.Lists // that are in the cache
	// scopes are the ones whose objects are wanted, sorted by their regions. They are replaced and not changed.
	scopes atomic.Pointer[[]*Scope]
	// opened is above the ids of all scopes that there were, and began is its value when Run began; 0 before.
	opened, began atomic.Uint32

	mu       sync.Mutex // held over each step; guards the fields below
	features []Feature
	// least is the first mark that lists may reach: all below it together, or none.
	least initial.Mark
	waits waits
	// ctx is the context of the Reflectors while they run, and nil otherwise. cancel ends Run, and is nil before.
	ctx     context.Context
	cancel  context.CancelFunc
	started lifetime

	reading     sync.WaitGroup // the Reflectors
	ended, done chan struct{}
}

// Observer hears of the steps of an informer. It must not block.
type Observer interface {
	// Started is called before the first Reflector and the first handler run.
	Started(ctx context.Context)
	// Applied is called after each batch with deltas. n of them are in the cache now. The first one was received at a time, and
	// their turn began later if the batch before took longer.
	Applied(n int, received, began, now clock.Stamp)
	// Noted is called within each step that changes the cache, before the handlers get the changes. It must not change them.
	Noted(notes []processor.Notification)
	// Listed is called when the handlers have the objects of all first lists to return from, and when a handler is added after
	// that.
	Listed()
	// Ended is called when no Reflector runs any more, and Stopped when no handler does.
	Ended()
	Stopped()
}

// New returns an informer with a cache. It has no scope yet; see Follow.
func New(cache *indexer.Indexer, observer Observer) *Informer {
	c := &Informer{
		Queue: &deltafifo.Queue{}, Indexer: cache, Processor: processor.New(), observer: observer,
		ended: make(chan struct{}), done: make(chan struct{}),
	}
	c.scopes.Store(new([]*Scope))
	return c
}

// Open returns a scope of the informer, without a Reflector. The caller sets the exported fields before Follow.
func (c *Informer) Open(id frontier.ID) *Scope { return &Scope{ID: id, queue: c.Queue} }

// Scopes returns the scopes whose objects are wanted. The caller must not change the slice.
func (c *Informer) Scopes() []*Scope { return *c.scopes.Load() }

// Follow replaces the scopes whose objects are wanted. opened is above the ids of all scopes that there were, and those below
// least are listed together. It is called within a step, or before Run. Start starts those that are new.
func (c *Informer) Follow(scopes []*Scope, opened, least initial.Mark) {
	c.scopes.Store(&scopes)
	c.opened.Store(uint32(opened))
	c.least = least
}

// Mark is above the ids of all scopes that the informer has.
func (c *Informer) Mark() initial.Mark { return initial.Mark(c.opened.Load()) }

// Listed returns which lists are in the cache.
func (c *Informer) Listed() *initial.Lists { return &c.lists }

// HasSynced reports whether the cache has the first list of each scope.
func (c *Informer) HasSynced() bool { return c.lists.Has(c.Mark()) }

// HadSynced reports whether lists has those of all scopes that were there when Run began.
func (c *Informer) HadSynced(lists *initial.Lists) bool {
	began := initial.Mark(c.began.Load())
	return began > 0 && lists.Has(began)
}

// processAll processes batches until ctx or the reading ends.
func (c *Informer) processAll(ctx context.Context) {
	var batch deltafifo.Batch
	var ended clock.Stamp // the end of the last batch with deltas
	for c.Queue.Pop(ctx, &batch) == nil {
		n := len(batch.Deltas)
		c.Process(&batch)
		if n > 0 {
			began := max(batch.Oldest, ended) // it waited for the last batch, or Pop has waited for it
			ended = clock.Now()
			c.observer.Applied(n, batch.Oldest, began, ended)
		}
		c.Queue.Processed()
	}
}

// Process applies a batch in one step.
func (c *Informer) Process(batch *deltafifo.Batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish(batch.Deltas, batch.Reached, batch.Oldest)
}

// Change calls a function as one step, with a number that is above those of the steps before. Apply, and all that needs a step,
// may be called in it. Change does nothing, and returns false, if the informer has ended.
func (c *Informer) Change(step func(number uint64)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Processor.Stopped() {
		return false
	}
	step(c.Changes.Add(1))
	c.finish(nil, nil, 0)
	return true
}

// finish ends a step with some deltas. The mutex is held.
func (c *Informer) finish(deltas []deltafifo.Delta, reached []deltafifo.Reached, received clock.Stamp) {
	c.pass(c.features, deltas, reached, received)
	c.noteListed()
	if len(c.waits) > 0 {
		c.waits.end(c.reachedVersion())
	}
}

// pass applies the deltas and positions that some features admit.
func (c *Informer) pass(features []Feature, deltas []deltafifo.Delta, reached []deltafifo.Reached, received clock.Stamp) {
	for _, f := range features {
		deltas, reached = f.Admit(deltas, reached)
	}
	c.apply(deltas, received)
	for i := range reached {
		reached[i].Frontier.Apply(reached[i].Position)
	}
	for i, f := range slices.Backward(features) {
		if more, to := f.Reached(reached); len(more)+len(to) > 0 {
			c.pass(features[i+1:], more, to, clock.Now())
		}
	}
}

// Apply applies deltas within a step. No feature sees them.
func (c *Informer) Apply(deltas ...deltafifo.Delta) { c.apply(deltas, clock.Now()) }

// apply changes the cache, and passes the changes to the handlers.
func (c *Informer) apply(deltas []deltafifo.Delta, received clock.Stamp) {
	if len(deltas) == 0 {
		return
	}
	distinct := len(deltas) == 1 && deltas[0].Type == deltafifo.Replaced
	notes := c.Indexer.Apply(deltas)
	c.distribute(processor.Batch{Notes: notes, Received: received, Distinct: distinct})
	for i := range deltas {
		if list := deltas[i].Collection; list != nil && !list.IsFirst {
			c.Processor.DistributeUnchanged(func() processor.Batch {
				return processor.Batch{Notes: c.Indexer.Unchanged(list.Part, notes), Received: received, Distinct: true}
			})
		}
	}
}

// Forget removes the objects of some parts from the cache. It is called within a step.
func (c *Informer) Forget(parts ...deltafifo.Part) {
	c.distribute(processor.Batch{Notes: c.Indexer.Forget(parts...), Received: clock.Now(), Distinct: true})
}

// distribute passes changes of the cache to the handlers.
func (c *Informer) distribute(changes processor.Batch) {
	if len(changes.Notes) > 0 {
		c.observer.Noted(changes.Notes)
		c.Processor.Distribute(changes)
	}
}

// noteListed records which first lists are in the cache, and tells the handlers.
func (c *Informer) noteListed() {
	mark := c.Mark()
	if c.lists.Has(mark) {
		return // nearly always
	}
	for _, s := range c.Scopes() {
		if !s.isExcused && !s.Frontier.IsListed() {
			mark = min(mark, initial.Mark(s.ID))
		}
	}
	if mark < c.least || !c.lists.Reach(mark) {
		return
	}
	c.Processor.Distribute(processor.Batch{Received: clock.Now(), Lists: mark})
	if c.HasSynced() && len(c.Processor.Listeners()) > 0 {
		c.observer.Listed()
	}
}

// Excuse lets no one wait for the first list of a scope, as if the cache had it.
func (c *Informer) Excuse(s *Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.isExcused = true
	c.noteListed()
}

// Get returns an object of the cache, not opened.
func (c *Informer) Get(name listed.Name) (wire.Object, bool) {
	obj, _, isCached := c.Indexer.Held(name.Namespace, name.Name)
	return obj, isCached
}

// LastSyncResourceVersion returns the version up to which the cache has all changes.
func (c *Informer) LastSyncResourceVersion() (version string) {
	for i, s := range c.Scopes() {
		if has := s.Frontier.Applied().Version; i == 0 {
			version = has
		} else {
			version = protocol.Earlier(version, has)
		}
	}
	return version
}

// Add adds a feature in front of the others. It is called within a step, or before Run.
func (c *Informer) Add(f Feature) { c.features = append([]Feature{f}, c.features...) }

// Features returns the features, the first one first. It is called within a step, or before Run.
func (c *Informer) Features() []Feature { return c.features }

// Owner returns the scope that has an object, and false if there is none. It is called within a step.
func (c *Informer) Owner(name listed.Name) (frontier.ID, bool) {
	if owners := c.owners(); owners != nil {
		return owners.Owner(name)
	}
	return c.Scopes()[0].ID, true
}

// Opening returns the scope that will take over an object, and false if none will. It is called within a step.
func (c *Informer) Opening(name listed.Name) (frontier.ID, bool) {
	if owners := c.owners(); owners != nil {
		return owners.Opening(name)
	}
	return 0, false
}

// owners returns the feature that divides the collection, or nil.
func (c *Informer) owners() Owners {
	if len(c.features) == 0 {
		return nil
	}
	owners, _ := c.features[0].(Owners)
	return owners
}

// reachedVersion returns the version of which the cache has all changes, 0 if there is none.
func (c *Informer) reachedVersion() uint64 {
	if c.Mark() < c.least {
		return 0 // the scopes are not known yet
	}
	reached := uint64(math.MaxUint64)
	for _, s := range c.Scopes() {
		reached = min(reached, s.Frontier.Applied().Number())
	}
	return reached
}

// lifetime is how far an informer is.
type lifetime uint8

const (
	neverRun lifetime = iota
	isRetired
	hasRun
	hasRead // and starts no Reflector any more
)
