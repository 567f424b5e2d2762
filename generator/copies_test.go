package generator_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

// kindIn returns a file with a kind Foo of a group. Its spec is of the type.
func kindIn(group, spec, imports string) string {
	return `// +groupName=` + group + `.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	` + imports + `
)

var SchemeGroupVersion = schema.GroupVersion{Group: "` + group + `.example.com", Version: "v1"}

var AddToScheme = func(*runtime.Scheme) error { return nil }

// +genclient
type Foo struct {
	metav1.TypeMeta   "json:\",inline\""
	metav1.ObjectMeta "json:\"metadata,omitempty\""
	Spec ` + spec + `
}

type FooList struct {
	metav1.TypeMeta "json:\",inline\""
	metav1.ListMeta "json:\"metadata,omitempty\""
	Items []Foo "json:\"items\""
}
`
}

// TestCopiedTypes checks which types get methods.
func TestCopiedTypes(t *testing.T) {
	const kinds = "Foo FooList"
	for name, test := range map[string]struct {
		files map[string]string
		// want has the types with methods, by the folder of their package.
		want map[string]string
		tags []string
		// constraint is the build constraint of the file in api/v1, if it is not the usual one.
		constraint string
	}{
		"what the kinds consist of": {
			files: map[string]string{"api/v1/types.go": kindIn("a", "Spec", "") + "type Spec struct{ Parts map[Key][]*Part; N Number }\n" +
				"type Key struct{ A string }\ntype Part struct{ N []int }\ntype Number int\ntype Other struct{ N []int }",
				"api/v1/webhook.go": "package v1\n\nimport \"example.com/missing\"\n\ntype Webhook struct{ Client missing.Client }"},
			want: map[string]string{"api/v1": kinds + " Key Part Spec"},
		},
		"the whole package": {
			files: map[string]string{"api/v1/types.go": "// +k8s:deepcopy-gen=package,register\n" + kindIn("a", "Spec", "") + "type Spec struct{}\n" +
				"type Other []int\ntype hidden struct{}\ntype Text string\ntype Face interface{ Do() }\ntype Func func()\n\n// +k8s:deepcopy-gen=false\n" +
				"type Off struct{}\n\ntype Box[T any] struct{ V T }"},
			want: map[string]string{"api/v1": kinds + " Other Spec"},
		},
		"the marker of controller-gen in another file": {
			files: map[string]string{"api/v1/types.go": kindIn("a", "Spec", "") + "type Spec struct{}\n\ntype Other struct{}\n\n" +
				"// +kubebuilder:object:generate:=false\ntype Off struct{}", "api/v1/doc.go": "// +kubebuilder:object:generate=true\npackage v1\n\n" +
				"import \"example.com/missing\"\n\n// +kubebuilder:object:generate=false\ntype Webhook struct{ Client missing.Client }"},
			want: map[string]string{"api/v1": kinds + " Other Spec"},
		},
		"types one by one": {
			files: map[string]string{"api/v1/types.go": kindIn("a", "Spec", "") + "type Spec struct{}\n\n// +k8s:deepcopy-gen=true\n\n" +
				"// Other is below its marker.\ntype Other struct{}\n\n// +kubebuilder:object:root=true\ntype Config struct{ metav1.TypeMeta }\n\n" +
				"// +kubebuilder:object:root=false\ntype Not struct{ metav1.TypeMeta }"},
			want: map[string]string{"api/v1": "Config " + kinds + " Other Spec"},
		},
		"a package that the kinds of another one use": {
			files: map[string]string{
				"api/v1/types.go":   kindIn("a", "shared.Spec", `"example.com/user/api/shared"`),
				"api/shared/doc.go": "package shared\n\ntype Spec struct{ Part *Part }\n\ntype Part struct{ N []int }\n\ntype Unused struct{}",
			},
			want: map[string]string{"api/v1": kinds, "api/shared": "Part Spec"},
		},
		"a package without kinds": {
			files: map[string]string{
				"api/v1/types.go":   kindIn("a", "string", ""),
				"api/shared/doc.go": "// +kubebuilder:object:generate=true\npackage shared\n\ntype Spec struct{ N []int }",
				"api/other/doc.go":  "package other\n\ntype Spec struct{ N []int }",
			},
			want: map[string]string{"api/v1": kinds, "api/shared": "Spec"},
		},
		"what methods of kinds send and return": {
			files: map[string]string{
				"api/v1/types.go": strings.Replace(kindIn("a", "string", ""), "// +genclient\n", "// +genclient\n"+
					"// +genclient:method=Sell,verb=create,subresource=sale,input=Sale,result=example.com/user/api/shared.Receipt\n",
					1) + "type Sale struct{ metav1.TypeMeta; metav1.ObjectMeta `json:\"metadata\"` }",
				"api/shared/doc.go": "package shared\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Receipt struct{ metav1.TypeMeta; metav1.ObjectMeta `json:\"metadata\"` }",
			},
			want: map[string]string{"api/v1": kinds + " Sale", "api/shared": "Receipt"},
		},
		"lists that methods of kinds return": {
			files: map[string]string{
				"api/v1/types.go": strings.Replace(kindIn("a", "string", ""), "// +genclient\n", "// +genclient\n"+
					"// +genclient:method=Sales,verb=list,result=Sale\n// +genclient:method=Receipts,verb=list,result=example.com/user/api/shared.Receipt\n",
					1) + "type SaleList struct{ metav1.TypeMeta; metav1.ListMeta `json:\"metadata\"`; Items []Sale `json:\"items\"` }\n\n" +
					"type Sale struct{ N []int }",
				"api/shared/doc.go": "package shared\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype ReceiptList struct{ metav1.TypeMeta; " +
					"metav1.ListMeta `json:\"metadata\"`; Items []Receipt `json:\"items\"` }\n\ntype Receipt struct{ N []int }\n\ntype Unused struct{}",
			},
			want: map[string]string{"api/v1": kinds + " Sale SaleList", "api/shared": "Receipt ReceiptList"},
		},
		"a view in its own package": {
			files: map[string]string{
				"api/v1/types.go": kindIn("a", "Spec", "") + "type Spec struct{ Names []string }",
				"api/slim/v1/shared.go": "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n" +
					"// +informer:view=example.com/user/api/v1.Foo\ntype Slim struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta " +
					"`json:\"metadata\"`\n\tSpec Part\n}\n\ntype Part struct{ Names []string }\n\n" +
					"type SlimList struct {\n\tmetav1.TypeMeta\n\tmetav1.ListMeta\n\tItems []Slim\n}\n\ntype Unused struct{}",
			},
			want: map[string]string{"api/v1": kinds + " Spec", "api/slim/v1": "Part Slim SlimList"},
		},
		"files with a build constraint": {
			files: map[string]string{
				"api/v1/types.go": "//go:build shop || sale\n\n" + kindIn("a", "Spec", ""),
				"api/v1/spec.go":  "package v1\n\ntype Spec struct{ Names []string }",
			},
			tags: []string{"shop"},
			want: map[string]string{"api/v1": kinds + " Spec"}, constraint: "!ignore_autogenerated && (shop || sale)",
		},
		"a file for one platform": {
			files: map[string]string{"api/v1/types_" + runtime.GOOS + ".go": kindIn("a", "string", "")},
			want:  map[string]string{"api/v1": kinds}, constraint: "!ignore_autogenerated && " + runtime.GOOS,
		},
		"methods that exist for one platform": {
			files: map[string]string{
				"api/v1/types.go": kindIn("a", "Spec", ""),
				"api/v1/spec.go": "//go:build !plan9\n\npackage v1\n\ntype Spec struct{ Names []string }\n\n" +
					"func (in *Spec) DeepCopyInto(out *Spec) { *out = *in }\n\nfunc (in *Spec) DeepCopy() *Spec { return in }",
			},
			want: map[string]string{"api/v1": kinds},
		},
		"methods that exist": {
			files: map[string]string{"api/v1/types.go": kindIn("a", "Spec", "") + "type Spec struct{ F func() }\n\n" +
				"func (in *Spec) DeepCopyInto(out *Spec) { *out = *in }\n\nfunc (in *Spec) DeepCopy() *Spec { return in }\n\n" +
				"func (in *FooList) DeepCopyObject() runtime.Object { return in }"},
			want: map[string]string{"api/v1": kinds},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			userModule(t, dir, test.files)
			options := generator.Options{Dir: dir, Patterns: []string{"./api/..."}, OutputDir: "out", DeepCopy: true, BuildTags: test.tags}
			result := generate(t, options)
			if err := result.Write(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, pkg := range []string{"api/v1", "api/shared", "api/other", "api/slim/v1"} {
				if got := copiedIn(t, filepath.Join(dir, pkg)); got != test.want[pkg] {
					t.Errorf("the types of %s with methods are %q, want %q", pkg, got, test.want[pkg])
				}
			}
			line := "\n//go:build " + cmp.Or(test.constraint, "!ignore_autogenerated") + "\n"
			if content := readFile(t, filepath.Join(dir, "api/v1/zz_generated.deepcopy.go")); !strings.Contains(content, line) {
				t.Errorf("the file of api/v1 has not the line %s", line)
			}
			if again := generate(t, options); len(again.Changes()) > 0 {
				t.Errorf("a second run changes %v", again.Changes())
			}
		})
	}
}

// copiedIn returns the types with generated deep copies in a folder, sorted and separated by spaces.
func copiedIn(t *testing.T, dir string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "zz_generated.deepcopy.go"), nil, 0)
	if os.IsNotExist(err) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok {
			names = append(names, strings.TrimPrefix(types.ExprString(decl.Recv.List[0].Type), "*"))
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}
