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
	dualItem = `"metadata":{"name":"a","namespace":"n","resourceVersion":"7"},"spec":{"size":3,"unknown":{"deep":[1,2]}}`
	dualList = `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":[{` + dualItem + `}]}`
	dualLate = `{"metadata":{"resourceVersion":"9"},"items":[{` + dualItem + `}],"kind":"WidgetList","apiVersion":"example.com/v1"}`
	dualText = `{"kind":"Widget","apiVersion":"example.com/v1",` + dualItem + `}`
)

// TestObjectTellsTheType decodes to the type of Options.Object.
func TestObjectTellsTheType(t *testing.T) {
	for _, object := range []runtime.Object{&widget{}, &unstructured.Unstructured{}, &metav1.PartialObjectMetadata{}} {
		d := NewDecoder(reflect.TypeFor[generic](), Options{Object: object}, nil)
		obj, err := d.Decode([]byte(dualText))
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

// checkDual checks both forms of the object of dualItem.
func checkDual(t *testing.T, obj generic) {
	t.Helper()
	dual, ok := obj.(*Dual)
	if !ok {
		t.Fatalf("decoded a %T", obj)
	}
	typed, ok := dual.Object.(*widget)
	if !ok || typed.Name != "a" || typed.Namespace != "n" {
		t.Errorf("the typed form is %#v", dual.Object)
	}
	deep, _, err := unstructured.NestedSlice(dual.Unstructured.Object, "spec", "unknown", "deep")
	if err != nil || len(deep) != 2 || deep[0] != int64(1) {
		t.Errorf("the field that the type does not have is %v, %v", deep, err)
	}
	for _, kind := range []string{typed.Kind, dual.Unstructured.GetKind(), dual.GetObjectKind().GroupVersionKind().Kind} {
		if kind != "Widget" {
			t.Errorf("the kind is %q", kind)
		}
	}
}

func TestDualHasBothForms(t *testing.T) {
	d := NewDecoder(reflect.TypeFor[generic](), Options{Object: &widget{}, Unstructured: true, Protobuf: &widget{}}, nil)
	if accept := d.Accept(false); accept != runtime.ContentTypeJSON {
		t.Errorf("asks for %s", accept)
	}
	obj, err := d.Decode([]byte(dualText))
	if err != nil {
		t.Fatal(err)
	}
	checkDual(t, obj)
	for _, body := range []string{dualList, dualLate} {
		page, err := d.List(context.Background(), io.NopCloser(strings.NewReader(body)))
		if err != nil || len(page.Items) != 1 {
			t.Fatalf("listed %v, %v", page, err)
		}
		checkDual(t, page.Items[0].Object)
	}
	stream := d.Watch(context.Background(), io.NopCloser(strings.NewReader(`{"type":"ADDED","object":`+dualText+`}`)))
	defer stream.Stop()
	events, err := stream.Next(context.Background(), nil)
	if err != nil || len(events) != 1 {
		t.Fatalf("watched %v, %v", events, err)
	}
	checkDual(t, events[0].Object)
}

func TestDualIsCopiedDeeply(t *testing.T) {
	obj, err := NewDecoder(reflect.TypeFor[generic](), Options{Object: &widget{}, Unstructured: true}, nil).Decode([]byte(dualText))
	if err != nil {
		t.Fatal(err)
	}
	copied := obj.DeepCopyObject().(*Dual)
	checkDual(t, copied)
	copied.Unstructured.SetName("b")
	copied.Object.SetName("c")
	checkDual(t, obj)
}

// TestDualFaults checks that a text that one of the forms refuses is an error.
func TestDualFaults(t *testing.T) {
	d := NewDecoder(reflect.TypeFor[generic](), Options{Object: &widget{}, Unstructured: true}, nil)
	for name, text := range map[string]string{
		"wrong type":   strings.Replace(dualText, `"size":3`, `"size":"x"`, 1),
		"no JSON":      dualText[:len(dualText)-2],
		"no kind":      `{` + dualItem + `}`,
		"other object": `[]`,
	} {
		_, err := d.Decode([]byte(text))
		if undecodable := (*DecodeError)(nil); !errors.As(err, &undecodable) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// TestHeldObjectHasTheForm checks that an object of the cache is decoded again if it has
// another form.
func TestHeldObjectHasTheForm(t *testing.T) {
	held := &widget{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "a", ResourceVersion: "7"}}
	cached := func(_, _, _ []byte, _ uint64) (Object, bool) { return held, true }
	for unstructured, want := range map[bool]bool{false: true, true: false} {
		d := NewDecoder(reflect.TypeFor[generic](), Options{Object: &widget{}, Unstructured: unstructured}, cached)
		page, err := d.List(context.Background(), io.NopCloser(strings.NewReader(dualList)))
		if err != nil || len(page.Items) != 1 || page.Items[0].Held != want {
			t.Errorf("Unstructured %v: listed %+v, %v", unstructured, page, err)
		}
	}
}

// TestDualRefusesProtobuf checks the error for a server that sends protobuf unasked.
func TestDualRefusesProtobuf(t *testing.T) {
	d := NewDecoder(reflect.TypeFor[generic](), Options{Object: &metav1.PartialObjectMetadata{}, Unstructured: true}, nil)
	_, err := d.List(context.Background(), io.NopCloser(strings.NewReader(listInProtobuf(1))))
	if err == nil {
		t.Error("there is no error")
	}
}

// TestWithoutTypeMeta removes the kind of typed objects after it was checked, and of no others.
func TestWithoutTypeMeta(t *testing.T) {
	const object = `{"kind":"Widget","apiVersion":"example.com/v1",` + dualItem + `}`
	kindsOf := func(obj Object) string {
		typed, kind := obj, ""
		if dual, ok := obj.(*Dual); ok {
			typed, kind = dual.Object, " and "+dual.Unstructured.GetKind()
		}
		return typed.GetObjectKind().GroupVersionKind().Kind + kind
	}
	for _, test := range []struct {
		name, want string
		options    Options
	}{
		{"typed", "", Options{Object: &widget{}}},
		{"typed, by default", "Widget", Options{Object: &widget{}}},
		{"both", " and Widget", Options{Object: &widget{}, Unstructured: true}},
		{"unstructured", "Widget", Options{Object: &unstructured.Unstructured{}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.options.WithoutTypeMeta = !strings.Contains(test.name, "default")
			test.options.Kind = schema.GroupKind{Group: "example.com", Kind: "Widget"}
			d := NewDecoder(reflect.TypeFor[Object](), test.options, nil)
			page, err := d.List(t.Context(), io.NopCloser(strings.NewReader(`{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":[`+object+`]}`)))
			if err != nil || kindsOf(page.Items[0].Object) != test.want {
				t.Errorf("a list: %q, %v", kindsOf(page.Items[0].Object), err)
			}
			stream := d.Watch(t.Context(), io.NopCloser(strings.NewReader(`{"type":"ADDED","object":`+object+`}`)))
			defer stream.Stop()
			events, err := stream.Next(t.Context(), nil)
			if err != nil || kindsOf(events[0].Object) != test.want {
				t.Errorf("an event: %q, %v", kindsOf(events[0].Object), err)
			}
			obj, err := d.Decode([]byte(object))
			if err != nil || kindsOf(obj) != test.want {
				t.Errorf("an object: %q, %v", kindsOf(obj), err)
			}
			for body, late := range map[string]bool{dualList: false, dualLate: true} {
				want := test.want
				if late && strings.Contains(test.name, "default") {
					want = "" // a typed item keeps none, because servers of Kubernetes write that of the list first
				}
				page, err := d.List(t.Context(), io.NopCloser(strings.NewReader(body)))
				if err != nil || kindsOf(page.Items[0].Object) != want {
					t.Errorf("an item without a kind: %q, %v", kindsOf(page.Items[0].Object), err)
				}
			}
			_, err = d.List(t.Context(), io.NopCloser(strings.NewReader(`{"metadata":{"resourceVersion":"9"},"items":[`+strings.Replace(object, "Widget", "Other", 1)+`]}`)))
			if !errors.As(err, new(*KindError)) {
				t.Errorf("another kind: %v", err)
			}
		})
	}
}
