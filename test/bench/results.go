package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// mergeResults puts rows into a file of results: in the place of earlier ones of the
// same section and number of objects.
func mergeResults(file string, rows []Row) ([]Row, error) {
	var all []Row
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	all = merge(all, rows)
	if text, err = json.MarshalIndent(all, "", "  "); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	return all, os.WriteFile(file, append(text, '\n'), 0o644)
}

func merge(all, rows []Row) []Row {
	all = slices.DeleteFunc(all, func(old Row) bool {
		return slices.ContainsFunc(rows, func(row Row) bool { return row.Section == old.Section && row.Objects == old.Objects })
	})
	all = append(all, rows...)
	slices.SortStableFunc(all, func(a, b Row) int {
		if a.Section != b.Section {
			return sectionPlace(a.Section) - sectionPlace(b.Section)
		}
		return a.Objects - b.Objects
	})
	return all
}

func sectionPlace(name string) int {
	return slices.IndexFunc(sections, func(s section) bool { return s.name == name })
}

// ofSection are the rows of one section.
func ofSection(rows []Row, name string) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(row Row) bool { return row.Section != name })
}

// writeSamples writes every sample in the format of Go benchmarks:
//
//	benchstat -col /side build/bench/runtime.txt
func writeSamples(w io.Writer, rows []Row) error {
	_, err := fmt.Fprintf(w, "goos: %s\ngoarch: %s\npkg: github.com/typedinformers/informer-gen/test/bench\ncpu: %s\n", runtime.GOOS, runtime.GOARCH, processor())
	for _, row := range rows {
		for _, side := range []struct {
			name    string
			samples []float64
		}{{"ours", row.samples.ours}, {"peer", row.samples.peer}} {
			for _, value := range side.samples {
				if err != nil {
					return err
				}
				value, unit := perOperation(value, row.Unit)
				_, err = fmt.Fprintf(w, "Benchmark%s/objects=%d/side=%s-%d 1 %g %s\n", identifier(row.Name), row.Objects, side.name, runtime.GOMAXPROCS(0), value, unit)
			}
		}
	}
	return err
}

// perOperation has the units that benchstat knows.
func perOperation(value float64, unit string) (float64, string) {
	switch unit {
	case "s":
		return value * 1e9, "ns/op"
	case "ms":
		return value * 1e6, "ns/op"
	case "µs":
		return value * 1e3, "ns/op"
	case "ns":
		return value, "ns/op"
	case "MB":
		return value * 1e6, "B/op"
	}
	return value, unit + "/op"
}

// identifier is a name without what benchstat takes for syntax.
func identifier(name string) string {
	var text strings.Builder
	upper := true
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '%':
			upper = true
		case upper:
			text.WriteRune(unicode.ToUpper(r))
			upper = false
		default:
			text.WriteRune(r)
		}
	}
	return text.String()
}
