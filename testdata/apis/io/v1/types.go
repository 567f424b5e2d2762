// Package v1 has views of kinds of other packages, and no kind. Nothing says its group:
// the folder does.
package v1

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// PodSummary is where a Pod runs, and what.
//
// +informer:view=k8s.io/api/core/v1.Pod
// +informer:index:name=byNodeName,path=spec.nodeName
// +informer:index:name=byPhase,path=status.phase
type PodSummary struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		NodeName   string      `json:"nodeName,omitempty"`
		Containers []Container `json:"containers,omitempty"`
		// A value, of which Pod has a pointer.
		Priority int32 `json:"priority,omitempty"`
	} `json:"spec,omitempty"`
	Status struct {
		Phase corev1.PodPhase `json:"phase,omitempty"`
		// A type that decodes itself, and a pointer to it as in Pod.
		StartTime *metav1.Time `json:"startTime,omitempty"`
	} `json:"status,omitempty"`
}

// Container is one of a Pod.
type Container struct {
	Image string `json:"image,omitempty"`
}

// DeepCopyObject returns a copy.
func (in *PodSummary) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Containers = slices.Clone(in.Spec.Containers)
	out.Status.StartTime = in.Status.StartTime.DeepCopy()
	return &out
}

// NodeRoom is what there is on a Node, which is cluster-scoped.
//
// +informer:view=k8s.io/api/core/v1.Node
type NodeRoom struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status NodeRoomStatus `json:"status,omitempty"`
}

// NodeRoomStatus is part of the status of a Node.
type NodeRoomStatus struct {
	Allocatable corev1.ResourceList `json:"allocatable,omitempty"`
}

// DeepCopyObject returns a copy.
func (in *NodeRoom) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Allocatable = in.Status.Allocatable.DeepCopy()
	return &out
}

// Owner is the metadata of a Deployment, of a group with a name.
//
// +informer:view=k8s.io/api/apps/v1.Deployment
type Owner struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// DeepCopyObject returns a copy.
func (in *Owner) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// Customer is a view of a kind of which the same run makes a client.
//
// +informer:view=github.com/typedinformers/informer-gen/testdata/apis/shop/v1.Order
// +informer:index:name=byCustomer,path=spec.customer
type Customer struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec map[string]string `json:"-"` // is none of Order's
	Only CustomerSpec      `json:"spec"`
}

// CustomerSpec is part of the spec of an Order.
type CustomerSpec struct {
	Customer *Name `json:"customer,omitempty"`
}

// Name is a string in Order.
type Name string

// DeepCopyObject returns a copy.
func (in *Customer) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec = maps.Clone(in.Spec)
	if in.Only.Customer != nil {
		customer := *in.Only.Customer
		out.Only.Customer = &customer
	}
	return &out
}
