package schemas

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/typedinformers/informer-gen/generator"
)

// TestOpenAPIDocument lets the generator read the OpenAPI document of an old API server, and compares the schema
// with the one that kube-openapi converts that document to. Fields that were added to the Go types since then are in
// neither of them.
func TestOpenAPIDocument(t *testing.T) {
	dir := filepath.Join(moduleDir(t, "k8s.io/kube-openapi"), "pkg", "schemaconv", "testdata")
	text, err := os.ReadFile(filepath.Join(dir, "new-schema.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		t.Fatal(err)
	}
	ours := generated(t, generator.Options{
		Patterns: []string{"k8s.io/api/apps/v1", "k8s.io/api/core/v1", "k8s.io/api/rbac/v1"}, ApplyConfigOpenAPISchema: filepath.Join(dir, "swagger.json"),
	})
	for _, kind := range []string{"io.k8s.api.apps.v1.Deployment", "io.k8s.api.core.v1.Pod", "io.k8s.api.rbac.v1.Role"} {
		if !theirs.Type(kind).IsValid() || !ours.Type(kind).IsValid() {
			t.Errorf("a schema has no %s", kind)
		}
	}
	for _, name := range ours.TypeNames() {
		if !theirs.Type(name).IsValid() {
			continue // the kind is younger than the document
		}
		for _, difference := range Differences(&theirs.Schema, &ours.Schema, name) {
			t.Error(difference)
		}
	}
	// The Go type has fields that the document does not have.
	if pod, _ := ours.Schema.FindNamedType("io.k8s.api.core.v1.PodSpec"); pod.Map == nil {
		t.Error("the schema has no PodSpec")
	} else if _, found := pod.Map.FindField("hostnameOverride"); found {
		t.Error("the schema of a pod is that of the Go type")
	}
}
