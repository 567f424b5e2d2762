package compare_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/test/compare"
)

// importer has the packages that were checked so far.
type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if pkg, ok := i[path]; ok {
		return pkg, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

// tree has one package, client, which may use the type V of a package beside it
// and the type Object of a package of somebody else.
func tree(t *testing.T, side, source string) *compare.Tree {
	t.Helper()
	known := importer{}
	check := func(path, source string) *types.Package {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path+".go", source, 0)
		if err != nil {
			t.Fatal(err)
		}
		config := types.Config{Importer: known, IgnoreFuncBodies: true}
		if known[path], err = config.Check(path, fset, []*ast.File{file}, nil); err != nil {
			t.Fatal(err)
		}
		return known[path]
	}
	check("example.com/other", "package other\n\ntype Object struct{}\n\ntype List[T any] struct{}\n\ntype V struct{}")
	v1 := check(side+"/v1", "package v1\n\ntype V struct{}")
	client := check(side+"/client", "package client\n\nimport (\n\t\"example.com/other\"\n\t\""+side+"/v1\"\n)\n\n"+
		"var (\n\t_ other.Object\n\t_ v1.V\n)\n\n"+source)
	return &compare.Tree{Path: side, Packages: map[string]*types.Package{"v1": v1, "client": client}}
}

