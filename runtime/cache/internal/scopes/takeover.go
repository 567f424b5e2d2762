package scopes

import (
	"slices"
	"strconv"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
)

// isReady reports whether a scope can take over. A version of others that no bookmark of its own has reached in
// time is not of this server.
func (p *Partition) isReady(h *handover) bool {
	if h.list == nil {
		return false
	}
	version := h.stage.Version()
	if version == 0 {
		return true
	}
	reported := p.owners.MinVersion(h.scope.ID)
	if reported <= version {
		if reported = p.behind(h.scope.ID, version); reported == 0 {
			return true
		}
	}
	if !h.claim.IsOverdue(h.scope.Frontier.Received().Bookmarks) {
		return false
	}
	h.scope.Reflector.NoteUnconfirmed(listed.Name{}, strconv.FormatUint(reported, 10))
	return true
}

// behind returns a version above after that other features know, and that the scope has to reach; 0 if there is none.
func (p *Partition) behind(id frontier.ID, after uint64) (version uint64) {
	for f := range p.followers() {
		version = max(version, f.Behind(id, after))
	}
	return version
}

// handOver appends the lists of the scopes that take over now, and their positions. It drops events that such a list has: what
// other features have applied since belongs to the new owner, so the old one must not be heard any more.
func (p *Partition) handOver(deltas []deltafifo.Delta, reached []deltafifo.Reached) ([]deltafifo.Delta, []deltafifo.Reached) {
	for _, w := range p.wanted { // in their order, so that tests can repeat it
		h := p.handovers[w.ID]
		if h == nil || !p.isReady(h) {
			continue
		}
		list, to := p.takeOver(h)
		deltas = append(slices.DeleteFunc(deltas, func(d deltafifo.Delta) bool { return d.Collection == nil && !p.owns(&d) }), list)
		reached = append(reached, to)
	}
	return deltas, reached
}

// takeOver makes a scope the owner of its region, and returns its list.
func (p *Partition) takeOver(h *handover) (deltafifo.Delta, deltafifo.Reached) {
	w := h.scope
	from, closed := p.owners.Commit(w.ID)
	for _, id := range from {
		for f := range p.followers() {
			f.Move(id, w.ID, p.partOf(w).Has)
		}
		if other := p.open[id]; other.LeaveOut != nil && w.Name == "" && !w.IsWide {
			other.LeaveOut([]string{w.Region.Namespace})
		}
	}
	delete(p.handovers, w.ID)
	w.IsHeld.Store(false)
	for _, id := range closed {
		p.close(id)
	}
	p.follow()
	delta, to := h.replaced()
	delta.Collection.Part = p.partOf(w)
	return delta, to
}
