package vet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/vet"
)

// TestPage compares the examples of docs/vet.md with testdata: a line with a minus has a finding there, and the others have none.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../docs/vet.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, analyzer := range vet.Analyzers() {
		if analyzer.Name == "ignore" {
			continue
		}
		_, section, found := strings.Cut(string(page), "\n## "+analyzer.Name+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		_, example, hasExample := strings.Cut(section, "```diff\n")
		if !found || !hasExample {
			t.Errorf("the page has no example of %s", analyzer.Name)
			continue
		}
		example, _, _ = strings.Cut(example, "```")
		reported, silent := linesOf(t, filepath.Join("testdata", "src", analyzer.Name))
		wrong := 0
		for line := range strings.Lines(example) {
			code := strings.TrimSpace(line[1:])
			lines := silent
			if line[0] == '-' {
				lines = reported
				wrong++
			}
			if !lines[code] {
				t.Errorf("%s: the example has %q, which is not in testdata, or has a finding there, in contrast to the page", analyzer.Name, code)
			}
		}
		if wrong == 0 {
			t.Errorf("the example of %s has no line with a finding", analyzer.Name)
		}
	}
}

// linesOf returns the lines with findings and those without one.
func linesOf(t *testing.T, folder string) (reported, silent map[string]bool) {
	reported, silent = map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			code, _, wanted := strings.Cut(line, "// want")
			if code = strings.TrimSpace(code); wanted {
				reported[code] = true
			} else {
				silent[code] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return reported, silent
}
