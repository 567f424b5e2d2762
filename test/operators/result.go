package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// result is what became of an operator.
type result struct {
	linesBefore, linesAfter int
	before, after           tests
	syncBefore, syncAfter   firstSync
}

// row is the result as a row of the table.
func (r result) row(module string) string {
	megabytes := func(s firstSync) int { return int(s.Peak+5e5) / 1e6 }
	cells := []string{
		module,
		fmt.Sprintf("%d, %d", r.linesBefore, r.linesAfter),
		fmt.Sprintf("%d, %d", r.before.count("pass", false), r.after.count("pass", false)),
		fmt.Sprintf("%d, %d", r.before.count("pass", true), r.after.count("pass", true)),
		fmt.Sprintf("%d, %d", r.before.count("fail", true), r.after.count("fail", true)),
		fmt.Sprintf("%v, %v", r.syncBefore.Took.Round(time.Millisecond), r.syncAfter.Took.Round(time.Millisecond)),
		fmt.Sprintf("%d MB, %d MB", megabytes(r.syncBefore), megabytes(r.syncAfter)),
	}
	return "| " + strings.Join(cells, " | ") + " |"
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
