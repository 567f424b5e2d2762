package schemas

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/generator"
)

// TestRoundTrip compares the schemas that the generator derives from Go types, and from CRDs, with those that an
// API server derives from the CRDs. controller-gen makes the CRDs from the Go types, or the project has published
// them.
func TestRoundTrip(t *testing.T) {
	for _, test := range []struct {
		name     string
		patterns []string
		// module has the CRDs in a folder. Without one, controller-gen writes them.
		module, folder string
	}{
		{name: "all forms", patterns: []string{"./api/v1"}},
		{name: "operator", patterns: []string{"github.com/typedinformers/informer-gen/examples/operator/api/v1"}},
		{name: "prometheus-operator", patterns: []string{"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"}},
		{name: "gateway-api", patterns: []string{"sigs.k8s.io/gateway-api/apis/v1"}, module: "sigs.k8s.io/gateway-api", folder: "config/crd/experimental"},
		{
			name: "cert-manager", module: "github.com/cert-manager/cert-manager", folder: "deploy/crds",
			patterns: []string{"github.com/cert-manager/cert-manager/pkg/apis/acme/v1", "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if test.module == "" {
				writeCRDs(t, dir, test.patterns)
			} else {
				dir = filepath.Join(moduleDir(t, test.module), test.folder)
			}
			fromCRD := generated(t, generator.Options{Patterns: test.patterns, CRDs: []string{dir}})
			theirs, kinds := served(t, dir, &fromCRD.Schema)
			if len(kinds) == 0 {
				t.Fatal("no kind has a CRD")
			}
			for _, kind := range kinds {
				for _, difference := range Differences(theirs, &fromCRD.Schema, kind) {
					if !sameValues(difference) {
						t.Errorf("with the CRD: %s", difference)
					}
				}
			}
			fromGo := generated(t, generator.Options{Patterns: test.patterns})
			for _, kind := range kinds {
				for _, difference := range Differences(theirs, &fromGo.Schema, kind) {
					if !sameValues(difference) && !isEmbeddedMetadata(difference) {
						t.Errorf("without the CRD: %s", difference)
					}
				}
			}
		})
	}
}

// TestContradictions lets the generator compare Go types with the CRDs that controller-gen makes of them.
func TestContradictions(t *testing.T) {
	dir := t.TempDir()
	writeCRDs(t, dir, []string{"./api/v1"})
	result, err := generator.Generate(t.Context(), generator.Options{
		Patterns: []string{"./api/v1"}, CRDs: []string{dir}, OutputDir: t.TempDir(), OutputPackage: "example.com/generated", WithApplyConfig: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, warning := range result.Warnings {
		t.Error(warning)
	}
}

// moduleDir returns the folder of a module.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(dir))
}

// writeCRDs writes the CRDs of packages to dir.
func writeCRDs(t *testing.T, dir string, patterns []string) {
	t.Helper()
	roots, err := loader.LoadRootsWithConfig(&packages.Config{}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	withMeta := true
	generator := crd.Generator{AllowDangerousTypes: &withMeta, GenerateEmbeddedObjectMeta: &withMeta}
	registry := &markers.Registry{}
	if err := generator.RegisterMarkers(registry); err != nil {
		t.Fatal(err)
	}
	collected := &genall.GenerationContext{
		Collector: &markers.Collector{Registry: registry}, Roots: roots,
		Checker: &loader.TypeChecker{NodeFilters: []loader.NodeFilter{generator.CheckFilter()}}, OutputRule: genall.OutputToDirectory(dir),
	}
	if err := generator.Generate(collected); err != nil {
		t.Fatal(err)
	}
	if loader.PrintErrors(roots, packages.TypeError, packages.ListError) {
		t.Fatal("the packages have errors")
	}
}

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// served returns the types that an API server derives from the CRDs in a folder, and the names of the kinds. The
// names, and the types of metadata, are those of ours.
func served(t *testing.T, dir string, ours *schema.Schema) (theirs *schema.Schema, kinds []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]*spec.Schema{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var definition struct {
			Spec struct {
				Names    struct{ Kind string }
				Versions []struct {
					Schema struct{ OpenAPIV3Schema *spec.Schema }
				}
			}
		}
		if err := yaml.Unmarshal(content, &definition); err != nil {
			t.Fatal(err)
		}
		for _, described := range ours.Types {
			if described.Map == nil {
				continue
			}
			if _, isKind := described.Map.FindField("apiVersion"); isKind && strings.HasSuffix(described.Name, "."+definition.Spec.Names.Kind) {
				model := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
				addMeta(model, true)
				models[described.Name] = model
				kinds = append(kinds, described.Name)
			}
		}
	}
	theirs, err = schemaconv.ToSchemaFromOpenAPI(models, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, described := range ours.Types {
		if strings.HasPrefix(described.Name, "io.k8s.apimachinery.pkg.apis.meta.v1.") {
			theirs.Types = append(theirs.Types, described)
		}
	}
	return theirs, kinds
}

// addMeta adds the fields of each object, which servers add to kinds and embedded resources.
func addMeta(model *spec.Schema, isKind bool) {
	if model == nil {
		return
	}
	for name, property := range model.Properties {
		addMeta(&property, false)
		model.Properties[name] = property
	}
	if model.Items != nil {
		addMeta(model.Items.Schema, false)
	}
	if model.AdditionalProperties != nil {
		addMeta(model.AdditionalProperties.Schema, false)
	}
	if embedded, _ := model.Extensions.GetBool("x-kubernetes-embedded-resource"); embedded || isKind {
		model.SetProperty("apiVersion", *spec.StringProperty())
		model.SetProperty("kind", *spec.StringProperty())
		model.SetProperty("metadata", *spec.RefSchema("#/components/schemas/" + objectMeta))
	}
}

// sameValues reports whether a difference has no effect on values of the Go type: they are scalars, and the CRD
// allows more, or names a format.
func sameValues(difference string) bool {
	if strings.HasSuffix(difference, ": default of the key: theirs <nil>, ours ") || strings.HasSuffix(difference, ": default of the key: theirs <nil>, ours 0") {
		return true // the zero value, which JSON of the Go type always has
	}
	for _, suffix := range []string{
		": theirs /untyped/list/map, ours /untyped", // a quantity
		": theirs /untyped, ours /string",           // a string with a format
		": theirs /string, ours /untyped",           // a string of a type that encodes itself
	} {
		if strings.HasSuffix(difference, suffix) {
			return true
		}
	}
	return false
}

// isEmbeddedMetadata reports whether a difference is in the metadata of an object within another one. controller-gen
// writes only five of its fields.
func isEmbeddedMetadata(difference string) bool {
	path, _, _ := strings.Cut(difference, ": ")
	return strings.Contains(path, ".metadata.")
}
