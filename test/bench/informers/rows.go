package main

import "github.com/typedinformers/informer-gen/test/bench/report"

// syncFigures are those of a first sync, and of the cache that it fills. client-go has no
// views, so the peer of a view is a first sync of whole objects. The benchmark ignores
// rows that only client-go has.
func (c *client) syncFigures(sync cost, heap float64) []report.Figure {
	name, peer := "first sync, "+c.Mode, ""
	switch c.Fields {
	case report.Unmanaged:
		return c.heapFigures(heap)
	case report.View:
		name, peer = "first sync of a view, "+c.Mode, name
	}
	figures := []report.Figure{
		{Row: ": time", Unit: "s", Value: sync.seconds},
		{Row: ": CPU time", Unit: "s", Value: sync.cpu},
		{Row: ": peak RSS", Unit: report.PeakMB},
	}
	for i, f := range figures {
		figures[i].Row = name + f.Row
		if peer != "" {
			figures[i].Peer = peer + f.Row
		}
	}
	if c.Brief {
		return figures
	}
	return append(figures, c.heapFigures(heap)...)
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

// slowFigures are those of a handler that is behind by so many events. client-go's
// handlers have no limit for that.
func (c *client) slowFigures(heap float64, events int) []report.Figure {
	const row = "a slow handler, each object updated five times"
	name, peer := row, ""
	if c.Scenario == report.SlowLimited {
		name, peer = row+", with a limit", row
	}
	var figures []report.Figure
	for _, f := range []report.Figure{
		{Row: ": heap per event", Unit: "B", Value: heap / float64(events)},
		{Row: ": peak RSS", Unit: report.PeakMB},
	} {
		name, peer := name+f.Row, peer
		if peer != "" {
			peer += f.Row
		}
		figures = append(figures, report.Figure{Row: name, Peer: peer, Unit: f.Unit, Value: f.Value})
	}
	return figures
}

// idleFigures are those of one of as many informers as report.IdleInformers.
func (c *client) idleFigures(goroutines, bytes float64) []report.Figure {
	const row = "1,000 idle informers"
	return []report.Figure{
		{Row: row + ": goroutines of each", Unit: report.Goroutines, Value: goroutines},
		{Row: row + ": heap and stacks of each", Unit: "B", Value: bytes},
		{Row: row + ": peak RSS", Unit: report.PeakMB},
	}
}

// withPrefix adds the prefix of the setting to all names.
func withPrefix(figures []report.Figure, prefix string) []report.Figure {
	for i := range figures {
		f := &figures[i]
		f.Row = prefix + f.Row
		if f.Peer != "" {
			f.Peer = prefix + f.Peer
		}
	}
	return figures
}

func (c *client) changeFigures(unchanged, changed, updates cost) []report.Figure {
	relist, watch := "relist, "+c.Mode, "watch of updates, after "+c.Mode
	microsecondsEach := 1e6 / float64(c.updates+1)
	first := report.Figure{Row: relist + ", unchanged, against a first sync: time", Unit: "s", Value: unchanged.seconds, Peer: "first sync, " + c.Mode + ": time"}
	burst := []report.Figure{
		{Row: watch + ": time per event", Unit: "µs", Value: updates.seconds * microsecondsEach},
		{Row: watch + ": CPU time per event", Unit: "µs", Value: updates.cpu * microsecondsEach},
	}
	if c.Brief {
		return append([]report.Figure{first}, burst...)
	}
	return append([]report.Figure{
		first,
		{Row: relist + ", unchanged: time", Unit: "s", Value: unchanged.seconds},
		{Row: relist + ", unchanged: CPU time", Unit: "s", Value: unchanged.cpu},
		{Row: relist + ", 1% changed: time", Unit: "s", Value: changed.seconds},
		{Row: relist + ", 1% changed: CPU time", Unit: "s", Value: changed.cpu},
	}, burst...)
}
