package migration_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
)

var update = flag.Bool("update", false, "generate the code of both operators, and rewrite the count in docs/migrating.md")

const page = "../../docs/migrating.md"

// TestDocsCount counts the lines that the migration changes in files that people write, and
// compares them with the sentence in docs/migrating.md.
func TestDocsCount(t *testing.T) {
	files := written(t, "clientgo")
	if after := written(t, "migrated"); !slices.Equal(files, after) {
		t.Errorf("the operators have the files %q and %q", files, after)
	}
	var sum, sumAdded, sumRemoved int
	for _, name := range files {
		before := source(t, "clientgo", name)
		added, removed := changed(before, source(t, "migrated", name))
		sum, sumAdded, sumRemoved = sum+strings.Count(before, "\n"), sumAdded+added, sumRemoved+removed
	}
	want := fmt.Sprintf("The steps remove %d of its %d hand-written lines, and add %d.", sumRemoved, sum, sumAdded)

	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`The steps remove \d+ of its \d+ hand-written lines, and add \d+\.`).Find(text)
	if string(found) == want {
		return
	}
	if !*update || found == nil {
		t.Fatalf("a sentence of %s is out of date. It has to be\n%s\nrun go test ./migration -update in the folder test", page, want)
	}
	if err := os.WriteFile(page, []byte(strings.Replace(string(text), string(found), want, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDocsCode holds the code of the steps of docs/migrating.md against the migrated operator.
func TestDocsCode(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, steps, _ := strings.Cut(string(text), "\n### A controller\n")
	steps, _, _ = strings.Cut(steps, "\n### ")
	lines := map[string]bool{}
	for _, name := range written(t, "migrated") {
		for line := range strings.Lines(source(t, "migrated", name)) {
			lines[strings.TrimSpace(line)] = true
		}
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(steps, -1)
	if len(blocks) == 0 {
		t.Fatalf("the steps of %s have no code", page)
	}
	for _, block := range blocks {
		for line := range strings.Lines(block[1]) {
			if line = strings.TrimSpace(line); line != "" && line != "…" && !lines[line] {
				t.Errorf("%s has a line that the migrated operator does not have: %s", page, line)
			}
		}
	}
}

// written returns the Go files of an operator that are not generated.
func written(t *testing.T, operator string) (files []string) {
	t.Helper()
	root := os.DirFS(operator)
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if entry.IsDir() && entry.Name() == "generated" {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".go" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// source returns a file of an operator, with the paths that it would have if it had been
// migrated in place.
func source(t *testing.T, operator, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(operator, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "test/migration/"+operator+"/", "test/migration/operator/")
}

// changed returns how many lines are only in one of two texts.
func changed(before, after string) (added, removed int) {
	for _, edit := range udiff.Lines(before, after) {
		added += strings.Count(edit.New, "\n")
		removed += strings.Count(before[edit.Start:edit.End], "\n")
	}
	return added, removed
}

func TestChanged(t *testing.T) {
	for _, test := range []struct {
		before, after  string
		added, removed int
	}{
		{"a\nb\nc\n", "a\nb\nc\n", 0, 0},
		{"a\nb\nc\n", "a\nx\ny\nc\n", 2, 1},
		{"a\nb\nc\n", "b\nc\nd\n", 1, 1},
		{"a\n", "", 0, 1},
	} {
		if added, removed := changed(test.before, test.after); added != test.added || removed != test.removed {
			t.Errorf("%q and %q: %d lines are added and %d removed", test.before, test.after, added, removed)
		}
	}
}
