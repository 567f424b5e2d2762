package main

import (
	"fmt"
	"image/color"
	"math"
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
	// perObject divides the figure by the number of objects, and multiplies it with
	// this; 0 takes it as it is.
	perObject float64
}

var memoryPanels = []panel{
	{"first sync from memory, two indexes, one handler", "First sync, µs per object", 1e3},
	{"events to one handler, from memory", "Event to one handler, ns", 0},
	{"events to eight handlers", "Event to eight handlers, ns", 0},
	{"cache's own memory per object, two indexes", "Cache's own memory, B per object", 0},
	{"Lister.Get, parallel", "Lister.Get, parallel, ns", 0},
	{"List of one namespace, 1,000 of all", "List of 1,000 in a namespace, µs", 0},
	{"ByIndex, 200 of all", "ByIndex of 200, µs", 0},
	{"List of all", "List of all, ns per object", 1e6},
	{"a lone event, source to handler: p50", "Lone event, median, µs", 0},
}

var runtimePanels = []panel{
	{"first sync, streaming: time", "First sync, streaming, µs per object", 1e6},
	{"first sync, LIST: time", "First sync, LIST, µs per object", 1e6},
	{"relist, streaming, unchanged: time", "Relist, unchanged, µs per object", 1e6},
	{"watch of updates, after streaming: time per event", "Update, µs", 0},
	{"live heap per object", "Live heap, B per object", 0},
	{"first sync, streaming: peak RSS", "Peak RSS, B per object", 1e6},
}

const columns = 3

// lines are one picture for each section that has several numbers of objects.
func lines(results []result) []picture {
	var pictures []picture
	for _, section := range []struct {
		name   string
		panels []panel
	}{{"runtime", runtimePanels}, {"memory", memoryPanels}} {
		if !severalSizes(results, section.name) {
			continue
		}
		rows := (len(section.panels) + columns - 1) / columns
		pictures = append(pictures, picture{
			name: section.name + "-sizes", width: 900, height: 230 * vg.Length(rows),
			draw: func(c draw.Canvas) error { return drawPanels(c, results, section.panels) },
		})
	}
	return pictures
}

func severalSizes(results []result, section string) bool {
	sizes := map[int]bool{}
	for _, r := range results {
		if r.Section == section {
			sizes[r.Objects] = true
		}
	}
	return len(sizes) > 1
}

func drawPanels(c draw.Canvas, results []result, panels []panel) error {
	rows := (len(panels) + columns - 1) / columns
	plots := make([][]*plot.Plot, rows)
	for i, panel := range panels {
		p, err := panel.plot(results)
		if err != nil {
			return err
		}
		plots[i/columns] = append(plots[i/columns], p)
	}
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 14, PadX: 16, PadY: 14}
	canvases := plot.Align(plots, tiles, c)
	for i := range plots {
		for j, p := range plots[i] {
			p.Draw(canvases[i][j])
		}
	}
	return nil
}

func (n panel) plot(results []result) (*plot.Plot, error) {
	var ours, peer plotter.XYs
	highest := 0.0
	for _, r := range results {
		if r.Row != n.row {
			continue
		}
		scale := 1.0
		if n.perObject != 0 {
			scale = n.perObject / float64(r.Objects)
		}
		x := math.Log10(float64(r.Objects))
		ours = append(ours, plotter.XY{X: x, Y: r.Ours * scale})
		peer = append(peer, plotter.XY{X: x, Y: r.Peer * scale})
		highest = max(highest, r.Ours*scale, r.Peer*scale)
	}
	if len(ours) == 0 {
		return nil, fmt.Errorf("there is no row %q", n.row)
	}
	p := newPlot(n.title)
	grid := plotter.NewGrid()
	grid.Vertical.Width, grid.Horizontal.Color = 0, gridColor
	p.Add(grid)
	for _, side := range []struct {
		name   string
		color  color.Color
		points plotter.XYs
	}{{"peer", peerColor, peer}, {"ours", ourColor, ours}} {
		slices.SortFunc(side.points, func(a, b plotter.XY) int { return int(math.Copysign(1, a.X-b.X)) })
		line, points, err := plotter.NewLinePoints(side.points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = side.color, 2
		points.Color, points.Shape, points.Radius = side.color, draw.CircleGlyph{}, 3
		p.Add(line, points)
		p.Legend.Add(side.name, line, points)
	}
	p.Y.Min, p.Y.Max = 0, highest*1.45 // the legend stands above the lines
	p.Legend.Top = true
	p.Y.Tick.Marker = plot.TickerFunc(plainTicks)
	p.X.Tick.Marker = plot.ConstantTicks(sizeTicks(ours))
	p.X.Min, p.X.Max = ours[0].X-0.2, ours[len(ours)-1].X+0.2
	return p, nil
}

// plainTicks are the usual ones, without zeros behind the point.
func plainTicks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = strconv.FormatFloat(ticks[i].Value, 'f', -1, 64)
		}
	}
	return ticks
}

// sizeTicks are at the numbers of objects that there are.
func sizeTicks(points plotter.XYs) (ticks []plot.Tick) {
	for _, point := range points {
		n := int(math.Round(math.Pow(10, point.X)))
		label := strconv.Itoa(n/1000) + ",000"
		if n >= 1_000_000 {
			label = strconv.Itoa(n/1_000_000) + " million"
		}
		ticks = append(ticks, plot.Tick{Value: point.X, Label: label})
	}
	return ticks
}
