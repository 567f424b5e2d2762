// Package v1 has views: structs with the fields of a kind that the controller reads
// and caches. They are not API types, so the marker below keeps controller-gen from
// writing CRDs for them.
//
// +kubebuilder:skip
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DatabaseClassSummary is a DatabaseClass without its description. The description may
// be long, and the controller does not read it.
//
// +informer:view=github.com/typedinformers/informer-gen/examples/operator/api/v1.DatabaseClass
type DatabaseClassSummary struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DatabaseClassTerms `json:"spec"`
}

// DatabaseClassTerms has the fields that the status of a Database depends on.
type DatabaseClassTerms struct {
	MaxStorageGi int32  `json:"maxStorageGi"`
	Domain       string `json:"domain"`
	Port         int32  `json:"port"`
}

// DeepCopyObject implements runtime.Object.
func (in *DatabaseClassSummary) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}
