package main

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is one row over the number of objects.
type panel struct {
	row, title string
	// perObject, if it is not 0, multiplies the figure divided by the number of objects.
	perObject float64
}

var panels = map[string][]panel{
	"runtime": {
		{"first sync, streaming: time", "First sync, streaming, µs per object", 1e6},
		{"first sync, LIST: time", "First sync, LIST, µs per object", 1e6},
		{"relist, streaming, unchanged: time", "Relist, unchanged, µs per object", 1e6},
		{"watch of updates, after streaming: time per event", "Update, µs", 0},
		{"live heap per object", "Live heap, B per object", 0},
		{"first sync, streaming: peak RSS", "Peak RSS, B per object", 1e6},
	},
	"memory": {
		{"first sync from memory, two indexes, one handler", "First sync, µs per object", 1e3},
		{"events to one handler, from memory", "Event to one handler, ns", 0},
		{"events to eight handlers", "Event to eight handlers, ns", 0},
		{"cache's own memory per object, two indexes", "Cache's own memory, B per object", 0},
		{"Lister.Get, parallel", "Lister.Get, parallel, ns", 0},
		{"List of one namespace, 1,000 of all", "List of 1,000 in a namespace, µs", 0},
		{"ByIndex, 200 of all", "ByIndex of 200, µs", 0},
		{"List of all", "List of all, ns per object", 1e6},
		{"a lone event, source to handler: p50", "Lone event, median, µs", 0},
	},
}

const columns = 3

// lines are one picture for each section with several numbers of objects.
func lines(results []result) (pictures []picture, err error) {
	for section, panels := range panels {
		sizes := map[int]bool{}
		for _, r := range results {
			if r.Section == section {
				sizes[r.Objects] = true
			}
		}
		if len(sizes) < 2 {
			continue
		}
		var all []*plot.Plot
		for _, panel := range panels {
			p, err := panel.plot(results)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
		rows := slices.Collect(slices.Chunk(all, columns))
		pictures = append(pictures, picture{section + "-sizes", 900, 230 * vg.Length(len(rows)), rows})
	}
	return pictures, nil
}

func (n panel) plot(results []result) (*plot.Plot, error) {
	p, grid := newPlot(n.title)
	grid.Vertical.Width = 0
	rows := slices.DeleteFunc(slices.Clone(results), func(r result) bool { return r.Row != n.row })
	if len(rows) == 0 {
		return nil, fmt.Errorf("there is no row %q", n.row)
	}
	slices.SortFunc(rows, func(a, b result) int { return cmp.Compare(a.Objects, b.Objects) })
	ours, peer, sizes := make(plotter.XYs, len(rows)), make(plotter.XYs, len(rows)), make([]plot.Tick, len(rows))
	for i, r := range rows {
		x, scale := float64(r.Objects), 1.0
		if n.perObject != 0 {
			scale = n.perObject / x
		}
		ours[i], peer[i] = plotter.XY{X: x, Y: r.Ours * scale}, plotter.XY{X: x, Y: r.Peer * scale}
		sizes[i] = plot.Tick{Value: x, Label: strconv.Itoa(r.Objects/1000) + ",000"}
		if r.Objects >= 1_000_000 {
			sizes[i].Label = strconv.Itoa(r.Objects/1_000_000) + " million"
		}
	}
	for _, side := range []struct {
		name   string
		color  color.Color
		points plotter.XYs
	}{{"peer", peerColor, peer}, {"ours", ourColor, ours}} {
		line, points, err := plotter.NewLinePoints(side.points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = side.color, 2
		points.Color, points.Shape, points.Radius = side.color, draw.CircleGlyph{}, 3
		p.Add(line, points)
		p.Legend.Add(side.name+room, line, points)
	}
	p.Legend.Top, p.Legend.Padding = true, 2
	p.Y.Min, p.Y.Max = 0, p.Y.Max*1.45 // the legend is above the lines
	p.Y.Tick.Marker = plot.TickerFunc(plainTicks)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.ConstantTicks(sizes)
	p.X.Min, p.X.Max = p.X.Min/1.6, p.X.Max*1.6
	return p, nil
}

// room is after a text with a line to its right, because a reader's font may be wider than
// this one. The spaces do not break: SVG drops others at the end of a text.
const room = "\u00a0\u00a0\u00a0"

// plainTicks are the default ones, without zeros at the end.
func plainTicks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = strconv.FormatFloat(ticks[i].Value, 'f', -1, 64) + room
		}
	}
	return ticks
}
