package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestMergeResults replaces what was measured again, and keeps the rest.
func TestMergeResults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "folder", "results.json")
	for _, rows := range [][]Row{
		{{Section: "memory", Name: "b", Objects: 10, Ours: 1}, {Section: "memory", Name: "a", Objects: 10}, {Section: "memory", Name: "a", Objects: 20}},
		{{Section: "generator", Name: "c"}},
		{{Section: "memory", Name: "b", Objects: 10, Ours: 2}},
	} {
		if _, err := mergeResults(file, rows); err != nil {
			t.Fatal(err)
		}
	}
	got, err := mergeResults(file, nil)
	want := []Row{{Section: "generator", Name: "c"}, {Section: "memory", Name: "b", Objects: 10, Ours: 2}, {Section: "memory", Name: "a", Objects: 20}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, it has %+v", err, got)
	}
	if memory := ofSection(got, "memory"); len(memory) != 2 || len(got) != 3 {
		t.Errorf("%+v of %+v", memory, got)
	}
}

func TestSamples(t *testing.T) {
	row := newRow("events to one handler, 8 indexes", "µs", []float64{1.5, 2}, []float64{30})
	row.Objects = 1000
	text := string(samples([]Row{row}))
	for _, want := range []string{"goos: ", "\nBenchmarkEventsToOneHandler8Indexes/objects=1000/side=ours-", " 1 1500 ns/op\n", " 1 2000 ns/op\n", "side=peer-", " 1 30000 ns/op\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}

// TestFloors reads the file that is checked in.
func TestFloors(t *testing.T) {
	f, err := readFloors("floors.json")
	if err != nil {
		t.Fatal(err)
	}
	rows := []Row{{Name: "first sync, streaming: peak RSS", Objects: 10_000}, {Name: "Lister.Get, parallel: allocations"}, {Name: "nothing"}}
	f.apply(rows)
	if names := f.without(rows); len(names) != len(f)-2 || slices.Contains(names, rows[0].Name) {
		t.Errorf("%q have no row", names)
	}
	if rows[0].Floor == f[rows[0].Name].Floor || rows[1].Most == nil || rows[2].floor != (floor{}) {
		t.Errorf("%+v", rows)
	}
}
