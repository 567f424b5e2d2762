package model

import (
	"go/token"
	"slices"
	"strings"
	"testing"
)

func TestParseMethod(t *testing.T) {
	pos := token.Position{Filename: "types.go", Line: 1, Column: 4}
	scale := TypeRef{"k8s.io/api/autoscaling/v1", "Scale"}
	for _, test := range []struct {
		value string
		want  Method
		err   string
	}{
		{value: "Get2,verb=get", want: Method{Name: "Get2", Verb: "get"}},
		{value: " UpdateScale , verb = update , subresource = scale ", want: Method{Name: "UpdateScale", Verb: "update", Subresource: "scale"}},
		{
			value: "ApplyScale,result=Scale,input=k8s.io/api/autoscaling/v1.Scale,verb=apply",
			want:  Method{Name: "ApplyScale", Verb: "apply", Input: scale, Result: TypeRef{Name: "Scale"}},
		},
		{value: "Patch_,verb=patch,result=example.com/a-b/c_d.v2.T~1", err: `result "example.com/a-b/c_d.v2.T~1" is not a type; write a type of this package`},

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
		{value: "A,verb=get,subresource=a/b", err: `method A: subresource "a/b" is not a single part of a path; write one name`},
		{value: "A,verb=get,input=B", err: "method A: verb get sends no object, so input has no effect; remove it"},
		{value: "A,verb=patch,input=B", err: "method A: verb patch sends no object, so input has no effect; remove it"},
		{value: "A,verb=get,result=../b.C", err: `method A: result "../b.C" is not a type; write a type of this package, such as Scale`},
		{value: "A,verb=get,result=k8s.io/api/apps/v1", err: `method A: result "k8s.io/api/apps/v1" is not a type`},
		{value: "A,verb=get,result=.B", err: `method A: result ".B" is not a type`},
		{value: "A,verb=get,result=k8s.io/....B", err: `method A: result "k8s.io/....B" is not a type`},
		{value: "A,verb=get,result=-mod.B", err: `method A: result "-mod.B" is not a type`},
	} {
		var mistakes Errors
		got := parseMethod(Marker{Name: "genclient:method", Value: test.value, Pos: pos}, &mistakes)
		if err := mistakes.Join(); test.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), "types.go:1:4: ") || !strings.Contains(err.Error(), test.err) || got != nil {
				t.Errorf("%q is %+v, and the errors are\n%v\nwant\n%s", test.value, got, err, test.err)
			}
			continue
		} else if err != nil {
			t.Errorf("%q: %v", test.value, err)
			continue
		}
		if test.want.Pos = pos; *got != test.want {
			t.Errorf("%q is\n%+v, want\n%+v", test.value, *got, test.want)
		}
	}
}

// FuzzMethod wants of any marker either a method that could be written into Go, or
// a message.
func FuzzMethod(f *testing.F) {
	for _, seed := range []string{
		"", ",", "=", "A", "GetScale,verb=get,subresource=scale,result=Scale",
		"ApplyScale,verb=apply,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale",
		"Ä,verb=patch", "A,verb=list,result=a.b.c/d.E", "A,verb=get,result=.", "A,verb=get,result=a/.B", "A,verb=get,subresource=\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		var mistakes Errors
		marker := Marker{Name: "genclient:method", Value: value}
		m := parseMethod(marker, &mistakes)
		err := mistakes.Join()
		if (m == nil) != (err != nil) {
			t.Fatalf("%q is %+v, and the error is %v", value, m, err)
		}
		for _, p := range ExternalPaths(marker) {
			if m == nil || strings.HasPrefix(p, "-") || strings.HasPrefix(p, ".") || strings.Contains(p, "...") || !IsImportPath(p) {
				t.Errorf("%q names the package %q, for which the go command must not be asked", value, p)
			}
		}
		if m == nil {
			return
		}
		if !token.IsExported(m.Name) || !slices.Contains(MethodVerbs, m.Verb) || strings.Contains(m.Subresource, "/") || !m.TakesObject() && !m.Input.IsZero() {
			t.Errorf("%q is %+v", value, m)
		}
	})
}

