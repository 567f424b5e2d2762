package merge

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func panicOf(call func()) (text string) {
	defer func() { text, _ = recover().(string) }()
	call()
	return ""
}

const text = `{"types":[
{"name":"foo","map":{"fields":[{"name":"apiVersion","type":{"scalar":"string"}},{"name":"kind","type":{"scalar":"string"}},{"name":"spec","type":{"map":{"elementType":{"scalar":"string"}}}},{"name":"metadata","type":{"namedType":"any"}}]}},
{"name":"any","scalar":"untyped","list":{"elementType":{"namedType":"any"},"elementRelationship":"atomic"},"map":{"elementType":{"namedType":"any"}}}]}`

// TestExtract returns what a manager owns, and refuses an object whose managed fields were left out.
func TestExtract(t *testing.T) {
	obj := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"a": "x", "b": "y"}}}
	obj.SetAPIVersion("example.com/v1")
	obj.SetKind("Foo")
	obj.SetName("one")
	var into map[string]any
	schema := NewSchema(text)
	if err := schema.Extract(obj, "foo", "me", &into, ""); err != nil || len(into) > 0 {
		t.Errorf("of an object that a test has made: %v, %v", into, err)
	}
	obj.SetResourceVersion("7")
	if err := schema.Extract(obj, "foo", "me", &into, ""); err == nil || !strings.Contains(err.Error(), `cannot extract what "me" has applied to foo one: the object has no managedFields`) {
		t.Errorf("without managed fields: %v", err)
	}
	fields := &metav1.FieldsV1{}
	if err := fields.UnmarshalJSON([]byte(`{"f:spec":{"f:b":{}}}`)); err != nil {
		t.Fatal(err)
	}
	obj.SetManagedFields([]metav1.ManagedFieldsEntry{{
		Manager: "me", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "example.com/v1", FieldsType: "FieldsV1", FieldsV1: fields,
	}})
	if err := schema.Extract(obj, "foo", "me", &into, ""); err != nil || !reflect.DeepEqual(into["spec"], map[string]any{"b": "y"}) {
		t.Errorf("extracted %v: %v", into, err)
	}
	if text := panicOf(func() { _ = NewSchema("{").Extract(obj, "foo", "me", &into, "") }); !strings.Contains(text, "generate it again") {
		t.Errorf("a text that is no schema: %q", text)
	}
}

// TestAppend copies values, and names the method that got nil.
func TestAppend(t *testing.T) {
	one, two := 1, 2
	if got := Append("WithPorts", []int{0}, []*int{&one, &two}); !reflect.DeepEqual(got, []int{0, 1, 2}) {
		t.Errorf("got %v", got)
	}
	if got := AppendTo[int]("WithPorts", nil, nil); got == nil || *got == nil {
		t.Errorf("without values: %v", got)
	}
	if text := panicOf(func() { Append("WithPorts", nil, []*int{nil}) }); text != "nil value passed to WithPorts" {
		t.Errorf("the panic is %q", text)
	}
	if got := Put(map[string]int(nil), map[string]int{"a": 1}); !reflect.DeepEqual(got, map[string]int{"a": 1}) {
		t.Errorf("put into nil: %v", got)
	}
	var part *struct{ X int }
	if Ensure(&part).X = 3; part == nil || part.X != 3 {
		t.Errorf("ensured %v", part)
	}
}
