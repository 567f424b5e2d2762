package typecheck

import (
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/describe"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
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
		"usual":                       {kind, list, true, &model.ListForm{}},
		"a pointer to itself":         {"type Order struct {\n*Order\nmetav1.TypeMeta\nmetav1.ObjectMeta\n}\n", list, true, &model.ListForm{}},
		"pointers to metadata":        {"type Order struct {\n*metav1.TypeMeta\n*metav1.ObjectMeta\n}\n", list, true, &model.ListForm{}},
		"metadata of another package": {"type Order struct {\nother.Meta\n}\n", list, false, &model.ListForm{}},
		"items are pointers":          {kind, "type OrderList struct {\nmetav1.TypeMeta\nmetav1.ListMeta\nItems []*Order\n}\n", true, &pointers},
		"items are named pointers":    {kind, "type OrderList struct {\nmetav1.TypeMeta\nmetav1.ListMeta\nItems Orders\n}\ntype Orders []*Order\n", true, &pointers},
		"items of another package":    {kind, "type OrderList struct {\nmetav1.TypeMeta\nmetav1.ListMeta\nItems other.Orders\n}\n", false, nil},
		"items in another package":    {kind, "type OrderList struct {\nmetav1.TypeMeta\nmetav1.ListMeta\nother.Items\n}\n", false, nil},
		"a list without a kind":       {kind, "type OrderList struct {\nmetav1.ListMeta\nItems []Order\n}\n", true, nil},
		"a kind of another package":   {kind, "type OrderList struct {\nother.TypeMeta\nmetav1.ListMeta\nItems []Order\n}\n", false, nil},
		"a pointer to ListMeta":       {kind, "type OrderList struct {\nmetav1.TypeMeta\n*metav1.ListMeta\nItems []Order\n}\n", true, nil},
		"a pointer to what has it":    {kind, "type OrderList struct {\nmetav1.TypeMeta\n*Deeper\nItems []Order\n}\ntype Deeper struct{ metav1.ListMeta }\n", true, nil},
		"metadata by GetListMeta": {kind, "type OrderList struct {\nmetav1.TypeMeta\nMeta metav1.ListMeta\nItems []Order\n}\n" +
			"func (*OrderList) GetListMeta() any { return nil }\n", true, &model.ListForm{Meta: model.ListMetaAccessor}},
		"a list with metadata by name": {kind, "type OrderList struct {\nmetav1.TypeMeta\nMeta metav1.ListMeta\nItems []Order\n}\n", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			src := parseSource(t, withTags(begin+test.kind+test.list))
			described := &input.Type{Name: "Order"}
			sure := clarify(described, checkAlone(src), src.FileSet, func(types.Type) bool { return false })
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
			order := describe.External(src, nil).Types[0]
			if order.HasStatus != test.want {
				t.Errorf("%q: the syntax shows a status: %t, want %t", test.field, order.HasStatus, test.want)
			}
			clarify(order, checkAlone(src), src.FileSet, func(types.Type) bool { return false })
			if order.HasStatus != test.want {
				t.Errorf("%q: types show a status: %t, want %t", test.field, order.HasStatus, test.want)
			}
		}
	}
}

// parseSource returns a package of one file.
func parseSource(t testing.TB, text string) *syntax.Package {
	t.Helper()
	src := &syntax.Package{Path: "example.com/shop/v1", FileSet: token.NewFileSet()}
	file, err := parser.ParseFile(src.FileSet, "types.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	src.AddFile("types.go", file)
	return src
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
