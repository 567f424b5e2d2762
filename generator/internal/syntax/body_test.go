package syntax

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// FuzzBlankBodies checks that a file that parses has the same declarations at the same positions without
// the bodies of its functions.
func FuzzBlankBodies(f *testing.F) {
	for _, seed := range []string{
		"func f() { return }\nfunc g()\nvar x = [...]int{1, 2}\nfunc (t T) h() {\n\tif a { b() }\n}\ntype T struct{ a int }",
		"func f() interface{ M() } { return nil }\nfunc g() struct{} {\n}\nfunc h(func() struct{}) (a, b struct{ c int }) { }",
		"var s = `\nfunc f() {\n`\nfunc f() { _ = `}`; _ = \"\\\"}\"; _ = '}'; _ = '\\''; _ = '{' // }\n /* } */ }\ntype T int",
		"/*\nfunc f() {\n*/\nfunc f[T interface{ ~[]int }](\na T,\n) []struct{ a T } {\n}\nconst c = 'a'",
		"func f() *\nT {}\nfunc g() map[string]interface{} { return map[string]interface{}{} }\nvar v = func() { }\nvar w = T{}",
		"func f() {\r\n}\r\nfunc\tg() {}\nfunc h() { //",
		"func f() interface{} //\n{}\nfunc g() struct /* { */ {} { }\nvar x = 1/2",
	} {
		f.Add("package p\n" + seed + "\n")
	}
	f.Fuzz(func(t *testing.T, text string) { compareBlanked(t, []byte(text)) })
}

// TestBlankBodies compares files of the standard library and of this module.
func TestBlankBodies(t *testing.T) {
	var names []string
	for _, pattern := range []string{"*.go", "../*/*.go", "../../../runtime/*/*.go", "../../../testdata/*/*/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	if len(names) < 100 {
		t.Fatalf("%d files, want more", len(names))
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, compareBlanked(t, content), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if function, ok := decl.(*ast.FuncDecl); ok && function.Body != nil && len(function.Body.List) > 0 {
				t.Errorf("%s: %s has a body still", name, function.Name)
			}
		}
	}
}

func compareBlanked(t *testing.T, content []byte) (blanked []byte) {
	t.Helper()
	blanked = bytes.Clone(content)
	blankBodies(blanked)
	const mode = parser.SkipObjectResolution
	want, err := parser.ParseFile(token.NewFileSet(), "a.go", content, mode)
	if err != nil {
		t.Skip()
	}
	got, err := parser.ParseFile(token.NewFileSet(), "a.go", blanked, mode)
	if err != nil {
		t.Fatalf("%v\nin\n%s\nof\n%s", err, blanked, content)
	}
	for _, file := range []*ast.File{want, got} {
		dropBodies(file)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("the declarations of\n%s\nare not those of\n%s", blanked, content)
	}
	return blanked
}

// TestBlankLargeLiterals checks that small literals stay, because they may hold a group and version, and
// that the lines and columns after a large one stay.
func TestBlankLargeLiterals(t *testing.T) {
	const before, after = "package p\n\nvar small = []int{1, 2}\n\nvar large = map[string]struct{}{\n", "}\n\nvar one = T{\"}\"}\n\ntype T struct{ a [2]int }\n"
	line := "\t`}`: {},\n"
	content := []byte(before + strings.Repeat(line, largeLiteral/len(line)+1) + after)
	size, lines := len(content), bytes.Count(content, []byte("\n"))
	blankBodies(content)
	rest, ok := bytes.CutPrefix(content, []byte(before))
	rest, isSame := bytes.CutSuffix(rest, []byte(after))
	if !ok || !isSame || len(bytes.TrimSpace(rest)) > 0 {
		t.Errorf("%d bytes are left of the large literal, or the others have changed", len(bytes.TrimSpace(rest)))
	}
	if len(content) != size || bytes.Count(content, []byte("\n")) != lines {
		t.Error("lines have moved")
	}
}
