package cache

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/partition"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/stats"
)

// core is what one step under one mutex changes: the cache, the queues of the handlers, and which scope has each object. A batch
// of deltas goes to the cache and to the handlers in one step. So a handler that is added at any time gets exactly what the
// cache holds.
type core struct {
	audience
	queue               *deltafifo.Queue
	indexer             *indexer.Indexer
	processor           *processor.Processor
	own                 *ownWrites // nil without ReadYourWrites
	panics              handlerPanics
	processing, toCache stats.Histogram
	lists               initial.Lists // that are in the cache
	// isLater is set if there are no scopes before the first SetScopes.
	isLater bool
	// current has the Reflectors of the present scopes, sorted by scope, and left those of others that go on until the
	// present ones have taken over. They are replaced and not changed.
	current, left atomic.Pointer[[]*scopeReflector]
	// opened is above the ids of all scopes.
	opened atomic.Uint32

	mu sync.Mutex // held over each step; guards what follows
	// unlisted is the number of scopes whose first list is not in the cache yet. isChosen is set after
	// the first SetScopes.
	unlisted int32
	isChosen bool
	// owners knows which scope has each object. open are the Reflectors by their scope: those of the present scopes, and those
	// from which others will take over. handovers are the ones that will.
	owners    *partition.Owners
	open      map[scopeID]*scopeReflector
	handovers map[scopeID]*handover
	waits     map[*versionWait]struct{}
}

// reflectors returns the Reflectors, sorted by scope. The caller must not change the slice.
func (c *core) reflectors() []*scopeReflector { return *c.current.Load() }

// leaving returns the Reflectors of scopes that were removed, from which others will take over.
func (c *core) leaving() []*scopeReflector {
	if leaving := c.left.Load(); leaving != nil {
		return *leaving
	}
	return nil
}

// mark is above the ids of all scopes that the informer has.
func (c *core) mark() initial.Mark { return initial.Mark(c.opened.Load()) }

// HasSynced is that of SharedIndexInformer.
func (c *core) HasSynced() bool { return c.lists.Has(c.mark()) }

// processAll processes what is read, until ctx or the reading ends.
func (c *core) processAll(ctx context.Context) {
	var batch deltafifo.Batch
	var ended stats.Stamp // the end of the last batch with deltas
	for {
		if c.queue.Pop(ctx, &batch) != nil {
			return
		}
		// It waited for the last batch, or Pop has waited for it.
		began := batch.Oldest
		if ended != 0 {
			began = max(began, ended)
		}
		if cached := c.process(&batch); cached != 0 {
			ended = cached
			c.processing.Add(ended.Since(began), 1)
		}
		c.queue.Processed()
	}
}

// process applies a batch. It returns when the cache had its deltas, or 0 without any.
func (c *core) process(batch *deltafifo.Batch) (cached stats.Stamp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(batch.Deltas); n > 0 {
		c.applyDeltas(c.owned(batch.Deltas), batch.Oldest)
		cached = stats.Now()
		c.toCache.Add(cached.Since(batch.Oldest), n)
	}
	c.reach(batch.Reached)
	return cached
}

// applyDeltas applies deltas of Reflectors that own their objects. The mutex is held.
func (c *core) applyDeltas(deltas []deltafifo.Delta, received stats.Stamp) {
	if len(deltas) == 0 {
		return
	}
	deltas = c.own.admit(deltas)
	for c.unlisted > 0 && len(deltas) > 0 {
		deltas = c.processFirst(deltas, received)
	}
	if len(deltas) > 0 {
		c.distribute(deltas, received)
	}
	c.own.restoreUnconfirmed()
}

// reach records how far scopes have got, after the deltas before that were applied. The mutex is held.
func (c *core) reach(all []deltafifo.Reached) {
	for i := range all {
		to := &all[i]
		r := c.open[to.Scope]
		switch h := c.handovers[to.Scope]; {
		case r == nil: // it was closed
		case h != nil:
			h.reach(to.Position)
		default:
			r.frontier.Apply(to.Position)
			c.own.reach(to.Scope, to.Position)
		}
	}
	c.own.reached()
	if len(c.handovers) > 0 {
		c.applyDeltas(c.handOver(nil), stats.Now())
	}
	c.endWaits()
}

// distribute applies deltas and passes the changes to the handlers.
func (c *core) distribute(deltas []deltafifo.Delta, received stats.Stamp) {
	distinct := len(deltas) == 1 && deltas[0].Type == deltafifo.Replaced
	notes := c.indexer.Apply(deltas)
	c.processor.Distribute(processor.Batch{Notes: notes, Received: received, Distinct: distinct})
	for i := range deltas {
		if list := deltas[i].Collection; list != nil && !list.IsFirst {
			c.processor.DistributeUnchanged(func() processor.Batch {
				return processor.Batch{Notes: c.indexer.Unchanged(list.Part, notes), Received: received, Distinct: true}
			})
		}
	}
}

