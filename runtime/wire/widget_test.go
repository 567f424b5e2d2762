package wire

import (
	"encoding/json"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/internal/leaks"
	"github.com/typedinformers/informer-gen/runtime/wire/internal/plan"
)

func TestMain(m *testing.M) { leaks.Main(m) }

// widget is the kind that tests decode.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec widgetSpec `json:"spec,omitempty"`
}

type widgetSpec struct {
	Color string                          `json:"color,omitempty"`
	Size  int32                           `json:"size,omitempty"`
	Parts []widgetPart                    `json:"parts,omitempty"`
	Needs map[string]resource.Quantity    `json:"needs,omitempty"`
	Extra map[string]*metav1.Duration     `json:"extra,omitempty"`
	Any   map[string]runtime.RawExtension `json:"any,omitempty"`
}

type widgetPart struct {
	Name  string       `json:"name"`
	Count *int64       `json:"count,omitempty"`
	Since *metav1.Time `json:"since,omitempty"`
}

func (w *widget) DeepCopyObject() runtime.Object {
	text, err := json.Marshal(w)
	if err != nil {
		panic(err)
	}
	copied := &widget{}
	if err := json.Unmarshal(text, copied); err != nil {
		panic(err)
	}
	return copied
}

// newWidget is the widget with a number.
func newWidget(i int) *widget {
	count := int64(i)
	return &widget{
		TypeMeta: metav1.TypeMeta{Kind: "Widget", APIVersion: "example.com/v1"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: fmt.Sprintf("team-%d", i%10), Name: fmt.Sprintf("widget-%d", i),
			UID: types.UID(fmt.Sprintf("uid-%d", i)), ResourceVersion: fmt.Sprint(1000 + i),
			Labels:        map[string]string{"app": "web", "n": fmt.Sprint(i)},
			Annotations:   map[string]string{"note": `quoted "text" with a \ and {`, "keep": "yes"},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "test", Operation: "Update", FieldsV1: fieldsV1(`{"f:spec":{}}`)}},
		},
		Spec: widgetSpec{
			Color: "blue", Size: int32(i),
			Parts: []widgetPart{{Name: "a", Count: &count}, {Name: "b"}},
			Needs: map[string]resource.Quantity{"cpu": resource.MustParse("100m")},
		},
	}
}

func textOf(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reread is what a decoder makes of w.
func reread(t testing.TB, w *widget) *widget {
	t.Helper()
	again := &widget{}
	if err := plan.Unmarshal([]byte(textOf(t, w)), again); err != nil {
		t.Fatal(err)
	}
	return again
}

// fieldsV1 returns a FieldsV1 with the given JSON. NewFieldsV1 of apimachinery is new in v0.36.
func fieldsV1(text string) *metav1.FieldsV1 {
	fields := new(metav1.FieldsV1)
	if err := fields.UnmarshalJSON([]byte(text)); err != nil {
		panic(err)
	}
	return fields
}
