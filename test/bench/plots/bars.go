package main

import (
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barsAt is the number of objects of rows with bars. Rows of the largest objects have a
// tenth of them.
const (
	barsAt      = 100_000
	barsAtLarge = barsAt / 10
	large       = "20 KB, "
)

// shown reports whether a row has a bar.
func (r result) shown() bool {
	if strings.HasPrefix(r.Row, large) {
		return r.Objects == barsAtLarge
	}
	return r.Objects == 0 || r.Objects == barsAt
}

// bars are one picture for each section, of the rows that have a floor.
func bars(results []result) (pictures []picture, err error) {
	for _, section := range []struct{ name, title string }{
		{"generator", "Generator"},
		{"default", "100,000 pods over HTTP, client-go's default"},
		{"custom", "Custom resources over HTTP, 200 MB"},
		{"runtime", "100,000 pods over HTTP as JSON"},
		{"memory", "Informer in memory, 100,000 objects"},
	} {
		rows := slices.DeleteFunc(slices.Clone(results), func(r result) bool {
			return r.Section != section.name || r.Floor == 0 || !r.shown()
		})
		if len(rows) == 0 {
			continue
		}
		slices.Reverse(rows) // the first one is drawn at the top
		p, err := plotBars(section.title, rows)
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, picture{section.name, 800, 90 + 36*vg.Length(len(rows)), [][]*plot.Plot{{p}}})
	}
	return pictures, nil
}

// Distances from the middle of a bar, where two bars have the distance 1: that of its name,
// and that of the ends of the line for its floor.
const (
	aboveBar = 0.42
	beside   = 0.22
)

// scaleFromOne is logarithmic. Bars begin at 0, which it draws at 1.
type scaleFromOne struct{ plot.LogScale }

func (s scaleFromOne) Normalize(low, high, x float64) float64 {
	return s.LogScale.Normalize(low, high, max(x, 1))
}

func plotBars(title string, rows []result) (*plot.Plot, error) {
	p, grid := newPlot(title + ": how many times better than the peer")
	grid.Horizontal.Width = 0
	p.X.Label.Text = "times better (logarithmic); the line on a bar is its floor"
	var values plotter.Values
	var ratios, names plotter.XYLabels
	highest := 10.0
	for i, r := range rows {
		values = append(values, r.Ratio)
		ratios.XYs = append(ratios.XYs, plotter.XY{X: max(r.Ratio, r.Floor), Y: float64(i)})
		ratios.Labels = append(ratios.Labels, strconv.FormatFloat(r.Ratio, 'g', 3, 64)+"×")
		// Names are above their bars: a reader's font may be much wider than this one.
		names.XYs = append(names.XYs, plotter.XY{X: 1, Y: float64(i) + aboveBar})
		names.Labels = append(names.Labels, r.Row)
		highest = max(highest, r.Ratio, r.Floor)
	}
	chart, err := plotter.NewBarChart(values, 12)
	if err != nil {
		return nil, err
	}
	chart.Horizontal, chart.Color, chart.LineStyle.Width = true, ourColor, 0
	ratioTexts, err := plotter.NewLabels(ratios)
	if err != nil {
		return nil, err
	}
	ratioTexts.Offset.X = 6
	nameTexts, err := plotter.NewLabels(names)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		ratioTexts.TextStyle[i].YAlign, nameTexts.TextStyle[i].YAlign = draw.YCenter, draw.YCenter
	}
	p.Add(chart, ratioTexts, nameTexts)
	for i, r := range rows {
		floor, err := plotter.NewLine(plotter.XYs{{X: r.Floor, Y: float64(i) - beside}, {X: r.Floor, Y: float64(i) + beside}})
		if err != nil {
			return nil, err
		}
		floor.Color, floor.Width = color.Black, 2
		p.Add(floor)
	}
	p.HideY()
	p.X.Scale, p.X.Tick.Marker = scaleFromOne{}, plot.ConstantTicks(ticks(highest))
	p.X.Min, p.X.Max = 1, highest*1.6
	p.Y.Min, p.Y.Max = -0.4, float64(len(rows))-0.3
	return p, nil
}

func ticks(highest float64) (ticks []plot.Tick) {
	for power := 1.0; power <= highest*1.5; power *= 10 {
		for _, factor := range []float64{1, 2, 5} {
			ticks = append(ticks, plot.Tick{Value: power * factor, Label: strconv.FormatFloat(power*factor, 'f', -1, 64)})
		}
	}
	return ticks
}