func TestExternalPaths(t *testing.T) {
	for value, want := range map[string]string{
		"A,verb=create,input=x.io/a.B,result=x.io/c.D": "x.io/a x.io/c",
		"A,verb=create,input=x.io/a.B,result=x.io/a.D": "x.io/a",
		"A,verb=create,input=B,result=x.io/a.D":        "x.io/a",
		"A,verb=get":                                   "",
		"A,verb=get,result=x.io/a.D,what=is this":      "", // a mistake, of which Assemble will tell
	} {
		if got := ExternalPaths(Marker{Name: "genclient:method", Value: value}); strings.Join(got, " ") != want {
			t.Errorf("%s names %v, want %s", value, got, want)
		}
	}
	if got := ExternalPaths(Marker{Name: "genclient:methods", Value: "A,verb=get,result=x.io/a.D"}); got != nil {
		t.Errorf("another marker names %v", got)
	}
}

// assembleMethods assembles a kind with methods, in a module with the given names.
func assembleMethods(t *testing.T, applyPackage string, lines ...string) (*Set, error) {
	t.Helper()
	order := &Type{Name: "Order", IsStruct: true, HasTypeMeta: true, HasObjectMeta: true, HasDeepCopyObject: true, HasStatus: true, HasList: true}
	order.Pos = token.Position{Filename: "types.go", Line: 20, Column: 6}
	for n, line := range append([]string{"genclient"}, lines...) {
		name, value, _ := strings.Cut(line, "=")
		order.Markers = append(order.Markers, Marker{Name: name, Value: value, Pos: token.Position{Filename: "types.go", Line: n + 1, Column: 4}})
	}
	names := func(list ...string) map[string]bool {
		set := map[string]bool{}
		for _, name := range list {
			set[name] = true
		}
		return set
	}
	naming := NewNaming(nil)
	naming.Reserved.Method = []string{"Fake", "GetClient", "GetNamespace", "Kind", "Namespace", "Resource"}
	var mistakes Errors
	set := Assemble(Input{
		Naming:       naming,
		ApplyPackage: applyPackage,
		Packages: []*Package{{
			Path:           "example.com/shop/v1",
			Types:          []*Type{order},
			HasAddToScheme: true,
			Declared:       names("Order", "OrderList", "Invoice", "receipt", "Receipt", "ReceiptList"),
			GroupVersion:   DeclaredGroupVersion{Name: "SchemeGroupVersion", Group: "shop", GroupKnown: true},
		}},
		Externals: map[string]*External{
			"x.io/good":            {Declared: names("Scale", "Bare")},
			"x.io/bad":             {Problem: "there is no such package; see what go list x.io/bad says"},
			"x.io/apply":           {Declared: names("NewTypeConverter")},
			"x.io/apply/shop/v1":   {Declared: names("OrderApplyConfiguration", "InvoiceApplyConfiguration")},
			"x.io/apply/x.io/good": {Declared: names("ScaleApplyConfiguration")},
			"x.io/none":            {Problem: "there is no such package; see what go list x.io/none says"},
			"x.io/none/shop/v1":    {Problem: "there is no such package; see what go list x.io/none/shop/v1 says"},
			"x.io/empty":           {Declared: names("Else")},
			"x.io/empty/shop/v1":   {Declared: names("ElseApplyConfiguration")},
		},
	}, &mistakes)
	return set, mistakes.Join()
}

func TestMethodTypes(t *testing.T) {
	const shop, apply = "example.com/shop/v1", "x.io/apply/shop/v1"
	for _, test := range []struct {
		value         string
		input, result TypeRef
	}{
		{"A,verb=get", TypeRef{}, TypeRef{shop, "Order"}},
		{"A,verb=get,result=Invoice", TypeRef{}, TypeRef{shop, "Invoice"}},
		{"A,verb=get,result=x.io/good.Scale", TypeRef{}, TypeRef{"x.io/good", "Scale"}},
		{"A,verb=get,result=x.io/unseen.Scale", TypeRef{}, TypeRef{"x.io/unseen", "Scale"}},
		{"A,verb=list", TypeRef{}, TypeRef{shop, "OrderList"}},
		{"A,verb=list,result=Receipt", TypeRef{}, TypeRef{shop, "ReceiptList"}},
		{"A,verb=create", TypeRef{shop, "Order"}, TypeRef{shop, "Order"}},
		{"A,verb=update,input=Invoice", TypeRef{shop, "Invoice"}, TypeRef{shop, "Order"}},
		{"A,verb=patch,result=example.com/shop/v1.Invoice", TypeRef{}, TypeRef{shop, "Invoice"}},
		{"A,verb=apply", TypeRef{apply, "OrderApplyConfiguration"}, TypeRef{shop, "Order"}},
		{"A,verb=apply,input=Invoice", TypeRef{apply, "InvoiceApplyConfiguration"}, TypeRef{shop, "Order"}},
		{"A,verb=apply,input=x.io/good.Scale", TypeRef{"x.io/apply/x.io/good", "ScaleApplyConfiguration"}, TypeRef{shop, "Order"}},
	} {
		set, err := assembleMethods(t, "x.io/apply", "genclient:method="+test.value)
		if err != nil {
			t.Errorf("%s: %v", test.value, err)
			continue
		}
		if m := set.Kinds()[0].Methods[0]; m.Input != test.input || m.Result != test.result {
			t.Errorf("%s takes %+v and returns %+v; want %+v and %+v", test.value, m.Input, m.Result, test.input, test.result)
		}
	}
}

