package apitest_test

import (
	"net/netip"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/apitest"
)

// named returns an object without a spec.
func named(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(apiVersion)
	u.SetKind(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

// add stores objects, or fails the test.
func add(t *testing.T, server *apitest.Server, objects ...runtime.Object) {
	t.Helper()
	if err := server.Add(objects...); err != nil {
		t.Fatal(err)
	}
}

// A namespace that was there before the test can be deleted like another one.
func TestDeleteSeededNamespace(t *testing.T) {
	t.Parallel()
	server := apitest.Start(t, apitest.WithKinds(widget), apitest.WithNamespaceLifecycle())
	add(t, server, named("v1", "Namespace", "", "a"), named("example.com/v1", "Widget", "a", "one"))
	c := client{t, server}
	if phase, _, _ := unstructured.NestedString(c.do("GET", "/api/v1/namespaces/a", "", 200).Object, "status", "phase"); phase != "Active" {
		t.Errorf("phase %q", phase)
	}
	c.do("DELETE", "/api/v1/namespaces/a", "", 200)
	c.do("GET", "/api/v1/namespaces/a", "", 404)
	c.do("GET", widgets+"/one", "", 404)
}

// A seed that takes the place of another one is the same object for watches and dependents.
func TestAddAgainKeepsIdentity(t *testing.T) {
	t.Parallel()
	server := apitest.Start(t, apitest.WithKinds(widget))
	c := client{t, server}
	seed := named("example.com/v1", "Widget", "a", "one")
	add(t, server, seed)
	before := c.do("GET", widgets+"/one", "", 200)
	add(t, server, seed)
	after := c.do("GET", widgets+"/one", "", 200)
	if before.GetUID() != after.GetUID() || before.GetResourceVersion() == after.GetResourceVersion() {
		t.Errorf("%v became %v", before.Object, after.Object)
	}
	seed.SetUID("other")
	add(t, server, seed)
	if other := c.do("GET", widgets+"/one", "", 200); other.GetUID() != "other" {
		t.Errorf("the UID of a seed was dropped: %v", other.Object)
	}
}

// address has fields of which only package encoding/json knows the form.
type address struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Address netip.Addr     `json:"address"`
		Port    int            `json:"port,string"`
		Names   map[int]string `json:"names"`
	} `json:"spec"`
}

func (a *address) DeepCopyObject() runtime.Object { b := *a; return &b }

// A seed is what a client of its Go type would have sent.
func TestAddEncodesAsClientsDo(t *testing.T) {
	t.Parallel()
	kind := widget
	kind.Type = &address{}
	server := apitest.Start(t, apitest.WithKinds(kind))
	seed := &address{}
	seed.Name, seed.Namespace = "one", "a"
	seed.Spec.Address, seed.Spec.Port, seed.Spec.Names = netip.MustParseAddr("192.0.2.1"), 80, map[int]string{1: "x"}
	generic := named("example.com/v1", "Widget", "a", "two")
	generic.Object["spec"] = map[string]any{"address": "192.0.2.1", "port": "80", "replicas": 3} // an int, as tests write it
	add(t, server, seed, generic)
	spec := client{t, server}.do("GET", widgets+"/one", "", 200).Object["spec"].(map[string]any)
	if name, _, _ := unstructured.NestedString(spec, "names", "1"); spec["address"] != "192.0.2.1" || spec["port"] != "80" || name != "x" {
		t.Errorf("spec: %v", spec)
	}
}

// A write that changes nothing makes no version, also if it is in another version of the API.
func TestUnchangedInAnotherVersion(t *testing.T) {
	t.Parallel()
	beta := widget
	beta.Version = "v1beta1"
	c := client{t, apitest.Start(t, apitest.WithKinds(widget, beta))}
	c.do("POST", widgets, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}, "spec": {"size": 1}}`, 201)
	const path = "/apis/example.com/v1beta1/namespaces/a/widgets/one"
	before := c.do("GET", path, "", 200)
	data, err := before.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if after := c.do("PUT", path, string(data), 200); after.GetResourceVersion() != before.GetResourceVersion() {
		t.Errorf("version %s became %s", before.GetResourceVersion(), after.GetResourceVersion())
	}
}
