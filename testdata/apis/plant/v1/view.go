package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// RobotSummary is where a Robot stands and what it does.
//
// +informer:view=Robot
// +informer:index:name=byHall,path=spec.hall
// +informer:index:name=byTool,path=spec.tools.name
type RobotSummary struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   RobotSummarySpec `json:"spec,omitempty"`
	Status RobotStatus      `json:"status,omitempty"`
}

// RobotSummarySpec is part of RobotSpec, in which the hall is inlined and the tools
// are pointers.
type RobotSummarySpec struct {
	Hall  string `json:"hall,omitempty"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools,omitempty"`
}

// DeepCopyObject returns a copy.
func (in *RobotSummary) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Tools = append(out.Spec.Tools[:0:0], in.Spec.Tools...)
	return &out
}

// HallName is the metadata of a Hall, which is cluster-scoped.
//
// +informer:view=Hall
type HallName struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// DeepCopyObject returns a copy.
func (in *HallName) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}
