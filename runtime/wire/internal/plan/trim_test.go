package plan

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
)

// embeds is a kind that embeds an untyped object.
type embeds struct{ unstructured.Unstructured }

// omitted leaves out managed fields, and annotations with these keys.
func omitted(managedFields bool, annotations []string) *fieldmask.Mask {
	var paths []fieldmask.Path
	if managedFields {
		paths = append(paths, fieldmask.Path{{Name: "metadata"}, {Name: "managedFields"}})
	}
	for _, key := range annotations {
		paths = append(paths, fieldmask.Path{{Name: "metadata"}, {Name: "annotations"}, {Name: key, IsKey: true}})
	}
	return fieldmask.Without(paths...)
}

// TestTrim removes members from objects that were not decoded by a plan.
func TestTrim(t *testing.T) {
	mask := omitted(true, []string{"drop", "none"})
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
	} {
		p := For(reflect.TypeOf(test.obj).Elem(), mask)
		if p.Trim(test.obj); !reflect.DeepEqual(test.obj, test.want) {
			t.Errorf("%T: %+v, want %+v", test.obj, test.obj, test.want)
		}
	}
}
