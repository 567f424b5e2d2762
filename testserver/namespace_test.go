package testserver_test

import (
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	applycoordinationv1 "k8s.io/client-go/applyconfigurations/coordination/v1"
	"k8s.io/client-go/dynamic"

	"github.com/typedinformers/informer-gen/testserver"
)

var widgetResource = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

// TestDeletedNamespaceTakesItsContents deletes a namespace with a custom resource, a lease, and a lease that a
// finalizer holds.
func TestDeletedNamespaceTakesItsContents(t *testing.T) {
	t.Parallel()
	const name = "doomed"
	client := kubeClient(t, shared)
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	objects, err := dynamic.NewForConfig(shared.Config())
	if err != nil {
		t.Fatal(err)
	}
	widgets := objects.Resource(widgetResource).Namespace(name)
	create(t, widgets, "w")
	create(t, objects.Resource(widgetResource).Namespace("spared"), "w")
	leases := client.CoordinationV1().Leases(name)
	held := applycoordinationv1.Lease("held", name).WithFinalizers("example.com/hold")
	for _, lease := range []*applycoordinationv1.LeaseApplyConfiguration{applycoordinationv1.Lease("free", name), held} {
		if _, err := leases.Apply(t.Context(), lease, metav1.ApplyOptions{FieldManager: "test"}); err != nil {
			t.Fatal(err)
		}
	}
	byName := metav1.ListOptions{FieldSelector: "metadata.name=" + name}
	watcher, err := client.CoreV1().Namespaces().Watch(t.Context(), byName)
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	heldWatcher, err := leases.Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=held"})
	if err != nil {
		t.Fatal(err)
	}
	defer heldWatcher.Stop()

	if err := client.CoreV1().Namespaces().Delete(t.Context(), name, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().Namespaces().Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	terminating := await(t, watcher, watch.Modified).(*corev1.Namespace)
	if terminating.Status.Phase != corev1.NamespaceTerminating || terminating.DeletionTimestamp == nil {
		t.Errorf("the deleted namespace is %v", terminating)
	}
	_, err = widgets.Create(t.Context(), widget("late"), metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) || !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		t.Errorf("a create in the deleted namespace returns %v", err)
	}
	await(t, heldWatcher, watch.Modified) // it is being deleted
	held.Finalizers = nil
	if _, err := leases.Apply(t.Context(), held, metav1.ApplyOptions{FieldManager: "test"}); err != nil {
		t.Fatal(err)
	}
	await(t, watcher, watch.Deleted)

	for _, left := range []struct {
		namespace string
		want      int
	}{{name, 0}, {"spared", 1}} {
		list, err := objects.Resource(widgetResource).Namespace(left.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.Items) != left.want {
			t.Errorf("namespace %s has %d widgets, want %d: %v", left.namespace, len(list.Items), left.want, err)
		}
	}
	// It can be created again.
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	create(t, widgets, "w")
}

// TestRestartWithDeletedNamespace restarts a server while a finalizer in a namespace's own metadata holds it.
func TestRestartWithDeletedNamespace(t *testing.T) {
	t.Parallel()
	server := testserver.Start(t)
	namespaces := kubeClient(t, server).CoreV1().Namespaces()
	held := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "held", Finalizers: []string{"example.com/hold"}}}
	if _, err := namespaces.Create(t.Context(), held, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := namespaces.Delete(t.Context(), "held", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	held, err := namespaces.Get(t.Context(), "held", metav1.GetOptions{})
	if err != nil || held.Status.Phase != corev1.NamespaceTerminating {
		t.Fatalf("after the restart the namespace is %v, %v", held, err)
	}
	watcher, err := namespaces.Watch(t.Context(), metav1.ListOptions{ResourceVersion: held.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	patch := []byte(`{"metadata":{"finalizers":null}}`)
	if _, err := namespaces.Patch(t.Context(), "held", "application/merge-patch+json", patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, watcher, watch.Deleted)
}

func TestNamespaceLifecycle(t *testing.T) {
	t.Parallel()
	server := start(t, testserver.WithNamespaceLifecycle(), testserver.WithDir(filepath.Join(t.TempDir(), "data")))
	objects, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	missing := objects.Resource(widgetResource).Namespace("missing")
	refuses := func() {
		t.Helper()
		_, err := missing.Create(t.Context(), widget("w"), metav1.CreateOptions{})
		if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), `namespaces "missing" not found`) {
			t.Errorf("a create in a namespace that does not exist returns %v", err)
		}
	}
	refuses()
	namespaces := kubeClient(t, server).CoreV1().Namespaces()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "missing"}}
	if _, err := namespaces.Create(t.Context(), namespace, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		t.Fatal(err)
	}
	refuses()
	create(t, objects.Resource(widgetResource).Namespace("default"), "w")
	if _, err := namespaces.Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	create(t, missing, "w")
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	create(t, missing, "x")
	create(t, objects.Resource(widgetResource).Namespace("default"), "x")
}

// widget is an object of the CRD in testdata.
func widget(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1",
		"kind":       "Widget",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"size": int64(1)},
	}}
}
