package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/decide"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

func TestPosition(t *testing.T) {
	for s, want := range map[string]token.Position{
		"":                 {},
		"-":                {},
		"a.go":             {Filename: "a.go"},
		"a.go:3":           {Filename: "a.go", Line: 3},
		"a.go:3:7":         {Filename: "a.go", Line: 3, Column: 7},
		"/x/./a.go:3:7":    {Filename: "/x/a.go", Line: 3, Column: 7},
		`C:\x\a.go:3:7`:    {Filename: `C:\x\a.go`, Line: 3, Column: 7},
		`C:\x\a.go`:        {Filename: `C:\x\a.go`},
		"a:b.go:3:7":       {Filename: "a:b.go", Line: 3, Column: 7},
		"dir:12/a.go:3:7":  {Filename: "dir:12/a.go", Line: 3, Column: 7},
		"a.go:3:7:trailer": {Filename: "a.go:3:7:trailer"},
	} {
		if got := position(s); got != want {
			t.Errorf("position(%q) = %#v, want %#v", s, got, want)
		}
	}
}

// parseSource makes a source of one file.
func parseSource(t testing.TB, text string) *source {
	t.Helper()
	src := &source{path: "example.com/shop/v1", fset: token.NewFileSet()}
	file, err := parser.ParseFile(src.fset, "types.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	src.files = []*ast.File{file}
	return src
}

// describe returns what the syntax of a source shows.
func describe(t testing.TB, text string) *input.Package {
	t.Helper()
	return parseSource(t, text).describe(false)
}

// at writes markers as name=value@line:col.
func at(found markers.List) string {
	var all []string
	for _, m := range found {
		name, value, _ := strings.Cut(m.Text[1:], "=")
		all = append(all, fmt.Sprintf("%s=%s@%d:%d", name, value, m.Pos.Line, m.Pos.Column))
	}
	return strings.Join(all, " ")
}

func TestMarkers(t *testing.T) {
	for _, test := range []struct{ name, comment, want string }{
		{"none", "// Order.", ""},
		{"one", "// +genclient", "genclient=@2:4"},
		{"no space", "//+genclient", "genclient=@2:3"},
		{"a tab", "//\t+genclient:onlyVerbs=get,list", "genclient:onlyVerbs=get,list@2:4"},
		{"two lines", "// Order.\n//\n// +genclient\n// +resourceName=x", "genclient=@4:4 resourceName=x@5:4"},
		{"two comments", "// +genclient\n// +genclient:noStatus\n\n// Order.", "genclient=@2:4 genclient:noStatus=@3:4"},
		{"three comments", "// +genclient\n\n// Order.\n\n// More.", ""},
		{"two blank lines", "// +genclient\n\n\n// Order.", ""},
		{"a comment in stars", "/*\nOrder.\n\n  +genclient\n+genclient:noStatus\n*/", "genclient=@5:3 genclient:noStatus=@6:1"},
		{"a comment in stars on one line", "/* +genclient */", "genclient=@2:4"},
		{"a column of stars", "/*\n * +genclient\n */", "genclient=@3:4"},
		{"an equals sign in the value", "// +genclient:method=Scale,verb=get", "genclient:method=Scale,verb=get@2:4"},
		{"not at the beginning", "// see +genclient", ""},
		{"of others", "// +kubebuilder:validation:Optional\n// +optional\n// +", ""},
		{"words before", "// Ünïcödé +genclient\n// +genclient", "genclient=@3:4"},
		{"carriage returns", "// +genclient\r\n// +genclient:noStatus\r", "genclient=@2:4 genclient:noStatus=@3:4"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, declaration := range []string{"type Order struct{}", "type (\nOrder struct{}\n)"} {
				if strings.HasPrefix(declaration, "type (") && strings.Contains(test.comment, "\n\n") {
					continue
				}
				text := "package v1\n" + test.comment + "\n" + declaration + "\n"
				want := test.want
				if strings.HasPrefix(declaration, "type (") {
					text = "package v1; type (\n" + test.comment + "\nOrder struct{}\n)\n"
				}
				var got string
				for _, found := range describe(t, text).Types {
					got = at(found.Markers)
				}
				if got != want {
					t.Errorf("the markers of\n%s\nare %q, want %q", text, got, want)
				}
			}
		})
	}
}

