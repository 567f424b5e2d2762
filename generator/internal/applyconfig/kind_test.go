package applyconfig_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

const orderSpec = "type OrderSpec struct { Shared shared.Shared `json:\"shared\"` }\n"

// TestKind decides on a kind with metadata of meta/v1.
func TestKind(t *testing.T) {
	order := typeOf(t, decide(t, orderSpec), "Order")
	if want := ` TypeMetaApplyConfiguration ""| *ObjectMetaApplyConfiguration "metadata,omitempty"|` +
		`Spec *OrderSpecApplyConfiguration "spec,omitempty"`; strings.ReplaceAll(fieldsOf(order), "v1.", "") != want {
		t.Errorf("got the fields %s", fieldsOf(order))
	}
	// SelfLink and ManagedFields cannot be applied.
	if want := "Kind address string (TypeMetaApplyConfiguration)|APIVersion address string (TypeMetaApplyConfiguration)|" +
		"Name address string (*ObjectMetaApplyConfiguration)|Namespace address string (*ObjectMetaApplyConfiguration)|Spec set *OrderSpecApplyConfiguration"; methodsOf(order) != want {
		t.Errorf("got the methods %s", methodsOf(order))
	}
	var getters []string
	for _, g := range order.Getters {
		getters = append(getters, g.Field)
	}
	if want := []string{"Kind", "APIVersion", "Name", "Namespace"}; !slices.Equal(getters, want) {
		t.Errorf("got the getters %q, want %q", getters, want)
	}
	if order.Kind == nil || !order.HasTypeMeta || order.SchemaName != "com.example.shop.v1.Order" {
		t.Errorf("got kind %v, TypeMeta %v, schema %q", order.Kind, order.HasTypeMeta, order.SchemaName)
	}
}

