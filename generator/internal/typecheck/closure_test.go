package typecheck

import (
	"fmt"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/typedinformers/informer-gen/generator/internal/describe"
	"github.com/typedinformers/informer-gen/generator/internal/golist"
	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// metaSource is as much of meta/v1 as kinds need.
const metaSource = `
-- k8s.io/apimachinery/pkg/apis/meta/v1/types.go --
package v1
type TypeMeta struct{}
type ListMeta struct{}
type ObjectMeta struct { Name string ` + "`json:\"name\"`" + ` }
`

// memoryClosure has packages from an archive, whose files are named by import paths. An
// import without a package is missing. Nothing is read from disk.
func memoryClosure(t testing.TB, text string) *closure {
	t.Helper()
	c := &closure{
		ctx: t.Context(), run: &input.Run{}, fset: token.NewFileSet(), listed: map[string]*packages.Package{},
		sources: map[string]*syntax.Package{}, parts: map[string]*part{},
	}
	for _, f := range txtar.Parse([]byte(text + metaSource)).Files {
		file, err := parser.ParseFile(c.fset, f.Name, f.Data, parser.ParseComments|parser.SkipObjectResolution)
		importPath := path.Dir(f.Name)
		src := c.sources[importPath]
		if src == nil {
			src = &syntax.Package{Path: importPath, FileSet: c.fset}
			c.sources[importPath] = src
			c.listed[importPath] = &packages.Package{PkgPath: importPath, Name: file.Name.Name, Imports: map[string]*packages.Package{}}
		}
		src.AddFile(f.Name, file)
		src.Failures[len(src.Failures)-1] = err
	}
	for importPath, src := range c.sources {
		for _, file := range src.Files {
			for _, spec := range file.Imports {
				written, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				if c.listed[written] == nil && written != "C" && written != "unsafe" {
					c.listed[written] = &packages.Package{PkgPath: written, Errors: []packages.Error{{
						Pos: c.fset.Position(spec.Pos()).String(),
						Msg: "no required module provides package " + written + "; to add it: go get " + written,
					}}}
				}
				c.listed[importPath].Imports[written] = c.listed[written]
			}
		}
	}
	return c
}

// answered describes package shop of an archive. inSyntax is the question that the package by itself leaves
// open.
func answered(t testing.TB, text string) (pkg *input.Package, inSyntax string, errs error) {
	t.Helper()
	c := memoryClosure(t, text)
	var found model.Errors
	q := &question{Described: describe.Packages(c.run, []*syntax.Package{c.sources["shop"]}, &model.Errors{})[0]}
	if q.Open.IsEmpty() {
		return q.Package, "no question", nil
	}
	inSyntax, _ = q.resolve(checkAlone(q.Syntax), nil)
	if err := c.answer([]*question{q}, &found); err != nil {
		t.Fatal(err)
	}
	return q.Package, inSyntax, found.Join()
}

const kindOf = `
-- shop/types.go --
package shop
import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
`

func TestClosure(t *testing.T) {
	const order = "type Order struct { metav1.TypeMeta; metav1.ObjectMeta `json:\"metadata\"`; Spec Spec `json:\"spec\"` }\n"
	marker := func(path string) string { return "// +genclient\n// +informer:index:name=byX,path=" + path + "\n" }
	for _, test := range []struct {
		name, path string
		// text has the imports and the types after it.
		imports, types, others, want string
	}{
		{"a field of another package", "spec.other.name", `import "other"`, "type Spec struct { Other other.T `json:\"other\"` }",
			"-- other/t.go --\npackage other\ntype T struct { Name string `json:\"name\"` }",
			".Spec.Other.Name string"},
		{"a generic struct", "spec.box.value.name", `import "other"`, "type Spec struct { Box other.Box[Item] `json:\"box\"` }; type Item struct { Name string `json:\"name\"` }",
			"-- other/t.go --\npackage other\ntype Box[T any] struct { Value *T `json:\"value\"` }",
			".Spec.Box.Value * .Name string"},
		{"an embedded generic struct", "spec.value", `import "other"`, "type Spec struct { other.Box[string] `json:\",inline\"` }",
			"-- other/t.go --\npackage other\nimport \"third\"\ntype Box[T third.Text] struct { Value T `json:\"value\"` }\n-- third/t.go --\npackage third\n" +
				"type Text interface { ~string | Name }\ntype Name string",
			".Spec.Box.Value string"},
		{"an alias of an instance", "spec.a", `import "other"`, "type Spec = other.Pair[other.Name, int]",
			"-- other/t.go --\npackage other\ntype Name string\ntype Pair[A ~string, B comparable] struct { A A `json:\"a\"`; B map[B]A `json:\"b\"` }",
			".Spec.A string other.Name"},
		{"a generic alias", "spec.m[k]", `import "other"`, "type Spec struct { M other.Map[bool] `json:\"m\"` }",
			"-- other/t.go --\npackage other\ntype Map[V any] = map[string]V",
			".Spec.M [k] bool"},
		{"embedded across three packages", "spec.deep", `import "other"`, "type Spec struct { other.A }",
			"-- other/t.go --\npackage other\nimport \"third\"\ntype A struct { *third.B }\n-- third/t.go --\npackage third\nimport \"fourth\"\n" +
				"type B struct { fourth.C `json:\",inline\"` }\n-- fourth/t.go --\npackage fourth\ntype C struct { Deep int32 `json:\"deep\"` }",
			".Spec.A.B * .C.Deep int32"},
		{"cyclic types", "spec.next.next.name", `import "other"`, "type Spec = other.Node",
			"-- other/t.go --\npackage other\ntype Node struct { Next *Node `json:\"next\"`; Others map[string][]Node `json:\"others\"`; Name string `json:\"name\"` }",
			".Spec.Next * .Next * .Name string"},
		{"a dot import", "spec.name", `import . "other"`, "type Spec struct { T `json:\",inline\"` }",
			"-- other/t.go --\npackage other\nimport . \"third\"\ntype T struct { Name Text `json:\"name\"` }\n-- third/t.go --\npackage third\ntype Text string",
			".Spec.T.Name string third.Text"},
		{"a package name that differs from its path", "spec.t", `import "example.com/go-odd/v3.x"`, "type Spec struct { T strange.T `json:\"t\"` }",
			"-- example.com/go-odd/v3.x/t.go --\npackage strange\ntype T uint8",
			".Spec.T uint8 example.com/go-odd/v3.x.T"},
		{"a path's last element that another package is called", "spec.t", "import \"a/meta\"\nimport \"b/other\"", "type Spec struct { T meta.T `json:\"t\"` }",
			"-- a/meta/t.go --\npackage unlike\n-- b/other/t.go --\npackage meta\ntype T bool",
			".Spec.T bool b/other.T"},
		{"a length of another package", "spec.t", `import "other"`, "type Spec struct { T [other.Two - 1]string `json:\"t\"` }",
			"-- other/t.go --\npackage other\nconst ( _ = iota; One; Two )",
			"spec.t is of type [1]string; name a string, an integer or a boolean"},
		{"a broken package to which nothing leads", "spec.name", "import \"other\"\nimport \"missing\"", "type Spec struct { other.T; hidden missing.T; " +
			"Func func(missing.T) `json:\"-\"` }; type Unused missing.T; func (Spec) M(missing.T) {}",
			"-- other/t.go --\npackage other\nimport \"broken\"\nimport \"missing\"\ntype T struct { Name string `json:\"name\"`; hidden broken.T; " +
				"state missing.State }\ntype U broken.T\nfunc (T) M(broken.T) {}\ntype I interface { M(broken.T) }\n-- broken/t.go --\npackage broken\n" +
				"type T struct { Undefined }",
			".Spec.T.Name string"},
		{"a type of C", "spec.name", `import "C"`, "type Spec struct { Name string `json:\"name\"`; Size C.int `json:\"size\"` }", "",
			".Spec.Name string"},
		{"a value of C", "spec.size", `import "C"`, "type Spec struct { Name string `json:\"name\"`; Size C.int `json:\"size\"` }", "",
			"error: shop/types.go:7:52: C.int is known to cgo only, which does not run; use a Go type, because path spec.size of Order needs it"},
		{"an unsafe pointer", "spec.name", "import \"unsafe\"\nimport \"other\"", "type Spec struct { other.T; P unsafe.Pointer `json:\"p\"` }",
			"-- other/t.go --\npackage other\ntype T struct { Name string `json:\"name\"` }",
			".Spec.T.Name string"},
		{"a missing package", "spec.t.name", `import "missing"`, "type Spec struct { T missing.T `json:\"t\"` }", "",
			"error: shop/types.go:3:8: no required module provides package missing, which path spec.t.name of Order needs; to add it: go get missing"},
		{"a missing package of a package", "spec.t.u.name", `import "other"`, "type Spec struct { T other.T `json:\"t\"` }",
			"-- other/t.go --\npackage other\nimport \"example.com/missing-v2\"\ntype T struct { U unlike.T `json:\"u\"` }",
			"error: other/t.go:2:8: no required module provides package example.com/missing-v2, which path spec.t.u.name of Order needs; to add it: go get example.com/missing-v2"},
		{"a type that is not there", "spec.t.name", `import "other"`, "type Spec struct { T other.T `json:\"t\"` }",
			"-- other/t.go --\npackage other\ntype T2 int",
			"error: shop/types.go:7:22: undefined: other.T; declare it, because path spec.t.name of Order needs it"},
		{"a file that does not parse", "spec.t.name", `import "other"`, "type Spec struct { T other.T `json:\"t\"` }",
			"-- other/s.go --\npackage other\n-- other/t.go --\npackage other\ntype T2 int )\n",
			"error: other/t.go:2:13: expected declaration, found ')'; fix the file, because path spec.t.name of Order needs it"},
		{"a broken file next to a valid one", "spec.t.name", `import "other"`, "type Spec struct { T other.T `json:\"t\"` }",
			"-- other/s.go --\npackage other\ntype T struct { Name string `json:\"name\"` }\n-- other/t.go --\npackage other\ntype T2 int )\n",
			"error: other/t.go:2:13: expected declaration, found ')'; fix the file, because path spec.t.name of Order needs it"},
		{"a type that contains itself", "spec.t.name", `import "other"`, "type Spec struct { T other.T `json:\"t\"` }",
			"-- other/t.go --\npackage other\ntype T T",
			"error: other/t.go:2:6: invalid recursive type: T refers to itself; fix it, because path spec.t.name of Order needs it"},
		{"packages that import each other", "spec.t.name", `import "other"`, "type Spec struct { T other.T `json:\"t\"` }",
			"-- other/t.go --\npackage other\nimport \"third\"\ntype T struct { Name string `json:\"name\"`; U third.U `json:\"u\"` }\n-- third/t.go --\n" +
				"package third\nimport \"other\"\ntype U struct { T *other.T `json:\"t\"` }",
			".Spec.T.Name string"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := kindOf + test.imports + "\n" + marker(test.path) + order + test.types + "\n" + test.others
			pkg, inSyntax, err := answered(t, text)
			if inSyntax == "" && !strings.Contains(test.name, "of C") {
				t.Error("the syntax of the package alone answers the question")
			}
			got := ""
			if err != nil {
				got = "error: " + err.Error()
			} else {
				got = shownField(pkg.Types[0].Fields[test.path])
			}
			if !strings.HasPrefix(got, test.want) || test.want == "" {
				t.Errorf("path %s is\n%s\nwant\n%s\nin%s", test.path, got, test.want, text)
			}
		})
	}
}

