package cache

import (
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/partition"
)

// handover has what a Reflector has read that will take over from others. They go on until it is not behind what they
// have told. The mutex of the informer guards it.
type handover struct {
	reflector *scopeReflector
	stage     partition.Stage
	// list is the last one, without its items; nil before the first.
	list  *deltafifo.Collection
	claim frontier.Claim // of the version of the list
}

// reach records how far the Reflector has got, after what it holds.
func (h *handover) reach(to frontier.Position) {
	if h.list != nil {
		h.stage.Reach(to.Number())
	}
}

// hold keeps a delta of the Reflector.
func (h *handover) hold(d *deltafifo.Delta) {
	if d.Type != deltafifo.Replaced {
		version, _ := frontier.Parse(d.Version())
		h.stage.Apply(eventTypes[d.Type], &d.Item, version)
		return
	}
	h.reflector.isHeld.Store(true)
	list := *d.Collection
	if h.list != nil {
		list.IsFirst = true
	}
	version, _ := frontier.Parse(list.Version)
	h.stage.Replace(list.Items, version)
	list.Items = nil
	h.list, h.claim = &list, h.reflector.newClaim()
}

var eventTypes = [...]watch.EventType{deltafifo.Added: watch.Added, deltafifo.Updated: watch.Modified, deltafifo.Deleted: watch.Deleted}

// replaced returns the list with the events after it.
func (h *handover) replaced() deltafifo.Delta {
	if h.list.Items = h.stage.Items(); h.stage.Version() != 0 {
		h.list.Version = strconv.FormatUint(h.stage.Version(), 10)
	}
	return deltafifo.Delta{Type: deltafifo.Replaced, Scope: h.reflector.id, Collection: h.list}
}

// isReady reports whether the Reflector can take over. A version of others that no bookmark of its own has reached in
// time is not of this server.
func (c *core) isReady(h *handover) bool {
	if h.list == nil {
		return false
	}
	version := h.stage.Version()
	if version == 0 {
		return true
	}
	told := c.owners.Told(h.reflector.id)
	if told <= version {
		if told = c.own.leftToWatch(h.reflector, version); told == 0 {
			return true
		}
	}
	if !h.claim.IsOverdue(h.reflector.frontier.Received().Bookmarks) {
		return false
	}
	h.reflector.NoteUnconfirmed(listed.Name{}, strconv.FormatUint(told, 10))
	return true
}

// handOver appends the lists of the Reflectors that take over now. It drops events that such a list has: what this program
// has written since belongs to the new owner, so the old one must not be heard any more.
func (c *core) handOver(deltas []deltafifo.Delta) []deltafifo.Delta {
	for _, r := range c.reflectors() { // in their order, so that tests can repeat it
		h := c.handovers[r.id]
		if h == nil || !c.isReady(h) {
			continue
		}
		list := c.takeOver(h)
		deltas = append(slices.DeleteFunc(deltas, func(d deltafifo.Delta) bool { return d.Collection == nil && !c.owns(&d) }), list)
	}
	return deltas
}

// owns reports whether the Reflector of an event has its object.
func (c *core) owns(d *deltafifo.Delta) bool {
	return c.isOwner(d.Scope, listed.NameOf(&d.Item))
}

func (c *core) isOwner(id scopeID, name listed.Name) bool {
	owner, has := c.owners.Owner(name)
	return has && owner == id
}

// takeOver makes a Reflector the owner of its region, and returns its list.
func (c *core) takeOver(h *handover) deltafifo.Delta {
	r, region := h.reflector, h.reflector.region()
	from, closed := c.owners.Commit(r.id)
	for _, id := range from {
		other := c.open[id]
		c.own.move(other, r, c.partOf(r).Has)
		if region.Name == "" && !region.IsWide {
			other.leaveOut(region.Namespace)
		}
	}
	delete(c.handovers, r.id)
	r.isHeld.Store(false)
	for _, id := range closed {
		c.closeScope(id)
	}
	c.noteLeaving()
	c.own.follow(c.open)
	delta := h.replaced()
	delta.Collection.Part = c.partOf(r)
	return delta
}

// noteLeaving notes which Reflectors go on until others have taken over, for readers without the mutex.
func (c *core) noteLeaving() {
	var leaving []*scopeReflector
	for _, r := range c.open {
		if !r.isWanted {
			leaving = append(leaving, r)
		}
	}
	c.left.Store(&leaving)
}

// isWhole reports whether the only Reflector has everything.
func (c *core) isWhole() bool { return !c.isChosen && len(c.open) == 1 }

// partOf returns what a Reflector has.
func (c *core) partOf(r *scopeReflector) *deltafifo.Part {
	return &deltafifo.Part{Namespace: r.config.Namespace, Has: func(name listed.Name) bool { return c.isOwner(r.id, name) }}
}

// owned returns the deltas that are about objects of their Reflectors, and the lists of those that take over. It may reuse
// the slice.
func (c *core) owned(deltas []deltafifo.Delta) []deltafifo.Delta {
	if c.isWhole() {
		return deltas // nearly always
	}
	kept := deltas[:0]
	if len(c.handovers) > 0 {
		kept = make([]deltafifo.Delta, 0, len(deltas))
	}
	for i := range deltas {
		d := &deltas[i]
		switch r := c.open[d.Scope]; {
		case r == nil: // it was closed
		case c.handovers[d.Scope] != nil:
			c.handovers[d.Scope].hold(d)
			kept = c.handOver(kept)
		case d.Type == deltafifo.Replaced:
			version, _ := frontier.Parse(d.Collection.Version)
			c.owners.NoteList(d.Scope, version)
			d.Collection.Part = c.partOf(r)
			kept = c.handOver(append(kept, *d))
		default:
			if !c.owns(d) {
				continue
			}
			if c.owners.HasOpenings() {
				version, _ := frontier.Parse(d.Version())
				c.owners.Note(d.Scope, listed.NameOf(&d.Item), version)
			}
			kept = append(kept, *d)
		}
	}
	return kept
}

// assignScopes gives each Reflector of next its part of the objects, or lets it wait until it can take over from others. It
// closes those that are no longer needed. opened are those of next that are new.
func (c *core) assignScopes(next, opened []*scopeReflector) partition.Change {
	scopes := make([]partition.Scope, len(next))
	var named []string
	for i, r := range next {
		scopes[i] = partition.Scope{ID: r.id, Region: r.region()}
		if !scopes[i].IsWide {
			named = append(named, scopes[i].Namespace)
		}
	}
	change := c.owners.Set(scopes, func(id scopeID) (uint64, bool) {
		version := c.open[id].frontier.Applied().Version
		if version == "" {
			return 0, true
		}
		return frontier.Parse(version)
	})
	for _, r := range opened {
		c.open[r.id] = r
		r.isWanted = true
		c.unlisted++
		if c.owners.IsOpening(r.id) {
			if c.handovers == nil {
				c.handovers = map[scopeID]*handover{}
			}
			c.handovers[r.id] = &handover{reflector: r}
		}
		r.leaveOut(named...)
	}
	for _, id := range change.Closed {
		c.closeScope(id)
	}
	c.noteLeaving()
	c.own.follow(c.open)
	return change
}

// isOver reports whether no scope has an object.
func (c *core) isOver(name listed.Name) bool {
	_, has := c.owners.Owner(name)
	return !has
}

// closeScope closes a Reflector that is no longer needed. The mutex of the informer is held.
func (c *core) closeScope(id scopeID) {
	r := c.open[id]
	delete(c.open, id)
	delete(c.handovers, id)
	r.close()
}
