package generator_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

// TestSchema compares the schema of the kind in testdata/schemas with schema.golden there.
func TestSchema(t *testing.T) {
	out := t.TempDir()
	result, err := generator.Generate(t.Context(), generator.Options{
		Dir: testdata, Patterns: []string{"./schemas/v1"}, OutputDir: out, OutputPackage: "example.com/out", WithApplyConfig: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := result.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(out, "applyconfiguration", "internal", "schema.go"))
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join(testdata, "schemas", "schema.golden")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("the schema differs from %s; see git diff after go test ./generator -run TestSchema -update\n%s", golden, got)
	}
}
