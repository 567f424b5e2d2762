package apitest_test

import (
	"net/netip"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/apitest"
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

// gizmo is a Go type of a kind.
type gizmo struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

func (o *gizmo) DeepCopyObject() runtime.Object { c := *o; return &c }

// gizmoList is a list of it.
type gizmoList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []gizmo `json:"items"`
}

func (o *gizmoList) DeepCopyObject() runtime.Object { c := *o; return &c }

// The Go type tells the kind of a typed object, as for client-go's fakes. What it says itself need not be right.
func TestKindOfGoType(t *testing.T) {
	t.Parallel()
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(widget.GroupVersionKind, &gizmo{})
	kind := widget
	kind.Type = &gizmo{}
	gvr := widget.GroupVersion().WithResource("widgets")
	for what, start := range map[string]func() (*apitest.Server, *apitest.Tracker){
		"Kind.Type": func() (*apitest.Server, *apitest.Tracker) {
			server := apitest.Start(t, apitest.WithKinds(kind))
			return server, server.Tracker(nil)
		},
		"WithScheme": func() (*apitest.Server, *apitest.Tracker) {
			server := apitest.Start(t, apitest.WithKinds(widget), apitest.WithScheme(scheme))
			return server, server.Tracker(nil)
		},
		"the scheme of the Tracker": func() (*apitest.Server, *apitest.Tracker) {
			server := apitest.Start(t, apitest.WithKinds(widget))
			return nil, server.Tracker(scheme)
		},
	} {
		for _, meta := range []metav1.TypeMeta{
			{}, {APIVersion: "example.com/v1"}, {Kind: "Widget"}, {APIVersion: "example.com/v1", Kind: "Widget"},
			{APIVersion: "example.com/v1beta1", Kind: "Widget"}, {APIVersion: "v1", Kind: "Secret"}, {APIVersion: "a/b/c", Kind: "?"},
		} {
			server, tracker := start()
			one := &gizmo{TypeMeta: meta, ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: "a"}}
			check := func(call string, err error) {
				t.Helper()
				if err != nil {
					t.Errorf("%s: %s with %+v: %v", what, call, meta, err)
				}
				obj, err := tracker.Get(gvr, "a", one.Name)
				if err != nil {
					t.Errorf("%s: after %s with %+v: %v", what, call, meta, err)
				} else if u, ok := obj.(*unstructured.Unstructured); ok && u.GroupVersionKind() != widget.GroupVersionKind {
					t.Errorf("%s: after %s with %+v: %v", what, call, meta, u)
				}
			}
			if server != nil {
				check("Server.Add", server.Add(one))
				one.Name = "item"
				check("Server.Add of a list", server.Add(&gizmoList{Items: []gizmo{*one}}))
			}
			one.Name = "two"
			check("Add", tracker.Add(one))
			check("Add again", tracker.Add(one))
			check("Update", tracker.Update(gvr, one, "a"))
			check("Patch", tracker.Patch(gvr, one, "a"))
			check("Apply", tracker.Apply(gvr, one, "a"))
			one.Name = "three"
			check("Create", tracker.Create(gvr, one, "a"))
		}
	}
}

// One Go type may be that of several kinds. Then an object says of which one it is.
func TestKindsOfOneGoType(t *testing.T) {
	t.Parallel()
	kind, beta := widget, widget
	kind.Type, beta.Type = &gizmo{}, &gizmo{}
	beta.Version, beta.Kind, beta.Resource = "v1beta1", "Gadget", "gadgets"
	for meta, want := range map[metav1.TypeMeta]string{
		{}: widgets, {APIVersion: "example.com/v1beta1"}: "/apis/example.com/v1beta1/namespaces/a/gadgets",
		{APIVersion: "example.com/v1beta1", Kind: "Gadget"}: "/apis/example.com/v1beta1/namespaces/a/gadgets",
		{APIVersion: "example.com/v3", Kind: "Gadget"}:      widgets,
	} {
		server := apitest.Start(t, apitest.WithKinds(kind, beta))
		add(t, server, &gizmo{TypeMeta: meta, ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: "a"}})
		client{t, server}.do("GET", want+"/one", "", 200)
	}
}

// A generic object, and one of a Go type that the server does not have, has to name its kind.
func TestKindOfGenericObject(t *testing.T) {
	t.Parallel()
	kind := widget
	kind.Type = &gizmo{}
	server := apitest.Start(t, apitest.WithKinds(kind))
	for _, meta := range []metav1.TypeMeta{
		{}, {APIVersion: "example.com/v1"}, {Kind: "Widget"}, {APIVersion: "example.com/v1beta1", Kind: "Widget"},
	} {
		for _, obj := range []runtime.Object{
			named(meta.APIVersion, meta.Kind, "a", "one"),
			&address{TypeMeta: meta, ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: "a"}},
			&metav1.PartialObjectMetadata{TypeMeta: meta, ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: "a"}},
		} {
			if err := server.Add(obj); err == nil {
				t.Errorf("a %T with %+v was added", obj, meta)
			}
		}
	}
	add(t, server, named("example.com/v1", "Widget", "a", "one"), &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Widget"}, ObjectMeta: metav1.ObjectMeta{Name: "two", Namespace: "a"},
	})
	client{t, server}.do("GET", widgets+"/two", "", 200)
}
