package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestWarnings runs the tool on each case of testdata/warnings: a module that names a package of a
// dependency, in which something is wrong that has no effect, or that the user cannot change. It
// must succeed, and say what it did.
func TestWarnings(t *testing.T) {
	cases, err := filepath.Glob("../../testdata/warnings/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testWarning(t, file)
		})
	}
}

// decided are the lines that -v prints and a case is about: warnings, and what was decided.
var decided = regexp.MustCompile(`(?m)^(\S+\.go:\d+:\d+: |informer-gen: example\.com/|out/|informer-gen: create out/listers/\S+_generated\.go).*\n`)

func testWarning(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"go.mod":     "module example.com/mod\n\ngo 1.26.0\n\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => ./dep\n",
		"dep/go.mod": "module example.com/dep\n\ngo 1.26.0\n",
	}
	args, want := []string{"example.com/dep/..."}, -1
	for i, f := range archive.Files {
		switch f.Name {
		case "args":
			args = strings.Fields(string(f.Data))
		case "want.txt":
			want = i
		default:
			files[f.Name] = string(f.Data)
		}
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, files)
	got := runTool(t, dir, append([]string{"--output-dir=out", "-v"}, args...)...)
	if got.code != exitOK {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	message := strings.ReplaceAll(got.stderr, dir+string(filepath.Separator), "")
	message = strings.Join(decided.FindAllString(message, -1), "")
	if *update {
		archive.Files[want].Data = []byte(message)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if expected := string(archive.Files[want].Data); message != expected {
		t.Errorf("the tool says:\n%s\nwant:\n%s", message, expected)
	}
	checkShape(t, strings.Join(regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: .*\n`).FindAllString(message, -1), ""))
}