// shownField writes the steps to a field and its type.
func shownField(field *model.Field) string {
	if field.Problem != "" {
		return field.Problem
	}
	var b strings.Builder
	for i, step := range field.Steps {
		switch {
		case step.Op == model.StepField && i > 0 && field.Steps[i-1].Op != model.StepField:
			b.WriteString(" ." + step.Name)
		case step.Op == model.StepField:
			b.WriteString("." + step.Name)
		case step.Op == model.StepPointer:
			b.WriteString(" *")
		case step.Op == model.StepEach:
			b.WriteString(" [*]")
		default:
			b.WriteString(" [" + step.Name + "]")
		}
	}
	b.WriteString(" " + field.Value.Basic)
	if !field.Value.Named.IsZero() {
		b.WriteString(" " + field.Value.Named.Path + "." + field.Value.Named.Name)
	}
	return b.String()
}

// outline writes the facts that a generator may need about a type: the fields with their tags, the
// names of the methods, and so on for the types of the fields.
type outline struct {
	b    strings.Builder
	seen map[string]bool
}

func (o *outline) add(t types.Type) {
	shown := shownOutline(t)
	fmt.Fprintf(&o.b, "%s\n", shown)
	if o.seen[shown] {
		return
	}
	o.seen[shown] = true
	if named, ok := types.Unalias(t).(*types.Named); ok {
		var methods []string
		for method := range types.NewMethodSet(types.NewPointer(named)).Methods() {
			methods = append(methods, method.Obj().Name())
		}
		slices.Sort(methods)
		fmt.Fprintf(&o.b, "methods of %s: %s\n", shown, slices.Compact(methods))
	}
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for i := range t.NumFields() {
			if field := t.Field(i); field.Exported() || field.Embedded() {
				fmt.Fprintf(&o.b, "field %s %q embedded=%v: ", field.Name(), t.Tag(i), field.Embedded())
				o.add(field.Type())
			}
		}
	case *types.Map:
		o.add(t.Key())
		o.add(t.Elem())
	case *types.Interface:
		for method := range t.Methods() {
			fmt.Fprintln(&o.b, "method", method.Name())
		}
	case interface{ Elem() types.Type }: // pointers, lists
		o.add(t.Elem())
	case *types.Basic:
		fmt.Fprintln(&o.b, t)
	}
}

