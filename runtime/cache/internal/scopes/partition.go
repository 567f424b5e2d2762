package scopes

import (
	"iter"
	"maps"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
)

// Partition divides the collection of an informer among several scopes, which come and go. It is a Feature of the informer, in
// front of the others. Its methods are called within steps, unless they say otherwise.
type Partition struct {
	host   *informer.Informer
	owners *Owners
	// open are the scopes that are wanted, and those from which others will take over. handovers are the ones that will.
	open      map[frontier.ID]*Wanted
	wanted    []*Wanted // in their order
	handovers map[frontier.ID]*handover
	// left has the scopes of open that are not wanted. They are replaced and not changed.
	left atomic.Pointer[[]*informer.Scope]
	// isLater is set if there are no scopes before the first Set.
	isLater bool
}

// New adds a Partition to an informer whose first scopes are these. If isLater is set, there are none before the first Set, and
// the informer is not synced before that. It is called before Run, or within a step.
func New(host *informer.Informer, first []*Wanted, isLater bool) *Partition {
	p := &Partition{host: host, owners: NewOwners(), open: map[frontier.ID]*Wanted{}, isLater: isLater}
	host.Add(p)
	if isLater {
		host.Follow(nil, 1, ^initial.Mark(0)) // so that the first mark is not reached
		return p
	}
	p.assign(first)
	return p
}

// Left returns the scopes that are not wanted any more, and from which others will take over. Any goroutine may call it. The
// caller must not change the slice.
func (p *Partition) Left() []*informer.Scope {
	if left := p.left.Load(); left != nil {
		return *left
	}
	return nil
}

// Extends reports whether a wide region among regions would get a namespace that another scope has now. A wide scope that stays
// has left out such namespaces, so only a new one may have them.
func (p *Partition) Extends(regions []Region) bool { return p.owners.Extends(regions) }

// Owner implements informer.Owners. Any goroutine may call it.
func (p *Partition) Owner(name listed.Name) (frontier.ID, bool) { return p.owners.Owner(name) }

// Opening implements informer.Owners.
func (p *Partition) Opening(name listed.Name) (frontier.ID, bool) { return p.owners.Opening(name) }

// Has reports whether a scope has an object. Any goroutine may call it.
func (p *Partition) Has(id frontier.ID, name listed.Name) bool {
	owner, has := p.owners.Owner(name)
	return has && owner == id
}

// Set replaces the wanted scopes. Those that are there already stay as they are, and others are started.
func (p *Partition) Set(wanted []*Wanted) {
	change := p.assign(wanted)
	isOver := func(name listed.Name) bool {
		_, has := p.owners.Owner(name)
		return !has
	}
	var parts []deltafifo.Part
	for _, namespace := range change.Namespaces {
		parts = append(parts, deltafifo.Part{Namespace: namespace, Has: isOver})
	}
	if change.IsWide {
		parts = []deltafifo.Part{{Has: isOver}}
	}
	p.host.Forget(parts...)
}

// assign gives each scope its part of the objects, or lets it wait until it can take over from others. It closes those that are
// no longer needed.
func (p *Partition) assign(wanted []*Wanted) Change {
	scopes := make([]Scope, len(wanted))
	present := make([]*informer.Scope, len(wanted))
	opened, least := p.host.Mark(), initial.Mark(0)
	var named []string
	for i, w := range wanted {
		scopes[i] = Scope{w.ID, w.Region}
		present[i] = w.Scope
		opened = max(opened, initial.Mark(w.ID)+1)
		if !w.IsWide {
			named = append(named, w.Region.Namespace)
		}
	}
	change := p.owners.Set(scopes, func(id frontier.ID) (uint64, bool) {
		version := p.open[id].Frontier.Applied().Version
		if version == "" {
			return 0, true
		}
		return frontier.Parse(version)
	})
	for _, w := range p.wanted {
		w.isWanted = false
	}
	for _, w := range wanted {
		w.isWanted = true
	}
	p.wanted = wanted
	if p.isLater && p.host.Listed().Reached() == 0 {
		least = opened // a caller that waits for the first scopes waits for all of them
	}
	p.host.Follow(present, opened, least)
	var added []*Wanted
	for _, w := range wanted {
		if p.open[w.ID] == nil {
			added = append(added, w)
			p.open[w.ID] = w
		}
	}
	for _, w := range added {
		if p.owners.IsOpening(w.ID) {
			if p.handovers == nil {
				p.handovers = map[frontier.ID]*handover{}
			}
			p.handovers[w.ID] = &handover{scope: w}
		}
		if w.LeaveOut != nil {
			w.LeaveOut(named)
		}
	}
	for _, id := range change.Closed {
		p.close(id)
	}
	p.follow()
	for _, w := range added {
		p.host.Start(w.Scope)
	}
	return change
}

// close closes a scope that is no longer needed.
func (p *Partition) close(id frontier.ID) {
	closed := p.open[id]
	delete(p.open, id)
	delete(p.handovers, id)
	p.host.Close(closed.Scope)
}

// follow tells the other features, and readers outside of steps, which scopes are open.
func (p *Partition) follow() {
	var left []*informer.Scope
	for _, w := range p.open {
		if !w.isWanted {
			left = append(left, w.Scope)
		}
	}
	p.left.Store(&left)
	for f := range p.followers() {
		f.Follow(func(yield func(*informer.Scope) bool) {
			for w := range maps.Values(p.open) {
				if !yield(w.Scope) {
					return
				}
			}
		}, false)
	}
}

// followers are the other features that keep something for each scope.
func (p *Partition) followers() iter.Seq[Follower] {
	return func(yield func(Follower) bool) {
		for _, f := range p.host.Features() {
			if follower, is := f.(Follower); is && !yield(follower) {
				return
			}
		}
	}
}

// owns reports whether the scope of an event has its object.
func (p *Partition) owns(d *deltafifo.Delta) bool { return p.Has(d.Scope, listed.NameOf(&d.Item)) }

// partOf returns the part of the cache that a scope has.
func (p *Partition) partOf(w *Wanted) *deltafifo.Part {
	return &deltafifo.Part{Namespace: w.Scope.Namespace, Name: w.Region.Name, Has: func(name listed.Name) bool { return p.Has(w.ID, name) }}
}
