package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const someResults = `goos: linux
BenchmarkGet/objects=1000/side=informer-gen-2 1 20 ns/op 0 allocs/op
BenchmarkGet/objects=1000/side=informer-gen-2 1 10 ns/op 0 allocs/op
BenchmarkGet/objects=1000/side=informer-gen-2 1 90 ns/op 0 allocs/op
BenchmarkGet/objects=1000/side=client-go-2 1 50 ns/op 2 allocs/op
BenchmarkRelist/objects=9/side=informer-gen 1 10 ns/op
BenchmarkSync/objects=9/side=client-go 1 100 ns/op
BenchmarkSync/objects=9/side=other 1 5 ns/op
BenchmarkSame/side=informer-gen 1 0 ns/op
BenchmarkSame/side=client-go 1 0 ns/op
BenchmarkHostile/a/side=informer-gen 1 10 ns/op
BenchmarkHostile/a/side=client-go 1 10 ns/op
BenchmarkHostile/b/side=informer-gen 1 10 ns/op
BenchmarkHostile/b/side=client-go 1 5 ns/op
`

// TestRun compares results with floors that they reach and others.
func TestRun(t *testing.T) {
	for _, test := range []struct{ name, floors, err string }{
		{"reached", `{"row": "Get", "unit": "sec/op", "least": 2.5}`, ""},
		{"missed", `{"row": "Get", "unit": "sec/op", "least": 2.6}`, `Get, "1000" objects, is below its floor`},
		{"missed for another number of objects", `{"row": "Get", "unit": "sec/op", "least": 2.6, "at": {"1000": 2}}`, ""},
		{"missed for this number of objects", `{"row": "Get", "unit": "sec/op", "least": 2, "at": {"1000": 3}}`, "is below its floor"},
		{"a goal", `{"row": "Get", "unit": "sec/op", "least": 2, "goal": 3}`, ""},
		{"at most", `{"row": "Get", "unit": "allocs/op", "most": 0}`, ""},
		{"more than at most", `{"row": "Get", "unit": "sec/op", "most": 1e-9}`, "is below its floor"},
		{"another row", `{"row": "Relist", "unit": "sec/op", "peer": "side=client-go", "against": "Sync", "least": 10}`, ""},
		{"all sides of another row", `{"row": "Relist", "unit": "sec/op", "against": "Sync", "least": 10}`, "side=other"},
		{"the worst", `{"row": "Hostile/*", "unit": "sec/op", "least": 0.5}`, ""},
		{"the worst missed", `{"row": "Hostile/*", "unit": "sec/op", "least": 0.6}`, "Hostile/b"},
		{"both are 0", `{"row": "Same", "unit": "sec/op", "least": 1}`, ""},
		{"no such row", `{"row": "List", "unit": "sec/op", "least": 1}`, `no result has the rows of these floors: ["List sec/op"]`},
		{"no such side", `{"row": "Get", "unit": "sec/op", "peer": "side=none", "least": 1}`, "no result has the rows"},
		{"a wrong field", `{"row": "Get", "unit": "sec/op", "floor": 1}`, "unknown field"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			file, floors := filepath.Join(folder, "results.txt"), filepath.Join(folder, "floors.json")
			for name, text := range map[string]string{file: someResults, floors: "[" + test.floors + "]"} {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			err := (&options{floors: floors, check: true}).run(io.Discard, []string{file})
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("the error is %v, want %q", err, test.err)
			}
		})
	}
}

func TestTable(t *testing.T) {
	file, out := filepath.Join(t.TempDir(), "results.txt"), filepath.Join(t.TempDir(), "table.txt")
	if err := os.WriteFile(file, []byte(someResults), 0o644); err != nil {
		t.Fatal(err)
	}
	floors := filepath.Join(t.TempDir(), "floors.json")
	if err := os.WriteFile(floors, []byte(`[{"row": "Get", "unit": "sec/op", "least": 2, "goal": 4}, {"row": "List", "unit": "sec/op"}]`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (&options{floors: floors, out: out, partial: true, check: true}).run(io.Discard, []string{file}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"goos: linux\n", "Get        1000     sec/op     20.00n  50.00n client-go  2.5×    2×, goal 4×, below goal"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// TestPlot draws three sides, and refuses results without one of them.
func TestPlot(t *testing.T) {
	text := ""
	for _, row := range []string{"informer/FirstSync/objects=2000/side=client-go", "informer/FirstSync/objects=2000/side=informer-gen", "packed/FirstSync/objects=2000/side=informer-gen"} {
		file, picture := filepath.Join(t.TempDir(), "results.txt"), filepath.Join(t.TempDir(), "plot.svg")
		floors := filepath.Join(t.TempDir(), "floors.json")
		text += "BenchmarkPacking/pods/" + row + "-2 1 1500000000 ns/op 4000 B/object\n"
		for name, text := range map[string]string{file: text, floors: "[]"} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		err := (&options{floors: floors, plot: picture, section: "packing", partial: true, check: true}).run(io.Discard, []string{file})
		if !strings.HasPrefix(row, "packed") {
			if err == nil || !strings.Contains(err.Error(), "the plot needs the row Packing/pods/") {
				t.Errorf("with %s as the last row the error is %v", row, err)
			}
			continue
		}
		drawn, readErr := os.ReadFile(picture)
		if err != nil || readErr != nil || strings.Count(string(drawn), ">1.5 s<") != 3 || strings.Count(string(drawn), ">8 MB<") != 3 {
			t.Errorf("the picture of three equal sides is, with %v and %v:\n%s", err, readErr, drawn)
		}
	}
}
