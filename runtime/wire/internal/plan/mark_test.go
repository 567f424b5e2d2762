package plan

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
)

type level int

type marked struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              markedSpec        `json:"spec"`
	Parts             []markedPart      `json:"parts"`
	Data              map[string]string `json:"data"`
	Nested            *markedPart       `json:"nested"`
}

type markedSpec struct {
	Text     string
	Level    level
	Small    int8
	Count    *int32
	Unsigned uint16
	Share    float64
	Flag     bool
	Time     *metav1.Time
	Micro    metav1.MicroTime
	For      metav1.Duration
	Wait     time.Duration
	Size     resource.Quantity
	Port     *intstr.IntOrString
	Raw      runtime.RawExtension
	Any      any
	Bytes    []byte
	Sizes    map[string]resource.Quantity
	Numbers  map[int]string
	Tree     *markedTree
	Names    []string
	Strict   strict
}

type markedTree struct {
	Name     string
	Children []markedTree
	ByName   map[string]*markedTree
}

type markedPart struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

// strict is a type that panics for a text, and takes numbers.
type strict struct{ n int }

func (s *strict) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		panic("no number")
	}
	return json.Unmarshal(text, &s.n)
}

const prefix = "odd: "

func maskOf(t *testing.T, only, without []string) *fieldmask.Mask {
	t.Helper()
	mask, err := fieldmask.Read(only, without)
	if err != nil {
		t.Fatal(err)
	}
	return mask
}

// TestMarkFillsEachType fills a struct with fields of all sorts.
func TestMarkFillsEachType(t *testing.T) {
	obj := &marked{Parts: []markedPart{{Name: "a"}, {Name: "b"}}, Data: map[string]string{"kept": "v"}, Nested: &markedPart{}}
	Mark(obj, maskOf(t, []string{"parts.name", "data[kept]", "metadata.labels", "nested.name"}, nil), prefix)
	count, spec := int32(oddInteger), obj.Spec
	port := intstr.FromString(prefix + "spec.Port")
	want := markedSpec{
		Text: prefix + "spec.Text", Small: -67, Count: &count, Unsigned: 16954, Share: oddFloat,
		Time: &metav1.Time{Time: oddTime}, Micro: metav1.MicroTime{Time: oddTime}, For: metav1.Duration{Duration: oddInteger * time.Microsecond}, Wait: oddInteger * time.Microsecond,
		Size: *resource.NewQuantity(oddInteger, resource.DecimalSI), Port: &port, Raw: runtime.RawExtension{Raw: []byte(`"odd: spec.Raw"`)},
		Any: prefix + "spec.Any", Bytes: []byte(prefix + "spec.Bytes"), Sizes: map[string]resource.Quantity{prefix + "spec.Sizes": *resource.NewQuantity(oddInteger, resource.DecimalSI)},
		Tree: &markedTree{Name: prefix + "spec.Tree.Name"}, Names: []string{prefix + "spec.Names"}, Strict: strict{oddInteger},
	}
	if !reflect.DeepEqual(spec, want) {
		t.Errorf("the spec is\n%+v, want\n%+v", spec, want)
	}
	for _, part := range append(obj.Parts, *obj.Nested) {
		if part.Image != prefix+"parts.image" && part.Image != prefix+"nested.image" || strings.HasPrefix(part.Name, prefix) {
			t.Errorf("a part is %+v", part)
		}
	}
	if !reflect.DeepEqual(obj.Data, map[string]string{"kept": "v", prefix + "data": prefix + "data"}) {
		t.Errorf("the data is %v", obj.Data)
	}
	if m := obj.ObjectMeta; m.Name != "" || m.Labels != nil || m.Finalizers != nil || m.ManagedFields != nil || m.Generation != 0 || m.GenerateName == "" || !m.CreationTimestamp.Equal(&metav1.Time{Time: oddTime}) || m.Annotations[prefix+"metadata.annotations"] == "" {
		t.Errorf("the metadata is %+v", m)
	}
	if _, err := json.Marshal(obj.Spec.Raw); err != nil {
		t.Errorf("the RawExtension has no text: %v", err)
	}
	again := *obj
	again.Parts, again.Data = append([]markedPart(nil), obj.Parts...), map[string]string{"kept": "v"}
	Mark(&again, maskOf(t, []string{"parts.name", "data[kept]", "metadata.labels", "nested.name"}, nil), prefix)
	if !reflect.DeepEqual(&again, obj) {
		t.Errorf("a second call changes the object to\n%+v", again)
	}
}

// TestMarkNamesKeysThatAreLeftOut has a map of which one key is left out.
func TestMarkNamesKeysThatAreLeftOut(t *testing.T) {
	obj := &marked{Data: map[string]string{"a": "v"}}
	Mark(obj, maskOf(t, nil, []string{"data[b]", "parts"}), prefix)
	want := &marked{Data: map[string]string{"a": "v", "b": prefix + "data[b]"}, Parts: []markedPart{{Name: prefix + "parts.name", Image: prefix + "parts.image"}}}
	if !reflect.DeepEqual(obj, want) {
		t.Errorf("the object is\n%+v, want\n%+v", obj, want)
	}
}

func TestMarkUntyped(t *testing.T) {
	parse := func(text string) (object map[string]any) {
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		return object
	}
	got := parse(`{"kind":"K","metadata":{"name":"n","labels":{"a":"1","b":"2"},"deletionGracePeriodSeconds":3,"managedFields":[{"manager":"m"}]},
		"spec":{"text":"x","n":1,"list":[{"a":"b","n":2},3],"kept":true},"parts":[{"name":"p","image":"i"}],"other":{"n":1}}`)
	MarkUntyped(got, maskOf(t, []string{"metadata.labels[a]", "spec.kept", "parts.name"}, nil), prefix)
	want := parse(`{"kind":"K","metadata":{"name":"n","labels":{"a":"1","b":"odd: metadata.labels[b]"}},
		"spec":{"text":"odd: spec.text","list":[{"a":"odd: spec.list.a"}],"kept":true},"parts":[{"name":"p","image":"odd: parts.image"}]}`)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the object is\n%v, want\n%v", got, want)
	}
}
