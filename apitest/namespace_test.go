package apitest_test

import (
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typedinformers/informer-gen/apitest"
)

func TestNamespaceLifecycle(t *testing.T) {
	c := client{t, apitest.Start(t, apitest.WithNamespaceLifecycle())}
	const configMaps = "/api/v1/namespaces/team/configmaps"
	missing := c.do("POST", configMaps, `{"metadata":{"name":"one"}}`, http.StatusNotFound)
	if message := missing.Object["message"]; message != `namespaces "team" not found` {
		t.Errorf("message: %v", message)
	}
	c.do("POST", "/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"one"}}`, http.StatusCreated)
	refused := c.do("DELETE", "/api/v1/namespaces/kube-system", "", http.StatusForbidden)
	if message := refused.Object["message"]; message != `namespaces "kube-system" is forbidden: this namespace may not be deleted` {
		t.Errorf("message: %v", message)
	}

	namespace := c.do("POST", "/api/v1/namespaces", `{"metadata":{"name":"team"}}`, http.StatusCreated)
	if got := namespaceState(namespace); got != "Active [kubernetes] team" {
		t.Errorf("created: %s", got)
	}
	c.do("POST", configMaps, `{"metadata":{"name":"one"}}`, http.StatusCreated)
	c.do("POST", configMaps, `{"metadata":{"name":"held","finalizers":["example.com/x"]}}`, http.StatusCreated)
	c.do("POST", "/api/v1/namespaces/team/pods", `{"metadata":{"name":"held","finalizers":["example.com/x"]}}`, http.StatusCreated)
	terminating := c.do("DELETE", "/api/v1/namespaces/team", "", http.StatusOK)
	if got := namespaceState(terminating); got != "Terminating [kubernetes] team" || terminating.GetDeletionTimestamp() == nil {
		t.Errorf("deleted: %s at %v", got, terminating.GetDeletionTimestamp())
	}
	// The other objects wait for the pods.
	c.do("GET", configMaps+"/one", "", http.StatusOK)
	c.release("/api/v1/namespaces/team/pods/held")
	c.do("GET", configMaps+"/one", "", http.StatusNotFound)
	c.do("GET", configMaps+"/held", "", http.StatusOK)
	forbidden := c.do("POST", configMaps, `{"metadata":{"generateName":"late-"}}`, http.StatusForbidden)
	if message, _, _ := unstructured.NestedString(forbidden.Object, "message"); message !=
		`configmaps "late-" is forbidden: unable to create new content in namespace team because it is being terminated` {
		t.Errorf("message: %s", message)
	}
	causes, _, _ := unstructured.NestedSlice(forbidden.Object, "details", "causes")
	if len(causes) != 1 || causes[0].(map[string]any)["reason"] != "NamespaceTerminating" {
		t.Errorf("causes: %v", causes)
	}
	c.do("GET", "/api/v1/namespaces/team", "", http.StatusOK)
	c.release(configMaps + "/held")
	c.do("GET", "/api/v1/namespaces/team", "", http.StatusNotFound)
}

// namespaceState is the phase, the finalizers and the label of a namespace.
func namespaceState(namespace *unstructured.Unstructured) string {
	phase, _, _ := unstructured.NestedString(namespace.Object, "status", "phase")
	finalizers, _, _ := unstructured.NestedStringSlice(namespace.Object, "spec", "finalizers")
	return phase + " [" + strings.Join(finalizers, ",") + "] " + namespace.GetLabels()["kubernetes.io/metadata.name"]
}

// release removes the finalizers of an object.
func (c client) release(path string) {
	c.Helper()
	object := c.do("GET", path, "", http.StatusOK)
	object.SetFinalizers(nil)
	body, err := object.MarshalJSON()
	if err != nil {
		c.Fatal(err)
	}
	c.do("PUT", path, string(body), http.StatusOK)
}

func TestFinalizeNamespace(t *testing.T) {
	c := client{t, apitest.Start(t, apitest.WithNamespaceLifecycle())}
	c.do("POST", "/api/v1/namespaces", `{"metadata":{"name":"team"},"spec":{"finalizers":["example.com/x"]}}`, http.StatusCreated)
	// An update of the namespace leaves spec.finalizers.
	c.do("PUT", "/api/v1/namespaces/team", `{"metadata":{"name":"team"},"spec":{"finalizers":[]}}`, http.StatusOK)
	c.do("DELETE", "/api/v1/namespaces/team", "", http.StatusOK)
	left := c.do("GET", "/api/v1/namespaces/team", "", http.StatusOK)
	if got := namespaceState(left); got != "Terminating [example.com/x] team" {
		t.Errorf("after the deletion: %s", got)
	}
	c.do("PUT", "/api/v1/namespaces/team/finalize", `{"metadata":{"name":"team"},"spec":{"finalizers":[]}}`, http.StatusOK)
	c.do("GET", "/api/v1/namespaces/team", "", http.StatusNotFound)
}

func TestNamespacesWithoutLifecycle(t *testing.T) {
	c := client{t, apitest.Start(t)}
	c.do("POST", "/api/v1/namespaces/team/configmaps", `{"metadata":{"name":"one"}}`, http.StatusCreated)
	c.do("POST", "/api/v1/namespaces", `{"metadata":{"name":"team"}}`, http.StatusCreated)
	c.do("DELETE", "/api/v1/namespaces/team", "", http.StatusOK)
	c.do("GET", "/api/v1/namespaces/team", "", http.StatusNotFound)
	c.do("GET", "/api/v1/namespaces/team/configmaps/one", "", http.StatusOK)
}
