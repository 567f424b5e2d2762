// Command plots draws results of the benchmark as SVG.
//
//	bars.go   how many times better than the peer each row is
//	lines.go  costs over the number of objects, of both sides
//	text.go   makes texts as wide with a reader's font as with the one that is expected
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	_ "gonum.org/v1/plot/vg/vgimg"
	_ "gonum.org/v1/plot/vg/vgsvg"
)

// result is an object of results.json, without what plots do not show.
type result struct {
	Section, Row             string
	Objects                  int
	Ours, Peer, Ratio, Floor float64
}

// picture is one file: plots next to each other and below each other.
type picture struct {
	name          string
	width, height vg.Length
	plots         [][]*plot.Plot
}

func main() {
	results := pflag.String("results", "bench/results.json", "`FILE` with the results")
	out := pflag.String("out", "../docs/plots", "`FOLDER` for the plots")
	format := pflag.String("format", "svg", "svg or png")
	pflag.Parse()
	if err := run(*results, *out, *format); err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

func run(file, out, format string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var results []result
	if err := json.Unmarshal(text, &results); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	plot.DefaultFont.Variant = "Sans"
	plotter.DefaultFont.Variant = "Sans"
	bars, err := bars(results)
	if err != nil {
		return err
	}
	lines, err := lines(results)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, p := range append(bars, lines...) {
		if err := p.write(filepath.Join(out, p.name+"."+format), format); err != nil {
			return err
		}
	}
	return nil
}

func (p *picture) write(file, format string) error {
	formatted, err := draw.NewFormattedCanvas(p.width, p.height, format)
	if err != nil {
		return err
	}
	canvas := draw.New(formatted)
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
	tiles := draw.Tiles{Rows: len(p.plots), Cols: len(p.plots[0]), PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 14, PadX: 16, PadY: 14}
	for i, row := range plot.Align(p.plots, tiles, canvas) {
		for j, tile := range row {
			if p.plots[i][j] != nil {
				p.plots[i][j].Draw(tile)
			}
		}
	}
	var text bytes.Buffer
	if _, err := formatted.WriteTo(&text); err != nil {
		return err
	}
	if format == "svg" {
		return os.WriteFile(file, portable(text.Bytes()), 0o644)
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}

var (
	ourColor  = color.RGBA{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff}
	peerColor = color.RGBA{R: 0xd9, G: 0x5f, B: 0x02, A: 0xff}
)

// newPlot has a grid, and a white background also where a page is dark.
func newPlot(title string) (*plot.Plot, *plotter.Grid) {
	p, grid := plot.New(), plotter.NewGrid()
	p.Title.Text, p.Title.Padding, p.BackgroundColor = title, 8, color.White
	light := color.RGBA{R: 0xdd, G: 0xdd, B: 0xdd, A: 0xff}
	grid.Vertical.Color, grid.Horizontal.Color = light, light
	p.Add(grid)
	return p, grid
}
