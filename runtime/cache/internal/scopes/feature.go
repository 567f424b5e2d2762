package scopes

import (
	"context"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/listed"
)

// Admit implements informer.Feature: it drops deltas for objects of other scopes, and holds back the deltas of a scope that
// has not taken over.
func (p *Partition) Admit(deltas []deltafifo.Delta, reached []deltafifo.Reached) ([]deltafifo.Delta, []deltafifo.Reached) {
	kept := deltas[:0]
	if len(p.handovers) > 0 {
		kept = make([]deltafifo.Delta, 0, len(deltas))
	}
	var taken []deltafifo.Reached
	for i := range deltas {
		d := &deltas[i]
		switch h := p.handovers[d.Scope]; {
		case p.open[d.Scope] == nil: // it was closed
		case h != nil:
			h.hold(d)
			kept, taken = p.handOver(kept, taken)
		case d.Type == deltafifo.Replaced:
			version, _ := frontier.Parse(d.Collection.Version)
			p.owners.NoteList(d.Scope, version)
			d.Collection.Part = p.partOf(p.open[d.Scope])
			kept, taken = p.handOver(append(kept, *d), taken)
		case p.owns(d):
			if p.owners.HasOpenings() {
				version, _ := frontier.Parse(d.Version())
				p.owners.Note(d.Scope, listed.NameOf(&d.Item), version)
			}
			kept = append(kept, *d)
		}
	}
	for i := range reached {
		to := &reached[i]
		switch h := p.handovers[to.Scope]; {
		case p.open[to.Scope] == nil: // it was closed
		case h != nil:
			h.reach(to.Position)
		default:
			taken = append(taken, *to)
		}
	}
	return kept, taken
}

// Reached implements informer.Feature: some scopes may take over now.
func (p *Partition) Reached([]deltafifo.Reached) ([]deltafifo.Delta, []deltafifo.Reached) {
	if len(p.handovers) == 0 {
		return nil, nil
	}
	return p.handOver(nil, nil)
}

// Start implements informer.Feature.
func (p *Partition) Start(context.Context) {}

// End implements informer.Feature.
func (p *Partition) End() { p.handovers = nil }
