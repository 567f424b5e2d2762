package typecheck

import (
	"fmt"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
)

// TestDefinedTypes describes types that are defined by a type of another package. Their fields are unknown
// until that package is read.
func TestDefinedTypes(t *testing.T) {
	const kind = `
-- shop/types.go --
package shop
import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
import "other"
func (Order) DeepCopyObject() {}
func (OrderList) DeepCopyObject() {}
`
	const list = "type OrderList struct { metav1.TypeMeta; metav1.ListMeta; Items []Order }\n"
	const others = `
-- other/t.go --
package other
import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
import "third"
type Order struct { metav1.TypeMeta; metav1.ObjectMeta ` + "`json:\"metadata\"`" + `; Spec Spec ` + "`json:\"spec\"`" + ` }
type Spec = third.Spec
type Meta struct { metav1.TypeMeta; metav1.ObjectMeta ` + "`json:\"metadata\"`" + ` }
type Key string
type Items[T any] []T
-- third/t.go --
package third
type Spec struct { Name string ` + "`json:\"name\"`" + `; Count int ` + "`json:\"count\"`" + ` }
`
	const whole = "true true true true "
	for _, test := range []struct{ name, text, path, want string }{
		{"a kind", "// +genclient\ntype Order other.Order\n" + list, "", whole},
		{"a kind by another type", "type Base other.Order\n// +genclient\ntype Order Base\n" + list, "", whole},
		{"a path", "// +genclient\n// +informer:index:name=a,path=spec.count\ntype Order struct { metav1.TypeMeta; metav1.ObjectMeta; " +
			"Spec Spec `json:\"spec\"` }\ntype Spec other.Spec\n" + list, "spec.count", whole + ".Spec.Count int"},
		{"the end of a path", "// +genclient\n// +informer:index:name=a,path=key\ntype Order struct { metav1.TypeMeta; metav1.ObjectMeta; " +
			"Key Key `json:\"key\"` }\ntype Key other.Key\n" + list, "key", whole + ".Key string shop.Key"},
		{"the key of a map", "// +genclient\n// +informer:index:name=a,path=spec[b]\ntype Order struct { metav1.TypeMeta; metav1.ObjectMeta; " +
			"Spec map[Key]int32 `json:\"spec\"` }\ntype Key other.Key\n" + list, "spec[b]", whole + ".Spec [b] int32"},
		{"embedded metadata", "// +genclient\ntype Order struct { Meta }\ntype Meta other.Meta\n" + list, "", whole},
		{"the items of a list", "// +genclient\ntype Order struct { metav1.TypeMeta; metav1.ObjectMeta }\ntype Items other.Items[Order]\n" +
			"type OrderList struct { metav1.TypeMeta; metav1.ListMeta; Items Items }\n", "", whole},
		{"a list", "// +genclient\ntype Order struct { metav1.TypeMeta; metav1.ObjectMeta }\ntype OrderList other.Order\n", "", "true true true false "},
		{"no struct", "// +genclient\ntype Order other.Key\n" + list, "", "false false false true "},
	} {
		t.Run(test.name, func(t *testing.T) {
			pkg, inSyntax, err := answered(t, kind+withTags(test.text)+others)
			if inSyntax == "" {
				t.Error("the syntax of the package alone answers the question")
			}
			if err != nil {
				t.Fatal(err)
			}
			var order *input.Type
			for _, described := range pkg.Types {
				if described.Name == "Order" {
					order = described
				}
			}
			got := fmt.Sprint(order.IsStruct, order.HasTypeMeta, order.HasObjectMeta, order.HasList, " ")
			if test.path != "" {
				got += shownField(order.Fields[test.path])
			}
			if test.want != got {
				t.Errorf("the type is %q, want %q; %s", got, test.want, order.ListProblem)
			}
		})
	}
}

// TestCheckerPanics checks a type that makes go/types panic.
func TestCheckerPanics(t *testing.T) {
	src := parseSource(t, "package v1\n\ntype Set[T Set[T]] = struct{ A string }\n")
	pkg, errs := checkTypes(src.Path, src.FileSet, src.Files, emptyImporter{})
	if len(errs) == 0 || !pkg.Complete() || pkg.Scope().Len() > 1 {
		t.Errorf("errors %v, package %v", errs, pkg)
	}
}
