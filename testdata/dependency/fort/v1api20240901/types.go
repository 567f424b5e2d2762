// Package v1api20240901 has a version that Kubernetes does not use itself, and no AddToScheme.
package v1api20240901

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the types of this package.
var GroupVersion = schema.GroupVersion{Group: "fort.example.com", Version: "v1api20240901"}

// Tower is a kind.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
type Tower struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Height            int `json:"height,omitempty"`
}

// DeepCopyObject returns a copy.
func (in *Tower) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// TowerList is a list of Tower.
type TowerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Tower `json:"items"`
}

// DeepCopyObject returns a copy.
func (in *TowerList) DeepCopyObject() runtime.Object {
	out := *in
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = nil
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopyObject().(*Tower))
	}
	return &out
}
