package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// drawAll returns pictures of invented results: all rows in panels, and the names of all
// floors.
func drawAll(t *testing.T) map[string][]byte {
	t.Helper()
	var results []result
	for section, panels := range panels {
		for _, panel := range panels {
			for _, objects := range []int{10_000, barsAt, 1_000_000} {
				scale := 1.0
				if panel.perObject != 0 {
					scale = float64(objects) / panel.perObject
				}
				results = append(results, result{Section: section, Row: panel.row, Objects: objects, Ours: 1234 * scale, Peer: 5678 * scale, Ratio: 10, Floor: 5})
			}
		}
	}
	text, err := os.ReadFile("../floors.json")
	if err != nil {
		t.Fatal(err)
	}
	var floors map[string]any
	if err := json.Unmarshal(text, &floors); err != nil {
		t.Fatal(err)
	}
	for i, name := range slices.Sorted(maps.Keys(floors)) {
		for _, section := range []string{"generator", "default", "custom"} {
			results = append(results, result{Section: section, Row: "pods, " + name, Ratio: float64(1 + i), Floor: 3})
		}
	}
	text, err = json.Marshal(results)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "results.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(file, folder, "svg"); err != nil {
		t.Fatal(err)
	}
	pictures := map[string][]byte{}
	for _, name := range []string{"default", "custom", "generator", "runtime", "memory", "runtime-sizes", "memory-sizes"} {
		if pictures[name], err = os.ReadFile(filepath.Join(folder, name+".svg")); err != nil {
			t.Fatal(err)
		}
	}
	return pictures
}

// box is a rectangle of a picture, in points from its lower left corner.
type box struct {
	what                     string
	left, bottom, right, top float64
}

func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.bottom < o.top && o.bottom < b.top
}

var (
	canvas = regexp.MustCompile(`viewBox="0 0 ([0-9.]+) ([0-9.]+)"`)
	texts  = regexp.MustCompile(`<text textLength="([0-9.]+)" [^>]*x="([-0-9.]+)" y="([-0-9.]+)"[^>]*font-family:[^;]*sans-serif;[^>]*font-size:([0-9.]+)px[^>]*>([^<]*)<`)
	blue   = regexp.MustCompile(`<path d="M([-0-9.]+),([-0-9.]+)L[-0-9.]+,([-0-9.]+)L([-0-9.]+),[-0-9.]+L[-0-9.]+,[-0-9.]+Z" style="fill:#1F77B4"`)
)

func numbers(t *testing.T, parts [][]byte) (all []float64) {
	t.Helper()
	for _, part := range parts {
		n, err := strconv.ParseFloat(string(part), 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// TestWideFont has a font that is 30 % wider than expected, and a renderer that does not
// know textLength. No text is cut or crosses another one or a bar.
func TestWideFont(t *testing.T) {
	for name, picture := range drawAll(t) {
		size := numbers(t, canvas.FindSubmatch(picture)[1:])
		var labels, bars []box
		for _, part := range texts.FindAllSubmatch(picture, -1) {
			n := numbers(t, part[1:5])
			wide := 1.3 * n[0]
			if bytes.HasSuffix(part[5], []byte(room)) {
				if wide = 1.3 * (n[0] - width(room, n[3])); wide > n[0] {
					t.Errorf("%s: %q reaches the line to its right", name, part[5])
				}
			}
			labels = append(labels, box{string(part[5]), n[1], -n[2] - n[3]*0.2, n[1] + wide, -n[2] + n[3]*0.75})
		}
		for _, part := range blue.FindAllSubmatch(picture, -1) {
			n := numbers(t, part[1:])
			bars = append(bars, box{"a bar", n[0], n[1], n[3], n[2]})
		}
		if len(labels) != bytes.Count(picture, []byte("<text ")) || len(labels) < 10 || len(bars) == 0 != strings.HasSuffix(name, "-sizes") {
			t.Errorf("%s: %d texts and %d bars are found", name, len(labels), len(bars))
		}
		for i, label := range labels {
			if label.left < 0 || label.right > size[0] || label.bottom < 0 || label.top > size[1] {
				t.Errorf("%s: %+v is cut", name, label)
			}
			for _, other := range append(labels[i+1:], bars...) {
				if label.overlaps(other) {
					t.Errorf("%s: %+v crosses %+v", name, label, other)
				}
			}
		}
	}
}
