// Package v1 has a kind with an index whose path leads into k8s.io/api.
//
// +groupName=fleet.example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SchemeGroupVersion is what the types are registered as.
var SchemeGroupVersion = schema.GroupVersion{Group: "fleet.example.com", Version: "v1"}

// Resource returns a resource of the group.
func Resource(resource string) schema.GroupResource {
	return SchemeGroupVersion.WithResource(resource).GroupResource()
}

// AddToScheme adds the types to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &Fleet{}, &FleetList{})
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}

// Fleet is a group of pods.
//
// +genclient
// +informer:index:name=byNodeName,path=spec.template.spec.nodeName
type Fleet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec FleetSpec `json:"spec"`
}

// FleetSpec has what the pods are made of.
type FleetSpec struct {
	Template corev1.PodTemplateSpec `json:"template"`
}

// FleetList is a list of Fleet.
type FleetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`

	Items []Fleet `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (in *Fleet) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	in.Spec.Template.DeepCopyInto(&out.Spec.Template)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (in *FleetList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = nil
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopyObject().(*Fleet))
	}
	return &out
}