// TestPackages decides on types of a package of the run without kinds, and of a package outside of the run.
func TestPackages(t *testing.T) {
	apply := decide(t, "type OrderSpec struct {\nShared shared.Shared `json:\"shared\"`\nOther other.Part `json:\"other\"`\n}\ntype Unreachable struct { Name string `json:\"name\"` }")
	var got []string
	for _, pkg := range apply.Packages {
		for _, found := range pkg.Types {
			got = append(got, pkg.Dir+"."+found.Name)
		}
		if hasKinds := pkg.Path == shop; hasKinds != (pkg.GroupVersion != nil) {
			t.Errorf("%s has the group version %v", pkg.Path, pkg.GroupVersion)
		}
	}
	if want := []string{"example.com/shared.Shared", "shop/v1.Order", "shop/v1.OrderSpec"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFileNames checks that the go command compiles the files of all types.
func TestFileNames(t *testing.T) {
	apply := decide(t, `
type OrderSpec struct {
	A A_Test `+"`json:\"a\"`"+`
	B B_Windows `+"`json:\"b\"`"+`
	C C_Part `+"`json:\"c\"`"+`
}
type A_Test struct { Name string `+"`json:\"name\"`"+` }
type B_Windows struct { Name string `+"`json:\"name\"`"+` }
type C_Part struct { Name string `+"`json:\"name\"`"+` }
`)
	for name, want := range map[string]string{"A_Test": "a_test_type", "B_Windows": "b_windows_type", "C_Part": "c_part", "OrderSpec": "orderspec"} {
		if got := typeOf(t, apply, name).File; got != want {
			t.Errorf("the file of %s is %s, want %s", name, got, want)
		}
	}
}

// TestDependency decides on fields that JSON cannot have, in a package that the user cannot edit.
func TestDependency(t *testing.T) {
	apply, errs, set := decideWith(t, `
type OrderSpec struct {
	common   `+"`json:\",inline\"`"+`
	Any any  `+"`json:\"any\"`"+`
	Tree tree `+"`json:\"tree\"`"+`
}
type common struct { Name string `+"`json:\"name\"`"+` }
type tree map[string]tree
`, shop)
	if errs.Len() > 0 {
		t.Fatal(errs.Join())
	}
	spec := typeOf(t, apply, "OrderSpec")
	if want := ` CommonApplyConfiguration ""|Any *any "any,omitempty"`; fieldsOf(spec) != want {
		t.Errorf("got the fields %s, want %s", fieldsOf(spec), want)
	}
	var warnings []string
	for _, warning := range set.Warnings {
		warnings = append(warnings, warning.Error())
	}
	want := []string{
		"example.com/shop/v1/types.go:17:2: field Any of OrderSpec has an interface type, so a decoder does not know the type of its value; do not set it in an apply configuration",
		"example.com/shop/v1/types.go:18:2: field Tree of OrderSpec is of type v1.tree, which other packages cannot use; its apply configuration has no such field",
	}
	if !slices.Equal(warnings, want) {
		t.Errorf("got the warnings\n%s\nwant\n%s", strings.Join(warnings, "\n"), strings.Join(want, "\n"))
	}
}

// TestMeta decides on kinds whose metadata is not of meta/v1.
func TestMeta(t *testing.T) {
	const meta = `
type OrderSpec struct {}
type Meta struct { Name string ` + "`json:\"name\"`" + `; Namespace string ` + "`json:\"namespace\"`" + ` }
type Types struct { Kind string ` + "`json:\"kind\"`" + `; APIVersion string ` + "`json:\"apiVersion\"`" + ` }
`
	for _, c := range []struct{ fields, want string }{
		{"Types `json:\",inline\"`\nMeta `json:\"metadata\"`",
			"Kind (TypesApplyConfiguration)|APIVersion (TypesApplyConfiguration)|Name (*MetaApplyConfiguration)|Namespace (*MetaApplyConfiguration)"},
		{"metav1.TypeMeta `json:\",inline\"`\nMetadata metav1.ObjectMeta `json:\"metadata\"`",
			"Kind (TypeMetaApplyConfiguration)|APIVersion (TypeMetaApplyConfiguration)|Name (*Metadata)|Namespace (*Metadata)"},
		{"Base `json:\",inline\"`\n}\ntype Base struct {\nmetav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata\"`",
			"Kind (BaseApplyConfiguration, nested)|APIVersion (BaseApplyConfiguration, nested)|Name (BaseApplyConfiguration, " +
				"nested)|Namespace (BaseApplyConfiguration, nested)"},
	} {
		t.Run(c.fields, func(t *testing.T) {
			apply, errs, _ := decideKind(t, c.fields, meta)
			if errs.Len() > 0 {
				t.Fatal(errs.Join())
			}
			var got []string
			for _, g := range typeOf(t, apply, "Order").Getters {
				text := g.Field + " ("
				if g.Through.IsPointer {
					text += "*"
				}
				text += g.Through.Name
				if g.IsNested {
					text += ", nested"
				}
				got = append(got, text+")")
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("got the getters %s, want %s", strings.Join(got, "|"), c.want)
			}
		})
	}
	_, errs, _ := decideKind(t, "metav1.TypeMeta `json:\",inline\"`\nother.Part `json:\"metadata\"`", meta)
	if err := errs.Join(); err == nil || !strings.Contains(err.Error(), "kind Order has metadata without an apply configuration, "+
		"so there is no method WithName; name the package of the metadata too") {
		t.Errorf("got the errors %v", err)
	}
}

// TestMethodInputs decides on the type of a method of verb apply, which no kind has as a part.
func TestMethodInputs(t *testing.T) {
	declarations := orderSpec + "type Scale struct { Part ScalePart `json:\"part\"` }\ntype ScalePart struct { Replicas int `json:\"replicas\"` }\n"
	apply, errs, _ := decideKind(t, "metav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata\"`", declarations,
		&model.Method{Name: "ApplyScale", Verb: "apply", Subresource: "scale", Input: model.TypeRef{Path: root + "/shop/v1", Name: "ScaleApplyConfiguration"}})
	if errs.Len() > 0 {
		t.Fatal(errs.Join())
	}
	typeOf(t, apply, "Scale")
	typeOf(t, apply, "ScalePart")
	order := typeOf(t, apply, "Order")
	if want := []model.ApplySubresource{{Name: "scale", GoName: "Scale"}}; !slices.Equal(order.Subresources, want) {
		t.Errorf("got the subresources %v, want %v", order.Subresources, want)
	}
}

// TestAlias decides on a kind that is another name for a type of a package outside of the run. The apply
// configurations of its parts are next to the one of the kind.
func TestAlias(t *testing.T) {
	p := newPackages(t, "type Order = elsewhere.Purchase\n")
	p.sources[shop] = strings.Replace(p.sources[shop], `"example.com/shared"`, `"example.com/shared"`+"\n\t"+`"example.com/elsewhere"`, 1)
	p.sources["example.com/elsewhere"] = `package elsewhere

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Purchase struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata\"`" + `
	Spec PurchaseSpec ` + "`json:\"spec\"`" + `
}

type PurchaseSpec struct {
	Again *Purchase ` + "`json:\"again\"`" + `
}
`
	apply, errs, _ := p.decide()
	if errs.Len() > 0 {
		t.Fatal(errs.Join())
	}
	order := typeOf(t, apply, "Order")
	if want := (model.TypeRef{Path: shop, Name: "Order"}); order.Of != want || order.SchemaName != "com.example.elsewhere.Purchase" {
		t.Errorf("Order is of %v, with the schema %s", order.Of, order.SchemaName)
	}
	if got, want := fieldsOf(typeOf(t, apply, "PurchaseSpec")), `Again *OrderApplyConfiguration "again,omitempty"`; got != want {
		t.Errorf("got the fields %s, want %s", got, want)
	}
}
