package main

import (
	"errors"
	"fmt"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// changedPart is the part of the objects that a relist finds changed: one of so many.
const changedPart = 100

// figures are the rows of a result. The benchmark ignores rows that only client-go has.
func (c *client) figures(r *result) []report.Figure {
	switch {
	case c.Scenario == report.Changes:
		return c.changeFigures(r.phases)
	case c.Fields == report.Unmanaged:
		return c.heapFigures(r.heap)
	}
	return append(c.syncFigures(r.phases[syncing]), c.heapFigures(r.heap)...)
}

// syncFigures are those of a first sync. client-go has no views, so the peer of a view is
// a first sync of whole objects.
func (c *client) syncFigures(p phase) []report.Figure {
	name, peer := "first sync, "+c.Mode, ""
	if c.Fields == report.View {
		name, peer = "first sync of a view, "+c.Mode, name
	}
	figures := []report.Figure{
		{Row: ": time", Unit: "s", Value: p.seconds},
		{Row: ": CPU time", Unit: "s", Value: p.cpu},
		{Row: ": peak RSS", Unit: report.PeakMB},
	}
	for i, f := range figures {
		figures[i].Row = name + f.Row
		if peer != "" {
			figures[i].Peer = peer + f.Row
		}
	}
	return figures
}

// heapFigures are those of the cache. Parts of the fields have two peers: client-go's
// cache of whole objects, and one that drops the other fields in a transform.
func (c *client) heapFigures(heap float64) []report.Figure {
	const row, unit = "live heap per object", "B"
	name := row
	switch {
	case c.Fields == report.Unmanaged:
		name += ", without managedFields"
	case c.Fields == report.View:
		name += ", view"
	case c.Mode == report.Streaming: // a LIST leaves the same
		return []report.Figure{{Row: row, Unit: unit, Value: heap}}
	default:
		return nil
	}
	return []report.Figure{
		{Row: name, Unit: unit, Value: heap, Peer: row},
		{Row: name + ", against a transform", Unit: unit, Value: heap},
	}
}

func (c *client) changeFigures(phases map[string]phase) []report.Figure {
	relist, watch := "relist, "+c.Mode, "watch of updates, after "+c.Mode
	same, other, updates := phases[unchanged], phases[changed], phases[updating]
	microseconds := 1e6 / float64(updates.updates)
	return []report.Figure{
		{Row: relist + ", unchanged, against a first sync: time", Unit: "s", Value: same.seconds, Peer: "first sync, " + c.Mode + ": time"},
		{Row: relist + ", unchanged: time", Unit: "s", Value: same.seconds},
		{Row: relist + ", unchanged: CPU time", Unit: "s", Value: same.cpu},
		{Row: relist + ", 1% changed: time", Unit: "s", Value: other.seconds},
		{Row: relist + ", 1% changed: CPU time", Unit: "s", Value: other.cpu},
		{Row: watch + ": time per event", Unit: "µs", Value: updates.seconds * microseconds},
		{Row: watch + ": CPU time per event", Unit: "µs", Value: updates.cpu * microseconds},
	}
}

// check fails if the client has not done the work that it is measured for.
func (c *client) check(r *result) (err error) {
	want, lists := map[string]counts{syncing: {adds: c.objects}}, 1
	if c.Scenario == report.Changes {
		same, other := 0, c.objects/changedPart
		if c.Side == report.Theirs {
			// client-go reports every object that a relist finds, changed or not.
			same, other = c.objects, c.objects
		}
		// Each phase ends with an update of the sentinel.
		want[unchanged], want[changed], want[updating] = counts{updates: same + 1}, counts{updates: other + 1}, counts{updates: c.updates + 1}
		lists = 3
	}
	for name, counts := range want {
		if got := r.phases[name].counts; got != counts {
			err = errors.Join(err, fmt.Errorf("%s: the handler has received %+v instead of %+v", name, got, counts))
		}
	}
	got, streams := r.marks.Requests, 0
	if c.Mode == report.Streaming {
		lists, streams = 0, lists
	}
	if got.Lists != lists || got.Streams != streams {
		err = errors.Join(err, fmt.Errorf("the client has sent %+v, not %d lists and %d streams", got, lists, streams))
	}
	return err
}
