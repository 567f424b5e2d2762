package markers

import (
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

func TestParseMethod(t *testing.T) {
	pos := token.Position{Filename: "types.go", Line: 1, Column: 4}
	scale := model.TypeRef{Path: "k8s.io/api/autoscaling/v1", Name: "Scale"}
	for _, test := range []struct {
		value string
		want  model.Method
		err   string
	}{
		{value: "Get2,verb=get", want: model.Method{Name: "Get2", Verb: "get"}},
		{value: " UpdateScale , verb = update , subresource = scale ", want: model.Method{Name: "UpdateScale", Verb: "update", Subresource: "scale"}},
		{
			value: "ApplyScale,result=Scale,input=k8s.io/api/autoscaling/v1.Scale,verb=apply",
			want:  model.Method{Name: "ApplyScale", Verb: "apply", Input: scale, Result: model.TypeRef{Name: "Scale"}},
		},
		{value: "Patch_,verb=patch,result=example.com/a-b/c_d.v2.T~1", err: `result "example.com/a-b/c_d.v2.T~1" is not a type; write a type of this package`},

		{value: `"GetA",verb="get",subresource="scale",result="B"`, want: model.Method{Name: "GetA", Verb: "get", Subresource: "scale", Result: model.TypeRef{Name: "B"}}},
		{value: `A,verb="get`, err: `has a quote that is not closed: "get; add the closing quote`},
		{value: `A,verb="get"s`, err: `method A: verb has text after the quotes of "get"; write all of the value`},
		{value: `A,verb=get,subresource="\d"`, err: `+genclient:method has "\d", which is not a Go string; write`},

		{value: "", err: "does not begin with the name of the method; write it as in"},
		{value: " ,verb=get", err: "does not begin with the name of the method; write it as in"},
		{value: "verb=get", err: "does not begin with the name of the method; write it as in"},
		{value: "getScale,verb=get", err: `method "getScale" does not have an exported name; write letters and digits, and a capital letter first`},
		{value: "Get-Scale,verb=get", err: `method "Get-Scale" does not have an exported name`},
		{value: "UpdateScale", err: "method UpdateScale has no verb; write +genclient:method=UpdateScale,verb=update"},
		{value: "Rescale,subresource=scale", err: "method Rescale has no verb; write +genclient:method=Rescale,verb=get"},
		{value: "A,verb=gett", err: `method A: unknown verb "gett"; did you mean get?`},
		{value: "A,verb=xyzzyx", err: `method A: unknown verb "xyzzyx"; use one of get, list, create, update, patch, apply`},
		{value: "A,verb=delete", err: "method A: verb delete is not available for +genclient:method; use one of the verbs"},
		{value: "A,verb=applyStatus", err: "method A: verb applyStatus is not available for +genclient:method"},
		{value: "A,verb=get,subresources=scale", err: `method A: unknown key "subresources"; did you mean subresource?`},
		{value: "A,verb=get,", err: `method A: unknown key ""; use one of verb, subresource, input, result`},
		{value: "A,verb=get,subresource=", err: "method A: subresource has no value; write subresource=… or remove it"},
		{value: "A,verb=get,result", err: "method A: result has no value; write result=… or remove it"},
		{value: "A,verb=get,verb=list", err: "method A: verb is set twice; remove one of the two"},
		{value: "A,verb=get,subresource=a/b", err: `method A: subresource "a/b" is not a single path element; write one name`},
		{value: "A,verb=get,input=B", err: "method A: verb get sends no object, so input has no effect; remove it"},
		{value: "A,verb=patch,input=B", err: "method A: verb patch sends no object, so input has no effect; remove it"},
		{value: "A,verb=get,result=../b.C", err: `method A: result "../b.C" is not a type; write a type of this package, such as Scale`},
		{value: "A,verb=get,result=k8s.io/api/apps/v1", err: `method A: result "k8s.io/api/apps/v1" is not a type`},
		{value: "A,verb=get,result=.B", err: `method A: result ".B" is not a type`},
		{value: "A,verb=get,result=k8s.io/....B", err: `method A: result "k8s.io/....B" is not a type`},
		{value: "A,verb=get,result=-mod.B", err: `method A: result "-mod.B" is not a type`},
	} {
		m := Parse("+genclient:method="+test.value, pos, "Order")
		got := model.Method(m.Value.(Method))
		if test.err != "" {
			if text := problems(m); !strings.Contains(text, test.err) {
				t.Errorf("%q is %+v, and the problems are\n%s\nwant\n%s", test.value, got, text, test.err)
			}
			continue
		} else if len(m.Problems) > 0 {
			t.Errorf("%q: %v", test.value, m.Problems)
			continue
		}
		if test.want.Pos = pos; got != test.want {
			t.Errorf("%q is\n%+v, want\n%+v", test.value, got, test.want)
		}
	}
}

// FuzzMethod checks that any marker gives a method that Go accepts, or a problem.
func FuzzMethod(f *testing.F) {
	for _, seed := range []string{
		"", ",", "=", "A", "GetScale,verb=get,subresource=scale,result=Scale",
		"ApplyScale,verb=apply,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale",
		"Ä,verb=patch", "A,verb=list,result=a.b.c/d.E", "A,verb=get,result=.", "A,verb=get,result=a/.B", "A,verb=get,subresource=\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if strings.ContainsAny(value, "\r\n") {
			t.Skip("a marker is one line")
		}
		marker := Parse("+genclient:method="+value, token.Position{}, "Order")
		m, ok := marker.Value.(Method)
		if !ok {
			t.Fatalf("%q is %+v", value, marker)
		}
		for _, p := range (List{marker}).Packages() {
			if len(marker.Problems) > 0 || strings.HasPrefix(p, "-") || strings.HasPrefix(p, ".") || strings.Contains(p, "...") || !IsImportPath(p) {
				t.Errorf("%q names the package %q, for which the go command must not be asked", value, p)
			}
		}
		if len(marker.Problems) > 0 {
			return
		}
		takesObject := (*model.Method)(&m).TakesObject()
		if !token.IsExported(m.Name) || !slices.Contains(model.MethodVerbs, m.Verb) || strings.Contains(m.Subresource, "/") || !takesObject && !m.Input.IsZero() {
			t.Errorf("%q is %+v", value, m)
		}
	})
}

func TestPackages(t *testing.T) {
	for line, want := range map[string]string{
		"genclient:method=A,verb=create,input=x.io/a.B,result=x.io/c.D": "x.io/a x.io/c",
		"genclient:method=A,verb=create,input=x.io/a.B,result=x.io/a.D": "x.io/a",
		"genclient:method=A,verb=create,input=B,result=x.io/a.D":        "x.io/a",
		"genclient:method=A,verb=get":                                   "",
		"genclient:method=A,verb=get,result=x.io/a.D,what=is this":      "", // decide reports the problem
		"genclient:methods=A,verb=get,result=x.io/a.D":                  "",
		"informer:view=x.io/a.B":                                        "x.io/a",
		"informer:view=B":                                               "",
	} {
		if got := (List{Parse("+"+line, token.Position{}, "Order")}).Packages(); strings.Join(got, " ") != want {
			t.Errorf("%s names %v, want %s", line, got, want)
		}
	}
}
