package wire

import (
	"errors"
	"reflect"
	goruntime "runtime"
	"strings"
	"testing"
	"weak"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestDecoderLeavesOutWhatNobodyWants(t *testing.T) {
	options := Options{WithoutFields: []string{"metadata.managedFields", "metadata.annotations[note]", "metadata.annotations[none]"}}
	want := reread(t, newWidget(5))
	want.ManagedFields = nil
	delete(want.Annotations, "note")
	usual := textOf(t, newWidget(5))
	for name, text := range map[string]string{
		"by the plan": usual,
		// The plan gives up where a member comes twice.
		"by the library":            strings.Replace(usual, `"color":"blue"`, `"color":"red","color":"blue"`, 1),
		"by the library, with room": strings.ReplaceAll(strings.ReplaceAll(strings.Replace(usual, `"color":"blue"`, `"color":"red","color":"blue"`, 1), `"note"`, ` "n\u006fte" `), `"managedFields"`, "\n\t\"managedFields\"\n"),
	} {
		got, err := NewDecoder(reflect.TypeFor[*widget](), options, nil).Decode([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", name, got, want)
		}
	}
}

func TestDecoderMakesObjectsOfAnyType(t *testing.T) {
	text := []byte(textOf(t, newWidget(5)))
	partial, err := NewDecoder(reflect.TypeFor[*metav1.PartialObjectMetadata](), Options{}, nil).Decode(text)
	want := newWidget(5)
	meta, _ := partial.(*metav1.PartialObjectMetadata)
	if err != nil || meta.Name != want.Name || meta.Kind != "Widget" || !reflect.DeepEqual(meta.Labels, want.Labels) {
		t.Errorf("%+v, %v", partial, err)
	}
	free, err := NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), Options{WithoutFields: []string{"metadata.managedFields"}}, nil).Decode(text)
	if err != nil || free.GetName() != want.Name || free.GetManagedFields() != nil {
		t.Errorf("%+v, %v", free, err)
	}
	if size, _, _ := unstructured.NestedInt64(free.(*unstructured.Unstructured).Object, "spec", "size"); size != 5 {
		t.Errorf("the size is %v", size)
	}
}

func TestDecodeErrorSaysWhere(t *testing.T) {
	for text, path := range map[string]string{
		`{"metadata":{"name":"x"},"spec":{"size":"big"}}`:                            "/spec/size",
		`{"metadata":{"name":"x","labels":{"a/b~c":1}}}`:                             "/metadata/labels/a~1b~0c",
		`{"metadata":{"name":"x"},"spec":{"parts":[{},{"name":"ok","count":true}]}}`: "/spec/parts/1/count",
		`{"metadata":{"name":"x"},"spec":{"needs":{"cpu":"1","memory":"much"}}}`:     "/spec/needs/memory",
		`{"metadata":{"name":"x"},"spec":{"extra":{"a":null,"b":"1 parsec"}}}`:       "/spec/extra/b",
		`{"metadata":{"name":"x"},"spec":{"parts":[{"since":"yesterday"}]}}`:         "/spec/parts/0/since",
		`{"kind":5,"metadata":{"name":"x"}}`:                                         "/kind",
		`{"metadata":{"name":"x"},"spec":{"color":"` + "\x01" + `"}}`:                "/spec/color",
		`{"metadata":{"name":"x"},"spec":{"size":1}`:                                 "",
		`[]`: "",
	} {
		_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).Decode([]byte(text))
		got, ok := err.(*DecodeError)
		if !ok {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got.Path != path || got.Err == nil || got.Near == "" {
			t.Errorf("%s: %q, want %q: %v", text, got.Path, path, got)
		}
	}
}

// nest is as deep as its text.
type nest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Inner             *nest  `json:"inner,omitempty"`
	Size              int    `json:"size,omitempty"`
	Text              string `json:"text,omitempty"`
}

func (n *nest) DeepCopyObject() runtime.Object { return n }

// TestDecodeErrorOfADeepObject is about objects that somebody has made to keep the
// program busy: to look for what is wrong must not cost the square of their size.
func TestDecodeErrorOfADeepObject(t *testing.T) {
	const depth = 5000
	text := `{"metadata":{"name":"x"},"inner":` + strings.Repeat(`{"inner":`, depth) + `{"size":"big","text":"` + strings.Repeat("x", 100_000) + `"}` + strings.Repeat("}", depth) + "}"

	_, err := NewDecoder(reflect.TypeFor[*nest](), Options{}, nil).Decode([]byte(text))
	var got *DecodeError
	if !errors.As(err, &got) || !strings.HasPrefix(got.Path, "/inner/inner/") || len(got.Path) > maxPathBytes+len("…") {
		t.Errorf("%v", err)
	}
}

func TestDecodeErrorIsShort(t *testing.T) {
	text := `{"metadata":{"name":"x"},"spec":{"parts":[{"since":"` + strings.Repeat("x", 1_000_000) + `"}]}}`
	_, err := NewDecoder(reflect.TypeFor[*widget](), Options{}, nil).Decode([]byte(text))
	if err == nil || len(err.Error()) > 1500 {
		t.Errorf("%d bytes", len(err.Error()))
	}
}

func TestDecoderRefusesWhatIsWrongInWhatItLeavesOut(t *testing.T) {
	for _, text := range []string{
		`{"metadata":{"managedFields":[] "name":"x"}}`,
		`{"metadata":{"managedFields":[tru],"name":"x"}}`,
		`{"metadata":{"name":"x","annotations":{"note":"` + "\x01" + `"}}}`,
	} {
		if obj, err := NewDecoder(reflect.TypeFor[*widget](), Options{WithoutFields: []string{"metadata.managedFields", "metadata.annotations[note]"}}, nil).Decode([]byte(text)); err == nil {
			t.Errorf("%s is taken for %v", text, obj)
		}
	}
}

// TestPlansKeepNoDecoder is about decoders that are made all day.
func TestPlansKeepNoDecoder(t *testing.T) {
	var kept weak.Pointer[Decoder]
	func() {
		decoder := NewDecoder(reflect.TypeFor[*unstructured.Unstructured](), Options{WithoutFields: []string{"metadata.annotations[" + t.Name() + "]"}}, nil)
		kept = weak.Make(decoder)
	}()
	if goruntime.GC(); kept.Value() != nil {
		t.Error("a decoder is kept that nobody has")
	}
}
