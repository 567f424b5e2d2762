package apiextensions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
)

const gear = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Gear, plural: gears}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {teeth: {type: integer}}}}}}
`

// wheel is gear with other names.
var wheel = strings.NewReplacer("gear", "wheel", "Gear", "Wheel").Replace(gear)

// write writes files into a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestManifests(t *testing.T) {
	json := `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "axles.example.com"}, "spec": {
		"group": "example.com", "scope": "Cluster", "names": {"kind": "Axle", "plural": "axles"},
		"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}`
	dir := write(t, map[string]string{
		"two.yaml":           "# a comment\n---\n" + gear + "---\n" + wheel + "---\n",
		"axle.json":          json,
		"notes.txt":          "not a manifest",
		"mixed.yaml":         "apiVersion: v1\nkind: ConfigMap\n---\n# CustomResourceDefinition\n",
		"chart.yaml":         "{{ template }}: b: c",
		"kustomization.yaml": "resources:\n- two.yaml\npatches:\n- target: {kind: CustomResourceDefinition}\n",
		"below/ignored.yml":  "not: a CRD",
	})
	server := apitest.Start(t, apiextensions.WithCRDs(dir))
	for path, kind := range map[string]string{"namespaces/default/gears": "Gear", "namespaces/default/wheels": "Wheel", "axles": "Axle"} {
		body := `{"apiVersion": "example.com/v1", "kind": "` + kind + `", "metadata": {"name": "a"}}`
		if code, answer := send(t, server, "POST", "/apis/example.com/v1/"+path, body); code != 201 {
			t.Errorf("POST %s: %d %v", path, code, answer)
		}
	}
	one := apitest.Start(t, apiextensions.WithCRDs(filepath.Join(dir, "axle.json")))
	if code, _ := send(t, one, "GET", "/apis/example.com/v1/namespaces/default/gears/a", ``); code != 404 {
		t.Errorf("a kind of another file: %d, want 404", code)
	}
}

func TestManifestErrors(t *testing.T) {
	for _, test := range []struct {
		name    string
		content string
		want    []string
	}{
		{"an old version in a list", gear + "---\napiVersion: v1\nkind: List\nitems: [{kind: CustomResourceDefinition}]\n", []string{"crd.yaml: document 2", `apiVersion ""`}},
		{"another kind only", "apiVersion: v1\nkind: ConfigMap\n", []string{"has no CustomResourceDefinition"}},
		{"an old version", strings.Replace(gear, "k8s.io/v1", "k8s.io/v1beta1", 1), []string{`apiVersion "apiextensions.k8s.io/v1beta1"`}},
		{"an unknown field", strings.Replace(gear, "served", "severed", 1), []string{"crd.yaml: document 1", `unknown field "spec.versions[0].severed"`}},
		{"not YAML", "kind: CustomResourceDefinition: c", []string{"crd.yaml: document 1", "mapping values are not allowed"}},
		{"not an object", "- CustomResourceDefinition", []string{"crd.yaml: document 1", "not a Kubernetes object"}},
		{"nothing", "# nothing\n", []string{"has no CustomResourceDefinition"}},
		{"the wrong name", strings.Replace(gear, "name: gears", "name: gear", 1), []string{"document 1: CRD gear.example.com: an API server refuses it", `must be spec.names.plural+"."+spec.group`}},
		{"no kind", strings.Replace(gear, "kind: Gear, ", "", 1), []string{"spec.names.kind: Required value"}},
		{"no schema", strings.Replace(gear, "    schema", "    # schema", 1), []string{"spec.versions[0].schema.openAPIV3Schema: Required value"}},
		{"no type", strings.Replace(gear, "type: object, properties: {teeth", "properties: {teeth", 1), []string{"properties[spec].type: Required value"}},
		{"a wrong default", strings.Replace(gear, "type: integer", "type: integer, default: x", 1), []string{"properties[teeth].default: Invalid value"}},
		{"a wrong rule", strings.Replace(gear, "type: integer", `type: integer, x-kubernetes-validations: [{rule: "self > 'a'"}]`, 1), []string{"x-kubernetes-validations[0].rule: Invalid value", "no matching overload"}},
		{"two storage versions", gear + strings.Replace(strings.SplitAfter(gear, "versions:\n")[1], "name: v1", "name: v2", 1), []string{"must have exactly one version marked as storage version"}},
		{"a group of Kubernetes", strings.ReplaceAll(gear, "example.com", "example.k8s.io"), []string{"api-approved.kubernetes.io"}},
		{"two faults", strings.Replace(gear, "Namespaced", "Nowhere", 1) + "---\n" + strings.Replace(wheel, "Namespaced", "Anywhere", 1), []string{"document 1", "Nowhere", "document 2", "Anywhere"}},
		{"the same twice", gear + "---\n" + gear, []string{"CRD gears.example.com is given twice"}},
		{"a kind twice", gear + "---\n" + strings.Replace(wheel, "kind: Wheel", "kind: Gear", 1), []string{"CRD wheels.example.com: the name Gear in group example.com is that of CRD gears.example.com"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := write(t, map[string]string{"crd.yaml": test.content})
			_, err := apitest.New(apiextensions.WithCRDs(dir))
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %q, without %q", err, want)
				}
			}
		})
	}
}

func TestManifestPaths(t *testing.T) {
	if _, err := apitest.New(apiextensions.WithCRDs()); err == nil || !strings.Contains(err.Error(), "no path") {
		t.Errorf("no path: %v", err)
	}
	if _, err := apitest.New(apiextensions.WithCRDs("nowhere/crds")); err == nil || !strings.Contains(err.Error(), "apiextensions/nowhere/crds") {
		t.Errorf("a path that does not exist: %v", err)
	}
	if _, err := apitest.New(apiextensions.WithCRDs(t.TempDir())); err == nil || !strings.Contains(err.Error(), "has no CustomResourceDefinition") {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestManifestIsReadAgain changes a file between two servers.
func TestManifestIsReadAgain(t *testing.T) {
	dir := write(t, map[string]string{"crd.yaml": gear})
	path := "/apis/example.com/v1/namespaces/default/gears"
	text := `{"apiVersion": "example.com/v1", "kind": "Gear", "metadata": {"name": "a"}, "spec": {"teeth": "many"}}`
	if code, _ := send(t, apitest.Start(t, apiextensions.WithCRDs(dir)), "POST", path, text); code != 422 {
		t.Errorf("a string for an integer: %d", code)
	}
	if err := os.WriteFile(filepath.Join(dir, "crd.yaml"), []byte(strings.Replace(gear, "integer", "string", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _ := send(t, apitest.Start(t, apiextensions.WithCRDs(dir)), "POST", path, text); code != 201 {
		t.Errorf("a string, after the CRD has changed: %d", code)
	}
}
