package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSpecs(t *testing.T) {
	report := `[{"SpecReports": [
		{"LeafNodeType": "BeforeSuite", "LeafNodeText": "", "State": "passed"},
		{"LeafNodeType": "It", "ContainerHierarchyTexts": ["JobSet", "when"], "LeafNodeText": "works", "State": "passed"},
		{"LeafNodeType": "It", "ContainerHierarchyTexts": ["JobSet"], "LeafNodeText": "fails", "State": "timedout"},
		{"LeafNodeType": "It", "LeafNodeText": "later", "State": "pending"},
		{"LeafNodeType": "AfterSuite", "LeafNodeText": "", "State": "failed"}
	]}]`
	got, err := specs(write(t, report))
	if want := map[string]bool{"JobSet when works": true, "JobSet fails": false, "AfterSuite": false}; err != nil || !maps.Equal(got, want) {
		t.Errorf("specs returns %v, %v; want %v", got, err, want)
	}
}

func TestGoTests(t *testing.T) {
	const log = `=== RUN   TestA
=== RUN   TestA/x
=== RUN   TestA/x/y
--- PASS: TestA (0.00s)
    --- PASS: TestA/x (0.00s)
        --- PASS: TestA/x/y (0.00s)
=== RUN   TestB
=== RUN   TestB/z
--- FAIL: TestB (0.00s)
    --- PASS: TestB/z (0.00s)
=== RUN   TestC
--- SKIP: TestC (0.00s)
FAIL
`
	got, err := goTests(t.Context(), write(t, log))
	if want := map[string]bool{"TestA/x/y": true, "TestB": false, "TestB/z": true}; err != nil || !maps.Equal(got, want) {
		t.Errorf("goTests returns %v, %v; want %v", got, err, want)
	}
}

func TestWithoutSeeds(t *testing.T) {
	got := withoutSeeds(map[string]bool{"A": true, "B/random(1795826125309522074)": true, "B/random(1795826125310682511)": false})
	if want := map[string]bool{"A": true, "B/random(seed)#1": true, "B/random(seed)#2": false}; !maps.Equal(got, want) {
		t.Errorf("withoutSeeds returns %v, want %v", got, want)
	}
}

func TestDiffering(t *testing.T) {
	got := differing(map[string]bool{"same": true, "fails": true, "gone": false}, map[string]bool{"same": true, "fails": false, "new": true})
	if want := []string{"fails", "gone", "new"}; !slices.Equal(got, want) {
		t.Errorf("differing returns %v, want %v", got, want)
	}
}

func write(t *testing.T, content string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
