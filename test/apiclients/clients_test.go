package apiclients

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var (
	configMapResource = corev1.SchemeGroupVersion.WithResource("configmaps")
	widgetResource    = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
)

// TestClientsShareOneState writes with each kind of client and reads with the others.
func TestClientsShareOneState(t *testing.T) {
	_, config := start(t)
	typed := clientset(t, config)
	generic, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	partial, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	runtimeClient, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()

	made, err := typed.CoreV1().ConfigMaps("a").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "typed"}, Data: map[string]string{"k": "v"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := generic.Resource(configMapResource).Namespace("a").Get(ctx, "typed", metav1.GetOptions{}); err != nil || got.GetUID() != made.UID {
		t.Errorf("dynamic: %v %v", got, err)
	}
	if got, err := partial.Resource(configMapResource).Namespace("a").Get(ctx, "typed", metav1.GetOptions{}); err != nil || got.UID != made.UID {
		t.Errorf("metadata: %v %v", got, err)
	}
	var got corev1.ConfigMap
	if err := runtimeClient.Get(ctx, client.ObjectKey{Namespace: "a", Name: "typed"}, &got); err != nil || got.Data["k"] != "v" {
		t.Errorf("controller-runtime: %v %v", got, err)
	}

	wd := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "spec": map[string]any{"replicas": int64(2)}}}
	wd.SetName("generic")
	wd.SetNamespace("a")
	if err := runtimeClient.Create(ctx, wd); err != nil {
		t.Fatal(err)
	}
	wd.Object["status"] = map[string]any{"replicas": int64(1)}
	if err := runtimeClient.Status().Update(ctx, wd); err != nil {
		t.Fatal(err)
	}
	found, err := generic.Resource(widgetResource).Namespace("a").Get(ctx, "generic", metav1.GetOptions{}, "scale")
	if err != nil {
		t.Fatal(err)
	}
	spec, _, _ := unstructured.NestedInt64(found.Object, "spec", "replicas")
	status, _, _ := unstructured.NestedInt64(found.Object, "status", "replicas")
	if found.GetKind() != "Scale" || spec != 2 || status != 1 {
		t.Errorf("scale: %v", found.Object)
	}
	list, err := partial.Resource(widgetResource).List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Name != "generic" {
		t.Errorf("list of metadata: %v %v", list, err)
	}
	if err := runtimeClient.DeleteAllOf(ctx, wd, client.InNamespace("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := generic.Resource(widgetResource).Namespace("a").Get(ctx, "generic", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after DeleteAllOf: %v", err)
	}
}

// TestProtobuf sends and receives built-in kinds in protobuf, which client-go does by default in a cluster.
func TestProtobuf(t *testing.T) {
	server, config := start(t)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	seen := map[string]bool{}
	config.Transport = roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := server.RoundTrip(request)
		if err == nil {
			seen[request.Method+" "+response.Header.Get("Content-Type")] = true
		}
		return response, err
	})
	typed, ctx := clientset(t, config), context.Background()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "image"}}}}
	if _, err := typed.CoreV1().Pods("a").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	list, err := typed.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Spec.Containers[0].Image != "image" {
		t.Fatalf("list: %v %v", list, err)
	}
	watched, err := typed.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watched.Stop()
	event := <-watched.ResultChan()
	if pod, ok := event.Object.(*corev1.Pod); !ok || pod.Name != "one" {
		t.Errorf("event %v", event)
	}
	for _, want := range []string{"POST application/vnd.kubernetes.protobuf", "GET application/vnd.kubernetes.protobuf", "GET application/vnd.kubernetes.protobuf;stream=watch"} {
		if !seen[want] {
			t.Errorf("no answer to %s; have %v", want, seen)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestClientRetries shows what client-go makes of faults.
func TestClientRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, config := start(t)
		maps, ctx := clientset(t, config).CoreV1().ConfigMaps("a"), context.Background()
		if err := server.Add(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: "a"}}); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		server.On("get", "configmaps").Times(2).TooManyRequests(3 * time.Second)
		server.On("get", "configmaps").Once().Disconnect()
		object, err := maps.Get(ctx, "one", metav1.GetOptions{})
		if err != nil || time.Since(begin) < 6*time.Second {
			t.Errorf("get: %v after %s, want an object after both waits", err, time.Since(begin))
		}
		server.On("update", "configmaps").Once().Conflict()
		if _, err := maps.Update(ctx, object, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			t.Errorf("update: %v, want a conflict", err)
		}
		server.On("delete", "configmaps").Once().LoseResponse()
		if err := maps.Delete(ctx, "one", metav1.DeleteOptions{}); !utilnet.IsConnectionReset(err) {
			t.Errorf("delete: %v, want a broken connection", err)
		}
		if _, err := maps.Get(ctx, "one", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("get after the lost response: %v, want not found", err)
		}
		server.On("list", "configmaps").Once().Fail(apierrors.NewForbidden(corev1.Resource("configmaps"), "", errors.New("no")))
		if _, err := maps.List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("list: %v, want forbidden", err)
		}
	})
}
