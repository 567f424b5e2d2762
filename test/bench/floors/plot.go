package main

import (
	"bytes"
	"fmt"
	"text/template"
)

// picture is what a section shows: a group of bars for each figure.
type picture struct {
	figures []figure
	bars    []bar
	// labels is the width of the texts before the bars, in pixels.
	labels int
}

type figure struct {
	title, unit, suffix string
	// per divides values for their suffix. Those of each object are multiplied by the number of objects.
	per       float64
	perObject bool
}

type bar struct {
	title, row, side, color string
	// published is a value that others have measured; 0 if it is among the results.
	published float64
}

const gray, blue, green = "#8a8f98", "#1f5fbf", "#2e8b57"

// pictures are by section.
var pictures = map[string]picture{
	"packing": {
		[]figure{{"100,000 pods: first sync", "sec/op", "s", 1, false}, {"100,000 pods: memory", "B/object", "MB", 1e6, true}},
		[]bar{
			{"client-go", "Packing/pods/informer/FirstSync", "side=client-go", gray, 0},
			{"informer-gen", "Packing/pods/informer/FirstSync", ourSide, blue, 0},
			{"informer-gen, packed", "Packing/pods/packed/FirstSync", ourSide, green, 0},
		},
		164,
	},
	"fleet": {
		[]figure{{"nodes and as many pods, untyped: peak RSS of the start", "RSS-B/op", "GB", 1e9, false}},
		[]bar{
			{"100,000, published, not measured by us", "", "", gray, 28.8 * (1 << 30)},
			{"10,000, controller-runtime", "Fleet/tenth/whole/FirstSync", "side=controller-runtime", gray, 0},
			{"10,000, crcache", "Fleet/tenth/whole/FirstSync", ourSide, blue, 0},
			{"50,000, crcache", "Fleet/half/whole/FirstSync", ourSide, blue, 0},
			{"100,000, crcache, packed", "Fleet/all/packed/FirstSync", ourSide, green, 0},
			{"100,000, crcache, fields that are read", "Fleet/all/fields/FirstSync", ourSide, green, 0},
		},
		264,
	},
}

// drawing needs no library of plots: it has some rectangles.
var drawing = template.Must(template.New("").Parse(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{.Width}} {{.Height}}" font-family="sans-serif" font-size="13">
<rect width="{{.Width}}" height="{{.Height}}" fill="white"/>
{{range .Groups}}<text x="16" y="{{.Y}}" font-weight="bold">{{.Title}}</text>
{{range .Bars}}<text x="16" y="{{.Y}}">{{.Title}}</text><rect x="{{.Start}}" y="{{.Top}}" width="{{.Width}}" height="16" fill="{{.Color}}"/><text x="{{.End}}" y="{{.Y}}">{{.Label}}</text>
{{end}}{{end}}</svg>
`))

type drawn struct {
	Width, Height int
	Groups        []drawnGroup
}

type drawnGroup struct {
	Title string
	Y     int
	Bars  []drawnBar
}

type drawnBar struct {
	Title, Color, Label       string
	Y, Top, Start, Width, End int
}

// longest is the width of the longest bar of a group, and line the height of one.
const longest, line = 360, 26

// plot returns an SVG of a section.
func (r *results) plot(section string) ([]byte, error) {
	p, known := pictures[section]
	if !known {
		return nil, fmt.Errorf("there is no picture of a section %q", section)
	}
	height := line*len(p.bars) + 34
	svg := drawn{Width: p.labels + longest + 116, Height: 16 + height*len(p.figures)}
	for i, f := range p.figures {
		group, most := drawnGroup{Title: f.title, Y: 28 + height*i}, 0.0
		values := make([]float64, len(p.bars))
		for n, b := range p.bars {
			value, err := r.valueOf(b, f)
			if err != nil {
				return nil, err
			}
			values[n], most = value, max(most, value)
		}
		for n, b := range p.bars {
			y, start, width := group.Y+line*(n+1), 16+p.labels, int(longest*values[n]/most)
			group.Bars = append(group.Bars, drawnBar{b.title, b.color, number(values[n]/f.per) + " " + f.suffix, y, y - 13, start, width, start + width + 8})
		}
		svg.Groups = append(svg.Groups, group)
	}
	var text bytes.Buffer
	err := drawing.Execute(&text, svg)
	return text.Bytes(), err
}

// valueOf returns the figure of a bar.
func (r *results) valueOf(b bar, f figure) (float64, error) {
	if b.published != 0 {
		return b.published, nil
	}
	for _, n := range r.names {
		if n.row != b.row || n.side != b.side || n.unit != f.unit {
			continue
		}
		objects := 1.0
		if f.perObject {
			if _, err := fmt.Sscan(n.objects, &objects); err != nil {
				return 0, fmt.Errorf("the number of objects of %s: %w", n.row, err)
			}
		}
		return r.median(n) * objects, nil
	}
	return 0, fmt.Errorf("the plot needs the row %s with %s and %s, which no result has", b.row, b.side, f.unit)
}
