//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestNoCCompiler loads the types of packages that use cgo, and finds no trace of a C
// compiler. The message shows that they are loaded.
func TestNoCCompiler(t *testing.T) {
	archive, err := txtar.ParseFile("../../testdata/errors/types-cgo.txtar")
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
	t.Setenv("GOFLAGS", "-race") // which needs cgo
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("CC", compiler)
	t.Setenv("CXX", compiler)
	got := runTool(t, dir, "--output-dir=out", "./...")
	if got.code != exitFailed || !strings.Contains(got.stderr, "because path metadata.name of Order needs its types") {
		t.Errorf("exit code %d, stderr %s", got.code, got.stderr)
	}
	if content, err := os.ReadFile(trace); err == nil {
		t.Errorf("a C compiler has run with\n%s", content)
	}
}
