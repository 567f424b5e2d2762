package generator_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

var update = flag.Bool("update", false, "rewrite testdata/generated")

const testdata = "../testdata"

// golden has the options for testdata/generated.
func golden() generator.Options {
	return generator.Options{
		Dir:             testdata,
		Patterns:        []string{"./apis/..."},
		OutputDir:       "generated",
		HeaderFile:      "../hack/boilerplate.go.txt",
		WithApplyConfig: true,
	}
}

// applyGolden has the options for testdata/apply/generated.
func applyGolden() generator.Options {
	return generator.Options{
		Dir:                       testdata,
		Patterns:                  []string{"./apply/api/..."},
		OutputDir:                 "apply/generated",
		HeaderFile:                "../hack/boilerplate.go.txt",
		ApplyConfigurationPackage: "github.com/typedinformers/informer-gen/testdata/apply/applyconfiguration",
		PrefersProtobuf:           true,
	}
}

// appliedGolden has the options for testdata/applied/generated.
func appliedGolden() generator.Options {
	return generator.Options{
		Dir:                  testdata,
		Patterns:             []string{"./applied/api/..."},
		OutputDir:            "applied/generated",
		HeaderFile:           "../hack/boilerplate.go.txt",
		WithApplyConfig:      true,
		ApplyConfigName:      "configs",
		ApplyConfigExternals: map[string]string{"k8s.io/api/core/v1.Toleration": "k8s.io/client-go/applyconfigurations/core/v1"},
		DeepCopy:             true,
	}
}

// splitGolden has the options for testdata/split/generated, with one group version in three packages.
func splitGolden() generator.Options {
	return generator.Options{
		Dir:             testdata,
		Patterns:        []string{"./split/api/...", "./split/exp/..."},
		OutputDir:       "split/generated",
		HeaderFile:      "../hack/boilerplate.go.txt",
		WithApplyConfig: true,
		DeepCopy:        true,
		Register:        true,
	}
}

// dependencyGolden has the options for testdata/imported, with packages outside the main module. One has
// built-in kinds.
func dependencyGolden() generator.Options {
	return generator.Options{
		Dir:        testdata,
		Patterns:   []string{"github.com/typedinformers/informer-gen/testdata/dependency/...", "k8s.io/api/coordination/v1"},
		OutputDir:  "imported",
		HeaderFile: "../hack/boilerplate.go.txt",
	}
}

// existingGolden has the options for testdata/existing/generated, over a clientset that exists.
func existingGolden() generator.Options {
	return generator.Options{
		Dir:                       testdata,
		Patterns:                  []string{"./existing/api/...", "k8s.io/api/apiserverinternal/v1alpha1"},
		OutputDir:                 "existing/generated",
		HeaderFile:                "../hack/boilerplate.go.txt",
		VersionedClientsetPackage: "k8s.io/client-go/kubernetes",
	}
}

func generate(t *testing.T, options generator.Options) *generator.Result {
	t.Helper()
	result, err := generator.Generate(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestGolden compares the generated files for testdata/apis with testdata/generated, byte for byte.
func TestGolden(t *testing.T) {
	result := generate(t, golden())
	checkGolden(t, result)
	if want := []string{"github.com/typedinformers/informer-gen/testdata/apis"}; !slices.Equal(result.PassedOver, want) {
		t.Errorf("passed over %v, want %v", result.PassedOver, want)
	}
}

// TestGoldenApply does the same for testdata/apply.
func TestGoldenApply(t *testing.T) { checkGolden(t, generate(t, applyGolden())) }

// TestGoldenApplied does the same for testdata/applied.
func TestGoldenApplied(t *testing.T) { checkGolden(t, generate(t, appliedGolden())) }

// TestGoldenSplit does the same for testdata/split.
func TestGoldenSplit(t *testing.T) { checkGolden(t, generate(t, splitGolden())) }

// TestGoldenDependency does the same for testdata/dependency.
func TestGoldenDependency(t *testing.T) { checkGolden(t, generate(t, dependencyGolden())) }

// TestGoldenExisting does the same for testdata/existing.
func TestGoldenExisting(t *testing.T) { checkGolden(t, generate(t, existingGolden())) }

// TestGoldenCopies compares the deep copies in testdata/copies.
func TestGoldenCopies(t *testing.T) {
	options := generator.Options{Dir: testdata, Patterns: []string{"./copies/api/..."}, OutputDir: "copies/generated", DeepCopy: true}
	result := generate(t, options)
	if *update {
		err := result.Write(t.Context())
		if err := errors.Join(err, os.RemoveAll(filepath.Join(testdata, options.OutputDir))); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, change := range result.Changes() {
		if strings.Contains(change, "zz_generated") {
			t.Errorf("golden deep copies are stale; run go test ./generator -run TestGoldenCopies -update, and read the difference: %s", change)
		}
	}
	if !slices.ContainsFunc(result.Changes(), func(change string) bool { return strings.Contains(change, "copies/generated") }) {
		t.Error("nothing is generated next to the deep copies")
	}
}

func checkGolden(t *testing.T, result *generator.Result) {
	t.Helper()
	if *update {
		if err := result.Write(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Log(result.Summary(true))
		return
	}
	if diff, err := result.Diff(); err != nil || diff != "" {
		t.Errorf("golden output is stale; run go test ./generator -run TestGolden -update, and read the difference: %v\n%s", err, diff)
	}
}

// TestGoldenCompiles compiles the golden files, so that TestGolden cannot record wrong code.
func TestGoldenCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles client-go")
	}
	run(t, testdata, "go", "vet", "./...")
	t.Log(run(t, testdata, "go", "test", "-vet=off", "./..."))
}

// TestDeterminism generates twice in memory for a missing folder, and compares all bytes.
func TestDeterminism(t *testing.T) {
	options := golden()
	options.OutputDir = "not-there/generated"
	first, second := diff(t, generate(t, options)), diff(t, generate(t, options))
	if first != second {
		t.Error("two runs have made different files")
	}
	options.Patterns = []string{"./apis/single/api/v1", "./apis/type/v1", "./apis/shop/v1beta1", "./apis/shop/v1", "./apis/plant/...", "./apis/fleet/v1",
		"./apis/forms/...", "./apis/error/...", "./apis/discovery/v1", "./apis/io/v1", "./apis/cache/v1", "./apis/shapes/...", "./apis/shop/..."}
	if third := diff(t, generate(t, options)); third != first {
		t.Error("the order of the patterns changes the files")
	}
	if _, err := os.Stat(filepath.Join(testdata, "not-there")); !os.IsNotExist(err) {
		t.Errorf("Generate has made the output folder: %v", err)
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := generator.Generate(ctx, golden()); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("the error of a canceled run is %v", err)
	}
}

func diff(t *testing.T, result *generator.Result) string {
	t.Helper()
	text, err := result.Diff()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// run runs a command offline and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off")
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
	}
	return string(output)
}
