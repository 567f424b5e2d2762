// Command plots draws results of the benchmark as SVG.
//
//	bars.go   how many times better than the peer each row is
//	lines.go  costs over the number of objects, of both sides
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// result is an object of results.json, as far as plots need it.
type result struct {
	Section, Row, Unit       string
	Objects                  int
	Ours, Peer, Ratio, Floor float64
}

// picture is one file.
type picture struct {
	name          string
	width, height vg.Length
	draw          func(draw.Canvas) error
}

func main() {
	results := pflag.String("results", "bench/results.json", "`FILE` with the results")
	out := pflag.String("out", "../docs/plots", "`FOLDER` for the plots")
	png := pflag.Bool("png", false, "write PNG files instead")
	pflag.Parse()
	if err := run(*results, *out, *png); err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

func run(file, out string, png bool) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var results []result
	if err := json.Unmarshal(text, &results); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	plot.DefaultFont.Variant = "Sans" // what a browser has instead is as wide
	plotter.DefaultFont.Variant = "Sans"
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, p := range append(bars(results), lines(results)...) {
		if err := p.write(out, png); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func (p *picture) write(folder string, png bool) error {
	var canvas interface {
		vg.CanvasSizer
		vg.CanvasWriterTo
	} = vgsvg.New(p.width, p.height)
	name := p.name + ".svg"
	if png {
		canvas, name = vgimg.PngCanvas{Canvas: vgimg.New(p.width, p.height)}, p.name+".png"
	}
	if err := p.draw(draw.New(canvas)); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(file)
	return errors.Join(err, file.Close())
}
