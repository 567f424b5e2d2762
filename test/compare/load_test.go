package compare_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/compare"
	"github.com/typedinformers/informer-gen/test/compare/project"
)

// TestLoadChecksBodies has a mistake in a function of one side, which is found only
// if that side is to be whole.
func TestLoadChecksBodies(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":             "module example.com/m\n\ngo 1.26.0\n",
		"theirs/client/a.go": "package client\n\nimport \"fmt\"\n\nfunc New() { fmt.Println() }\n",
		"ours/client/a.go":   "package client\n\nimport \"fmt\"\n\nfunc New() { fmt.NoSuchName() }\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for whole, want := range map[string]string{"": "", "theirs": "", "ours": "NoSuchName"} {
		for _, source := range []bool{false, true} {
			module := compare.Module{Dir: dir, Path: "example.com/m", Env: project.Environ(), Whole: []string{whole}, Source: source}
			_, err := compare.Load(t.Context(), module, "theirs", "ours")
			if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("whole %q, from source %t: %v", whole, source, err)
			}
		}
	}
}

// TestLoadFoldersOutsideModule compares a tree of another folder, which imports a package of
// the module, has a test and a file for another system, and declares something of a type
// that is gone. Only the last makes Load fail, unless the folder is lenient.
func TestLoadFoldersOutsideModule(t *testing.T) {
	dir, published := t.TempDir(), t.TempDir()
	write := func(dir, name, content string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(dir, "go.mod", "module example.com/m\n\ngo 1.26.0\n")
	write(dir, "api/a.go", "package api\n\nimport \"net/http\"\n\ntype Foo struct{ http.Header }\n")
	write(dir, "ours/client/a.go", "package client\n\nimport \"example.com/m/api\"\n\nfunc Get() *api.Foo { return nil }\nfunc Old() {}\n")
	write(published, "client/a.go", "package client\n\nimport \"example.com/m/api\"\n\nfunc Get() *api.Foo { return nil }\nfunc Old() api.Gone { panic(1) }\n")
	write(dir, "ours/root.go", "package ours\n\nconst Version = 1\n")
	write(published, "root.go", "package published\n\nconst Version = 2\n")
	write(published, "client/a_test.go", "package client_test\n")
	write(published, "client/a_plan9.go", "package client\n\nfunc Get() {}\n")
	for _, source := range []bool{false, true} {
		module := compare.Module{Dir: dir, Env: project.Environ(), Source: source}
		ours := compare.Folder{Dir: filepath.Join(dir, "ours"), Path: "example.com/m/ours", Whole: true}
		theirs := compare.Folder{Dir: published, Path: "example.com/published"}
		if _, err := compare.LoadFolders(t.Context(), module, ours, theirs); err == nil || !strings.Contains(err.Error(), "Gone") {
			t.Errorf("from source %t, strict: got %v, want an error about Gone", source, err)
		}
		theirs.Lenient = true
		trees, err := compare.LoadFolders(t.Context(), module, ours, theirs)
		if err != nil {
			t.Fatalf("from source %t: %v", source, err)
		}
		found := compare.API(trees[1], trees[0])
		if len(found) != 2 || found[0].Name != "Version" || found[1].Name != "Old" {
			t.Errorf("from source %t: got %v, want differences of Version and Old only", source, found)
		}
	}
}
