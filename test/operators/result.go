package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// result is what became of an operator.
type result struct {
	migration
	before, after         tests
	syncBefore, syncAfter firstSync
}

// heading begins the table.
const heading = `| project | minutes | lines to look at | generated lines before, after | tests before, after | first sync before, after | peak memory before, after |
|---|---|---|---|---|---|---|`

// row is the result as a row of the table.
func (r result) row(o operator) string {
	_, version, _ := strings.Cut(o.module, "@")
	syncs, peaks := "", ""
	if o.first.kind != "" {
		seconds := func(s firstSync) float64 { return s.Took.Seconds() }
		megabytes := func(s firstSync) int { return int(s.Peak+5e5) / 1e6 }
		syncs = fmt.Sprintf("%.1f s, %.1f s", seconds(r.syncBefore), seconds(r.syncAfter))
		peaks = fmt.Sprintf("%d MB, %d MB", megabytes(r.syncBefore), megabytes(r.syncAfter))
	}
	cells := []string{
		o.name + " " + version,
		fmt.Sprintf("%.1f", r.Took.Minutes()),
		strconv.Itoa(r.Left),
		fmt.Sprintf("%d, %d", r.LinesBefore, r.LinesAfter),
		fmt.Sprintf("%d, %d", r.before.count("pass", false), r.after.count("pass", false)),
		syncs, peaks,
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// page has the table.
const page = "docs/migrating.md"

// publish replaces the row of a project in the table of the page.
func publish(repo string, ran operator, got result) error {
	file := filepath.Join(repo, page)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), heading+"\n")
	if !ok {
		return fmt.Errorf("%s has no table that begins with %s", page, heading)
	}
	old := map[string]string{}
	for strings.HasPrefix(rest, "|") {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " ")
		old[name] = line
	}
	table := heading + "\n"
	for _, o := range operators {
		row := old[o.name]
		if o.name == ran.name {
			row = got.row(o)
		}
		if row != "" {
			table += row + "\n"
		}
	}
	return os.WriteFile(file, []byte(before+table+rest), 0o644)
}

// check returns an error for each test that ended differently.
func (r result) check() error {
	if r.before.count("pass", false) == 0 {
		return errors.New("no test passes")
	}
	names := maps.Clone(r.before)
	maps.Copy(names, r.after)
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before, after := r.before[name], r.after[name]; before != after {
			errs = append(errs, fmt.Errorf("%s: before %q, after %q", name, before, after))
		}
	}
	return errors.Join(errs...)
}

// tests has the end of each test, which is "pass", "fail" or "skip", by package and name.
type tests map[string]string

func (t tests) count(end string, subtests bool) (n int) {
	for name, got := range t {
		_, test, _ := strings.Cut(name, " ")
		if got == end && (subtests || !strings.Contains(test, "/")) {
			n++
		}
	}
	return n
}

// test runs tests. Failed tests are no error, because both sides may have them. A package that does not compile is one.
func (r runner) test(ctx context.Context, dir string, patterns []string) (tests, error) {
	command := exec.CommandContext(ctx, "go", append([]string{"test", "-json", "-count=1", "-vet=off", "-ldflags=-s -w"}, patterns...)...)
	command.Dir, command.Env, command.Stderr = dir, environ(), os.Stderr
	output, err := command.Output()
	ends := tests{}
	var broken []error
	for line := range strings.Lines(string(output)) {
		var event struct{ Action, Package, ImportPath, Test, Output string }
		switch {
		case json.Unmarshal([]byte(line), &event) != nil:
		case event.Action == "build-fail":
			broken = append(broken, fmt.Errorf("%s does not compile", event.ImportPath))
		case event.Test == "":
		case event.Action == "pass" || event.Action == "fail" || event.Action == "skip":
			ends[event.Package+" "+event.Test] = event.Action
		}
	}
	if len(broken) > 0 {
		return nil, errors.Join(broken...)
	}
	if ends.count("fail", true) > 0 {
		err = nil
	}
	return ends, err
}