// shownOutline is the name of a type, or its sort: what functions take and fields that are hidden
// are no part of the outline.
func shownOutline(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named, *types.Basic:
		return t.String()
	case *types.Array:
		return fmt.Sprintf("[%d]", t.Len())
	}
	return fmt.Sprintf("%T", types.Unalias(t))
}

// TestOutlines compares types that are checked on demand with those that go/packages loads from export
// data, for all types of published packages.
func TestOutlines(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles k8s.io/api")
	}
	paths := []string{
		"k8s.io/api/core/v1", "k8s.io/api/apps/v1", "k8s.io/api/autoscaling/v2", "k8s.io/api/resource/v1", "k8s.io/api/networking/v1",
		"k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "k8s.io/apimachinery/pkg/util/intstr",
		"k8s.io/client-go/tools/clientcmd/api/v1", "k8s.io/client-go/rest", "net/http", "go/types", "encoding/json", "text/template",
	}
	run := &input.Run{Dir: "../../../testdata"}
	full, err := packages.Load(&packages.Config{Context: t.Context(), Dir: run.Dir, Mode: packages.LoadAllSyntax}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := golist.Imports(t.Context(), run, paths...)
	if err != nil {
		t.Fatal(err)
	}
	c := &closure{ctx: t.Context(), run: run, fset: token.NewFileSet(), listed: listed, sources: map[string]*syntax.Package{}, parts: map[string]*part{}}
	names := map[string][]string{}
	for _, pkg := range full {
		for _, name := range pkg.Types.Scope().Names() {
			if _, isType := pkg.Types.Scope().Lookup(name).(*types.TypeName); isType {
				names[pkg.PkgPath] = append(names[pkg.PkgPath], name)
			}
		}
	}
	root, err := c.reach(names)
	if err != nil {
		t.Fatal(err)
	}
	if problem, ok := c.cause(root); ok && !strings.Contains(problem.text, "satisfy") {
		t.Errorf("a reference leads to nothing: %v", problem)
	}
	count := 0
	for _, pkg := range full {
		ours := c.check(c.parts[pkg.PkgPath])
		for _, name := range names[pkg.PkgPath] {
			got, want := outline{seen: map[string]bool{}}, outline{seen: map[string]bool{}}
			got.add(ours.Scope().Lookup(name).Type())
			want.add(pkg.Types.Scope().Lookup(name).Type())
			if got, want := got.b.String(), want.b.String(); got != want {
				t.Fatalf("%s.%s is\n%s\nwant\n%s", pkg.PkgPath, name, got, want)
			}
			count++
		}
	}
	if count < 500 {
		t.Errorf("%d types are compared, want more", count)
	}
}

