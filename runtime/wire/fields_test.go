package wire

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestFields decodes one list in three forms, with and without some fields.
func TestFields(t *testing.T) {
	body := `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":[` + textOf(t, newWidget(5)) + `]}`
	for _, options := range []Options{
		{Fields: []string{"metadata.labels", "metadata.annotations[note]"}},
		{Fields: []string{"metadata"}, WithoutFields: []string{"metadata.labels"}},
		{WithoutFields: []string{"metadata"}},
	} {
		want := newWidget(5).ObjectMeta
		want.ManagedFields, want.CreationTimestamp = nil, metav1.Time{}
		switch {
		case options.WithoutFields == nil:
			want.Annotations = map[string]string{"note": want.Annotations["note"]}
		case options.Fields != nil:
			want = reread(t, newWidget(5)).ObjectMeta
			want.Labels = nil
		default:
			want.Labels, want.Annotations = nil, nil
		}
		for _, form := range []Object{&widget{}, &unstructured.Unstructured{}, &metav1.PartialObjectMetadata{}} {
			page, err := NewDecoder(reflect.TypeOf(form), options, nil).List(t.Context(), bodyOf(body))
			if err != nil {
				t.Fatal(err)
			}
			got := metav1.ObjectMeta{}
			switch obj := page.Items[0].Object.(type) {
			case *widget:
				got = obj.ObjectMeta
				if isWhole := reflect.DeepEqual(obj.Spec, reread(t, newWidget(5)).Spec); isWhole != (options.Fields == nil) {
					t.Errorf("%v: the spec is %+v", options, obj.Spec)
				}
			case *unstructured.Unstructured:
				if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object["metadata"].(map[string]any), &got); err != nil {
					t.Fatal(err)
				}
				if _, hasSpec := obj.Object["spec"]; hasSpec != (options.Fields == nil) {
					t.Errorf("%v: %v", options, obj.Object)
				}
			case *metav1.PartialObjectMetadata:
				got = obj.ObjectMeta
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%T by %v:\n%+v\nwant\n%+v", form, options, got, want)
			}
		}
	}
}

// TestFieldsThatDoNotExist makes decoders with wrong paths.
func TestFieldsThatDoNotExist(t *testing.T) {
	for _, test := range []struct {
		form    Object
		options Options
		want    string
	}{
		{&widget{}, Options{Fields: []string{"spec.colour", "spec.size"}}, "spec.colour is unknown, because the Go type wire.widgetSpec has no field colour; did you mean spec.color?"},
		{&widget{}, Options{WithoutFields: []string{"color"}}, "color is unknown, because the Go type wire.widget has no field color; did you mean spec.color?"},
		{&widget{}, Options{WithoutFields: []string{"metadata.name"}}, "metadata.name always stays; remove it"},
		{&widget{}, Options{WithoutFields: []string{"spec.parts[]"}}, `"spec.parts[]" has brackets without a key; write spec.parts, which goes through the items of a list`},
		{&unstructured.Unstructured{}, Options{Fields: []string{"spec.any.thing"}}, ""},
		{&unstructured.Unstructured{}, Options{Fields: []string{"metadata.label"}}, "metadata.label is unknown, because the Go type v1.ObjectMeta has no field label; did you mean metadata.labels?"},
		{&metav1.PartialObjectMetadata{}, Options{Fields: []string{"spec.size"}}, "spec is unknown, because the Go type v1.PartialObjectMetadata has no field spec; use one of kind, apiVersion, metadata"},
	} {
		got := func() (got string) {
			defer func() {
				if reason := recover(); reason != nil {
					got = strings.TrimPrefix(fmt.Sprint(reason), "wire: ")
				}
			}()
			NewDecoder(reflect.TypeOf(test.form), test.options, nil)
			return ""
		}()
		if got != test.want {
			t.Errorf("%T by %v, %v: %s", test.form, test.options.Fields, test.options.WithoutFields, got)
		}
	}
}

// TestFieldsThatAreLeftOutCostNothing counts allocations of an object of one field and many others.
func TestFieldsThatAreLeftOutCostNothing(t *testing.T) {
	large := newWidget(5)
	for i := range 100 {
		large.Spec.Parts = append(large.Spec.Parts, widgetPart{Name: fmt.Sprint("a part with a long name, which no one remembers, because there are so many others, of the number ", i)})
	}
	text := []byte(textOf(t, large))
	for _, form := range []Object{&widget{}, &unstructured.Unstructured{}} {
		allocations := func(fields ...string) float64 {
			d := NewDecoder(reflect.TypeOf(form), Options{Fields: fields}, nil)
			return testing.AllocsPerRun(20, func() {
				if _, err := d.Decode(text); err != nil {
					t.Fatal(err)
				}
			})
		}
		if whole, part := allocations(), allocations("spec.color"); part > 20 || whole < 100 {
			t.Errorf("%T: %v allocations instead of %v", form, part, whole)
		}
	}
}
