package generator_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

// surroundings has the code that the examples of docs/markers.md leave out.
const surroundings = `
var SchemeGroupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

var AddToScheme = func(*runtime.Scheme) error { return nil }

type FooList struct {
	metav1.TypeMeta "json:\",inline\""
	metav1.ListMeta "json:\"metadata,omitempty\""
	Items []Foo "json:\"items\""
}

func (in *FooList) DeepCopyObject() runtime.Object { return nil }

type Phase string

type Tool struct {
	Name string ` + "`json:\"name\"`" + `
}

type FooSpec struct {
	NodeName string ` + "`json:\"nodeName\"`" + `
	Tools    []Tool ` + "`json:\"tools\"`" + `
	Replicas *int32 ` + "`json:\"replicas\"`" + `
}

type FooStatus struct {
	Phase    Phase ` + "`json:\"phase\"`" + `
	Replicas int32 ` + "`json:\"replicas\"`" + `
}
`

const imports = `

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)
`

// notEmitted are the exported names in the calls of docs/markers.md that generated code does not have.
var notEmitted = []string{"CoreV1", "Failed", "FieldSelector", "Is", "ListOptions", "ListerWatcher", "NewViewListWatch", "Pods", "PodSummary", "String", "WithFieldSelector", "WithListerWatcher"}

// TestMarkersDoc generates for each example in docs/markers.md, and searches the output for the code on
// that page, and for the names that its calls have.
func TestMarkersDoc(t *testing.T) {
	page, err := os.ReadFile("../docs/markers.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```go( emitted)?\n(.*?)```")
	examples, calls := 0, 0
	for _, section := range strings.Split(string(page), "\n### ")[1:] {
		title, _, _ := strings.Cut(section, "\n")
		t.Run(title, func(t *testing.T) {
			var output string
			for _, found := range block.FindAllStringSubmatch(section, -1) {
				emitted, text := found[1] != "", found[2]
				switch {
				case emitted:
					for line := range strings.Lines(text) {
						if want := words(line); !strings.Contains(output, want) {
							t.Errorf("nothing that is emitted contains %q", want)
						}
					}
				case strings.Contains(text, "\ntype "):
					examples++
					output = words(generateExample(t, text))
				default:
					calls++
					checkCalls(t, text, output)
				}
			}
		})
	}
	if examples < 10 || calls < 4 {
		t.Errorf("only %d examples and %d calls are found", examples, calls)
	}
}

// checkCalls checks that statements can be parsed, and that the code that was generated for the section declares
// the names that they use.
func checkCalls(t *testing.T, statements, output string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+statements+"}", 0)
	if err != nil {
		t.Errorf("%v in\n%s", err, statements)
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok || slices.Contains(notEmitted, selector.Sel.Name) {
			return true
		}
		if name := selector.Sel.Name; !regexp.MustCompile(`\b` + name + `\b`).MatchString(output) {
			t.Errorf("nothing that is emitted has the name %s of\n%s", name, statements)
		}
		return true
	})
}

// generateExample returns the diff that creates all files for an example.
func generateExample(t *testing.T, text string) string {
	t.Helper()
	clause, declarations, hasClause := strings.Cut(text, "package v1\n")
	if !hasClause {
		clause, declarations = "", text
	}
	source := clause + "package v1" + imports + strings.ReplaceAll(declarations, "…", "metav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`")
	for _, declared := range regexp.MustCompile(`(?m)^type (\w+) struct`).FindAllStringSubmatch(declarations, -1) {
		source += "\nfunc (in *" + declared[1] + ") DeepCopyObject() runtime.Object { return nil }\n"
	}
	if strings.Contains(declarations, "\ntype Foo struct") {
		source += surroundings
	} else {
		source = strings.Replace(source, "\t\"k8s.io/apimachinery/pkg/runtime/schema\"\n", "", 1)
	}
	dir := t.TempDir()
	userModule(t, dir, map[string]string{"example/v1/types.go": source})
	result := generate(t, generator.Options{Dir: dir, Patterns: []string{"./example/..."}, OutputDir: "out"})
	if len(result.Warnings) > 0 {
		t.Errorf("there are warnings: %v", result.Warnings)
	}
	return strings.ReplaceAll(diff(t, result), "\n+", "\n")
}

// words returns a text with single spaces, and with v1 as the name of the package of the types.
func words(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "examplev1.", "v1.")
}