func TestDescribeType(t *testing.T) {
	const text = `// Package v1 is a shop.
//
// +groupName=shop.example.com
package v1

import (
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"example.com/other/v1"
)

const group, version = "shop.example.com", "v1"

var GroupVersion = schema.GroupVersion{group, version}

func AddToScheme() {}

type Base struct {
	meta.TypeMeta
	meta.ObjectMeta
}

// Order is an order.
// +genclient
type Order struct {
	Base
	Status int
}

func (*Order) DeepCopyObject() {}

type OrderList struct {
	meta.TypeMeta
	meta.ListMeta
	Items []Order
}

func (OrderList) DeepCopyObject() {}

// +genclient
type Other struct {
	v1.ObjectMeta
	Meta meta.TypeMeta
}

// +genclient
type Recursive struct { Recursive; *Loop }
type Loop struct { Recursive }
`
	pkg := describe(t, withTags(text))
	if got := at(pkg.Markers); got != "groupName=shop.example.com@3:4" {
		t.Errorf("the package's markers are %s", got)
	}
	if gv := pkg.GroupVersion; gv.Name != "GroupVersion" || gv.Group != "shop.example.com" || gv.Version != "v1" || !gv.GroupKnown || !gv.VersionKnown || gv.Pos.Line != 13 {
		t.Errorf("the package's group and version are %+v", gv)
	}
	if !pkg.Declared["AddToScheme"] {
		t.Error("AddToScheme is not found")
	}
	var got []string
	for _, d := range pkg.Types {
		got = append(got, fmt.Sprintf("%s %v %v %v %v %v %v", d.Name, d.IsStruct, d.HasTypeMeta, d.HasObjectMeta, d.HasDeepCopyObject, d.HasStatus, d.HasList))
	}
	want := []string{"Order true true true true true true", "Other true false false false false false", "Recursive true false false false false false"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the types are %q, want %q", got, want)
	}
	if doc := pkg.Types[0].Doc; doc != "Order is an order." {
		t.Errorf("the comment of Order is %q", doc)
	}
}

// TestHasStatus finds fields named Status as client-gen does. The syntax of the package has to show them, because
// types of other packages may be missing.
func TestHasStatus(t *testing.T) {
	for _, test := range []struct {
		field string
		want  bool
	}{
		{"Status int", true},
		{"Phase, Status int", true},
		{"Status", true},
		{"Status `json:\"status\"`", true},
		{"Status `json:\",inline\"`", true},
		{"*Status", true},
		{"other.Status", true},
		{"*other.Status `json:\"status,omitempty\"`", true},
		{"other.Generic[other.Status]", false},
		{"other.Status[int]", true},
		{"*other.Status[int, string]", true},
		{"Inner", false}, // which has the field
		{"status", false},
		{"Status2", false},
		{"State Status", false},
		{"", false},
	} {
		for _, meta := range []string{"meta.TypeMeta; meta.ObjectMeta", "other.Meta"} {
			text := "// +groupName=shop.example.com\npackage v1\n\nimport (\nmeta \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\"example.com/other\"\n)\n" +
				"// +genclient\ntype Order struct {\n" + meta + "\n" + test.field + "\n}\n\ntype Status struct{ Inner }\n\ntype status int\n\ntype Inner struct{ Status int }\n"
			src := parseSource(t, text)
			order := src.describe(false).Types[0]
			if order.HasStatus != test.want {
				t.Errorf("%q: the syntax shows a status: %t, want %t", test.field, order.HasStatus, test.want)
			}
			clarify(order, typesOfSyntax(src), src.fset, func(types.Type) bool { return false })
			if order.HasStatus != test.want {
				t.Errorf("%q: types show a status: %t, want %t", test.field, order.HasStatus, test.want)
			}
		}
	}
}

