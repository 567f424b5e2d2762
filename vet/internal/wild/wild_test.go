package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestListing checks that findings.txt is made of the results and the verdicts in the repository, that each verdict is of a finding, and
// that each public report is found before its fix and not after it.
func TestListing(t *testing.T) {
	r := runner{repo: "../../.."}
	all, err := r.read()
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := r.judged()
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Projects) < len(projects) || len(all.Reports) < len(threads) {
		t.Errorf("results.json has %d of %d projects and %d of %d reports; run make vet-wild", len(all.Projects), len(projects), len(all.Reports), len(threads))
	}
	if err := check(all, verdicts); err != nil {
		t.Error(err)
	}
	var want bytes.Buffer
	all.list(&want, verdicts)
	if got, err := os.ReadFile("findings.txt"); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("findings.txt is not the listing of results.json and judged.txt (%v); run build/bin/vet-wild --list", err)
	}
}

func TestMergeKeepsOtherProjects(t *testing.T) {
	a, b := projects[0], projects[1]
	old := results{Projects: []result{{Name: a.name, Version: a.version}, {Name: b.name, Version: "v0.0.1"}, {Name: "removed", Version: "v1.0.0"}}, Reports: []comparison{{Issue: threads[0].issue, Before: "2"}}}
	ran := results{Projects: []result{{Name: b.name, Version: b.version, Packages: 3}}, Reports: []comparison{{Issue: threads[1].issue, Before: "1"}}}
	got := old.merge(ran)
	if len(got.Projects) != 2 || got.Projects[0].Name != a.name || got.Projects[1].Packages != 3 || len(got.Reports) != 2 || got.Reports[0].Before != "2" {
		t.Errorf("got %+v", got)
	}
}

func TestCheckReportsWhatDiffers(t *testing.T) {
	ran := results{
		Projects: []result{{Name: "a", Findings: []finding{{"scan", "a.go", 1, "x"}}}, {Name: "b", Error: "no such version"}},
		Reports:  []comparison{{"c#1", "scan", "0", "0"}, {"c#2", "scan", "1", "1"}, {"c#3", "scan", "1", "0"}, {"c#4", "scan", "1", noFix}},
	}
	err := check(ran, map[string]verdict{"a a.go:1 scan": {"right", "x"}, "a a.go:2 scan": {"right", "x"}, "not-run a.go:2 scan": {"right", "x"}})
	for _, want := range []string{"b: no such version", "judged.txt: no finding a a.go:2 scan", "c#1: 0 findings before the fix", "c#2: 1 findings before the fix, 1 after it"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in %v", want, err)
		}
	}
	if lines := strings.Count(err.Error(), "\n") + 1; lines != 4 {
		t.Errorf("got %d lines: %v", lines, err)
	}
}
