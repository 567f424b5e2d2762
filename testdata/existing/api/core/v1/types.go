// Package v1 has aliases and views of kinds of k8s.io/api/core/v1.
//
// +groupName=
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Secret is an alias with markers that k8s.io/api does not have. Its package needs no scheme, because the
// clientset has one.
//
// +genclient
// +informer:index:name=byType,path=type
// +kubebuilder:selectablefield:JSONPath=`.type`
type Secret = corev1.Secret

// SecretList is a list of secrets.
type SecretList = corev1.SecretList

// PodName is a view of a kind that this run does not read.
//
// +informer:view=k8s.io/api/core/v1.Pod
// +informer:index:name=byNodeName,path=spec.nodeName
type PodName struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PodNameSpec `json:"spec,omitempty"`
}

// PodNameSpec is the part of a pod that says where it runs.
type PodNameSpec struct {
	NodeName string `json:"nodeName,omitempty"`
}

// DeepCopyObject returns a copy.
func (in *PodName) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}
