package cache

import (
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/partition"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/pending"
)

// scopeID identifies a scope of an informer, in the order in which they were opened. IDs are not used again.
type scopeID = partition.ID

// handover has what a Reflector has read that will take over from others. They go on until it is not behind what they
// have told. The mutex of the informer guards it.
type handover struct {
	reflector *scopeReflector
	stage     partition.Stage
	// list is the last one, without its items; nil before the first.
	list  *deltafifo.Collection
	claim pending.Claim // of the version of the list
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
		list.IsFirst, list.Applied = true, append(h.list.Applied, list.Applied...)
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
func (s *informer) isReady(h *handover) bool {
	if h.list == nil {
		return false
	}
	told := s.owners.Told(h.reflector.id)
	if version := h.stage.Version(); version == 0 || told <= version {
		return true
	}
	if !h.claim.IsOverdue(h.reflector.frontier.Received().Bookmarks) {
		return false
	}
	h.reflector.NoteUnconfirmed(listed.Name{}, strconv.FormatUint(told, 10))
	return true
}

// handOver appends the lists of the Reflectors that take over now. It drops events that such a list has: what this program
// has written since belongs to the new owner, so the old one must not be heard any more.
func (s *informer) handOver(deltas []deltafifo.Delta) []deltafifo.Delta {
	for _, r := range s.reflectors() { // in their order, so that tests can repeat it
		h := s.handovers[r.id]
		if h == nil || !s.isReady(h) {
			continue
		}
		list := s.takeOver(h)
		deltas = append(slices.DeleteFunc(deltas, func(d deltafifo.Delta) bool { return d.Collection == nil && !s.owns(&d) }), list)
	}
	return deltas
}

// owns reports whether the Reflector of an event has its object.
func (s *informer) owns(d *deltafifo.Delta) bool {
	return s.isOwner(d.Scope, listed.NameOf(&d.Item))
}

func (s *informer) isOwner(id scopeID, name listed.Name) bool {
	owner, has := s.owners.Owner(name)
	return has && owner == id
}

// takeOver makes a Reflector the owner of its region, and returns its list.
func (s *informer) takeOver(h *handover) deltafifo.Delta {
	r, region := h.reflector, h.reflector.region()
	from, closed := s.owners.Commit(r.id)
	for _, id := range from {
		other := s.open[id]
		s.own.move(other, r, s.partOf(r).Has)
		if region.Name == "" {
			other.leaveOut(region.Namespaces...)
		}
	}
	delete(s.handovers, r.id)
	r.isHeld.Store(false)
	for _, id := range closed {
		s.closeScope(id)
	}
	s.noteLeaving()
	s.own.follow(s.open)
	delta := h.replaced()
	delta.Collection.Part = s.partOf(r)
	return delta
}

// noteLeaving notes which Reflectors go on until others have taken over, for those who do not hold the mutex.
func (s *informer) noteLeaving() {
	var leaving []*scopeReflector
	for _, r := range s.open {
		if !r.isWanted {
			leaving = append(leaving, r)
		}
	}
	s.set.leaving.Store(&leaving)
}

// isWhole reports whether the only Reflector has everything.
func (s *informer) isWhole() bool { return !s.isChosen && len(s.open) == 1 }

// partOf returns what a Reflector has.
func (s *informer) partOf(r *scopeReflector) *deltafifo.Part {
	return &deltafifo.Part{Namespace: r.config.Namespace, Has: func(name listed.Name) bool { return s.isOwner(r.id, name) }}
}

// owned returns the deltas that are about objects of their Reflectors, and the lists of those that take over. It may reuse
// the slice.
func (s *informer) owned(deltas []deltafifo.Delta) []deltafifo.Delta {
	if s.isWhole() {
		return deltas // nearly always
	}
	kept := deltas[:0]
	if len(s.handovers) > 0 {
		kept = make([]deltafifo.Delta, 0, len(deltas))
	}
	for i := range deltas {
		d := &deltas[i]
		switch r := s.open[d.Scope]; {
		case r == nil: // it was closed
		case s.handovers[d.Scope] != nil:
			s.handovers[d.Scope].hold(d)
			kept = s.handOver(kept)
		case d.Type == deltafifo.Replaced:
			version, _ := frontier.Parse(d.Collection.Version)
			s.owners.NoteList(d.Scope, version)
			d.Collection.Part = s.partOf(r)
			kept = s.handOver(append(kept, *d))
		default:
			if !s.owns(d) {
				continue
			}
			if s.owners.HasOpenings() {
				version, _ := frontier.Parse(d.Version())
				s.owners.Note(d.Scope, listed.NameOf(&d.Item), version)
			}
			kept = append(kept, *d)
		}
	}
	return kept
}
