package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/updates"
)

// load creates the objects of podserver. It writes them to etcd in the form in which the API server stores them: through the API
// server it would take minutes, and kubelets and controllers have more to write than a creator of pods.
func load(ctx context.Context, access link.Access, etcd, kindName string, objects int) {
	kind := podserver.Kinds[kindName]
	key := "/registry/" + kind.Resource + "/"
	if kind.Group != "" {
		key = "/registry/" + kind.Group + "/" + kind.Resource + "/"
		install(ctx, access, podserver.CRD, kind.Path())
	}
	// The API server takes no updates without the namespaces.
	clients := meter.Must(kubernetes.NewForConfig(access.Config()))
	for n := range podserver.Namespaces {
		meter.Must(clients.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: podserver.Namespace(n)}}, metav1.CreateOptions{}))
	}
	client := meter.Must(clientv3.New(clientv3.Config{Endpoints: []string{etcd}, Context: ctx}))
	defer client.Close()
	const together = 100
	podserver.OnAllCores((objects+together-1)/together, func(n int) {
		var puts []clientv3.Op
		for i := n * together; i < min((n+1)*together, objects); i++ {
			namespace, name := podserver.Name(i)
			puts = append(puts, clientv3.OpPut(key+namespace+"/"+name, string(stored(kind, i))))
		}
		updates.Retry(func() error {
			_, err := client.Txn(ctx).Then(puts...).Commit()
			return err
		})
	})
}

// stored is object i as the API server stores it.
func stored(kind podserver.Kind, i int) []byte {
	obj := kind.Object(i)
	obj.SetResourceVersion("")
	obj.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind)
	if kind.Group != "" {
		return meter.Must(json.Marshal(obj))
	}
	var text bytes.Buffer
	meter.Check(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(obj, &text))
	return text.Bytes()
}

// install creates a CRD of a manifest, and returns when its objects are served at a path.
func install(ctx context.Context, access link.Access, manifest []byte, path string) {
	crd := &unstructured.Unstructured{}
	meter.Check(yaml.Unmarshal(manifest, &crd.Object))
	crds := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	meter.Must(meter.Must(dynamic.NewForConfig(access.Config())).Resource(crds).Create(ctx, crd, metav1.CreateOptions{}))
	awaitServed(access, path)
}

// awaitServed returns when the cache of the API server has the objects at a path.
func awaitServed(access link.Access, path string) {
	web := meter.Must(rest.HTTPClientFor(access.Config()))
	for {
		response := meter.Must(web.Get(access.URL + path + "?resourceVersion=0"))
		meter.Check(response.Body.Close())
		if response.StatusCode == http.StatusOK {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
