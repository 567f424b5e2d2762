package faithful

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/apitest"
)

// TypedKinds are Kinds with their Go types, as the fakes of generated clientsets have them. A Note
// has no fields that a Go type could have.
func TypedKinds() []apitest.Kind {
	types := map[string]runtime.Object{"Widget": &Widget{}, "Gadget": &Gadget{}, "Gear": &Gear{}}
	kinds := Kinds()
	for i := range kinds {
		if empty, ok := types[kinds[i].Kind]; ok {
			kinds[i].Type = empty
		}
	}
	return kinds
}

// Widget is the Go type of a widget.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec,omitempty"`
	Status            WidgetStatus `json:"status,omitempty"`
}

// WidgetSpec is the spec of a Widget.
type WidgetSpec struct {
	Color    string            `json:"color,omitempty"`
	Size     int64             `json:"size,omitempty"`
	Replicas *int32            `json:"replicas,omitempty"`
	Weight   *float64          `json:"weight,omitempty"`
	Enabled  *bool             `json:"enabled,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	List     []string          `json:"list,omitempty"`
}

// WidgetStatus is the status of a Widget.
type WidgetStatus struct {
	Phase              string `json:"phase,omitempty"`
	Replicas           int32  `json:"replicas,omitempty"`
	Selector           string `json:"selector,omitempty"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (w *Widget) DeepCopyObject() runtime.Object { return deepCopy(w, new(Widget)) }

// Gadget is the Go type of a gadget, with what the scripts that need no schema write.
type Gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Size int64 `json:"size,omitempty"`
	} `json:"spec,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (g *Gadget) DeepCopyObject() runtime.Object { return deepCopy(g, new(Gadget)) }

// Gear is the Go type of a gear.
type Gear struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Teeth int64 `json:"teeth,omitempty"`
	} `json:"spec,omitempty"`
	Status struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (g *Gear) DeepCopyObject() runtime.Object { return deepCopy(g, new(Gear)) }

// deepCopy copies an object by its fields. It panics if they are not those of a Kubernetes object,
// which is a mistake in this file.
func deepCopy[T runtime.Object](from, to T) T {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(from)
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(content, to)
	}
	if err != nil {
		panic(err)
	}
	return to
}
