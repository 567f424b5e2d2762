package schemas

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/typedinformers/informer-gen/generator"
)

// emittedJSON finds the schema in an emitted file.
var emittedJSON = regexp.MustCompile("(?s)NewSchema\\(`(.*)`\\)")

// generated returns the parser that the generator emits for packages.
func generated(t testing.TB, options generator.Options) *typed.Parser {
	t.Helper()
	out := t.TempDir()
	options.OutputDir, options.OutputPackage, options.WithApplyConfig = out, "github.com/typedinformers/informer-gen/test/schemas/generated", true
	result, err := generator.Generate(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if err := result.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(out, "applyconfiguration", "internal", "schema.go"))
	if err != nil {
		t.Fatal(err)
	}
	emitted := emittedJSON.FindSubmatch(source)
	if emitted == nil {
		t.Fatalf("there is no schema in\n%s", source)
	}
	parser, err := typed.NewParser(typed.YAMLObject(emitted[1])) // which validates it
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

var emittedYAML = regexp.MustCompile("(?s)YAMLObject\\(`(.*)`\\)")

// clientGo is the parser of client-go.
var clientGo = sync.OnceValues(func() (*typed.Parser, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/client-go").Output()
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "applyconfigurations", "internal", "internal.go"))
	if err != nil {
		return nil, err
	}
	return typed.NewParser(typed.YAMLObject(emittedYAML.FindSubmatch(source)[1]))
})

func TestBuiltin(t *testing.T) {
	theirs, err := clientGo()
	if err != nil {
		t.Fatal(err)
	}
	ours := generated(t, generator.Options{Patterns: []string{"k8s.io/api/..."}})
	for _, name := range theirs.TypeNames() {
		if !ours.Type(name).IsValid() {
			t.Logf("%s is missing", name)
			continue
		}
		for _, difference := range Differences(&theirs.Schema, &ours.Schema, name) {
			t.Error(difference)
		}
	}
	for _, name := range ours.TypeNames() {
		if !theirs.Type(name).IsValid() {
			t.Logf("%s is new", name)
		}
	}
}
