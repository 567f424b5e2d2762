package typecheck

import (
	"go/types"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/describe"
)

// TestProtobuf reports for kinds whether clients can encode them as protobuf. The syntax and the types of the
// package must agree.
func TestProtobuf(t *testing.T) {
	const (
		begin = "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"
		kind  = "// +genclient\ntype Order struct {\nmetav1.TypeMeta `json:\",inline\"`\n" +
			"metav1.ObjectMeta `json:\"metadata\" protobuf:\"bytes,1,opt,name=metadata\"`\nSpec int `json:\"spec\" protobuf:\"varint,2,opt,name=spec\"`\n"
		list = "type OrderList struct {\nmetav1.TypeMeta `json:\",inline\"`\nmetav1.ListMeta `json:\"metadata\" protobuf:\"bytes,1,opt,name=metadata\"`\n" +
			"Items []Order `json:\"items\" protobuf:\"bytes,2,rep,name=items\"`\n}\n"
	)
	methods := func(of string) string {
		return strings.NewReplacer("T", of).Replace("func (m *T) Marshal() ([]byte, error) { return nil, nil }\nfunc (m *T) Reset() {}\nfunc (m *T) Unmarshal([]byte) error { return nil }\n")
	}
	both := methods("Order") + methods("OrderList")
	for _, test := range []struct {
		name, text string
		want       bool
	}{
		{"all tags and methods", kind + "}\n" + list + both, true},
		{"no list", kind + "}\n" + methods("Order"), true},
		{"a field that is not exported", kind + "a, b int\n}\n" + list + both, true},
		{"a field that is not in JSON", kind + "A int `json:\"-\"`\n}\n" + list + both, true},
		{"a field without a tag", kind + "A int\n}\n" + list + both, false},
		{"a field without a protobuf tag", kind + "A int `json:\"a\"`\n}\n" + list + both, false},
		{"a field that is not in protobuf", kind + "A int `json:\"a\" protobuf:\"-\"`\n}\n" + list + both, false},
		{"metadata without a tag", strings.ReplaceAll(kind, ` protobuf:"bytes,1,opt,name=metadata"`, "") + "}\n" + list + both, false},
		{"an embedded struct without a tag", kind + "Base\n}\ntype Base struct{}\n" + list + both, false},
		{"a list without tags", kind + "}\n" + strings.ReplaceAll(list, "protobuf", "other") + both, false},
		{"a list without methods", kind + "}\n" + list + methods("Order"), false},
		{"no methods", kind + "}\n" + list, false},
		{"a method is missing", kind + "}\n" + list + strings.ReplaceAll(both, "Reset", "Clear"), false},
		{"no tags", "// +genclient\ntype Order struct {\nmetav1.TypeMeta\nmetav1.ObjectMeta\n}\n" + both, false},
		{"no struct", "// +genclient\ntype Order int\n" + both, false},
	} {
		src := parseSource(t, begin+test.text)
		want := ""
		if test.want {
			want = src.Path
		}
		if got := describe.External(src, nil).Types[0].Protobuf; got != want {
			t.Errorf("%s: the syntax has protobuf in %q, want %q", test.name, got, want)
		}
		pkg := checkAlone(src)
		if got := protobufPath(lookUp(pkg, "Order"), pkg.Scope().Lookup("OrderList")); got != want {
			t.Errorf("%s: the types have protobuf in %q, want %q", test.name, got, want)
		}
	}
	if got := protobufPath(types.Typ[types.Int], nil); got != "" {
		t.Errorf("int has protobuf in %q", got)
	}
}

// TestProtobufOfOthers does the same for types that are declared by a type of another package.
func TestProtobufOfOthers(t *testing.T) {
	const others = `
-- other/t.go --
package other
import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
type Order struct { metav1.TypeMeta; metav1.ObjectMeta ` + "`protobuf:\"bytes,1\"`" + ` }
type OrderList struct { metav1.TypeMeta; metav1.ListMeta ` + "`protobuf:\"bytes,1\"`; Items []Order `protobuf:\"bytes,2\"`" + ` }
type Tagless struct { metav1.TypeMeta; metav1.ObjectMeta }
func (*Order) DeepCopyObject() {}
func (*Order) Marshal() {}
func (*Order) Reset() {}
func (*Order) Unmarshal() {}
func (*OrderList) DeepCopyObject() {}
func (*OrderList) Marshal() {}
func (*OrderList) Reset() {}
func (*OrderList) Unmarshal() {}
`
	for text, want := range map[string]string{
		"type Order = other.Order\ntype OrderList = other.OrderList\n": "other",
		"type Order = other.Order\n":                                   "other",
		"type Order = other.Tagless\n":                                 "",
		// A defined type does not have the methods.
		"type Order other.Order\nfunc (*Order) DeepCopyObject() {}\n":                                                                      "",
		"type Order = other.Order\ntype OrderList struct { metav1.TypeMeta; metav1.ListMeta; Items []Order }\nvar _ = metav1.ListMeta{}\n": "",
	} {
		pkg, _, err := answered(t, "\n-- shop/types.go --\npackage shop\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\nimport \"other\"\nvar _ metav1.TypeMeta\n// +genclient\n"+text+others)
		if err != nil {
			t.Fatal(err)
		}
		if got := pkg.Type("Order").Protobuf; got != want {
			t.Errorf("%s\nhas protobuf in %q, want %q", text, got, want)
		}
	}
}
