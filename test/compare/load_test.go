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
		module := compare.Module{Dir: dir, Path: "example.com/m", Env: project.Environ(), Whole: whole}
		_, err := compare.Load(t.Context(), module, "theirs", "ours")
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("whole %q: %v", whole, err)
		}
	}
}
