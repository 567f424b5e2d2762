package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// mergeResults replaces the rows of the same section and number of objects in a file
// of results, and returns all rows.
func mergeResults(file string, rows []Row) ([]Row, error) {
	var all []Row
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	all = slices.DeleteFunc(all, func(old Row) bool {
		return slices.ContainsFunc(rows, func(row Row) bool { return row.Section == old.Section && row.Objects == old.Objects })
	})
	all = append(all, rows...)
	slices.SortStableFunc(all, func(a, b Row) int {
		return cmp.Or(sectionAt(a.Section)-sectionAt(b.Section), a.Objects-b.Objects)
	})
	if text, err = json.MarshalIndent(all, "", "  "); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	return all, os.WriteFile(file, append(text, '\n'), 0o644)
}

func sectionAt(name string) int {
	return slices.IndexFunc(sections, func(s section) bool { return s.name == name })
}

// ofSection returns the rows of one section.
func ofSection(rows []Row, name string) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(row Row) bool { return row.Section != name })
}

// benchUnits are units that benchstat knows, by ours.
var benchUnits = map[string]struct {
	name   string
	factor float64
}{"s": {"ns/op", 1e9}, "ms": {"ns/op", 1e6}, "µs": {"ns/op", 1e3}, "ns": {"ns/op", 1}, "MB": {"B/op", megabyte}, "B": {"B/op", 1}, report.Allocations: {"allocs/op", 1}, report.Goroutines: {"goroutines/op", 1}, report.Count: {"count/op", 1}}

// samples returns every sample in the format of Go benchmarks:
//
//	benchstat -col /side build/bench/runtime.txt
func samples(rows []Row) []byte {
	text := fmt.Appendf(nil, "goos: %s\ngoarch: %s\npkg: github.com/typedinformers/informer-gen/test/bench\ncpu: %s\n", runtime.GOOS, runtime.GOARCH, processor())
	for _, row := range rows {
		unit := benchUnits[row.Unit]
		add := func(side string, samples []float64) {
			for _, value := range samples {
				text = fmt.Appendf(text, "Benchmark%s/objects=%d/side=%s-%d 1 %g %s\n", identifier(row.Name), row.Objects, side, runtime.GOMAXPROCS(0), value*unit.factor, unit.name)
			}
		}
		add("ours", row.samples.ours)
		add("peer", row.samples.peer)
	}
	return text
}

// identifier is a name without the characters that benchstat takes for syntax.
func identifier(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '%' })
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
