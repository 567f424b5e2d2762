package fields

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/internal/smd"
)

// resolve returns the type that ref refers to.
func resolve(s *smd.Schema, ref smd.TypeRef) (smd.Atom, bool) {
	if ref.NamedType == nil {
		return ref.Inlined, true
	}
	i := slices.IndexFunc(s.Types, func(t smd.TypeDef) bool { return t.Name == *ref.NamedType })
	if i < 0 {
		return smd.Atom{}, false
	}
	atom := s.Types[i].Atom
	if ref.ElementRelationship != nil && atom.Map != nil {
		object := *atom.Map
		object.ElementRelationship = *ref.ElementRelationship
		atom.Map = &object
	}
	return atom, true
}

// types describes the types of a schema by their paths, such as spec.ports[].name.
func types(s *smd.Schema, root smd.TypeRef) map[string]string {
	found := map[string]string{}
	var visit func(path string, ref smd.TypeRef, depth int)
	visit = func(path string, ref smd.TypeRef, depth int) {
		atom, ok := resolve(s, ref)
		if !ok {
			found[path] = "unknown"
			return
		}
		switch {
		case atom.Scalar != nil && atom.Map != nil:
			found[path] = "any"
			if atom.Map.ElementRelationship == smd.Atomic {
				found[path] = "any, atomic"
			}
		case atom.Scalar != nil:
			found[path] = string(*atom.Scalar)
		case atom.List != nil:
			found[path] = strings.TrimSpace(fmt.Sprintf("list %s %s", atom.List.ElementRelationship, strings.Join(atom.List.Keys, ",")))
			visit(path+"[]", atom.List.ElementType, depth)
		case atom.Map != nil:
			found[path] = "map"
			if atom.Map.ElementRelationship == smd.Atomic {
				found[path] = "map atomic"
			}
			if len(atom.Map.Fields) == 0 {
				visit(path+"{}", atom.Map.ElementType, depth)
			} else if depth == 0 {
				return
			}
			for _, f := range atom.Map.Fields {
				visit(strings.TrimPrefix(path+"."+f.Name, "."), f.Type, depth-1)
				if f.Default != nil {
					found[strings.TrimPrefix(path+"."+f.Name, ".")] += fmt.Sprintf(" = %#v", f.Default)
				}
			}
		}
	}
	visit("", root, 4)
	return found
}

func TestSchemaOfGoType(t *testing.T) {
	c := NewTypeConverter(&Widget{})
	if other := NewTypeConverter(&Widget{}); other != c {
		t.Error("the converter was made twice")
	}
	source, found := smd.SourceOf(c, widgetKind)
	if !found {
		t.Fatal("there is no schema")
	}
	got := types(source.Copy(), source.Root)
	for path, want := range map[string]string{
		"":                              "map",
		"apiVersion":                    "string",
		"metadata":                      "map",
		"metadata.labels":               "map",
		"metadata.labels{}":             "string",
		"metadata.creationTimestamp":    "untyped",
		"metadata.generation":           "numeric",
		"metadata.finalizers":           "list associative",
		"metadata.ownerReferences":      "list associative uid",
		"metadata.ownerReferences[]":    "map atomic",
		"metadata.managedFields":        "list atomic",
		"spec.color":                    "string",
		"spec.replicas":                 "numeric",
		"spec.paused":                   "boolean",
		"spec.names":                    "map",
		"spec.args":                     "list atomic",
		"spec.args[]":                   "string",
		"spec.zones":                    "list associative",
		"spec.ports":                    "list associative name",
		"spec.ports[].name":             `string = ""`,
		"spec.ports[].ready":            "list associative type",
		"spec.parts":                    "list atomic",
		"spec.parts[].labels{}":         "string",
		"spec.limits":                   "map",
		"spec.limits{}":                 "map",
		"spec.next":                     "map",
		"spec.next.next":                "map",
		"spec.next.ports":               "list associative name",
		"spec.config":                   "any, atomic",
		"spec.selector":                 "map atomic",
		"spec.target":                   "untyped",
		"spec.size":                     "untyped",
		"spec.secret":                   "string",
		"spec.count":                    "untyped",
		"status.conditions":             "list associative type",
		"status.conditions[].reason":    `string = ""`,
		"spec.hidden":                   "",
		"spec.Hidden":                   "",
		"status.conditions[].unrelated": "",
	} {
		if got[path] != want {
			t.Errorf("%q is %q, want %q", path, got[path], want)
		}
	}
}

