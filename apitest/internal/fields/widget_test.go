package fields

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

// Widget is a type with all that a schema may have.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              widgetSpec   `json:"spec,omitempty"`
	Status            widgetStatus `json:"status,omitempty"`
}

func (w *Widget) DeepCopyObject() runtime.Object { return w }

type widgetSpec struct {
	widgetCommon `json:",inline"`
	Color        string                `json:"color,omitempty"`
	Replicas     *int32                `json:"replicas,omitempty"`
	Paused       bool                  `json:"paused,omitempty"`
	Names        map[string]string     `json:"names,omitempty"`
	Args         []string              `json:"args,omitempty"`
	Zones        []string              `json:"zones,omitempty" patchStrategy:"merge"`
	Ports        []widgetPort          `json:"ports,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
	Parts        []widgetPort          `json:"parts,omitempty"`
	Next         *widgetSpec           `json:"next,omitempty"`
	Limits       map[string]widgetPort `json:"limits,omitempty"`
	Config       runtime.RawExtension  `json:"config,omitempty"`
	Selector     *metav1.LabelSelector `json:"selector,omitempty"`
	Target       intstr.IntOrString    `json:"target,omitempty"`
}

type widgetCommon struct {
	Size   resource.Quantity `json:"size,omitempty"`
	Secret []byte            `json:"secret,omitempty"`
	Count  uint64            `json:"count,string,omitempty"`
	Color  int               `json:"color"`
	hidden string            //lint:ignore U1000 fields that JSON does not have are not in schemas
	Hidden string            `json:"-"`
}

type widgetPort struct {
	Name   string             `json:"name"`
	Number int32              `json:"number,omitempty"`
	Labels map[string]string  `json:"labels,omitempty"`
	Since  *metav1.Time       `json:"since,omitempty"`
	Ready  []metav1.Condition `json:"ready,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

type widgetStatus struct {
	Ready      int32              `json:"ready,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

// object decodes JSON as the API server does.
func object(t testing.TB, text string) map[string]any {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), u); err != nil {
		t.Fatal(err)
	}
	return u.Object
}
