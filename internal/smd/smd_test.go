package smd

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// text has all that a schema may have.
const text = `{"types":[
{"name":"foo","map":{"fields":[
{"name":"metadata","type":{"map":{"elementType":{"namedType":"any"}}}},
{"name":"ports","type":{"list":{"elementType":{"map":{"fields":[
	{"name":"name","type":{"scalar":"string"},"default":"http"},
	{"name":"number","type":{"scalar":"numeric"},"default":80}]}},"elementRelationship":"associative","keys":["name","number"]}}},
{"name":"part","type":{"namedType":"any","elementRelationship":"atomic"}},
{"name":"names","type":{"map":{"elementType":{"scalar":"boolean"},"elementRelationship":"atomic"}}}],
"elementType":{"namedType":"any"}}},
{"name":"any","scalar":"untyped","list":{"elementType":{"namedType":"any"},"elementRelationship":"atomic"},"map":{"elementType":{"namedType":"any"},"elementRelationship":"separable"}}]}`

var foo = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Foo"}

func named(name string) TypeRef { return TypeRef{NamedType: &name} }

func parsed(t *testing.T) *Schema {
	t.Helper()
	all, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSchemaIsCopiedToTheirsAndBack loses nothing.
func TestSchemaIsCopiedToTheirsAndBack(t *testing.T) {
	all := parsed(t)
	if port := all.Types[0].Map.Fields[1].Type.Inlined.List.ElementType.Inlined.Map.Fields[1]; port.Default != int64(80) {
		t.Errorf("the default is a %T", port.Default)
	}
	source, found := SourceOf(Types(all)(named("foo")).Converter, foo)
	if !found {
		t.Fatal("there is no schema")
	}
	if copied := source.Copy(); !reflect.DeepEqual(copied, all) || *source.Root.NamedType != "foo" {
		t.Errorf("the copy, of %s, is %+v", *source.Root.NamedType, copied)
	}
	other, found := SourceOf(Types(all)(named("any")).Converter, foo)
	if !found || other.ID == source.ID {
		t.Error("two schemas have one ID")
	}
	if _, found := SourceOf(Types(all)(named("missing")).Converter, foo); found {
		t.Error("a type that is missing has a schema")
	}
}

// TestUnknownFieldIsNoticed: a version of structured-merge-diff without a field of ours must not lose it silently.
func TestUnknownFieldIsNoticed(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "has no field NamedType") {
			t.Errorf("the panic is %q", text)
		}
	}()
	var theirs struct{ Inlined struct{} }
	assign(&theirs, named("foo"))
}

// object returns an object that manager has applied, with the fields.
func object(fields map[string]any) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a"}}}
	obj.SetGroupVersionKind(foo)
	for name, value := range fields {
		obj.Object[name] = value
	}
	return obj
}

// conversions is all that a FieldManager needs for kinds that differ in their apiVersion only.
type conversions struct{}

func (conversions) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}
func (conversions) Convert(_, _, _ any) error { return nil }
func (conversions) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
func (conversions) Default(runtime.Object) {}
func (conversions) New(schema.GroupVersionKind) (runtime.Object, error) {
	return &unstructured.Unstructured{}, nil
}

// TestFieldManager applies by the schema, leaves out the fields that are reset, and extracts what was applied.
func TestFieldManager(t *testing.T) {
	of := Types(parsed(t))(named("foo"))
	m, err := NewFieldManager(ByVersion(map[schema.GroupVersionKind]managedfields.TypeConverter{foo: of.Converter}), Manager{
		conversions{}, conversions{}, conversions{}, foo, "", map[string][]string{"example.com/v1": {"part"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	port := func(name string, number int64) any { return map[string]any{"name": name, "number": number} }
	live, err := m.Apply(object(nil), object(map[string]any{"ports": []any{port("a", 1)}, "part": map[string]any{"x": "y"}}), "one", false)
	if err != nil {
		t.Fatal(err)
	}
	if live, err = m.Apply(live, object(map[string]any{"ports": []any{port("b", 2)}}), "two", false); err != nil {
		t.Fatal(err)
	}
	ports, _, _ := unstructured.NestedSlice(live.(*unstructured.Unstructured).Object, "ports")
	if want := []any{port("a", 1), port("b", 2)}; !reflect.DeepEqual(ports, want) {
		t.Errorf("the ports are %v, want %v", ports, want)
	}
	for _, entry := range live.(metav1.Object).GetManagedFields() {
		if strings.Contains(entry.FieldsV1.String(), "f:part") {
			t.Errorf("%s owns a field that is reset: %s", entry.Manager, entry.FieldsV1)
		}
	}
	var owned map[string]any
	if err := of.Extract(live, "two", &owned, ""); err != nil || !reflect.DeepEqual(owned["ports"], []any{port("b", 2)}) {
		t.Errorf("two has applied %v: %v", owned, err)
	}
	other := object(nil)
	other.SetAPIVersion("example.com/v2")
	if _, err := m.Apply(live, other, "one", false); err == nil || !strings.Contains(err.Error(), "v2") {
		t.Errorf("another version: %v", err)
	}
}

// typed is a kind of a scheme.
type typed struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

func (o *typed) DeepCopyObject() runtime.Object { return o }

// TestSchemeConverter finds the type of a kind by the name of its Go type.
func TestSchemeConverter(t *testing.T) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(foo, &typed{})
	name, err := scheme.ToOpenAPIDefinitionName(foo)
	if err != nil {
		t.Fatal(err)
	}
	all := parsed(t)
	all.Types[0].Name = name
	if source, found := SourceOf(SchemeConverter(scheme, all), foo); !found || *source.Root.NamedType != name {
		t.Errorf("found %v: %+v", found, source)
	}
}
