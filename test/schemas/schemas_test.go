package schemas

import (
	"encoding/json"
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

// dump is a program that prints the schema of a generated package.
const dump = `package main

import (
	"fmt"

	"go.yaml.in/yaml/v2"

	"github.com/typedinformers/informer-gen/test/schemas/generated/applyconfiguration/internal"
)

func main() {
	text, err := yaml.Marshal(&internal.Parser().Schema)
	if err != nil {
		panic(err)
	}
	fmt.Print(string(text))
}
`

// generated returns the parser that the generator emits for packages. No file of it is on disk in the
// repository: the go command gets it through an overlay.
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
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(wd, "generated", "applyconfiguration")
	emitted, err := filepath.Glob(filepath.Join(out, "applyconfiguration", "internal", "*.go"))
	if err != nil || len(emitted) == 0 {
		t.Fatalf("no files in the internal package: %v", err)
	}
	replace := map[string]string{filepath.Join(root, "dump", "main.go"): filepath.Join(out, "main.go")}
	for _, file := range emitted {
		replace[filepath.Join(root, "internal", filepath.Base(file))] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"main.go": []byte(dump), "overlay.json": overlay} {
		if err := os.WriteFile(filepath.Join(out, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(out, "dump")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "-overlay="+filepath.Join(out, "overlay.json"), "./generated/applyconfiguration/dump")
	if message, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, message)
	}
	run := exec.CommandContext(t.Context(), binary)
	run.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	run.Stderr = &trace
	text, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, trace.String())
	}
	if initialized := trace.String(); !strings.Contains(initialized, "init runtime @") || strings.Contains(initialized, "init github.com/typedinformers/") {
		t.Errorf("the schema needs code at program start, or there is no trace of it:\n%s", initialized)
	}
	parser, err := typed.NewParser(typed.YAMLObject(text)) // which validates it
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
