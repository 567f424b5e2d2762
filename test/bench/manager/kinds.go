package main

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// kind is one of the kinds that are measured.
type kind struct {
	schema.GroupVersionKind
	// prefix begins the names of its rows.
	prefix string
	object func() client.Object
	list   func() client.ObjectList
	// number is a number of each object, below the limit. Objects have any number alike often.
	number func(client.Object) int
	limit  int
}

var kinds = map[string]*kind{
	report.Pods: {
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Pod"),
		prefix:           "pods, ",
		object:           func() client.Object { return new(corev1.Pod) },
		list:             func() client.ObjectList { return new(corev1.PodList) },
		number: func(obj client.Object) (node int) {
			if _, err := fmt.Sscanf(obj.(*corev1.Pod).Spec.NodeName, "node-%d", &node); err != nil {
				panic(err) // each pod has a node
			}
			return node
		},
		limit: 2000,
	},
	report.Small: {
		GroupVersionKind: podserver.DatabaseVersion.WithKind("Database"),
		prefix:           "custom resources, ",
		object:           func() client.Object { return new(podserver.Database) },
		list:             func() client.ObjectList { return new(podserver.DatabaseList) },
		number:           func(obj client.Object) int { return int(obj.(*podserver.Database).Spec.Storage.Gigabytes) },
		limit:            4000,
	},
}

// scheme has the types of all kinds.
var scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	s.AddKnownTypes(podserver.DatabaseVersion, new(podserver.Database), new(podserver.DatabaseList))
	metav1.AddToGroupVersion(s, podserver.DatabaseVersion)
	return s
}

// bucket is the field of the index. About perBucket objects have the same bucket.
const (
	bucket    = "bucket"
	perBucket = 100
)

// buckets is the function of the index.
func (m *measurement) buckets(obj client.Object) []string {
	buckets := max(m.objects/perBucket, 1)
	return []string{strconv.Itoa(m.kind.number(obj) * buckets / m.kind.limit)}
}

// form is how objects are read.
type form struct {
	name   string
	object func(*kind) client.Object
	list   func(*kind) client.ObjectList
}

var (
	typed = form{
		"typed",
		func(k *kind) client.Object { return k.object() },
		func(k *kind) client.ObjectList { return k.list() },
	}
	metadata = form{
		"metadata",
		func(k *kind) client.Object {
			obj := new(metav1.PartialObjectMetadata)
			obj.SetGroupVersionKind(k.GroupVersionKind)
			return obj
		},
		func(k *kind) client.ObjectList {
			list := new(metav1.PartialObjectMetadataList)
			list.SetGroupVersionKind(k.listKind())
			return list
		},
	}
	unstructuredForm = form{
		"unstructured",
		func(k *kind) client.Object {
			obj := new(unstructured.Unstructured)
			obj.SetGroupVersionKind(k.GroupVersionKind)
			return obj
		},
		func(k *kind) client.ObjectList {
			list := new(unstructured.UnstructuredList)
			list.SetGroupVersionKind(k.listKind())
			return list
		},
	}
)

func (k *kind) listKind() schema.GroupVersionKind {
	return k.GroupVersion().WithKind(k.Kind + "List")
}
