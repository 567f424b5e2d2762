package podserver

import (
	_ "embed"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// CRD is the manifest of the custom resources of 2 KB.
//
//go:embed databases.yaml
var CRD []byte

// Names of the kinds.
const (
	Pods = "pods"
	// Small and Large are custom resources with 2 KB and 20 KB of JSON.
	Small = "2 KB"
	Large = "20 KB"
	// Nodes and LargePods have 13 KB and 9.5 KB of JSON.
	Nodes     = "nodes"
	LargePods = "pods of 9 KB"
)

// Kind is what a collection has objects of.
type Kind struct {
	schema.GroupVersionKind
	Resource string
	// make makes object i. Each generation of it differs from the one before.
	make func(i, generation int, version uint64) Object
	// empty makes an object without any field.
	empty func() Object
}

// Object is a pod, a node or a custom resource.
type Object interface {
	metav1.Object
	runtime.Object
}

// Kinds are by their names.
var Kinds = map[string]Kind{
	Pods: {
		corev1.SchemeGroupVersion.WithKind("Pod"), "pods",
		func(i, generation int, version uint64) Object { return newPod(i, generation, version) },
		func() Object { return new(corev1.Pod) },
	},
	LargePods: {
		corev1.SchemeGroupVersion.WithKind("Pod"), "pods",
		func(i, generation int, version uint64) Object {
			pod := newPod(i, generation, version)
			Enlarge(pod, 4)
			return pod
		},
		func() Object { return new(corev1.Pod) },
	},
	Nodes: {
		corev1.SchemeGroupVersion.WithKind("Node"), "nodes",
		func(i, generation int, version uint64) Object { return newNode(i, generation, version) },
		func() Object { return new(corev1.Node) },
	},
	Small: databasesWith(smallDatabase),
	Large: databasesWith(largeDatabase),
}

func databasesWith(parts int) Kind {
	return Kind{
		DatabaseVersion.WithKind("Database"), "databases",
		func(i, generation int, version uint64) Object { return newDatabase(i, generation, version, parts) },
		func() Object { return new(Database) },
	}
}

// Object makes object i as the server has it at first.
func (k Kind) Object(i int) Object { return k.make(i, 1, firstVersion+uint64(i)) }

// GroupVersionResource is what clients know the collection as.
func (k Kind) GroupVersionResource() schema.GroupVersionResource {
	return k.GroupVersion().WithResource(k.Resource)
}

// Path is that of the collection in all namespaces.
func (k Kind) Path() string {
	if k.Group == "" {
		return "/api/" + k.Version + "/" + k.Resource
	}
	return strings.Join([]string{"/apis", k.Group, k.Version, k.Resource}, "/")
}
