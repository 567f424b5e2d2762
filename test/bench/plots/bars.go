package main

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	ourColor  = color.RGBA{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff}
	peerColor = color.RGBA{R: 0xd9, G: 0x5f, B: 0x02, A: 0xff}
	gridColor = color.RGBA{R: 0xdd, G: 0xdd, B: 0xdd, A: 0xff}
)

// barsAt is the number of objects that bars are of.
const barsAt = 100_000

// bars are one picture for each section, of the rows that have a floor.
func bars(results []result) []picture {
	var pictures []picture
	for _, section := range []struct{ name, title string }{
		{"generator", "Generator"},
		{"runtime", "Informer over HTTP, 100,000 objects"},
		{"memory", "Informer in memory, 100,000 objects"},
	} {
		var rows []result
		for _, r := range results {
			if r.Section == section.name && r.Floor > 0 && (r.Objects == 0 || r.Objects == barsAt) {
				rows = append(rows, r)
			}
		}
		if len(rows) == 0 {
			continue
		}
		slices.Reverse(rows) // the first one is to be on top
		pictures = append(pictures, picture{
			name: section.name, width: 800, height: 90 + 24*vg.Length(len(rows)),
			draw: func(c draw.Canvas) error { return drawBars(c, section.title, rows) },
		})
	}
	return pictures
}

func drawBars(c draw.Canvas, title string, rows []result) error {
	p := newPlot(title + ": how many times better than the peer")
	p.X.Label.Text = "times better (logarithmic); the line on a bar is its floor"
	// A bar is the decimal logarithm: a bar chart cannot begin at 1 otherwise.
	var values plotter.Values
	var names []string
	var labels plotter.XYLabels
	highest := 10.0
	for i, r := range rows {
		values = append(values, math.Log10(max(r.Ratio, 1)))
		names = append(names, r.Row)
		labels.XYs = append(labels.XYs, plotter.XY{X: math.Log10(max(r.Ratio, r.Floor, 1)), Y: float64(i)})
		labels.Labels = append(labels.Labels, " "+strconv.FormatFloat(r.Ratio, 'g', 3, 64)+"×")
		highest = max(highest, r.Ratio, r.Floor)
	}
	chart, err := plotter.NewBarChart(values, 14)
	if err != nil {
		return err
	}
	chart.Horizontal, chart.Color, chart.LineStyle.Width = true, ourColor, 0
	texts, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i := range texts.TextStyle {
		texts.TextStyle[i].YAlign = draw.YCenter
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Width, grid.Vertical.Color = 0, gridColor
	p.Add(grid, chart, texts)
	for i, r := range rows {
		at := math.Log10(r.Floor)
		line, err := plotter.NewLine(plotter.XYs{{X: at, Y: float64(i) - 0.42}, {X: at, Y: float64(i) + 0.42}})
		if err != nil {
			return err
		}
		line.Color, line.Width = color.Black, 2
		p.Add(line)
	}
	p.NominalY(names...)
	p.X.Min, p.X.Max = 0, math.Log10(highest)+0.2
	p.X.Tick.Marker = plot.ConstantTicks(powers(highest))
	p.Y.Min, p.Y.Max = -0.6, float64(len(rows))-0.4
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	p.Draw(draw.Crop(c, 10, -10, 8, -8))
	return nil
}

// powers are ticks on the way to highest.
func powers(highest float64) (ticks []plot.Tick) {
	for power := 1.0; power <= highest*1.5; power *= 10 {
		for _, factor := range []float64{1, 2, 5} {
			ticks = append(ticks, plot.Tick{Value: math.Log10(power * factor), Label: strconv.FormatFloat(power*factor, 'f', -1, 64)})
		}
	}
	return ticks
}

// newPlot has a white background, which plots keep where a page is dark.
func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.BackgroundColor = color.White
	p.Title.Padding = 8
	return p
}
