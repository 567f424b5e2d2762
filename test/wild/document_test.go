package main

import (
	"strings"
	"testing"
)

func TestDocument(t *testing.T) {
	results := []Result{
		{Name: "example-com_a", Module: "example.com/a", Version: "v1.0.0", Kinds: 2, Cold: 0.52, Warm: 0.061, Clientset: "example.com/a/client"},
		{Name: "second", Module: "example.com/a", Version: "v0.0.0-20250102030405-0123456789ab", Kinds: 3, NotRun: "bar.go:1:2: old", Cold: 1, Warm: 0.1, Flags: []string{"--from=a|b", "--exclude=c"}, Shape: "odd"},
		{Name: "x", Module: "example.com/x", Version: "v2.0.0", Clientset: "c", Kinds: 1, Failing: []string{"XV1().Foos: get: no"}, Differences: []Difference{
			{Count: 2, Reason: "why", Kinds: []string{"changed", "missing"}}, {Count: 1, Reason: "other", Kinds: []string{"extra"}},
		}},
		{Name: "y", Module: "example.com/y", Version: "v2.0.0", Clientset: "c", Differences: []Difference{{Count: 4, Reason: "other", Kinds: []string{"extra"}}}},
		{Name: "z", Module: "example.com/z", Version: "v2.0.0", Clientset: "c", Failure: "foo.go:1:2: no", Reason: "not done"},
	}
	text := document(results, "v0.37.2") + listing(results, "v0.37.2")
	for _, want := range []string{
		"**4 of 5** sets of published API packages generate and type-check with Kubernetes v0.37.2, with 6 kinds. A set is the packages of one run of informer-gen. 3 of the sets are compared",
		"Of 3 kinds that are used, 1 fail.",
		"| `example.com/a` | v1.0.0 | 2 | 0 | 0.5 s | 0.06 s |  | none |\n",
		"| `example.com/a` (second) | 2025-01-02 | 3 | not run [1] | 1.0 s | 0.10 s | `--from=a\\|b` `--exclude=c` | not published |\n",
		"| v2.0.0 | 1 | 1 [2] | 0.0 s",
		"| 2 changed or missing [3], 1 extra [4] |\n",
		"| 4 extra [4] |\n",
		"| `example.com/z` (z) | v2.0.0 | | | | |  | refused [5] |\n",
		"cannot be used: `bar.go:1:2: old`\n2. `XV1().Foos: get: no`\n3. why\n4. other\n5. `foo.go:1:2: no`: not done\n",
		"- `example.com/a` (second): odd\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
