package main

import (
	"context"
	"fmt"
	"iter"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// informer is one of any side.
type informer struct {
	// run returns when ctx has ended, and the informer.
	run func(ctx context.Context)
	// stored are all objects, or views.
	stored iter.Seq[podserver.Object]
	// stats are those of ours.
	stats func() status.Stats
}

// handler receives events of an informer.
type handler interface {
	Add()
	Update(metav1.Object)
	Delete()
}

// newInformer makes an informer with an index by namespace.
func (c *client) newInformer(handlers ...handler) *informer {
	isPod := c.kindName == podserver.Pods
	config := c.link.Through(c.access.Config())
	switch {
	case c.side == "crcache":
		return c.newManager(config, crcache.New, handlers[0])
	case c.side == "controller-runtime":
		return c.newManager(config, nil, handlers[0])
	case c.side == "none":
		return c.newRequest(connect(config, c.json), handlers[0])
	case c.side == "client-go" && c.fields == "metadata":
		return newTheirs[*metav1.PartialObjectMetadata](c, c.theirMetadata(config), handlers)
	case c.side == "client-go" && isPod:
		return newTheirs[*corev1.Pod](c, theirPods(connect(config, c.json)), handlers)
	case c.side == "client-go":
		return newTheirs[*podserver.Database](c, theirDatabases(connect(config, c.json)), handlers)
	case c.side != "informer-gen":
		meter.Check(fmt.Errorf("there is no side %q", c.side))
	case c.fields == "metadata":
		return newOurs[*metav1.PartialObjectMetadata](c, connect(config, c.json), handlers)
	case !isPod:
		return newOurs[*podserver.Database](c, connect(config, c.json), handlers)
	case c.fields == "view":
		return newOurs[*podView](c, connect(config, c.json), handlers)
	}
	return newOurs[*corev1.Pod](c, connect(config, c.json), handlers)
}

// connection is what both sides make informers of, as users of client-go do.
type connection struct {
	clientset *kubernetes.Clientset
	// databases has the API version of custom resources.
	databases *rest.RESTClient
}

// scheme is like that of a generated clientset.
var scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(podserver.DatabaseVersion, &podserver.Database{}, &podserver.DatabaseList{})
	metav1.AddToGroupVersion(s, podserver.DatabaseVersion)
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	return s
}

// connect does what clientsets do by default, unless it is asked for JSON.
func connect(config *rest.Config, asJSON bool) *connection {
	if asJSON {
		config.ContentType = runtime.ContentTypeJSON
	}
	ofDatabases := rest.CopyConfig(config)
	ofDatabases.GroupVersion, ofDatabases.APIPath = &podserver.DatabaseVersion, "/apis"
	ofDatabases.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return &connection{meter.Must(kubernetes.NewForConfig(config)), meter.Must(rest.RESTClientFor(ofDatabases))}
}

// of returns the client of a kind.
func (c *connection) of(kind podserver.Kind) rest.Interface {
	if kind.Group == "" {
		return c.clientset.CoreV1().RESTClient()
	}
	return c.databases
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
