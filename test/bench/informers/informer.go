package main

import (
	"context"
	"fmt"
	"iter"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// informer is one of either side.
type informer struct {
	// start returns at once. The informer ends with ctx.
	start func(ctx context.Context)
	// stored are all objects.
	stored iter.Seq[metav1.Object]
	// get returns an object or a podView.
	get func(namespace, name string) (any, bool)
}

// handler receives events of an informer. *meter.Counter is one.
type handler interface {
	Add()
	Update(any)
	Delete()
}

// newInformer makes an informer with an index by namespace.
func (c *client) newInformer(handlers ...handler) (*informer, error) {
	pods, databases := c.Kind == report.Pods, c.Kind != report.Pods
	switch {
	case c.Side == report.Theirs && pods:
		return newTheirs[*corev1.Pod](c.theirPods(), handlers)
	case c.Side == report.Theirs:
		return newTheirs[*podserver.Database](c.theirDatabases(), handlers)
	case c.Side != report.Ours:
		return nil, fmt.Errorf("there is no side %q", c.Side)
	case databases:
		return newOurs[*podserver.Database](c, handlers)
	case c.Fields == report.View:
		return newOurs[*podView](c, handlers)
	}
	return newOurs[*corev1.Pod](c, handlers)
}

// podView has the fields of a typical view of pods.
type podView struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              podViewSpec   `json:"spec"`
	Status            podViewStatus `json:"status"`
}

type podViewSpec struct {
	NodeName string `json:"nodeName"`
}

type podViewStatus struct {
	Phase corev1.PodPhase `json:"phase"`
	PodIP string          `json:"podIP"`
}

func (v *podView) DeepCopyObject() runtime.Object {
	c := *v
	v.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	return &c
}

// unread is the annotation that all pods have, and that a view leaves out.
const unread = "example.com/checksum"

func viewOf(pod *corev1.Pod) *podView {
	v := &podView{pod.TypeMeta, pod.ObjectMeta, podViewSpec{pod.Spec.NodeName}, podViewStatus{pod.Status.Phase, pod.Status.PodIP}}
	v.ManagedFields, v.Annotations = nil, nil
	return v
}
