package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// informer is one of either side.
type informer interface {
	// start returns at once. The informer ends with ctx.
	start(ctx context.Context)
	// stored calls yield for each object.
	stored(yield func(metav1.Object))
	// get returns a pod, or what it keeps of it, in its own type.
	get(namespace, name string) (any, bool)
}

// newInformer makes an informer with an index by namespace and one handler.
func newInformer(side, mode, fields string, clients *kubernetes.Clientset, heard *observer) (informer, error) {
	switch {
	case side == report.Theirs:
		return newTheirs(fields, clients, heard)
	case side != report.Ours:
		return nil, fmt.Errorf("there is no side %q", side)
	case fields == report.View:
		return newOurs[*podView](mode, fields, clients, heard)
	}
	return newOurs[*corev1.Pod](mode, fields, clients, heard)
}

// newClients speak JSON, which is all that there is for the objects of CRDs.
func newClients(server string) (*kubernetes.Clientset, error) {
	return kubernetes.NewForConfig(&rest.Config{
		Host:          server,
		QPS:           -1, // no limit
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON},
	})
}

// podView is what a typical view of pods has.
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

// unread is the annotation that all pods have. Who takes a view does not read it.
const unread = "example.com/checksum"

func viewOf(pod *corev1.Pod) *podView {
	v := &podView{
		TypeMeta: pod.TypeMeta, ObjectMeta: pod.ObjectMeta, Spec: podViewSpec{pod.Spec.NodeName},
		Status: podViewStatus{Phase: pod.Status.Phase, PodIP: pod.Status.PodIP},
	}
	v.ManagedFields, v.Annotations = nil, nil
	return v
}

// observer is the one handler: it counts, and tells when it hears of a change of
// the sentinel, or has been told of as many objects as there are.
type observer struct {
	objects             int
	namespace, sentinel string
	// Only the goroutine of the handler touches these.
	adds, updates, deletes int
	// marks has room for all that one scenario makes.
	marks chan mark
}

// mark is what the handler has heard since the last one.
type mark struct {
	at                     time.Time
	adds, updates, deletes int
}

func newObserver(objects int) *observer {
	o := &observer{objects: objects, marks: make(chan mark, 16)}
	o.namespace, o.sentinel = podserver.Name(podserver.Sentinel)
	return o
}

func (o *observer) add() {
	if o.adds++; o.adds == o.objects {
		o.mark()
	}
}

// update may be of an object that has not changed: client-go tells of those that a
// relist finds, too.
func (o *observer) update(before, after metav1.Object) {
	o.updates++
	if after.GetName() == o.sentinel && after.GetNamespace() == o.namespace && after.GetResourceVersion() != before.GetResourceVersion() {
		o.mark()
	}
}

func (o *observer) delete() { o.deletes++ }

func (o *observer) mark() {
	o.marks <- mark{time.Now(), o.adds, o.updates, o.deletes}
	o.adds, o.updates, o.deletes = 0, 0, 0
}