// FuzzDescribe checks that describing and deciding never panics for a file that parses, and that each
// marker is at its position.
func FuzzDescribe(f *testing.F) {
	for _, seed := range []string{
		"// +genclient\ntype Order struct{}",
		"/*\n * +genclient:onlyVerbs=get\n +genclient=*/ type A = B",
		"// +genclient\n\n// +resourceName=\ntype (\n// +genclient:method=\nA struct{ A; *A; B.C; _ int }\n)",
		"var SchemeGroupVersion, GroupVersion = g.V{x, Group: 1, y: 2}, f()\nvar AddToScheme int",
		"//line other.go:7\n// +genclient:skipVerbs=,,\ntype A interface{}",
		"// +\n// +=\n// +genclient:\n// +genclient\ntype A[T any] struct{}\nfunc (a *A[T]) DeepCopyObject() {}\ntype AList struct{ Items []A }",
		"func (A[T, U]) DeepCopyObject() {}\nfunc (((*A))) DeepCopyObject() {}",
		"// +informer:view=Order\ntype V struct { TypeMeta; Spec []*V `json:\"spec\"` }\n// +genclient\ntype Order struct { Spec []Order `json:\"spec\"` }",
		"// +informer:view=f\ntype _ struct{}\nfunc f() {}\n// +informer:view=V\ntype V []V\n// +informer:view=k8s.io/api/core/v1.Pod\ntype W = V",
		"// +informer:view=Order\ntype V struct { G G[int] }\ntype G[T any] struct { X *G[[]T] }\n// +genclient\ntype Order struct { G G[string] }",
		"// +informer:view=B\ntype A[T any] struct { X *A[*T] }\n// +informer:view=A\ntype B struct { X map[A[int]]A[B] }\nfunc (B) UnmarshalJSON() {}",
		"// +genclient\n// +informer:index:name=a,path=spec.x\n// +kubebuilder:selectablefield:JSONPath=.spec.g\ntype A struct { Spec G[int] `json:\"spec\"` }\ntype G[T any] struct { *G[[]T]; G2 *G[*T] `json:\"g\"`; H[T] }\ntype H[T any] struct { *G[map[int]T] }",
		"// +genclient\ntype A struct { Spec G[int] }\ntype G[T undefined] struct { *G[P[T]]; *H[T] }\ntype H[T any] struct { *G[map[int]T] }\ntype P[T any] struct { A, B T }",
		"import . \"other\"\n// +genclient\ntype A B\n// +informer:index:name=a,path=spec[k]\ntype C struct { Spec map[K][N]V `json:\"spec\"`; D }\ntype K other.K; const N = len(x); var x = [3]int{f: 2}; func (*Z) MarshalJSON() {}; type Z = D",
	} {
		f.Add("// +groupName=shop\npackage v1\n" + seed + "\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "types.go", text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Skip()
		}
		src := &source{path: "example.com/shop/v1", fset: fset, files: []*ast.File{file}}
		pkg := src.describe(false)
		if q := ask(src, pkg, nil); q != nil {
			q.settle(typesOfSyntax(src), fset, nil)
			c := &closure{ctx: t.Context(), fset: fset, sources: map[string]*source{src.path: src}, parts: map[string]*part{}}
			var mistakes model.Errors
			if err := c.answer([]*question{q}, "", &mistakes); err != nil {
				t.Fatal(err)
			}
		}
		lines := strings.Split(text, "\n")
		for _, described := range pkg.Types {
			for _, m := range described.Markers {
				if m.Pos.Filename != "types.go" || strings.Contains(text, "//line") || strings.Contains(text, "/*line") || strings.Contains(text, "\r") {
					continue
				}
				if m.Pos.Line > len(lines) || !strings.HasPrefix(lines[m.Pos.Line-1][m.Pos.Column-1:], "+"+m.Name) {
					t.Errorf("marker %q is not at %v of %q", m.Name, m.Pos, text)
				}
			}
		}
		var mistakes model.Errors
		decide.Decide(decide.Input{Packages: []*input.Package{pkg}, Naming: decide.NewNaming(nil)}, &mistakes)
		_ = mistakes.Join()
	})
}

// TestListErrors checks messages about errors of the go command that depend on the module cache.
func TestListErrors(t *testing.T) {
	for text, want := range map[string]string{
		"pattern k8s.io/api/...: k8s.io/api@v0.37.2: missing go.sum entry":                               "pattern k8s.io/api/...: k8s.io/api@v0.37.2: missing go.sum entry; to add it: go get k8s.io/api@v0.37.2",
		"k8s.io/api@v0.37.2: missing go.sum entry for go.mod file; to add it:\n\tgo mod download k8s.io": "k8s.io/api@v0.37.2: missing go.sum entry for go.mod file; to add it:\n\tgo mod download k8s.io",
		"package corev1 is not in std (/go/src/corev1)":                                                  "package corev1 is not in std (/go/src/corev1); write the whole import path, such as k8s.io/api/core/v1, or ./corev1 for a folder",
		"pattern ./api/...: lstat ./api/: no such file or directory":                                     "pattern ./api/... matches no package, because the folder does not exist; name a folder with API types",
	} {
		var mistakes model.Errors
		addListError(&mistakes, t.TempDir(), packages.Error{Msg: text}, nil)
		if err := mistakes.Join(); err == nil || err.Error() != want {
			t.Errorf("%s:\n%v\nwant\n%s", text, err, want)
		}
	}
}

var (
	untaggedMeta  = regexp.MustCompile(`(\w+\.(?:ObjectMeta|ListMeta))(\s*[\n;}])`)
	untaggedItems = regexp.MustCompile(`(Items [^\n;{}]*\w)(\s*[\n;}])`)
)

// withTags returns Go code with the JSON names that API servers use for metadata and items.
func withTags(text string) string {
	text = untaggedMeta.ReplaceAllString(text, "$1 `json:\"metadata\"`$2")
	return untaggedItems.ReplaceAllString(text, "$1 `json:\"items\"`$2")
}
