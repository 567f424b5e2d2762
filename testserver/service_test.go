package testserver_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/testserver"
)

// TestServiceOfAPIServer looks for the Service that kube-apiserver creates. A restart keeps it, and creates it again if it was deleted.
func TestServiceOfAPIServer(t *testing.T) {
	t.Parallel()
	server := testserver.Start(t, testserver.WithBuiltIn(&corev1.Service{}))
	services := kubeClient(t, server).CoreV1().Services(metav1.NamespaceDefault)
	first, err := services.Get(t.Context(), "kubernetes", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if first.Spec.ClusterIP == "" || len(first.Spec.Ports) != 1 || first.Spec.Ports[0].Port != 443 {
		t.Errorf("the Service is %v", first.Spec)
	}
	restart := func() *corev1.Service {
		t.Helper()
		if err := server.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		service, err := services.Get(t.Context(), "kubernetes", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return service
	}
	if kept := restart(); kept.UID != first.UID {
		t.Errorf("after a restart the Service has the UID %s, want %s", kept.UID, first.UID)
	}
	if err := services.Delete(t.Context(), "kubernetes", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if created := restart(); created.UID == first.UID {
		t.Error("the deleted Service is there after a restart")
	}
}