// TestClosureIsSmall checks that packages are not opened for unexported fields, methods, functions and
// unneeded types.
func TestClosureIsSmall(t *testing.T) {
	c := memoryClosure(t, kindOf+`
import "shown"
import "hidden"
type Order struct { metav1.ObjectMeta; Spec shown.Spec; state hidden.State; Call func(hidden.State) hidden.State }
type Other hidden.State
func (Order) Method(hidden.State) hidden.State { return hidden.State{} }
-- shown/t.go --
package shown
import "hidden"
import "length"
type ( Spec struct { Any Any; All [length.N]Text; message hidden.State }; Text string; Other hidden.State )
type Any interface { Method(hidden.State) }
func (*Spec) Reset(hidden.State) { hidden.Do() }
-- length/n.go --
package length
import "hidden"
const N = 2
var State = hidden.State{}
-- hidden/t.go --
package hidden
type State struct { not parsed`)
	if _, err := c.reach(map[string][]string{"shop": {"Order"}}); err != nil {
		t.Fatal(err)
	}
	got, want := slices.Sorted(maps.Keys(c.parts)), []string{gotype.MetaV1, "length", "shop", "shown"}
	if !slices.Equal(got, want) {
		t.Errorf("the packages that are open are %q, want %q", got, want)
	}
	methods := types.NewMethodSet(types.NewPointer(c.check(c.parts["shop"]).Scope().Lookup("Order").Type()))
	if methods.Lookup(nil, "Method") == nil {
		t.Error("the type has lost its method")
	}
}
