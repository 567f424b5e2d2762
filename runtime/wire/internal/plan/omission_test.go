package plan

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// embeds is a kind that embeds an untyped object.
type embeds struct{ unstructured.Unstructured }

// viaMethods is a kind whose metadata has no name in JSON.
type viaMethods struct{ *metav1.ObjectMeta }

// TestTrim removes members from objects that were not decoded by a plan.
func TestTrim(t *testing.T) {
	omit := Omit(true, []string{"drop", "none"})
	meta := func() metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: "a", Annotations: map[string]string{"drop": "1", "keep": "2"}, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}}}
	}
	want := metav1.ObjectMeta{Name: "a", Annotations: map[string]string{"keep": "2"}}
	untyped := func() map[string]any {
		return map[string]any{"metadata": map[string]any{"annotations": map[string]any{"drop": "1", "keep": int64(2)}, "managedFields": []any{}}}
	}
	wantUntyped := map[string]any{"metadata": map[string]any{"annotations": map[string]any{"keep": int64(2)}}}
	here, wantHere := meta(), want
	for _, test := range []struct{ obj, want any }{
		{&planned{ObjectMeta: meta()}, &planned{ObjectMeta: want}},
		{&planned{}, &planned{}},
		{&embeddedPointer{ObjectMeta: &here}, &embeddedPointer{ObjectMeta: &wantHere}},
		{&embeddedPointer{}, &embeddedPointer{}},
		{&unstructured.Unstructured{Object: untyped()}, &unstructured.Unstructured{Object: wantUntyped}},
		{&unstructured.Unstructured{Object: map[string]any{"metadata": 1}}, &unstructured.Unstructured{Object: map[string]any{"metadata": 1}}},
		{&embeds{unstructured.Unstructured{Object: untyped()}}, &embeds{unstructured.Unstructured{Object: wantUntyped}}},
		{&viaMethods{}, &viaMethods{}},
	} {
		p := For(reflect.TypeOf(test.obj).Elem(), omit)
		if p.Trim(test.obj); !reflect.DeepEqual(test.obj, test.want) {
			t.Errorf("%T: %+v, want %+v", test.obj, test.obj, test.want)
		}
	}
	obj := meta()
	if For(reflect.TypeFor[viaMethods](), omit).Trim(&viaMethods{&obj}); !reflect.DeepEqual(obj, want) {
		t.Errorf("by methods: %+v, want %+v", obj, want)
	}
}
