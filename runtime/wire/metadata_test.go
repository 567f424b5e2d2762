package wire

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/internal/safemeta"
)

// pointed is a kind that embeds pointers to its metadata.
type pointed struct {
	*metav1.TypeMeta   `json:",inline"`
	*metav1.ObjectMeta `json:"metadata,omitempty"`

	Size int `json:"size"`
}

func (p *pointed) DeepCopyObject() runtime.Object { panic("no test copies it") }

// TestPointedMetadata decodes objects of which parts of the metadata are missing.
func TestPointedMetadata(t *testing.T) {
	options := Options{Kind: schema.GroupKind{Group: "example.com", Kind: "Pointed"}}
	const named = `{"kind":"Pointed","apiVersion":"example.com/v1","metadata":{"name":"a"},"size":1}`
	for _, test := range []struct {
		name, item string
		want       error
	}{
		{"all of it", named, nil},
		{"no kind", `{"metadata":{"name":"a"}}`, nil},
		{"another kind", strings.Replace(named, "Pointed", "Other", 1), &KindError{}},
		{"no metadata", `{"kind":"Pointed","size":1}`, safemeta.ErrNone},
		{"null", `{"metadata":null}`, safemeta.ErrNone},
		{"no name", `{"metadata":{}}`, errNoName},
		{"nothing", `{}`, safemeta.ErrNone},
	} {
		t.Run(test.name, func(t *testing.T) {
			check := func(obj *pointed, err error) {
				t.Helper()
				var undecodable *DecodeError
				_, wantsKind := test.want.(*KindError)
				switch {
				case test.want == nil:
					if err != nil || obj.Name != "a" {
						t.Errorf("decoded %+v, %v", obj, err)
					}
				case !errors.As(err, &undecodable):
					t.Errorf("the error is %#v", err)
				case wantsKind && !errors.As(err, new(*KindError)), !wantsKind && !errors.Is(err, test.want):
					t.Errorf("the error is %v, want %v", err, test.want)
				}
			}
			decoder := NewDecoder[*pointed](options, nil)
			page, err := decoder.List(t.Context(), io.NopCloser(strings.NewReader(`{"kind":"PointedList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"7"},"items":[`+test.item+`]}`)))
			if err == nil {
				check(page.Items[0].Object, nil)
			} else {
				check(nil, err)
			}
			stream := decoder.Watch(t.Context(), io.NopCloser(strings.NewReader(`{"type":"ADDED","object":`+test.item+`}`+"\n")))
			defer stream.Stop()
			events, err := stream.Next(t.Context(), nil)
			if err == nil {
				check(events[0].Object, nil)
			} else {
				check(nil, err)
			}
		})
	}
}

// SlimKind is a kind whose metadata is not apimachinery's, and has no managed fields.
type SlimKind struct {
	metav1.TypeMeta `json:",inline"`
	SlimMeta        `json:"metadata"`
}

type SlimMeta struct {
	metav1.Object `json:"-"` // panics, for it is nil

	Name        string            `json:"name"`
	Annotations map[string]string `json:"annotations"`
}

func (m *SlimMeta) GetName() string { return m.Name }

func (s *SlimKind) DeepCopyObject() runtime.Object { panic("no test copies it") }

// TestSlimMetadata leaves annotations out of metadata that is not apimachinery's, by the
// plan and by the library.
func TestSlimMetadata(t *testing.T) {
	decoder := NewDecoder[*SlimKind](Options{WithoutManagedFields: true, WithoutAnnotations: []string{"drop"}}, nil)
	want := &SlimKind{SlimMeta: SlimMeta{Name: "a", Annotations: map[string]string{"keep": "2"}}}
	for _, twice := range []string{"", `"name":"b",`} {
		got, err := decoder.Decode([]byte(`{"metadata":{` + twice + `"name":"a","annotations":{"drop":"1","keep":"2"},"managedFields":[{"manager":1}]}}`))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("decoded %+v, %v", got, err)
		}
	}
}
