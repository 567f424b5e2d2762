package main

import (
	"bytes"
	"fmt"
	"strconv"
	"text/template"
)

// plotted is the kind of object in the picture, in the section packing.
const plotted = "Packing/pods/"

// bars are the three of each group.
var bars = []struct{ title, row, side, color string }{
	{"client-go", "informer", "side=client-go", "#8a8f98"},
	{"informer-gen", "informer", ourSide, "#1f5fbf"},
	{"informer-gen, packed", "packed", ourSide, "#2e8b57"},
}

// drawing needs no library of plots: it has six rectangles.
var drawing = template.Must(template.New("").Parse(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 240" font-family="sans-serif" font-size="13">
<rect width="640" height="240" fill="white"/>
{{range .}}<text x="16" y="{{.Y}}" font-weight="bold">{{.Title}}</text>
{{range .Bars}}<text x="16" y="{{.Y}}">{{.Title}}</text><rect x="180" y="{{.Top}}" width="{{.Width}}" height="16" fill="{{.Color}}"/><text x="{{.End}}" y="{{.Y}}">{{.Label}}</text>
{{end}}{{end}}</svg>
`))

type drawnGroup struct {
	Title string
	Y     int
	Bars  []drawnBar
}

type drawnBar struct {
	Title, Color, Label string
	Y, Top, Width, End  int
}

// plot returns an SVG of the time and the memory of a first sync.
func (r *results) plot() ([]byte, error) {
	var groups []drawnGroup
	for i, figure := range []struct{ title, unit, suffix string }{{"first sync", "sec/op", "s"}, {"memory", "B/object", "MB"}} {
		values := make([]float64, len(bars))
		objects := 0.0
		for n, bar := range bars {
			name, err := r.find(plotted+bar.row+"/FirstSync", bar.side, figure.unit)
			if err != nil {
				return nil, err
			}
			if objects, err = strconv.ParseFloat(name.objects, 64); err != nil {
				return nil, fmt.Errorf("the number of objects of %s: %w", name.row, err)
			}
			if values[n] = r.median(name); figure.suffix == "MB" {
				values[n] *= objects / 1e6
			}
		}
		group := drawnGroup{Title: fmt.Sprintf("%.0f pods: %s", objects, figure.title), Y: 28 + 112*i}
		group.draw(values, figure.suffix)
		groups = append(groups, group)
	}
	var text bytes.Buffer
	err := drawing.Execute(&text, groups)
	return text.Bytes(), err
}

// draw adds a bar for each value. The first one, of the peer, is the longest.
func (g *drawnGroup) draw(values []float64, suffix string) {
	const start, longest = 180, 360
	for n, value := range values {
		y, width := g.Y+26*(n+1), int(longest*value/max(values[0], value))
		g.Bars = append(g.Bars, drawnBar{bars[n].title, bars[n].color, number(value) + " " + suffix, y, y - 13, width, start + width + 8})
	}
}

// find returns the one figure of a row, a side and a unit.
func (r *results) find(row, side, unit string) (found name, err error) {
	for _, n := range r.names {
		if n.row == row && n.side == side && n.unit == unit {
			return n, nil
		}
	}
	return name{}, fmt.Errorf("the plot needs the row %s with %s and %s, which no result has", row, side, unit)
}
