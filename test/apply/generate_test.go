package apply

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

// command returns the arguments of a tool in generate.go.
func command(t *testing.T, tool string) []string {
	t.Helper()
	text, err := os.ReadFile("generate.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, arguments, found := strings.Cut(line, "/"+tool+" "); found {
			return strings.Fields(arguments)
		}
		if arguments, found := strings.CutPrefix(line, "//go:generate go tool "+tool+" "); found {
			return strings.Fields(arguments)
		}
	}
	t.Fatalf("generate.go does not call %s", tool)
	return nil
}

func run(t *testing.T, arguments ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), "go", arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v; run go generate . in the folder test/apply\n%s", arguments, err, output)
	}
}

// TestGeneratedFilesAreUpToDate runs the commands of generate.go without changing files.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles two generators")
	}
	fresh := t.TempDir()
	run(t, append(append([]string{"tool", "controller-gen"}, command(t, "controller-gen")...), "output:crd:dir="+fresh)...)
	names, err := filepath.Glob(filepath.Join(fresh, "*.yaml"))
	if err != nil || len(names) != 2 {
		t.Fatalf("controller-gen writes %q, %v", names, err)
	}
	for _, name := range names {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(manifests, filepath.Base(name))); err != nil || string(got) != string(want) {
			t.Errorf("%s is out of date (%v); run go generate . in the folder test/apply", filepath.Base(name), err)
		}
	}
	run(t, append([]string{"run", "github.com/typedinformers/informer-gen/cmd/informer-gen", "--verify"}, command(t, "informer-gen")...)...)
}

// TestTypesAndCRDsAgree generates with the CRDs. The generator then compares the Go types with them,
// and finds no contradiction.
func TestTypesAndCRDsAgree(t *testing.T) {
	options := generator.Options{
		Patterns: []string{"./api/..."}, OutputDir: "generated", CRDs: []string{manifests}, WithApplyConfig: true, DeepCopy: true, Register: true,
		ApplyConfigExternals: map[string]string{"k8s.io/api/core/v1.Container": "k8s.io/client-go/applyconfigurations/core/v1"},
	}
	result, err := generator.Generate(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Warnings) > 0 {
		t.Errorf("there are warnings: %v", result.Warnings)
	}
	for _, change := range result.Changes() {
		if strings.Contains(change, "applyconfiguration/api") {
			t.Errorf("with the CRDs there is another configuration: %s", change)
		}
	}
}

// TestContradiction generates with CRDs that are out of date.
func TestContradiction(t *testing.T) {
	old := t.TempDir()
	if err := os.CopyFS(old, os.DirFS(manifests)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(old, "edge.example.com_proxies.yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const keys = "                x-kubernetes-list-map-keys:\n                - port\n                - protocol\n                x-kubernetes-list-type: map\n"
	older := strings.Replace(string(text), keys, "", 1)
	if older == string(text) {
		t.Fatal("the CRD has no list with the keys port and protocol")
	}
	if err := os.WriteFile(name, []byte(older), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = generator.Generate(t.Context(), generator.Options{Patterns: []string{"./api/..."}, OutputDir: "generated", CRDs: []string{old}, WithApplyConfig: true, DeepCopy: true, Register: true})
	const want = "the list spec.ports of kind Proxy is merged by port and protocol here, but as a whole in its CRD"
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "types.go:") || !strings.Contains(err.Error(), "edge.example.com_proxies.yaml:") {
		t.Errorf("a CRD without the keys of a list: %v", err)
	}
}
