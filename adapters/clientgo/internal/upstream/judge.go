package upstream

import (
	"fmt"
	"maps"
	"slices"
)

// Report has the results of tests.
type Report struct {
	// Tests has the names of the tests that were compiled, and Internal has the others.
	Tests, Internal []string
	// Results has "pass", "fail" or "skip" for each test that ran.
	Results map[string]string
	// Skipped has the tests that are known not to pass, with the name of a reason, and Reasons
	// has the names that exist.
	Skipped map[string]string
	Reasons []string
}

// Problems returns an error for each test that fails, or that Skipped has without need or without
// a reason, by the name of the test.
func (r *Report) Problems() map[string]error {
	problems := map[string]error{}
	for _, name := range r.Tests {
		_, isSkipped := r.Skipped[name]
		switch result := r.Results[name]; {
		case result == "":
			problems[name] = fmt.Errorf("it did not run")
		case isSkipped && result == "pass":
			problems[name] = fmt.Errorf("it passes; remove it from the list of skipped tests")
		case !isSkipped && result != "pass":
			problems[name] = fmt.Errorf("it ends with %q", result)
		}
	}
	for _, name := range r.Internal {
		if _, isSkipped := r.Skipped[name]; !isSkipped {
			problems[name] = fmt.Errorf("it uses internals, but is not in the list of skipped tests")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Skipped)) {
		switch {
		case !slices.Contains(r.Tests, name) && !slices.Contains(r.Internal, name):
			problems[name] = fmt.Errorf("it is skipped, but there is no such test")
		case !slices.Contains(r.Reasons, r.Skipped[name]):
			problems[name] = fmt.Errorf("it is skipped because of %q, which is no known difference", r.Skipped[name])
		}
	}
	return problems
}