// TestAPI holds what must be noticed against what may differ.
func TestAPI(t *testing.T) {
	for _, test := range []struct {
		name, theirs, ours string
		want               string // the differences, without the package; "" for none
	}{
		{"the same", `func New(v1.V, *other.Object) map[string][]v1.V`, `func New(v1.V, *other.Object) map[string][]v1.V`, ``},
		{"names of parameters", `func New(a v1.V) (err error)`, `func New(b v1.V) error`, ``},
		{"a name more", `type T struct{}`, `type T struct{ A int }; type U struct{}; func (T) M()`, ``},
		{"what is not exported", `type t struct{}; func f() {}; type T struct{ a int }; func (T) m()`, `type T struct{}`, ``},
		{"a pointer's method that values have too", `type T struct{}; func (*T) M()`, `type T struct{}; func (T) M()`, ``},
		{"a promoted method", `type T struct{}; func (T) M()`, `type u struct{}; func (u) M(); type T struct{ u }`, ``},
		{"an alias of ours, and who uses it", `type F func(int); func New(F) F`, `type F = func(int); func New(F) F`, ``},
		{"recursive", `type T struct{ Next *T }; type I interface{ Self() I }`, `type T struct{ Next *T }; type I interface{ Self() I }`, ``},
		{"generic", `func New[T any](v T) other.List[T] {}`, `func New[U any](v U) other.List[U] {}`, ``},
		{"an embedded interface", `type I interface{ A(); B() }`, `type i interface{ A() }; type I interface{ i; B() }`, ``},

		{"missing function", `func New()`, ``, `New: missing: func()`},
		{"missing type", `type T struct{}`, ``, `T: missing: struct`},
		{"changed parameter", `func New(v1.V)`, `func New(*v1.V)`, `New: changed: theirs func(v1.V), ours func(*v1.V)`},
		{"type of another package", `type V struct{}; func New(V)`, `type V struct{}; func New(v1.V)`, `New: changed: theirs func(client.V), ours func(v1.V)`},
		{"variadic", `func New(...int)`, `func New([]int)`, `New: changed: theirs func(...int), ours func([]int)`},
		{"other type argument", `var L other.List[int]`, `var L other.List[string]`, `L: changed: theirs var example.com/other.List[int], ours var example.com/other.List[string]`},
		{"type parameter", `func New[T any](T) {}`, `func New(any)`, `New: changed: theirs func[T any](T), ours func(any)`},
		{"constraint", `func New[T ~int|string](T) {}`, `func New[T ~int](T) {}`, `New: changed: theirs func[T ~int | string](T), ours func[T ~int](T)`},
		{"other thing", `func New()`, `var New func()`, `New: changed: theirs func(), ours var func()`},
		{"value of a constant", `const C = 1`, `const C = 2`, `C: changed: theirs const untyped int = 1, ours const untyped int = 2`},
		{"kind of a type", `type T struct{}`, `type T interface{}`, `T: changed: theirs struct, ours interface`},
		{"underlying type", `type T func(int)`, `type T func(string)`, `T: changed: theirs type func(int), ours type func(string)`},
		{"alias", `type T = int`, `type T = string`, `T: changed: theirs type int, ours type string`},
		{"missing method", `type T struct{}; func (T) M()`, `type T struct{}`, `T.M: missing: func()`},
		{"missing promoted method", `type u struct{}; func (u) M(); type T struct{ u }`, `type T struct{}`, `T.M: missing: func()`},
		{"changed method", `type T struct{}; func (T) M()`, `type T struct{}; func (T) M() error`, `T.M: changed: theirs func(), ours func() error`},
		{"method that only pointers have", `type T struct{}; func (T) M()`, `type T struct{}; func (*T) M()`, `T.M: missing: func()`},
		{"missing method of pointers", `type T struct{}; func (*T) M()`, `type T struct{}`, `*T.M: missing: func()`},
		{"missing method of an interface", `type I interface{ M() }`, `type I interface{}`, `I.M: missing: func()`},
		{"changed method of an interface", `type I interface{ M() }`, `type I interface{ M() int }`, `I.M: changed: theirs func(), ours func() int`},
		{"extra method of an interface", `type I interface{}`, `type I interface{ M() }`, `I.M: extra: func()`},
		{"missing field", `type T struct{ A int }`, `type T struct{}`, `T.A: missing: field int`},
		{"changed field", `type T struct{ A int }`, `type T struct{ A string }`, `T.A: changed: theirs field int, ours field string`},
		{"field that is embedded no more", `type T struct{ v1.V }`, `type T struct{ V v1.V }`, `T.V: changed: theirs embedded field v1.V, ours field v1.V`},
		{"field that is a method", `type T struct{ A int }`, `type T struct{}; func (T) A() int`, `T.A: changed: theirs field int, ours func() int`},
		{"missing promoted field", `type u struct{ A int }; type T struct{ u }`, `type T struct{}`, `T.A: missing: field int`},
		{"the same tags", "type T struct{ A int `json:\"a\"` }", "type T struct{ A int `json:\"a\"` }", ``},
		{"changed tag", "type T struct{ A int `json:\"a,omitempty\"` }", "type T struct{ A int `json:\"a\"` }", "T.A: changed: theirs tag `json:\"a,omitempty\"`, ours tag `json:\"a\"`"},
		{"missing tag", "type T struct{ v1.V `json:\",inline\"` }", "type T struct{ v1.V }", "T.V: changed: theirs tag `json:\",inline\"`, ours tag ``"},
		{"a tagged field more", "type T struct{}", "type T struct{ A int `json:\"a\"`; b int `json:\"b\"` }", "T.A: extra: field int `json:\"a\"`"},
		{"two at a time", `func A(); func B()`, ``, `A: missing: func()|B: missing: func()`},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := compare.API(tree(t, "example.com/theirs", test.theirs), tree(t, "example.com/ours", test.ours))
			var lines []string
			for _, difference := range found {
				lines = append(lines, strings.TrimPrefix(difference.String(), "client "))
			}
			if got := strings.Join(lines, "|"); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

// TestMove has a package of theirs outside of the tree.
func TestMove(t *testing.T) {
	theirs := tree(t, "example.com/theirs", `func New(*other.V)`)
	ours := tree(t, "example.com/ours", `func New(*v1.V)`)
	move := compare.Move{Theirs: "example.com/other", Ours: "example.com/ours/v1"}
	if found := compare.API(theirs, ours, move, compare.Move{}); len(found) != 0 {
		t.Errorf("with the move: found %v", found)
	}
	if found := compare.API(theirs, ours); len(found) != 1 {
		t.Errorf("without the move: found %v", found)
	}
}

func TestMissingPackage(t *testing.T) {
	theirs, ours := tree(t, "example.com/theirs", ""), tree(t, "example.com/ours", "")
	delete(ours.Packages, "v1")
	found := compare.API(theirs, ours)
	if len(found) != 1 || found[0].String() != "v1: missing: package" {
		t.Errorf("found %v", found)
	}
}

func TestSift(t *testing.T) {
	found := []compare.Difference{
		{Package: "listers/v1", Name: "NewFooLister", Kind: compare.Missing, Theirs: "func()"},
		{Package: "listers/v1", Name: "NewFooListers", Kind: compare.Missing, Theirs: "func()"},
	}
	accepted := []compare.Accepted{
		{Pattern: `listers/\S+ New\w+Lister: missing: .*`, Reason: "as a test"},
		{Pattern: `New`, Reason: "a part of a line is not enough"},
	}
	left, unused, err := compare.Sift(found, accepted)
	if err != nil || len(left) != 1 || left[0] != found[1] || len(unused) != 1 || unused[0] != accepted[1] {
		t.Errorf("left %v, unused %v, %v", left, unused, err)
	}
	for _, bad := range []compare.Accepted{{Pattern: `.*`}, {Pattern: `(`, Reason: "none"}} {
		if _, _, err := compare.Sift(found, []compare.Accepted{bad}); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// TestFor needs an entry in the first version with the difference, but not in the first one without it, nor in their
// pre-releases.
func TestFor(t *testing.T) {
	accepted := []compare.Accepted{{Pattern: "always"}, {Pattern: "new", Since: "v0.37"}, {Pattern: "old", Before: "v0.37"}}
	for version, want := range map[string]string{"v0.36.9": "always old", "v0.37.0-rc.1": "always new", "v0.37.2": "always new", "v0.38.0-beta.0": "always new"} {
		var got []string
		for _, entry := range compare.For(version, accepted) {
			got = append(got, entry.Pattern)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s needs %q, want %q", version, got, want)
		}
	}
}
