package generator_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"github.com/typedinformers/informer-gen/generator"
)

// TestHostileOpenAPI: a document with definitions for a kind whose texts would end a literal and declare a function. The
// schema has the same declarations as with harmless texts.
func TestHostileOpenAPI(t *testing.T) {
	want := schemaDeclarations(t, "name", "0")
	for _, text := range []string{
		"x\", fields{}},\n}\n\nfunc init() {}\n\nvar _ = []string{\n\"",
		"x`\n}\n\nfunc init() {}\n",
		"x\r\n*} \u2028 \x00",
		`\`,
	} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := schemaDeclarations(t, text, string(quoted)); !slices.Equal(got, want) {
			t.Errorf("%q: the schema declares %q, want %q", text, got, want)
		}
	}
	if got := schemaDeclarations(t, "name", "\n1e3\n"); !slices.Equal(got, want) {
		t.Errorf("a default with white space: the schema declares %q, want %q", got, want)
	}
}

// schemaDeclarations generates the schema of a kind from an OpenAPI document with a text as the name of a definition,
// of a property and of a key, and a default. It returns the declarations of the file.
func schemaDeclarations(t *testing.T, text, fallback string) (all []string) {
	t.Helper()
	name, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	ref, _ := json.Marshal("#/definitions/" + text)
	file := filepath.Join(t.TempDir(), "openapi.json")
	writeFile(t, file, fmt.Sprintf(`{"definitions": {
		"com.example.Kind": {
			"x-kubernetes-group-version-kind": [{"group": %q, "version": %q, "kind": %q}],
			"properties": {
				"spec": {"$ref": %[4]s},
				%[5]s: {"type": "string", "default": %[6]s},
				"list": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [%[5]s],
					"items": {"type": "object", "properties": {%[5]s: {"type": "string", "default": %[6]s}}}}
			}
		},
		%[5]s: {"properties": {%[5]s: {"type": "string"}}}
	}}`, "shelf.example.com", "v1", "Shelf", ref, name, fallback))
	out := t.TempDir()
	result, err := generator.Generate(t.Context(), generator.Options{
		Dir: testdata, Patterns: []string{"./schemas/v1"}, OutputDir: out, OutputPackage: "example.com/out", WithApplyConfig: true, ApplyConfigOpenAPISchema: file,
	})
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if err := result.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(out, "applyconfiguration", "internal", "schema.go"), nil, 0)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			all = append(all, d.Name.Name)
		case *ast.GenDecl:
			all = append(all, fmt.Sprint(d.Tok, len(d.Specs)))
		}
	}
	return all
}
