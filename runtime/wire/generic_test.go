package wire

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// generic is an interface type, as programs use that learn the kind at run time.
type generic interface {
	metav1.Object
	runtime.Object
}

const (
	genericItem = `"metadata":{"name":"a","namespace":"n","resourceVersion":"7"},"spec":{"size":3,"unknown":{"deep":[1,2]}}`
	genericList = `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":[{` + genericItem + `}]}`
	genericLate = `{"metadata":{"resourceVersion":"9"},"items":[{` + genericItem + `}],"kind":"WidgetList","apiVersion":"example.com/v1"}`
	genericText = `{"kind":"Widget","apiVersion":"example.com/v1",` + genericItem + `}`
)

// TestObjectTellsTheType decodes to the type of Options.Object.
func TestObjectTellsTheType(t *testing.T) {
	for _, object := range []runtime.Object{&widget{}, &unstructured.Unstructured{}, &metav1.PartialObjectMetadata{}} {
		d := NewDecoder(reflect.TypeFor[generic](), Options{Object: object}, nil)
		obj, err := d.Decode([]byte(genericText))
		if err != nil || reflect.TypeOf(obj) != reflect.TypeOf(object) || obj.GetName() != "a" {
			t.Errorf("decoded %T %v, %v; want a %T", obj, obj, err, object)
		}
		if isMetadata := strings.Contains(d.Accept(false), "PartialObjectMetadataList"); isMetadata != (reflect.TypeOf(object) == reflect.TypeFor[*metav1.PartialObjectMetadata]()) {
			t.Errorf("%T: asks for %s", object, d.Accept(false))
		}
	}
}

func TestInterfaceTypeNeedsObject(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("NewDecoder did not panic")
		}
	}()
	NewDecoder(reflect.TypeFor[generic](), Options{}, nil)
}

// TestHeldObjectHasTheType checks that an object of the cache is decoded again if it has another Go type.
func TestHeldObjectHasTheType(t *testing.T) {
	held := &widget{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "a", ResourceVersion: "7"}}
	cached := func(_, _, _ []byte, _ uint64) (Object, bool) { return held, true }
	for object, want := range map[runtime.Object]bool{&widget{}: true, &unstructured.Unstructured{}: false} {
		d := NewDecoder(reflect.TypeFor[generic](), Options{Object: object}, cached)
		page, err := d.List(context.Background(), io.NopCloser(strings.NewReader(genericList)))
		if err != nil || len(page.Items) != 1 || page.Items[0].Held != want {
			t.Errorf("%T: listed %+v, %v", object, page, err)
		}
	}
}

// TestWithoutTypeMeta removes the kind of typed objects after it was checked, and of no others.
func TestWithoutTypeMeta(t *testing.T) {
	const object = `{"kind":"Widget","apiVersion":"example.com/v1",` + genericItem + `}`
	kindOf := func(obj Object) string { return obj.GetObjectKind().GroupVersionKind().Kind }
	for _, test := range []struct {
		name, want string
		options    Options
	}{
		{"typed", "", Options{Object: &widget{}}},
		{"typed, by default", "Widget", Options{Object: &widget{}}},
		{"unstructured", "Widget", Options{Object: &unstructured.Unstructured{}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.options.WithoutTypeMeta = !strings.Contains(test.name, "default")
			test.options.Kind = schema.GroupKind{Group: "example.com", Kind: "Widget"}
			d := NewDecoder(reflect.TypeFor[Object](), test.options, nil)
			page, err := d.List(t.Context(), io.NopCloser(strings.NewReader(`{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":[`+object+`]}`)))
			if err != nil || kindOf(page.Items[0].Object) != test.want {
				t.Errorf("a list: %q, %v", kindOf(page.Items[0].Object), err)
			}
			stream := d.Watch(t.Context(), io.NopCloser(strings.NewReader(`{"type":"ADDED","object":`+object+`}`)))
			defer stream.Stop()
			events, err := stream.Next(t.Context(), nil)
			if err != nil || kindOf(events[0].Object) != test.want {
				t.Errorf("an event: %q, %v", kindOf(events[0].Object), err)
			}
			obj, err := d.Decode([]byte(object))
			if err != nil || kindOf(obj) != test.want {
				t.Errorf("an object: %q, %v", kindOf(obj), err)
			}
			for body, late := range map[string]bool{genericList: false, genericLate: true} {
				want := test.want
				if late && strings.Contains(test.name, "default") {
					want = "" // a typed item keeps none, because servers of Kubernetes write that of the list first
				}
				page, err := d.List(t.Context(), io.NopCloser(strings.NewReader(body)))
				if err != nil || kindOf(page.Items[0].Object) != want {
					t.Errorf("an item without a kind: %q, %v", kindOf(page.Items[0].Object), err)
				}
			}
			_, err = d.List(t.Context(), io.NopCloser(strings.NewReader(`{"metadata":{"resourceVersion":"9"},"items":[`+strings.Replace(object, "Widget", "Other", 1)+`]}`)))
			if !errors.As(err, new(*KindError)) {
				t.Errorf("another kind: %v", err)
			}
		})
	}
}
