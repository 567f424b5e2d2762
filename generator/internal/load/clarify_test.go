package load

import (
	"go/types"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// TestClarify describes kinds and lists from the types of their own package.
func TestClarify(t *testing.T) {
	const (
		kind  = "type Order struct {\nmetav1.TypeMeta\nmetav1.ObjectMeta\n}\n"
		list  = "type OrderList struct {\nmetav1.TypeMeta\nmetav1.ListMeta\nItems []Order\n}\n"
		begin = "package v1\n\nimport (\nmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\"example.com/other\"\n)\n" +
			"func (*Order) DeepCopyObject() any { return nil }\nfunc (*OrderList) DeepCopyObject() any { return nil }\n"
	)
	pointers := model.ListForm{ItemsArePointers: true}
	for name, test := range map[string]struct {
		kind, list string
		sure       bool
		form       *model.ListForm // nil for no list
	}{
		"usual":                        {kind, list, true, &model.ListForm{}},
		"a pointer to itself":          {"type Order struct {\n*Order\nmetav1.TypeMeta\nmetav1.ObjectMeta\n}\n", list, true, &model.ListForm{}},
		"pointers to metadata":         {"type Order struct {\n*metav1.TypeMeta\n*metav1.ObjectMeta\n}\n", list, true, &model.ListForm{}},
		"metadata of another package":  {"type Order struct {\nother.Meta\n}\n", list, false, &model.ListForm{}},
		"items are pointers":           {kind, "type OrderList struct {\nmetav1.TypeMeta\nmetav1.ListMeta\nItems []*Order\n}\n", true, &pointers},
		"items are named pointers":     {kind, "type OrderList struct {\nmetav1.TypeMeta\nmetav1.ListMeta\nItems Orders\n}\ntype Orders []*Order\n", true, &pointers},
		"items of another package":     {kind, "type OrderList struct {\nmetav1.TypeMeta\nmetav1.ListMeta\nItems other.Orders\n}\n", false, nil},
		"items in another package":     {kind, "type OrderList struct {\nmetav1.TypeMeta\nmetav1.ListMeta\nother.Items\n}\n", false, nil},
		"a list without a kind":        {kind, "type OrderList struct {\nmetav1.ListMeta\nItems []Order\n}\n", true, nil},
		"a kind of another package":    {kind, "type OrderList struct {\nother.TypeMeta\nmetav1.ListMeta\nItems []Order\n}\n", false, nil},
		"a pointer to ListMeta":        {kind, "type OrderList struct {\nmetav1.TypeMeta\n*metav1.ListMeta\nItems []Order\n}\n", true, nil},
		"a pointer to what has it":     {kind, "type OrderList struct {\nmetav1.TypeMeta\n*Deeper\nItems []Order\n}\ntype Deeper struct{ metav1.ListMeta }\n", true, nil},
		"metadata by GetListMeta":      {kind, "type OrderList struct {\nmetav1.TypeMeta\nMeta metav1.ListMeta\nItems []Order\n}\nfunc (*OrderList) GetListMeta() any { return nil }\n", true, &model.ListForm{Meta: model.ListMetaAccessor}},
		"a list with metadata by name": {kind, "type OrderList struct {\nmetav1.TypeMeta\nMeta metav1.ListMeta\nItems []Order\n}\n", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			src := parseSource(t, withTags(begin+test.kind+test.list))
			described := &input.Type{Name: "Order"}
			sure := clarify(described, typesOfSyntax(src), src.fset, func(types.Type) bool { return false })
			if sure != test.sure || described.HasList != (test.form != nil) {
				t.Fatalf("sure %t, list %t (%s)", sure, described.HasList, described.ListProblem)
			}
			if test.form != nil && described.List != *test.form {
				t.Errorf("the list is %+v, want %+v", described.List, *test.form)
			}
			if hasMeta := described.HasTypeMeta && described.HasObjectMeta; hasMeta != (name != "metadata of another package") {
				t.Errorf("metadata %t", hasMeta)
			}
		})
	}
}
