package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestWarnings runs the tool on each case of testdata/warnings: a module with a package of a dependency.
// Something in the package has no effect, or is an error that the user cannot correct. The tool must
// succeed and print the action that it took.
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

// decided returns the lines of -v that a case is about: warnings and decisions.
var decided = regexp.MustCompile(`(?m)^(\S+\.go:\d+:\d+: |informer-gen: example\.com/|out/|informer-gen: create out/listers/\S+_generated\.go).*\n`)

func testWarning(t *testing.T, file string) {
	dir, archive, args := dependencyModule(t, file)
	got := runTool(t, dir, append([]string{"--output-dir=out", "-v"}, args...)...)
	if got.code != exitOK {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	message := strings.ReplaceAll(got.stderr, dir+string(filepath.Separator), "")
	message = strings.Join(decided.FindAllString(message, -1), "")
	compareArchive(t, file, archive, map[string]string{"want.txt": message})
	checkShape(t, strings.Join(regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: .*\n`).FindAllString(message, -1), ""))
}

// dependencyModule writes a module that requires example.com/dep, which is in its folder dep, with
// the files of a case. It returns the module's folder and the case's arguments.
func dependencyModule(t *testing.T, file string) (dir string, archive *txtar.Archive, args []string) {
	t.Helper()
	return caseModule(t, file, map[string]string{
		"go.mod": `module example.com/mod

go 1.25.0

require (
	example.com/dep v0.0.0
	k8s.io/apimachinery v0.0.0
	k8s.io/client-go v0.0.0
)

replace example.com/dep => ./dep

replace k8s.io/apimachinery => ./apimachinery

replace k8s.io/client-go => ./client-go
`,
		"client-go/go.mod":                 "module k8s.io/client-go\n\ngo 1.25.0\n",
		"client-go/discovery/discovery.go": "package discovery\n",

		"dep/go.mod": "module example.com/dep\n\ngo 1.25.0\n",
		// What the types of an alias lead to.
		"apimachinery/go.mod": "module k8s.io/apimachinery\n\ngo 1.25.0\n",
		"apimachinery/pkg/apis/meta/v1/types.go": `package v1

type (
	TypeMeta   struct{}
	ObjectMeta struct{}
	ListMeta   struct{}
)
`,
	}, "example.com/dep/...")
}

// caseModule writes a module with files, which the files of a case replace. It returns the module's
// folder, and the case's arguments or, if it has none, pattern.
func caseModule(t *testing.T, file string, files map[string]string, pattern string) (dir string, archive *txtar.Archive, args []string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	args = []string{pattern}
	for _, f := range archive.Files {
		switch {
		case f.Name == "args":
			args = strings.Fields(string(f.Data))
		case !strings.HasPrefix(f.Name, "want."):
			files[f.Name] = string(f.Data)
		}
	}
	// A folder that is no link, for the go command prints where it really is.
	if dir, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, files)
	return dir, archive, args
}

// compareArchive compares the files of a case with the files of a run, or updates them.
func compareArchive(t *testing.T, file string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	for i := range archive.Files {
		f := &archive.Files[i]
		text, ok := got[f.Name]
		if !ok {
			continue
		}
		if !*update && text != string(f.Data) {
			t.Errorf("%s is\n%s\nwant\n%s", f.Name, text, f.Data)
		}
		f.Data = []byte(text)
		delete(got, f.Name)
	}
	for name := range got {
		t.Errorf("the case has no %s", name)
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
