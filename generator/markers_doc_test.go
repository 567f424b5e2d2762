package generator_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

// surroundings are what the examples of docs/markers.md leave out.
const surroundings = `
var SchemeGroupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

var AddToScheme = func(*runtime.Scheme) error { return nil }

func (in *Foo) DeepCopyObject() runtime.Object { return nil }

type FooList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []Foo
}

func (in *FooList) DeepCopyObject() runtime.Object { return nil }

type Phase string

type Tool struct {
	Name string ` + "`json:\"name\"`" + `
}

type FooSpec struct {
	NodeName string ` + "`json:\"nodeName\"`" + `
	Tools    []Tool ` + "`json:\"tools\"`" + `
}

type FooStatus struct {
	Phase Phase ` + "`json:\"phase\"`" + `
}
`

const imports = `

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)
`

// TestMarkersDoc generates for each example of docs/markers.md, and looks for what
// the page says is emitted.
func TestMarkersDoc(t *testing.T) {
	page, err := os.ReadFile("../docs/markers.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```go( emitted)?\n(.*?)```")
	examples := 0
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
				case strings.Contains(text, "type Foo"):
					examples++
					output = words(generateExample(t, text))
				}
			}
		})
	}
	if examples < 12 {
		t.Errorf("only %d examples are found", examples)
	}
}

// generateExample returns the diff that creates all that is generated for an
// example.
func generateExample(t *testing.T, text string) string {
	t.Helper()
	clause, declarations, hasClause := strings.Cut(text, "package v1\n")
	if !hasClause {
		clause, declarations = "", text
	}
	source := clause + "package v1" + imports + strings.ReplaceAll(declarations, "…", "metav1.TypeMeta\n\tmetav1.ObjectMeta") + surroundings
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":                      "module example.com/mod\n\ngo 1.26.0\n\nrequire k8s.io/api v0.0.0\n\nreplace k8s.io/api => ./api\n",
		"example/v1/types.go":         source,
		"api/go.mod":                  "module k8s.io/api\n\ngo 1.26.0\n",
		"api/autoscaling/v1/types.go": "package v1\n\ntype Scale struct{}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	result := generate(t, generator.Options{Dir: dir, Patterns: []string{"./example/..."}, OutputDir: "out"})
	if len(result.Warnings) > 0 {
		t.Errorf("there are warnings: %v", result.Warnings)
	}
	return strings.ReplaceAll(diff(t, result), "\n+", "\n")
}

// words is a text with single spaces, and with the package of the types called v1.
func words(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "examplev1.", "v1.")
}
