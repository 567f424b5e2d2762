//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestNothingIsCompiled generates from types in files that need cgo, with an empty build cache. It checks
// that no compiler has run. The indexes show that the types are known.
func TestNothingIsCompiled(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/cgo.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	dir, trace := t.TempDir(), filepath.Join(t.TempDir(), "trace")
	writeFiles(t, dir, files)
	compiler := filepath.Join(t.TempDir(), "compiler")
	writeScript(t, compiler, "echo \"$@\" >>"+trace+"\nexit 1\n")
	settings := filepath.Join(t.TempDir(), "env") // as go env -w writes them; -race needs cgo
	if err := os.WriteFile(settings, []byte("GOFLAGS=-race -toolexec="+compiler+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", settings)
	t.Setenv("GOCACHE", t.TempDir())
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("CC", compiler)
	t.Setenv("CXX", compiler)
	got := runTool(t, dir, "--output-dir=out", "./...")
	if got.code != exitOK {
		t.Errorf("exit code %d, stderr %s", got.code, got.stderr)
	}
	for _, group := range []string{"file", "package", "dependency"} {
		lister, err := os.ReadFile(filepath.Join(dir, "out", "listers", group, "v1", "order.go"))
		if err != nil || !strings.Contains(string(lister), "ByCluster") {
			t.Errorf("the lister of %s has no index: %v", group, err)
		}
	}
	if content, err := os.ReadFile(trace); err == nil {
		t.Errorf("a C compiler has run with\n%s", content)
	}
}
