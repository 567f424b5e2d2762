package apiclients

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/openapi3"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/util/proto"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/typedinformers/informer-gen/apiextensions"
)

var (
	databaseKind   = schema.GroupVersionKind{Group: "data.example.com", Version: "v1", Kind: "Database"}
	deploymentKind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
)

// TestOpenAPI reads the documents of version 3 as kubectl does. Before an apply, it looks for a patch of the kind that takes
// fieldValidation, and makes a strategic merge patch by the schema if the patch takes that. For explain, it looks for the
// schema of the kind, and follows the references.
func TestOpenAPI(t *testing.T) {
	_, config := start(t, apiextensions.WithCRDs("../../examples/operator/config/crd"))
	root := openapi3.NewRoot(discoveryClient(t, config).OpenAPIV3())
	for _, kind := range []schema.GroupVersionKind{databaseKind, deploymentKind, {Version: "v1", Kind: "Namespace"}, {Group: "example.com", Version: "v1", Kind: "Widget"}} {
		document, err := root.GVSpec(kind.GroupVersion())
		if err != nil {
			t.Fatal(err)
		}
		patch := patchOf(document, kind)
		if patch == nil {
			t.Errorf("no patch of %v", kind)
			continue
		}
		if !slices.ContainsFunc(patch.Parameters, func(p *spec3.Parameter) bool { return p.Name == "fieldValidation" && p.In == "query" }) {
			t.Errorf("the patch of %v takes no fieldValidation", kind)
		}
		if _, ok := patch.RequestBody.Content["application/strategic-merge-patch+json"]; ok {
			t.Errorf("kubectl would merge lists of a %v by a schema that does not say how", kind)
		}
		if schemaOf(document, kind) == nil {
			t.Errorf("no schema of %v", kind)
		}
	}

	document, err := root.GVSpec(databaseKind.GroupVersion())
	if err != nil {
		t.Fatal(err)
	}
	database := schemaOf(document, databaseKind)
	if got := database.Properties["spec"].Properties["storageGi"].Description; !strings.HasPrefix(got, "storageGi is the size") {
		t.Errorf("storageGi is described as %q", got)
	}
	metadata := database.Properties["metadata"]
	name := strings.TrimPrefix(metadata.Ref.String(), "#/components/schemas/")
	if model := document.Components.Schemas[name]; model == nil || model.Properties["labels"].Description == "" {
		t.Errorf("metadata is %q, with the model %v", name, model)
	}
}

// patchOf returns the patch of a kind, or nil.
func patchOf(document *spec3.OpenAPI, kind schema.GroupVersionKind) *spec3.Operation {
	for _, path := range document.Paths.Paths {
		var found schema.GroupVersionKind
		if path.Patch == nil {
			continue
		}
		if err := path.Patch.Extensions.GetObject("x-kubernetes-group-version-kind", &found); err == nil && found == kind {
			return path.Patch
		}
	}
	return nil
}

// schemaOf returns the schema of a kind, or nil.
func schemaOf(document *spec3.OpenAPI, kind schema.GroupVersionKind) *spec.Schema {
	for _, model := range document.Components.Schemas {
		var found []schema.GroupVersionKind
		if err := model.Extensions.GetObject("x-kubernetes-group-version-kind", &found); err == nil && slices.Contains(found, kind) {
			return model
		}
	}
	return nil
}

// TestOpenAPIVersion2 reads the document of version 2 as kubectl before v1.27 does, in protobuf. It validates objects by the
// schema of their kind, if there is one, and makes patches by it.
func TestOpenAPIVersion2(t *testing.T) {
	_, config := start(t, apiextensions.WithCRDs("../../examples/operator/config/crd", "../faithful/schemas/testdata"))
	document, err := discoveryClient(t, config).OpenAPISchema()
	if err != nil {
		t.Fatal(err)
	}
	models, err := proto.NewOpenAPIData(document)
	if err != nil {
		t.Fatal(err)
	}
	byKind := map[schema.GroupVersionKind]proto.Schema{}
	for _, name := range models.ListModels() {
		model := models.LookupModel(name)
		if kinds, ok := model.GetExtensions()["x-kubernetes-group-version-kind"].([]any); ok {
			kind := kinds[0].(map[any]any)
			byKind[schema.GroupVersionKind{Group: kind["group"].(string), Version: kind["version"].(string), Kind: kind["kind"].(string)}] = model
		}
	}
	database, ok := byKind[databaseKind].(*proto.Kind)
	if !ok {
		t.Fatalf("the schema of a Database is %v", byKind[databaseKind])
	}
	if kind := database.Fields["spec"].(*proto.Kind); !slices.Equal(kind.RequiredFields, []string{"className", "storageGi"}) {
		t.Errorf("the spec requires %q", kind.RequiredFields)
	}
	if byKind[deploymentKind] != nil {
		t.Error("kubectl would merge the lists of a Deployment by a schema that does not say how")
	}
	if paths := len(document.GetPaths().GetPath()); paths < 100 {
		t.Errorf("only %d kinds have a patch", paths)
	}
}