// Fields that are not in a Go type are merged as their values suggest, but metadata has no others.
func TestUnknownFields(t *testing.T) {
	m := manager(t, Config{GVK: widgetKind, Type: &Widget{}})
	got, err := m.Apply(nil, widgetWith(t, `{"spec": {"unknown": {"a": [1], "b": {}}}, "other": 1}`), "one", false, seconds(1))
	if err != nil {
		t.Fatal(err)
	}
	want := `one Apply {"f:other":{},"f:spec":{"f:unknown":{".":{},"f:a":{},"f:b":{}}}}`
	if got := managers(t, got); got != want {
		t.Errorf("managedFields\n%s\nwant\n%s", got, want)
	}
	_, err = m.Apply(nil, widgetWith(t, `{"metadata": {"unknown": 1}}`), "one", false, seconds(1))
	if err == nil || !strings.Contains(err.Error(), ".metadata.unknown: field not declared in schema") {
		t.Errorf("error %v, want one that names the field", err)
	}
}

// Each row of the table must be of one of the known forms, and in order.
func TestMarkers(t *testing.T) {
	var names []string
	for line := range strings.Lines(markerTable) {
		if row := strings.Fields(line); len(row) > 0 && row[0] != "#" {
			names = append(names, row[0]+" "+row[1])
		}
	}
	if len(names) != len(markers()) {
		t.Errorf("%d rows make %d markers; a row is there twice", len(names), len(markers()))
	}
	if !slices.IsSorted(names) {
		t.Error("the rows are not sorted")
	}
	for _, test := range []struct {
		path, kind, field string
		want              string
	}{
		{"k8s.io/api/core/v1", "Container", "ports", "{false false false [containerPort protocol] <nil>}"},
		{"k8s.io/api/rbac/v1", "Subject", "", "{true false false [] <nil>}"},
		{"k8s.io/api/rbac/v1beta1", "Subject", "", "{false false false [] <nil>}"},
		{"k8s.io/apimachinery/pkg/apis/meta/v1", "LabelSelector", "", "{true false false [] <nil>}"},
		{"example.com/api/core/v1", "Container", "ports", "{false false false [] <nil>}"},
	} {
		if got := fmt.Sprint(markerOf(test.path, test.kind, test.field)); got != test.want {
			t.Errorf("markers of %s.%s %s: %s, want %s", test.path, test.kind, test.field, got, test.want)
		}
	}
	if initial := markerOf("k8s.io/api/core/v1", "ServicePort", "protocol").initial; initial == nil || *initial != "TCP" {
		t.Errorf("the default of a protocol is %v", initial)
	}
}

// A kind without a schema has the metadata of all kinds.
func TestNoSchema(t *testing.T) {
	m := manager(t, Config{GVK: widgetKind})
	got, err := m.Apply(nil, widgetWith(t, `{"metadata": {"finalizers": ["a"]}, "spec": {"list": [{"name": "x"}], "map": {"a": 1}}}`), "one", false, seconds(1))
	if err != nil {
		t.Fatal(err)
	}
	want := `one Apply {"f:metadata":{"f:finalizers":{"v:\"a\"":{}}},"f:spec":{"f:list":{},"f:map":{".":{},"f:a":{}}}}`
	if got := managers(t, got); got != want {
		t.Errorf("managedFields\n%s\nwant\n%s", got, want)
	}
}
