package syntax

import (
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// TestOrNewerGo advises to build the generator with a newer Go if the module has one.
func TestOrNewerGo(t *testing.T) {
	for _, test := range []struct {
		module, own string
		newer       bool
	}{
		{"1.27", "go1.26.8", true},
		{"1.27.2", "go1.26.8 X:synctest", true},
		{"1.26.9", "go1.26.8", false}, // the same language
		{"1.26", "go1.26rc1", false},
		{"1.25.0", "go1.26.8", false},
		{"", "go1.26.8", false},
		{"1.27", "devel go1.27-abc", false},
	} {
		want := ""
		if test.newer {
			want = ", or build informer-gen again with Go " + test.module + " of go.mod instead of " + strings.Fields(test.own)[0]
		}
		if got := orNewerGo(test.module, test.own); got != want {
			t.Errorf("module %q, generator %q: %q, want %q", test.module, test.own, got, want)
		}
	}
}

// TestNewerSyntax reports a file that does not parse, in a module with a newer Go.
func TestNewerSyntax(t *testing.T) {
	name := filepath.Join(t.TempDir(), "types.go")
	if err := os.WriteFile(name, []byte("package shop\n\nfunc new syntax\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	src := &Package{GoVersion: "1.999", FileSet: token.NewFileSet(), Names: []string{name}}
	if err := Parse(t.Context(), []*Package{src}, 0, false); err != nil {
		t.Fatal(err)
	}
	var errs model.Errors
	if !src.AddErrors(&errs) || !strings.Contains(errs.Join().Error(), "; fix the file first, or build informer-gen again with Go 1.999 of go.mod") {
		t.Errorf("the errors are %v", errs.Join())
	}
}
