package apiclients

import (
	"context"
	"reflect"
	"regexp"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

// release is the minor version of Kubernetes whose kinds the server has.
const release = 37

// withoutLifecycle are the versions that Kubernetes has removed and whose Go types do not say so.
var withoutLifecycle = map[schema.GroupVersion]bool{
	{Group: "node.k8s.io", Version: "v1alpha1"}:               true, // 1.22
	{Group: "rbac.authorization.k8s.io", Version: "v1alpha1"}: true, // 1.22
}

// removed reports whether Kubernetes does not serve a kind any more.
func removed(t *testing.T, gvk schema.GroupVersionKind) bool {
	t.Helper()
	object, err := scheme.Scheme.New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	lifecycle, ok := object.(interface{ APILifecycleRemoved() (major, minor int) })
	if !ok {
		return withoutLifecycle[gvk.GroupVersion()]
	}
	_, minor := lifecycle.APILifecycleRemoved()
	return minor <= release
}

// typedClient is one of the clients of kubernetes.Interface, such as that of Pods.
type typedClient struct {
	gvk        schema.GroupVersionKind
	resource   string
	namespaced bool
	client     reflect.Value
}

// groupMethod is the name of a method of kubernetes.Interface that returns the clients of a version, such as AppsV1.
var groupMethod = regexp.MustCompile(`V[0-9]+((alpha|beta)[0-9]+)?$`)

// typedClients returns the clients of all kinds that can be listed.
func typedClients(t *testing.T, client kubernetes.Interface) []typedClient {
	t.Helper()
	var all []typedClient
	groups := reflect.ValueOf(client)
	for i := range groups.NumMethod() {
		group := groups.Method(i)
		if !groupMethod.MatchString(groups.Type().Method(i).Name) {
			continue
		}
		all = append(all, clientsOf(t, group.Call(nil)[0])...)
	}
	return all
}

// clientsOf returns the clients of one version of a group.
func clientsOf(t *testing.T, version reflect.Value) []typedClient {
	t.Helper()
	var all []typedClient
	for i := range version.NumMethod() {
		getter := version.Type().Method(i)
		of := version.Method(i).Type()
		if getter.Name == "RESTClient" || of.NumOut() != 1 {
			continue
		}
		one := typedClient{resource: strings.ToLower(getter.Name), namespaced: of.NumIn() == 1}
		var arguments []reflect.Value
		if one.namespaced {
			arguments = append(arguments, reflect.ValueOf("a"))
		}
		one.client = version.Method(i).Call(arguments)[0]
		list := one.client.MethodByName("List")
		if !list.IsValid() {
			continue
		}
		empty := reflect.New(list.Type().Out(0).Elem()).Interface().(runtime.Object)
		gvks, _, err := scheme.Scheme.ObjectKinds(empty)
		if err != nil {
			t.Fatal(err)
		}
		one.gvk = gvks[0]
		one.gvk.Kind = strings.TrimSuffix(one.gvk.Kind, "List")
		all = append(all, one)
	}
	return all
}

func (c typedClient) list() error {
	results := c.client.MethodByName("List").Call([]reflect.Value{reflect.ValueOf(context.Background()), reflect.ValueOf(metav1.ListOptions{})})
	err, _ := results[1].Interface().(error)
	return err
}

// TestKindsAreThoseOfClientGo lists each kind that client-go has a client for, which tells the name of its resource and
// whether it is namespaced, and compares discovery with the methods of the clients.
func TestKindsAreThoseOfClientGo(t *testing.T) {
	_, config := start(t)
	client := clientset(t, config)
	_, lists, err := client.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	found := map[schema.GroupVersionResource]metav1.APIResource{}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range list.APIResources {
			found[gv.WithResource(resource.Name)] = resource
		}
	}
	served := 0
	for _, c := range typedClients(t, client) {
		gvr := c.gvk.GroupVersion().WithResource(c.resource)
		err := c.list()
		if removed(t, c.gvk) {
			if !apierrors.IsNotFound(err) {
				t.Errorf("%s, which Kubernetes has removed, answers %v", gvr, err)
			}
			continue
		}
		served++
		if err != nil {
			t.Errorf("%s: %v", gvr, err)
			continue
		}
		resource := found[gvr]
		if resource.Kind != c.gvk.Kind || resource.Namespaced != c.namespaced || resource.SingularName != strings.ToLower(c.gvk.Kind) {
			t.Errorf("%s is %s %q, namespaced %t in discovery; want %s, namespaced %t", gvr, resource.Kind, resource.SingularName, resource.Namespaced, c.gvk.Kind, c.namespaced)
		}
		for method, subresource := range map[string]string{
			"UpdateStatus": "status", "UpdateScale": "scale", "UpdateApproval": "approval", "CreateToken": "token",
			"UpdateEphemeralContainers": "ephemeralcontainers", "UpdateResize": "resize", "EvictV1": "eviction", "Bind": "binding", "Finalize": "finalize",
		} {
			_, has := found[c.gvk.GroupVersion().WithResource(c.resource+"/"+subresource)]
			if want := c.client.MethodByName(method).IsValid(); has != want {
				t.Errorf("%s/%s in discovery is %t, and the client has a method %s is %t", gvr, subresource, has, method, want)
			}
		}
	}
	if served < 90 {
		t.Errorf("only %d kinds were compared", served)
	}
}

// TestKindsAreThoseOfTheScheme looks for kinds of the scheme that the server does not have.
func TestKindsAreThoseOfTheScheme(t *testing.T) {
	_, config := start(t)
	_, lists, err := clientset(t, config).Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	found := map[schema.GroupVersionKind]bool{}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range list.APIResources {
			gvk := gv.WithKind(resource.Kind)
			if resource.Group != "" {
				gvk.Group = resource.Group
			}
			if resource.Version != "" {
				gvk.Version = resource.Version
			}
			found[gvk] = true
		}
	}
	// These are in requests and responses, and no resources.
	noResources := map[string]bool{
		"APIGroup": true, "APIVersions": true, "Status": true, "WatchEvent": true, "RangeAllocation": true, "SerializedReference": true,
	}
	for gvk := range scheme.Scheme.AllKnownTypes() {
		if strings.HasSuffix(gvk.Kind, "List") || strings.HasSuffix(gvk.Kind, "Options") || gvk.Version == runtime.APIVersionInternal || noResources[gvk.Kind] {
			continue
		}
		if want := !removed(t, gvk); found[gvk] != want {
			t.Errorf("%s: served is %t, want %t", gvk, found[gvk], want)
		}
	}
}
