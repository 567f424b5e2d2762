package crcache

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// widget is a custom resource. The server has fields of it that the Go type does not have.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              widgetSpec `json:"spec,omitempty"`
}

type widgetSpec struct {
	Color string            `json:"color,omitempty"`
	Sizes []int             `json:"sizes,omitempty"`
	Parts map[string]string `json:"parts,omitempty"`
}

// DeepCopyInto writes a copy that shares no memory with w.
func (w *widget) DeepCopyInto(out *widget) {
	*out = *w
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Sizes, out.Spec.Parts = slices.Clone(w.Spec.Sizes), maps.Clone(w.Spec.Parts)
}

// DeepCopyObject returns a copy that shares no memory with w.
func (w *widget) DeepCopyObject() runtime.Object {
	out := new(widget)
	w.DeepCopyInto(out)
	return out
}

type widgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []widget `json:"items"`
}

// DeepCopyObject returns a copy that shares no memory with l.
func (l *widgetList) DeepCopyObject() runtime.Object {
	copied := &widgetList{TypeMeta: l.TypeMeta, ListMeta: l.ListMeta}
	for i := range l.Items {
		copied.Items = append(copied.Items, *l.Items[i].DeepCopyObject().(*widget))
	}
	return copied
}

// gadget is another kind. The method DeepCopyInto that it has is for another type.
type gadget struct {
	widget `json:",inline"`
}

// DeepCopyObject returns a copy that shares no memory with g.
func (g *gadget) DeepCopyObject() runtime.Object {
	out := new(gadget)
	g.widget.DeepCopyInto(&out.widget)
	return out
}

// gadgetList is a list of pointers.
type gadgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []*gadget `json:"items"`
}

// DeepCopyObject returns l: no test copies it.
func (l *gadgetList) DeepCopyObject() runtime.Object { return l }

// gizmo is a third kind.
type gizmo struct {
	gadget `json:",inline"`
}

// DeepCopyObject returns a copy that shares no memory with g.
func (g *gizmo) DeepCopyObject() runtime.Object {
	return &gizmo{*g.gadget.DeepCopyObject().(*gadget)}
}

// gizmoList is a list of interfaces.
type gizmoList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []runtime.Object `json:"items"`
}

// DeepCopyObject returns l: no test copies it.
func (l *gizmoList) DeepCopyObject() runtime.Object { return l }

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

// testScheme has the kinds of the tests.
func testScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(scheme))
	scheme.AddKnownTypeWithName(widgetKind, &widget{})
	for kind, obj := range map[string]runtime.Object{"WidgetList": &widgetList{}, "Gadget": &gadget{}, "GadgetList": &gadgetList{}, "Gizmo": &gizmo{}, "GizmoList": &gizmoList{}} {
		scheme.AddKnownTypeWithName(widgetKind.GroupVersion().WithKind(kind), obj)
	}
	metav1.AddToGroupVersion(scheme, widgetKind.GroupVersion())
	return scheme
}

// newWidget returns a widget as the server has it.
func newWidget(namespace, name, color string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1",
		"kind":       "Widget",
		"metadata":   map[string]any{"namespace": namespace, "name": name, "labels": map[string]any{"name": name, "color": color}},
		"spec":       map[string]any{"color": color, "unknown": "kept", "sizes": []any{int64(1), int64(2)}},
	}}
}

// newObject returns an object of the core group.
func newObject(kind, namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name}}}
	u.SetNamespace(namespace)
	return u
}

func selector(text string) fields.Selector { return fields.ParseSelectorOrDie(text) }
