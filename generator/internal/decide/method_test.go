package decide

import (
	"go/token"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// assembleMethods assembles a kind with methods, in a module with the given names.
func assembleMethods(t *testing.T, applyPackage string, lines ...string) (*model.Set, error) {
	t.Helper()
	order := &input.Type{Name: "Order", IsStruct: true, HasTypeMeta: true, HasObjectMeta: true, HasDeepCopyObject: true, HasStatus: true, HasList: true}
	order.Pos = token.Position{Filename: "types.go", Line: 20, Column: 6}
	for n, line := range append([]string{"genclient"}, lines...) {
		order.Markers = append(order.Markers, markers.Parse("+"+line, token.Position{Filename: "types.go", Line: n + 1, Column: 4}, order.Name))
	}
	names := func(list ...string) map[string]bool {
		set := map[string]bool{}
		for _, name := range list {
			set[name] = true
		}
		return set
	}
	return decided(t, Input{
		Run: &input.Run{ApplyPackage: applyPackage},
		Packages: []*input.Package{{
			Path:           "example.com/shop/v1",
			Types:          []*input.Type{order},
			HasAddToScheme: true,
			Declared:       names("Order", "OrderList", "Invoice", "receipt", "Receipt", "ReceiptList"),
			GroupVersion:   input.DeclaredGroupVersion{Name: "SchemeGroupVersion", Group: "shop", GroupKnown: true},
		}},
		Code: externals{
			"x.io/good":            {Package: &input.Package{Declared: names("Scale", "Bare")}},
			"x.io/bad":             {Problem: "the package does not exist; see go list x.io/bad"},
			"x.io/apply":           {Package: &input.Package{Declared: names("NewTypeConverter")}},
			"x.io/apply/shop/v1":   {Package: &input.Package{Declared: names("OrderApplyConfiguration", "InvoiceApplyConfiguration")}},
			"x.io/apply/x.io/good": {Package: &input.Package{Declared: names("ScaleApplyConfiguration")}},
			"x.io/none":            {Problem: "the package does not exist; see go list x.io/none"},
			"x.io/none/shop/v1":    {Problem: "the package does not exist; see go list x.io/none/shop/v1"},
			"x.io/empty":           {Package: &input.Package{Declared: names("Else")}},
			"x.io/empty/shop/v1":   {Package: &input.Package{Declared: names("ElseApplyConfiguration")}},
		},
	})
}

func TestMethodTypes(t *testing.T) {
	const shop, apply = "example.com/shop/v1", "x.io/apply/shop/v1"
	for _, test := range []struct {
		value         string
		input, result model.TypeRef
	}{
		{"A,verb=get", model.TypeRef{}, model.TypeRef{Path: shop, Name: "Order"}},
		{"A,verb=get,result=Invoice", model.TypeRef{}, model.TypeRef{Path: shop, Name: "Invoice"}},
		{"A,verb=get,result=x.io/good.Scale", model.TypeRef{}, model.TypeRef{Path: "x.io/good", Name: "Scale"}},
		{"A,verb=get,result=x.io/unseen.Scale", model.TypeRef{}, model.TypeRef{Path: "x.io/unseen", Name: "Scale"}},
		{"A,verb=list", model.TypeRef{}, model.TypeRef{Path: shop, Name: "OrderList"}},
		{"A,verb=list,result=Receipt", model.TypeRef{}, model.TypeRef{Path: shop, Name: "ReceiptList"}},
		{"A,verb=create", model.TypeRef{Path: shop, Name: "Order"}, model.TypeRef{Path: shop, Name: "Order"}},
		{"A,verb=update,input=Invoice", model.TypeRef{Path: shop, Name: "Invoice"}, model.TypeRef{Path: shop, Name: "Order"}},
		{"A,verb=patch,result=example.com/shop/v1.Invoice", model.TypeRef{}, model.TypeRef{Path: shop, Name: "Invoice"}},
		{"A,verb=apply", model.TypeRef{Path: apply, Name: "OrderApplyConfiguration"}, model.TypeRef{Path: shop, Name: "Order"}},
		{"A,verb=apply,input=Invoice", model.TypeRef{Path: apply, Name: "InvoiceApplyConfiguration"}, model.TypeRef{Path: shop, Name: "Order"}},
		{"A,verb=apply,input=x.io/good.Scale", model.TypeRef{Path: "x.io/apply/x.io/good", Name: "ScaleApplyConfiguration"}, model.TypeRef{Path: shop, Name: "Order"}},
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
		{"genclient:method=Get,verb=get", "types.go:2:4: kind Order already has a method Get, which is the method of verb get; rename this one, or add +genclient:skipVerbs=get"},
		{"genclient:method=ApplyStatus,verb=apply", "kind Order already has a method ApplyStatus"},
		{"genclient:method=GetClient,verb=get", "types.go:2:4: method GetClient of kind Order has a name that every generated client uses itself; rename the method"},
		{"genclient:method=FakeClientWithListAndApply,verb=get", "has a name that every generated client uses itself"},
		{"genclient:method=A,verb=get,result=Invoce", "types.go:2:4: method A: result: package example.com/shop/v1 declares no Invoce; did you mean Invoice?"},
		{"genclient:method=A,verb=get,result=Qqqq", "package example.com/shop/v1 declares no Qqqq; declare it, or write a type of another package with its import path"},
		{"genclient:method=A,verb=get,result=receipt", "result: receipt is not exported; begin its name with a capital letter"},
		{"genclient:method=A,verb=list,result=Invoice", "package example.com/shop/v1 declares no InvoiceList; did you mean"},
		{"genclient:method=A,verb=create,input=x.io/good.Scales", "method A: input: package x.io/good declares no Scales; did you mean Scale?"},
		{"genclient:method=A,verb=create,input=x.io/good.Qqqqq", "package x.io/good declares no Qqqqq; write a type that it declares"},
		{"genclient:method=A,verb=create,input=x.io/bad.Scale", "method A: input: cannot read package x.io/bad: the package does not exist; see go list x.io/bad"},
		{"genclient:method=A,verb=apply,input=Receipt", "method A: package x.io/apply/shop/v1 declares no ReceiptApplyConfiguration, which the method takes; " +
			"run applyconfiguration-gen for that type, or remove the method"},
	} {
		if _, err := assembleMethods(t, "x.io/apply", strings.Fields(test.markers)...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is\n%v\nwant\n%s", test.markers, err, test.want)
		}
	}
}

// TestIgnoredMethods checks markers that client-gen accepts and ignores.
func TestIgnoredMethods(t *testing.T) {
	for _, test := range []struct {
		apply, markers string
		methods        int
		warning        string
	}{
		{"", "genclient:method=A,verb=apply", 0, ""},
		{"x.io/apply", "genclient:method=A,verb=apply", 1, ""},
		{"", "genclient:noVerbs genclient:method=A,verb=get", 0, "types.go:3:4: method A has no effect, because kind Order has +genclient:noVerbs; remove one of the markers"},
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
