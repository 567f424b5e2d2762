package apiextensions

import (
	"cmp"
	"encoding/json"
	"flag"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

var crds = flag.String("crds", "", "also check the types of these CRDs: files or folders, separated by commas")

// TestTypesAreThoseOfAnAPIServer compares the types that server-side apply merges by with those that an API
// server makes of its OpenAPI documents.
func TestTypesAreThoseOfAnAPIServer(t *testing.T) {
	paths := []string{"../test/faithful/schemas/testdata/parts.yaml", "../test/faithful/schemas/testdata/shapes.yaml", "../examples/operator/config/crd"}
	if *crds != "" {
		paths = append(paths, strings.Split(*crds, ",")...)
	}
	definitions, err := load(paths)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range definitions {
		ours := types(t, modelsOf(d))
		crd := &apiextensionsv1.CustomResourceDefinition{Spec: *d.spec}
		crd.Name = d.name
		for _, v := range d.versions {
			document, err := builder.BuildOpenAPIV3(crd, v.spec.Name, builder.Options{})
			if err != nil {
				t.Fatal(err)
			}
			theirs := types(t, document.Components.Schemas)
			if theirs[v.modelName()] == "" {
				t.Fatalf("the document of %s has no %s", d.name, v.modelName())
			}
			for name, want := range theirs {
				if got, ok := ours[name]; ok && got != want {
					t.Errorf("%s is the type\n%s\nwant\n%s", name, got, want)
				}
			}
		}
	}
}

// types returns the types of models as JSON, by name.
func types(t *testing.T, models map[string]*spec.Schema) map[string]string {
	t.Helper()
	converted, err := schemaconv.ToSchemaFromOpenAPI(models, false)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, def := range converted.Types {
		sortFields(&def.Atom)
		encoded, err := json.Marshal(def)
		if err != nil {
			t.Fatal(err)
		}
		named[def.Name] = strings.Replace(string(encoded), def.Name, "", 1)
	}
	return named
}

// sortFields sorts fields by name: they come in the order of a map.
func sortFields(atom *smdschema.Atom) {
	if atom.Map != nil {
		slices.SortFunc(atom.Map.Fields, func(a, b smdschema.StructField) int { return cmp.Compare(a.Name, b.Name) })
		for i := range atom.Map.Fields {
			sortFields(&atom.Map.Fields[i].Type.Inlined)
		}
		sortFields(&atom.Map.ElementType.Inlined)
	}
	if atom.List != nil {
		sortFields(&atom.List.ElementType.Inlined)
	}
}

// TestTypeOfScale checks that the converter knows what clients write to the subresource.
func TestTypeOfScale(t *testing.T) {
	definitions, err := load([]string{"../test/faithful/schemas/testdata/shapes.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	scale := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{"replicas": int64(1)},
	}}
	typed, err := definitions[0].converter().ObjectToTyped(scale)
	if err != nil {
		t.Fatal(err)
	}
	set, err := typed.ToFieldSet()
	if err != nil || !strings.Contains(set.String(), ".spec.replicas") {
		t.Errorf("the fields are %v, %v", set, err)
	}
	for _, version := range []string{"v1", "v1beta1", "v1alpha1"} {
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "schema.example.com/" + version, "kind": "Shape"}}
		if _, err := definitions[0].converter().ObjectToTyped(object); err != nil {
			t.Errorf("an object of %s: %v", version, err)
		}
	}
}
