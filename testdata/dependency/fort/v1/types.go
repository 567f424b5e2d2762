// Package v1 says its group in a marker only, and registers nothing that others could call.
//
// +groupName=fort.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Tower is a kind.
//
// +genclient
// +kubebuilder:resource:path=towers,scope=Cluster
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

// Gate is a kind.
//
// +genclient
type Gate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Height            int `json:"height,omitempty"`
}

// DeepCopyObject returns a copy.
func (in *Gate) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// GateList is a list of Gate.
type GateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Gate `json:"items"`
}

// DeepCopyObject returns a copy.
func (in *GateList) DeepCopyObject() runtime.Object {
	out := *in
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = nil
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopyObject().(*Gate))
	}
	return &out
}
