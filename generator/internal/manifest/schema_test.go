package manifest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// crdWith returns a CRD with a schema, which begins in line 16.
func crdWith(schema string) string {
	return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: orders.shop.example.com
spec:
  group: shop.example.com
  names:
    kind: Order
    plural: orders
  scope: Namespaced
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        ` + strings.ReplaceAll(strings.TrimSpace(schema), "\n", "\n        ") + "\n"
}

// readSchema returns the schema of the first version in a file, and the errors.
func readSchema(t *testing.T, name, content string) (*input.JSONSchema, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	var errs model.Errors
	manifests, err := Read(t.Context(), []string{file}, true, &errs)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	if err := errs.Join(); err != nil {
		text = strings.ReplaceAll(err.Error(), file+":", "")
	}
	if len(manifests) == 0 {
		return nil, text
	}
	return manifests[0].Versions[0].Schema, text
}

// shownSchema returns a schema on one line.
func shownSchema(s *input.JSONSchema) string {
	if s == nil {
		return "-"
	}
	text := fmt.Sprintf("%d:%d", s.Pos.Line, s.Pos.Column)
	add := func(name, value string) {
		if value != "" {
			text += " " + name + "=" + value
		}
	}
	add("type", s.Type)
	add("format", s.Format)
	add("default", s.Default)
	add("list", s.ListType.Value)
	add("map", s.MapType.Value)
	if s.PreservesUnknown {
		add("preserves", "true")
	}
	if s.EmbeddedResource {
		add("embedded", "true")
	}
	for _, key := range s.MapKeys {
		add("key", key.Value)
	}
	if s.AllowsAdditional != nil {
		add("allows", fmt.Sprint(*s.AllowsAdditional))
	}
	if s.Additional != nil {
		add("additional", "("+shownSchema(s.Additional)+")")
	}
	if s.Items != nil {
		add("items", "("+shownSchema(s.Items)+")")
	}
	for _, p := range s.Properties {
		text += fmt.Sprintf(" %s@%d:%d(%s)", p.Name.Value, p.Name.Pos.Line, p.Name.Pos.Column, shownSchema(p.Schema))
	}
	return text
}

const orderSchema = `type: object
properties:
  ports:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [port, protocol]
    items:
      type: object
      properties:
        port: {type: integer, format: int32, default: 80}
        protocol: {type: string, default: "80"}
  labels: {type: object, additionalProperties: {type: string}, x-kubernetes-map-type: atomic}
  any: {additionalProperties: true, default: {a: 1}}
  raw: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}
  on: {type: boolean, default: false}
  none: null
`

func TestSchema(t *testing.T) {
	const want = `16:9 type=object` +
		` any@28:11(28:16 allows=true)` +
		` labels@27:11(27:19 type=object map=atomic additional=(27:56 type=string))` +
		` on@30:11(30:15 type=boolean default=false)` +
		` ports@18:11(19:13 type=array list=map key=port key=protocol items=(23:15 type=object` +
		` port@25:17(25:23 type=integer format=int32 default=80) protocol@26:17(26:27 type=string default="80")))` +
		` raw@29:11(29:16 type=object preserves=true embedded=true)`
	got, errs := readSchema(t, "crd.yaml", crdWith(orderSchema))
	if errs != "" {
		t.Fatal(errs)
	}
	if shown := shownSchema(got); shown != want {
		t.Errorf("the schema is\n%s\nwant\n%s", shown, want)
	}
}

// TestSchemaInJSON reads the same CRD in JSON. Only positions differ.
func TestSchemaInJSON(t *testing.T) {
	var value any
	if err := yaml.Unmarshal([]byte(crdWith(orderSchema)), &value); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	fromJSON, errs := readSchema(t, "crd.json", string(text))
	if errs != "" {
		t.Fatal(errs)
	}
	fromYAML, _ := readSchema(t, "crd.yaml", crdWith(orderSchema))
	position := regexp.MustCompile(`@?\d+:\d+`)
	got, want := position.ReplaceAllString(shownSchema(fromJSON), ""), position.ReplaceAllString(shownSchema(fromYAML), "")
	if got != want {
		t.Errorf("JSON gives\n%s\nYAML gives\n%s", got, want)
	}
}

func TestNoSchema(t *testing.T) {
	for _, content := range []string{crdWith("{}"), crdWith("null"), strings.Split(crdWith("null"), "    schema:")[0]} {
		got, errs := readSchema(t, "crd.yaml", content)
		if errs != "" || got != nil && shownSchema(got) != "16:9" {
			t.Errorf("%v, %s", got, errs)
		}
	}
}

// TestRecursiveAlias reads a YAML alias within its own anchor.
func TestRecursiveAlias(t *testing.T) {
	_, errs := readSchema(t, "crd.yaml", crdWith("&root\ntype: object\nproperties:\n  child: *root"))
	if !strings.Contains(errs, "nested too deeply") && !strings.Contains(errs, "too many YAML aliases") {
		t.Errorf("the errors are %q", errs)
	}
}
