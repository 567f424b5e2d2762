package manifest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// orderCRD is a whole CRD. Its lines are counted in the tests.
const orderCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: orders.shop.example.com
spec:
  group: shop.example.com
  names:
    kind: Order
    listKind: Orders
    plural: orders
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields:
    - jsonPath: .spec.color
    - jsonPath: .spec.size
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.replicas
  - name: v1beta1
    served: false
    storage: false
`

const orderJSON = `{
	"apiVersion": "apiextensions.k8s.io\/v1", "kind": "CustomResourceDefinition",
	"metadata": {"annotations": {"note": "\ud83d\ude00 {"}, "generation": 1.5e3, "deletionTimestamp": null},
	"spec": {"group": "shop.example.com",
		"names": {"kind": "Order", "listKind": "Orders", "plural": "orders"}, "scope": "Namespaced",
		"versions": [
			{"name": "v1", "served": true, "storage": true,
				"selectableFields": [{"jsonPath": ".spec.color"}, {"jsonPath": ".spec.size"}],
				"subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas"}}},
			{"name":"v1beta1","served":false,"storage":false}
		]}
}
`

// shown returns a manifest on one line, without positions.
func shown(m *input.Manifest) string {
	text := fmt.Sprintf("%s.%s %s %s %s:", m.Plural.Value, m.Group.Value, m.Kind.Value, m.ListKind.Value, m.Scope.Value)
	for _, v := range m.Versions {
		text += fmt.Sprintf(" %s served=%v status=%v scale=%v", v.Name.Value, v.Served, v.Status, v.Scale)
		for _, field := range v.SelectableFields {
			text += " " + field.Value
		}
	}
	return text
}

const orderShown = "orders.shop.example.com Order Orders Namespaced: v1 served=true status=true scale=true .spec.color .spec.size v1beta1 served=false status=false scale=false"

func readManifests(t *testing.T, dir string, paths ...string) ([]*input.Manifest, string) {
	t.Helper()
	for i, path := range paths {
		paths[i] = filepath.Join(dir, path)
	}
	var errs model.Errors
	manifests, err := Read(t.Context(), paths, false, &errs)
	if err != nil {
		t.Fatal(err)
	}
	if err := errs.Join(); err != nil {
		return manifests, strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	}
	return manifests, ""
}

func writeManifests(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestManifests reads CRDs in each form of files and documents.
func TestManifests(t *testing.T) {
	indented := "  " + strings.TrimSuffix(strings.ReplaceAll(orderCRD, "\n", "\n  "), "  ")
	for name, content := range map[string]string{
		"crd.yaml":        orderCRD,
		"crd.yml":         "\ufeff---\n" + orderCRD,
		"crlf.yaml":       strings.ReplaceAll(orderCRD, "\n", "\r\n"),
		"crd.json":        orderJSON,
		"json.yaml":       orderJSON,
		"flow.yaml":       "{a: CustomResourceDefinition}\n---\n" + orderCRD,
		"among.yaml":      "kind: Namespace\n---\n# nothing\n---\n" + orderCRD + "---\n- a list\n---\njust text\n...\n",
		"among.json":      `{"kind": "Namespace"}` + "\n" + orderJSON + "[]\n",
		"list.yaml":       "kind: List\nitems:\n- kind: Namespace\n- " + strings.TrimPrefix(indented, "  "),
		"typed.yaml":      "kind: CustomResourceDefinitionList\nitems:\n- " + strings.TrimPrefix(indented, "  "),
		"alias.yaml":      "kind: List\nx: &x shop.example.com\nitems:\n- " + strings.Replace(strings.TrimPrefix(indented, "  "), "shop.example.com\n    names", "*x\n    names", 1),
		"other kind.yaml": "apiVersion: example.com/v1\nkind: CustomResourceDefinition\n---\n" + orderCRD,
	} {
		manifests, errs := readManifests(t, writeManifests(t, map[string]string{name: content}), name)
		if errs != "" || len(manifests) != 1 || shown(manifests[0]) != orderShown {
			t.Errorf("%s: %d manifests %s", name, len(manifests), errs)
			for _, m := range manifests {
				t.Errorf("\t%s", shown(m))
			}
		}
	}
}

// TestManifestPositions compares positions with the text there.
func TestManifestPositions(t *testing.T) {
	dir := writeManifests(t, map[string]string{"crd.yaml": "# A comment.\n---\n" + orderCRD, "crd.json": orderJSON})
	manifests, errs := readManifests(t, dir, "crd.yaml", "crd.json")
	if len(manifests) != 2 {
		t.Fatal(errs)
	}
	for _, m := range manifests {
		fields := []input.Placed{m.Group, m.Plural, m.Kind, m.ListKind, m.Scope, {Value: "true", Pos: m.Versions[0].ServedPos}}
		for _, v := range m.Versions {
			fields = append(append(fields, v.Name), v.SelectableFields...)
		}
		content, err := os.ReadFile(m.Pos.Filename)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(content), "\n")
		for _, field := range fields {
			rest := lines[field.Pos.Line-1][field.Pos.Column-1:]
			if !strings.HasPrefix(strings.TrimPrefix(rest, `"`), field.Value) {
				t.Errorf("%s is not at %s, where there is %s", field.Value, field.Pos, rest)
			}
		}
	}
	if pos := manifests[0].Pos; pos.Line != 3 || pos.Column != 1 {
		t.Errorf("the CRD is at %s", pos)
	}
}