func TestMethodMistakes(t *testing.T) {
	for _, test := range []struct{ markers, want string }{
		{"genclient:method=A,verb=get genclient:method=A,verb=list", "types.go:3:4: kind Order has two methods A, here and at types.go:2:4; rename one of them"},
		{"genclient:method=Get,verb=get", "types.go:2:4: kind Order already has a method Get, that of verb get; rename this one, or add +genclient:skipVerbs=get"},
		{"genclient:method=ApplyStatus,verb=apply", "kind Order already has a method ApplyStatus"},
		{"genclient:method=GetClient,verb=get", "types.go:2:4: method GetClient of kind Order has a name that every generated client uses itself; rename the method"},
		{"genclient:method=FakeClientWithListAndApply,verb=get", "has a name that every generated client uses itself"},
		{"genclient:method=A,verb=get,result=Invoce", "types.go:2:4: method A: result: package example.com/shop/v1 declares no Invoce; did you mean Invoice?"},
		{"genclient:method=A,verb=get,result=Qqqq", "package example.com/shop/v1 declares no Qqqq; declare it, or write a type of another package with its import path"},
		{"genclient:method=A,verb=get,result=receipt", "result: receipt is not exported; begin its name with a capital letter"},
		{"genclient:method=A,verb=list,result=Invoice", "package example.com/shop/v1 declares no InvoiceList; did you mean"},
		{"genclient:method=A,verb=create,input=x.io/good.Scales", "method A: input: package x.io/good declares no Scales; did you mean Scale?"},
		{"genclient:method=A,verb=create,input=x.io/good.Qqqqq", "package x.io/good declares no Qqqqq; write a type that it declares"},
		{"genclient:method=A,verb=create,input=x.io/bad.Scale", "method A: input: cannot read package x.io/bad: there is no such package; see what go list x.io/bad says"},
		{"genclient:method=A,verb=apply,input=Receipt", "method A: package x.io/apply/shop/v1 declares no ReceiptApplyConfiguration, which the method takes; run applyconfiguration-gen for that type, or remove the method"},
	} {
		if _, err := assembleMethods(t, "x.io/apply", strings.Fields(test.markers)...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is\n%v\nwant\n%s", test.markers, err, test.want)
		}
	}
}

// TestMethodsLeftOut has what client-gen takes and does nothing with.
func TestMethodsLeftOut(t *testing.T) {
	for _, test := range []struct {
		apply, markers string
		methods        int
		warning        string
	}{
		{"", "genclient:method=A,verb=apply", 0, ""},
		{"x.io/apply", "genclient:method=A,verb=apply", 1, ""},
		{"", "genclient:noVerbs genclient:method=A,verb=get", 0, "types.go:3:4: method A has no effect, because kind Order has +genclient:noVerbs; remove one of them"},
		{"", "genclient:onlyVerbs=updateStatus genclient:noStatus genclient:method=A,verb=get", 1, ""},
		{"", "genclient:skipVerbs=get genclient:method=Get,verb=get", 1, ""},
		{"", "genclient:method=Apply,verb=patch", 1, ""},
	} {
		set, err := assembleMethods(t, test.apply, strings.Fields(test.markers)...)
		if err != nil {
			t.Errorf("%s: %v", test.markers, err)
			continue
		}
		if got := len(set.Kinds()[0].Methods); got != test.methods {
			t.Errorf("%s: %d methods, want %d", test.markers, got, test.methods)
		}
		warning := ""
		for _, w := range set.Warnings {
			warning += w.Error()
		}
		if warning != test.warning {
			t.Errorf("%s: the warning is %q, want %q", test.markers, warning, test.warning)
		}
	}
}
