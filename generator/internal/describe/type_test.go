package describe

import (
	"fmt"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// describe describes a package of one file.
func describe(t testing.TB, text string) *input.Package {
	t.Helper()
	src := &syntax.Package{Path: "example.com/shop/v1", FileSet: token.NewFileSet()}
	file, err := parser.ParseFile(src.FileSet, "types.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	src.AddFile("types.go", file)
	return External(src, nil)
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

var (
	untaggedMeta  = regexp.MustCompile(`(\w+\.(?:ObjectMeta|ListMeta))(\s*[\n;}])`)
	untaggedItems = regexp.MustCompile(`(Items [^\n;{}]*\w)(\s*[\n;}])`)
)

// withTags returns Go code with the JSON names that API servers use for metadata and items.
func withTags(text string) string {
	text = untaggedMeta.ReplaceAllString(text, "$1 `json:\"metadata\"`$2")
	return untaggedItems.ReplaceAllString(text, "$1 `json:\"items\"`$2")
}