// processFirst applies the first list of a scope, or the deltas before the next one, and
// returns the rest. Only the adds of such a list are initial. After the last one, handlers are
// synced.
func (c *core) processFirst(deltas []deltafifo.Delta, received stats.Stamp) (rest []deltafifo.Delta) {
	isFirst := func(d deltafifo.Delta) bool { return d.Type == deltafifo.Replaced && d.Collection.IsFirst }
	if n := slices.IndexFunc(deltas, isFirst); n != 0 {
		if n < 0 {
			n = len(deltas)
		}
		c.distribute(deltas[:n], received)
		return deltas[n:]
	}
	notes := c.indexer.Apply(deltas[:1])
	markInitial(notes)
	if r := c.open[deltas[0].Scope]; r != nil && !r.frontier.IsListed() { // otherwise it was closed
		r.frontier.ApplyList(deltas[0].Collection.Version) // who waits for the sync may ask for it
		if r.isWanted {
			c.unlisted--
		}
	}
	c.processor.Distribute(processor.Batch{Notes: notes, Received: received, Distinct: true, Lists: c.listed()})
	return deltas[1:]
}

// listed records which initial lists are in the cache. It returns the mark if it is news, and 0
// otherwise.
func (c *core) listed() initial.Mark {
	mark := c.mark()
	for _, r := range c.reflectors() {
		if !r.frontier.IsListed() {
			mark = min(mark, initial.Mark(r.id))
		}
	}
	if c.isLater && c.lists.Reached() == 0 && (!c.isChosen || mark < c.mark()) {
		return 0 // who waits for the first scopes waits for all of them
	}
	if !c.lists.Reach(mark) {
		return 0
	}
	if c.HasSynced() && len(c.processor.Listeners()) > 0 {
		c.outages.NoteHandler()
	}
	return mark
}

func markInitial(notes []processor.Notification) {
	for i := range notes {
		notes[i].Initial = notes[i].Kind == processor.Add
	}
}

// resync enqueues every cached object for l, unless l has a backlog.
func (c *core) resync(l *processor.Listener) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.indexer.Len() > 0 && l.Backlog() == 0 {
		l.Enqueue(processor.Batch{Received: stats.Now(), Distinct: true, Notes: c.cached(func(obj Object) processor.Notification {
			return processor.Notification{Kind: processor.Update, Old: obj, Obj: obj}
		})})
	}
}

// cached returns a notification for each cached object.
func (c *core) cached(note func(Object) processor.Notification) []processor.Notification {
	notes := make([]processor.Notification, 0, c.indexer.Len())
	for obj := range c.indexer.All().Each() {
		notes = append(notes, note(obj))
	}
	return notes
}

// LastSyncResourceVersion is that of SharedIndexInformer.
func (c *core) LastSyncResourceVersion() (version string) {
	for i, r := range c.reflectors() {
		if has := r.frontier.Applied().Version; i == 0 {
			version = has
		} else {
			version = protocol.Earlier(version, has)
		}
	}
	return version
}

// versionWait is a call of WaitFor.
type versionWait struct {
	version uint64
	done    chan struct{}
}

// wait adds a call of WaitFor. It returns nil if there is nothing to wait for.
func (c *core) wait(version uint64) *versionWait {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reachedVersion() >= version && !c.processor.Stopped() { // Stop has emptied the cache
		return nil
	}
	w := &versionWait{version: version, done: make(chan struct{})}
	if c.waits == nil {
		c.waits = map[*versionWait]struct{}{}
	}
	c.waits[w] = struct{}{}
	return w
}

// endWaits ends the calls of WaitFor whose version the cache has reached. The mutex is held.
func (c *core) endWaits() {
	if len(c.waits) == 0 {
		return
	}
	reached := c.reachedVersion()
	for w := range c.waits {
		if w.version <= reached {
			close(w.done)
			delete(c.waits, w)
		}
	}
}

// reachedVersion returns the version of which the cache has all changes, 0 if there is none.
func (c *core) reachedVersion() uint64 {
	all := c.reflectors()
	if len(all) == 0 && !c.isChosen {
		return 0 // the scopes are not known yet
	}
	reached := uint64(math.MaxUint64)
	for _, r := range all {
		reached = min(reached, r.frontier.Applied().Number())
	}
	return reached
}
