package main

import (
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barsAt is the number of objects of rows with bars.
const barsAt = 100_000

// bars are one picture for each section, of the rows that have a floor.
func bars(results []result) (pictures []picture, err error) {
	for _, section := range []struct{ name, title string }{
		{"generator", "Generator"},
		{"runtime", "Informer over HTTP, 100,000 objects"},
		{"memory", "Informer in memory, 100,000 objects"},
	} {
		rows := slices.DeleteFunc(slices.Clone(results), func(r result) bool {
			return r.Section != section.name || r.Floor == 0 || r.Objects != 0 && r.Objects != barsAt
		})
		if len(rows) == 0 {
			continue
		}
		slices.Reverse(rows) // the first one is drawn at the top
		p, err := plotBars(section.title, rows)
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, picture{section.name, 800, 90 + 24*vg.Length(len(rows)), [][]*plot.Plot{{p}}})
	}
	return pictures, nil
}

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
	var names []string
	var labels plotter.XYLabels
	highest := 10.0
	for i, r := range rows {
		values, names = append(values, r.Ratio), append(names, r.Row)
		labels.XYs = append(labels.XYs, plotter.XY{X: max(r.Ratio, r.Floor), Y: float64(i)})
		labels.Labels = append(labels.Labels, " "+strconv.FormatFloat(r.Ratio, 'g', 3, 64)+"×")
		highest = max(highest, r.Ratio, r.Floor)
	}
	chart, err := plotter.NewBarChart(values, 14)
	if err != nil {
		return nil, err
	}
	chart.Horizontal, chart.Color, chart.LineStyle.Width = true, ourColor, 0
	texts, err := plotter.NewLabels(labels)
	if err != nil {
		return nil, err
	}
	for i := range texts.TextStyle {
		texts.TextStyle[i].YAlign = draw.YCenter
	}
	p.Add(chart, texts)
	for i, r := range rows {
		floor, err := plotter.NewLine(plotter.XYs{{X: r.Floor, Y: float64(i) - 0.42}, {X: r.Floor, Y: float64(i) + 0.42}})
		if err != nil {
			return nil, err
		}
		floor.Color, floor.Width = color.Black, 2
		p.Add(floor)
	}
	p.NominalY(names...)
	p.X.Scale, p.X.Tick.Marker = scaleFromOne{}, plot.ConstantTicks(ticks(highest))
	p.X.Min, p.X.Max = 1, highest*1.6
	p.Y.Min, p.Y.Max = -0.6, float64(len(rows))-0.4
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