// TestManifestFolder reads the files directly in a folder, and a file that is named twice only once.
func TestManifestFolder(t *testing.T) {
	named := func(plural string) string { return strings.Replace(orderCRD, "plural: orders", "plural: "+plural, 1) }
	dir := writeManifests(t, map[string]string{
		"crd/b.yaml":            named("b"),
		"crd/a.yml":             named("a1") + "---\n" + named("a2"),
		"crd/c.json":            orderJSON,
		"crd/kustomization.yml": "resources: [a.yml]\n",
		"crd/chart.yaml":        "{{- if .Values.x }}\nkind: X\n  {{ end }}\n",
		"crd/crd.txt":           named("text"),
		"crd/below/d.yaml":      named("d"),
		"crd/.hidden/e.yaml":    named("e"),
		"crd/folder.yaml/f":     named("f"),
	})
	manifests, errs := readManifests(t, dir, "crd/b.yaml", "crd", "crd/c.json")
	var plurals []string
	for _, m := range manifests {
		plurals = append(plurals, m.Plural.Value)
	}
	if want := []string{"b", "a1", "a2", "orders"}; errs != "" || !slices.Equal(plurals, want) {
		t.Errorf("there are %v, want %v; %s", plurals, want, errs)
	}
}

// TestBadManifests checks the position of each mistake. The cases in testdata/errors hold the whole
// messages.
func TestBadManifests(t *testing.T) {
	long := "    description: \"a text\n" + strings.Repeat("      of several lines\n", 5) + "      and an end\"\n"
	for _, test := range []struct{ name, content, want string }{
		{"indent.yaml", strings.Replace(orderCRD, "  scope", " scope", 1), "indent.yaml:11: this file of CRDs does not parse: did not find expected key; "},
		{"long.yaml", strings.Replace(orderCRD, "    served: false\n", long+"   served: false\n", 1), "long.yaml:31: this file of CRDs does not parse: "},
		{"quote.yaml", strings.Replace(orderCRD, "kind: Order", `kind: "Order`, 1), "quote.yaml:8: "},
		{"first.yaml", "a: b: CustomResourceDefinition\n", "first.yaml:1: "},
		{"second.yaml", orderCRD + "---\n\ta: 1\n", "second.yaml:27: "},
		{"template.yaml", "{{ if .x }}\n" + orderCRD + "{{ end }}\n", "template.yaml:2: "},
		{"control.yaml", orderCRD + "a: \x00\n", "control.yaml:26: "},
		{"colon.json", strings.Replace(orderJSON, `"scope":`, `"scope"`, 1), "colon.json:5:81: this file of CRDs does not parse: "},
		{"end.json", strings.TrimSuffix(orderJSON, "}\n"), "end.json:"},
		{"deep.json", `{"CustomResourceDefinition":` + strings.Repeat("[", 2000), "nested too deeply"},
		{"scalar.yaml", strings.Replace(orderCRD, "    plural: orders\n", "    plural: []\n", 1), "scalar.yaml:10:13: spec.names.plural of this CustomResourceDefinition is missing or not a string; "},
		{"names.yaml", strings.Replace(orderCRD, "names:", "called:", 1), "names.yaml:1:1: spec.names.plural"},
		{"served.yaml", strings.Replace(orderCRD, "    served: true\n", "", 1), "served.yaml:13:5: spec.versions.served"},
		{"path.yaml", strings.Replace(orderCRD, "- jsonPath: .spec.size", "- path: .spec.size", 1), "path.yaml:18:7: spec.versions.selectableFields.jsonPath"},
		{"version.yaml", strings.Replace(orderCRD, "apiVersion: apiextensions.k8s.io/v1\n", "", 1), `version.yaml:1:1: this CustomResourceDefinition has apiVersion ""`},
		{"spec.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: &a [*a]\n", "spec.yaml:"},
	} {
		manifests, errs := readManifests(t, writeManifests(t, map[string]string{test.name: test.content}), test.name)
		if !strings.Contains(errs, test.want) {
			t.Errorf("%s: %d manifests, and the errors are\n%s\nwant %s", test.name, len(manifests), errs, test.want)
		}
	}
}

func TestManifestsStopWithContext(t *testing.T) {
	dir := writeManifests(t, map[string]string{"crd.yaml": orderCRD})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, []string{filepath.Join(dir, "crd.yaml")}, false, &model.Errors{}); err == nil {
		t.Error("there is no error")
	}
}

// FuzzManifest parses any bytes. It checks that nothing panics, that manifests are complete, and that each
// mistake has a valid position.
func FuzzManifest(f *testing.F) {
	for _, seed := range []string{orderCRD, orderJSON, "kind: List\nitems: [{kind: CustomResourceDefinition}]\n", "kind: CustomResourceDefinition\napiVersion: &a [*a]\n",
		"kind: CustomResourceDefinition\nspec: {versions: [{name: *x}]}\n", `{"kind": "CustomResourceDefinition"`, "{{ CustomResourceDefinition }}", "!!binary CustomResourceDefinition\n<<: *a\n"} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, content []byte, isJSON bool) {
		file := &manifestFile{name: map[bool]string{true: "crd.json", false: "crd.yaml"}[isJSON]}
		file.parse(append(content, "\n# CustomResourceDefinition"...))
		file.parse(content)
		lines := strings.Count(string(content), "\n") + 3
		for _, mistake := range file.errs {
			if mistake.Pos.Line < 1 || mistake.Pos.Line > lines {
				t.Errorf("there are %d lines, and a mistake is at %v", lines, mistake)
			}
		}
		for _, m := range file.manifests {
			if m.Group.Value == "" || m.Plural.Value == "" || m.Kind.Value == "" || len(m.Versions) == 0 || m.Group.Pos.Line < 1 {
				t.Errorf("a manifest is not whole: %s", shown(m))
			}
		}
	})
}
