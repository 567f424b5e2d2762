package typecheck

import (
	"context"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/decide"
	"github.com/typedinformers/informer-gen/generator/internal/describe"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

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
		"// +genclient\n// +informer:index:name=a,path=spec.x\n// +kubebuilder:selectablefield:JSONPath=.spec.g\n" +
			"type A struct { Spec G[int] `json:\"spec\"` }\ntype G[T any] struct { *G[[]T]; G2 *G[*T] `json:\"g\"`; H[T] }\n" +
			"type H[T any] struct { *G[map[int]T] }",
		"// +genclient\ntype A struct { Spec G[int] }\ntype G[T undefined] struct { *G[P[T]]; *H[T] }\ntype H[T any] struct { *G[map[int]T] }\ntype P[T any] struct { A, B T }",
		"import . \"other\"\n// +genclient\ntype A B\n// +informer:index:name=a,path=spec[k]\ntype C struct { Spec map[K][N]V `json:\"spec\"`; D }\n" +
			"type K other.K; const N = len(x); var x = [3]int{f: 2}; func (*Z) MarshalJSON() {}; type Z = D",
	} {
		f.Add("// +groupName=shop\npackage v1\n" + seed + "\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "types.go", text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Skip()
		}
		src := &syntax.Package{Path: "example.com/shop/v1", FileSet: fset}
		src.AddFile("types.go", file)
		run := &input.Run{}
		var errs model.Errors
		q := &question{Described: describe.Packages(run, []*syntax.Package{src}, &errs)[0]}
		pkg := q.Package
		if !q.Open.IsEmpty() {
			q.resolve(checkAlone(src), nil)
			c := &closure{ctx: t.Context(), run: run, fset: fset, sources: map[string]*syntax.Package{src.Path: src}, parts: map[string]*part{}}
			if err := c.answer([]*question{q}, &errs); err != nil {
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
		if _, err := decide.Decide(t.Context(), decide.Input{Run: run, Packages: []*input.Package{pkg}, Code: noCode{}}, &errs); err != nil {
			t.Fatal(err)
		}
		_ = errs.Join()
	})
}

// noCode knows no code.
type noCode struct{ decide.Code }

func (noCode) Externals(context.Context, []string) (map[string]*input.External, error) {
	return nil, nil
}

func (noCode) HasFile(string) bool { return false }

func (noCode) MethodsOf(_, _ string) []string { return nil }
