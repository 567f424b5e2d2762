package status

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// constantsOf returns the constants of the files in a folder whose text is their name.
func constantsOf(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no files: %v", folder, err)
	}
	all := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			group, is := decl.(*ast.GenDecl)
			if !is || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				value := spec.(*ast.ValueSpec)
				for i, expr := range value.Values {
					name := value.Names[i].Name
					if text, is := expr.(*ast.BasicLit); is && text.Value == strconv.Quote(name) {
						all[name] = true
					}
				}
			}
		}
	}
	return all
}

// TestConstants compares the phases and reasons with those of the packages that find them. These must not import this package,
// and go doc shows the texts only of constants that are declared here.
func TestConstants(t *testing.T) {
	want := map[string]bool{}
	for _, name := range []string{"advice", "progress", "protocol", "reflector"} {
		maps.Copy(want, constantsOf(t, "../internal/"+name))
	}
	if got := constantsOf(t, "."); len(got) == 0 || !maps.Equal(got, want) {
		t.Errorf("the constants are %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}
