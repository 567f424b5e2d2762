package packing

import (
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
)

// reading is a controller that reads some fields of nodes or pods.
type reading struct {
	kind, controller string
	fields           []string // none for all
	// keep is a transform that keeps the same fields, by hand.
	keep func(obj any) client.Object
}

var readings = []reading{
	{"nodes", "all", nil, nil},
	{"nodes", "scheduler", []string{"metadata.labels", "spec.taints", "spec.unschedulable", "status.allocatable"}, func(obj any) client.Object {
		n := obj.(*corev1.Node)
		kept := &corev1.Node{ObjectMeta: identity(&n.ObjectMeta)}
		kept.Labels = n.Labels
		kept.Spec.Taints, kept.Spec.Unschedulable, kept.Status.Allocatable = n.Spec.Taints, n.Spec.Unschedulable, n.Status.Allocatable
		return kept
	}},
	{"nodes", "health", []string{"spec.providerID", "spec.taints", "spec.unschedulable", "status.conditions"}, func(obj any) client.Object {
		n := obj.(*corev1.Node)
		kept := &corev1.Node{ObjectMeta: identity(&n.ObjectMeta)}
		kept.Spec.ProviderID, kept.Spec.Taints, kept.Spec.Unschedulable, kept.Status.Conditions = n.Spec.ProviderID, n.Spec.Taints, n.Spec.Unschedulable, n.Status.Conditions
		return kept
	}},
	{"nodes", "metrics", []string{"metadata.labels", "status.capacity"}, func(obj any) client.Object {
		n := obj.(*corev1.Node)
		kept := &corev1.Node{ObjectMeta: identity(&n.ObjectMeta)}
		kept.Labels, kept.Status.Capacity = n.Labels, n.Status.Capacity
		return kept
	}},
	{"pods8KB", "all", nil, nil},
	{"pods8KB", "scheduler", []string{"metadata.labels", "spec.nodeName", "spec.tolerations", "spec.affinity", "spec.containers.resources", "spec.containers.ports", "spec.volumes", "status.phase"}, func(obj any) client.Object {
		p := obj.(*corev1.Pod)
		kept := &corev1.Pod{ObjectMeta: identity(&p.ObjectMeta)}
		kept.Labels = p.Labels
		kept.Spec.NodeName, kept.Spec.Tolerations, kept.Spec.Affinity, kept.Spec.Volumes, kept.Status.Phase = p.Spec.NodeName, p.Spec.Tolerations, p.Spec.Affinity, p.Spec.Volumes, p.Status.Phase
		kept.Spec.Containers = make([]corev1.Container, len(p.Spec.Containers))
		for i, c := range p.Spec.Containers {
			kept.Spec.Containers[i] = corev1.Container{Resources: c.Resources, Ports: c.Ports}
		}
		return kept
	}},
	{"pods8KB", "health", []string{"spec.nodeName", "status.phase", "status.conditions"}, func(obj any) client.Object {
		p := obj.(*corev1.Pod)
		kept := &corev1.Pod{ObjectMeta: identity(&p.ObjectMeta)}
		kept.Spec.NodeName, kept.Status.Phase, kept.Status.Conditions = p.Spec.NodeName, p.Status.Phase, p.Status.Conditions
		return kept
	}},
	{"pods8KB", "metrics", []string{"metadata.labels", "spec.nodeName", "spec.containers.name", "spec.containers.resources", "status.containerStatuses.restartCount"}, func(obj any) client.Object {
		p := obj.(*corev1.Pod)
		kept := &corev1.Pod{ObjectMeta: identity(&p.ObjectMeta)}
		kept.Labels, kept.Spec.NodeName = p.Labels, p.Spec.NodeName
		kept.Spec.Containers = make([]corev1.Container, len(p.Spec.Containers))
		for i, c := range p.Spec.Containers {
			kept.Spec.Containers[i] = corev1.Container{Name: c.Name, Resources: c.Resources}
		}
		kept.Status.ContainerStatuses = make([]corev1.ContainerStatus, len(p.Status.ContainerStatuses))
		for i, s := range p.Status.ContainerStatuses {
			kept.Status.ContainerStatuses[i] = corev1.ContainerStatus{RestartCount: s.RestartCount}
		}
		return kept
	}},
}

// identity returns the metadata that always stays.
func identity(m *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: m.Name, Namespace: m.Namespace, UID: m.UID, ResourceVersion: m.ResourceVersion, Generation: m.Generation,
		DeletionTimestamp: m.DeletionTimestamp, Finalizers: m.Finalizers, OwnerReferences: m.OwnerReferences,
	}
}

// objects returns what the controller reads.
func (r *reading) objects(count int) objects {
	if r.kind == "nodes" {
		return objectsOf(nodes(count), count, corev1.SchemeGroupVersion.WithResource("nodes"), "Node", func() *corev1.Node { return new(corev1.Node) }, func(node *corev1.Node) string { return string(node.UID) }, cache.Indexers[*corev1.Node]{})
	}
	return podsOf(count, enlarge)
}

// caches returns the constructors of both sides.
func (r *reading) caches() map[string]ctrlcache.NewCacheFunc {
	if r.fields == nil {
		return map[string]ctrlcache.NewCacheFunc{"controller-runtime": ctrlcache.New, "informer-gen": crcache.New}
	}
	var obj client.Object = &corev1.Pod{}
	if r.kind == "nodes" {
		obj = &corev1.Node{}
	}
	return map[string]ctrlcache.NewCacheFunc{
		"controller-runtime": func(config *rest.Config, options ctrlcache.Options) (ctrlcache.Cache, error) {
			options.DefaultTransform = func(obj any) (any, error) { return r.keep(obj), nil }
			return ctrlcache.New(config, options)
		},
		"informer-gen": crcache.NewFunc(crcache.WithFields(obj, r.fields...)),
	}
}

// BenchmarkFields measures a first list of objects of which a controller keeps some fields, and their memory.
func BenchmarkFields(b *testing.B) {
	for _, r := range readings {
		o := r.objects(*count / 4)
		for _, project := range []string{"informer-gen", "controller-runtime"} {
			s := side{project: project, follow: controllerRuntime(r.caches()[project])}
			b.Run(fmt.Sprintf("%s/%s/FirstSync/objects=%d/side=%s", r.kind, r.controller, o.count, project), func(b *testing.B) { firstSync(b, &s, o) })
		}
	}
}

// TestFieldsAreTheSame reads an object from the caches of both sides.
func TestFieldsAreTheSame(t *testing.T) {
	for _, r := range readings {
		t.Run(r.kind+"/"+r.controller, func(t *testing.T) {
			o, got := r.objects(3), map[string]client.Object{}
			for project, newCache := range r.caches() {
				var made ctrlcache.Cache
				f := controllerRuntime(func(config *rest.Config, options ctrlcache.Options) (c ctrlcache.Cache, err error) {
					made, err = newCache(config, options)
					return made, err
				})(t, o)
				got[project] = o.empty()
				key := client.ObjectKey{Name: "node-1"}
				if r.kind != "nodes" {
					key.Namespace, key.Name = podserver.Name(1)
				}
				if err := made.Get(t.Context(), key, got[project]); err != nil {
					t.Fatal(err)
				}
				f.stop()
			}
			if !reflect.DeepEqual(got["informer-gen"], got["controller-runtime"]) {
				t.Errorf("the object is\n%+v, and with a transform\n%+v", got["informer-gen"], got["controller-runtime"])
			}
		})
	}
}
