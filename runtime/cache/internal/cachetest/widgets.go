package cachetest

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/apitest"
)

// WidgetKind is the kind of widgets, as the in-memory API server has it.
var WidgetKind = apitest.Kind{
	GroupVersionKind: Widgets.GroupVersion().WithKind("Widget"),
	Resource:         Widgets.Resource,
	Namespaced:       true,
	Status:           true,
	SelectableFields: []string{"spec.color"},
}

// PathOf returns the path of the widgets of a namespace, or of one of them if name is not empty.
func PathOf(namespace, name string) string {
	path := "/apis/" + Widgets.GroupVersion().String()
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	path += "/" + Widgets.Resource
	if name != "" {
		path += "/" + name
	}
	return path
}

// NewWidget returns a widget as a client sends it.
func NewWidget(name Name, letters, color string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"color": color}}}
	obj.SetGroupVersionKind(WidgetKind.GroupVersionKind)
	obj.SetNamespace(name.Namespace)
	obj.SetName(name.Name)
	if letters != "" {
		obj.SetLabels(map[string]string{"letters": letters})
	}
	return obj
}

// MetadataOf returns an object as an informer of metadata has it.
func MetadataOf(obj *unstructured.Unstructured) Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID(), ResourceVersion: obj.GetResourceVersion(),
		Generation: obj.GetGeneration(), Labels: obj.GetLabels(), Finalizers: obj.GetFinalizers(), DeletionTimestamp: obj.GetDeletionTimestamp(),
		OwnerReferences: obj.GetOwnerReferences(),
	}}
}

// IsStateOf reports whether an informer has an object as the server had it.
func IsStateOf(obj, state Object) bool {
	return obj.ResourceVersion == state.ResourceVersion && obj.Namespace == state.Namespace && obj.Name == state.Name && obj.Generation == state.Generation &&
		maps.Equal(obj.Labels, state.Labels) && slices.Equal(obj.Finalizers, state.Finalizers) && obj.DeletionTimestamp.Equal(state.DeletionTimestamp) &&
		len(obj.OwnerReferences) == len(state.OwnerReferences)
}

// IsGone reports whether a response shows an object that is deleted.
func IsGone(obj *unstructured.Unstructured) bool {
	return obj.GetDeletionTimestamp() != nil && len(obj.GetFinalizers()) == 0
}

// ColorOf returns the color of a widget, which is selectable.
func ColorOf(obj *unstructured.Unstructured) string {
	color, _, _ := unstructured.NestedString(obj.Object, "spec", "color")
	return color
}
