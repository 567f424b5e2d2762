package apiclients

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/typedinformers/informer-gen/apitest"
)

func discoveryClient(t *testing.T, config *rest.Config) *discovery.DiscoveryClient {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestAggregatedDiscoveryIsThatOfEachVersion reads all resources in two requests, and then in one for each version.
func TestAggregatedDiscoveryIsThatOfEachVersion(t *testing.T) {
	_, config := start(t)
	aggregated := discoveryClient(t, config)
	legacy := discoveryClient(t, config)
	legacy.UseLegacyDiscovery = true
	groups, lists, err := aggregated.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	legacyGroups, legacyLists, err := legacy.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) != len(legacyGroups) || len(lists) != len(legacyLists) || len(lists) < 20 {
		t.Fatalf("%d and %d groups, %d and %d versions", len(groups), len(legacyGroups), len(lists), len(legacyLists))
	}
	for i := range groups {
		legacyGroups[i].TypeMeta, legacyGroups[i].ServerAddressByClientCIDRs = groups[i].TypeMeta, groups[i].ServerAddressByClientCIDRs
		if !reflect.DeepEqual(groups[i], legacyGroups[i]) {
			t.Errorf("group %v, by itself %v", groups[i], legacyGroups[i])
		}
	}
	byName := func(a, b *metav1.APIResourceList) int { return strings.Compare(a.GroupVersion, b.GroupVersion) }
	slices.SortFunc(lists, byName) // the client has them in no order
	slices.SortFunc(legacyLists, byName)
	for i := range lists {
		gv, err := schema.ParseGroupVersion(lists[i].GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		if legacyLists[i].GroupVersion != lists[i].GroupVersion || len(legacyLists[i].APIResources) != len(lists[i].APIResources) {
			t.Errorf("%s: %d resources; %s by itself: %d", lists[i].GroupVersion, len(lists[i].APIResources), legacyLists[i].GroupVersion, len(legacyLists[i].APIResources))
			continue
		}
		for j, want := range lists[i].APIResources {
			got := legacyLists[i].APIResources[j]
			// Aggregated discovery always has the group and the version, and never the hash. The client gives
			// subresources the singular name of the resource.
			got.StorageVersionHash = ""
			if strings.Contains(got.Name, "/") {
				got.SingularName = want.SingularName
			}
			if got.Group == "" && got.Version == "" {
				got.Group, got.Version = gv.Group, gv.Version
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, by itself %+v", gv, want, got)
			}
		}
	}
	if last := groups[len(groups)-1]; last.Name != "example.com" || last.PreferredVersion.Version != "v1" {
		t.Errorf("the last group is %+v, want example.com with v1", last)
	}
}

func TestPreferredVersions(t *testing.T) {
	_, config := start(t)
	lists, err := discoveryClient(t, config).ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	preferred := map[string]string{}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			preferred[resource.Kind] = list.GroupVersion
		}
	}
	for kind, want := range map[string]string{
		"HorizontalPodAutoscaler": "autoscaling/v2", "Lease": "coordination.k8s.io/v1", "LeaseCandidate": "coordination.k8s.io/v1beta1",
		"Widget": "example.com/v1", "Pod": "v1",
	} {
		if preferred[kind] != want {
			t.Errorf("%s is preferred in %q, want %q", kind, preferred[kind], want)
		}
	}
}

// TestMappers maps kinds to resources and back, as kubectl, the garbage collector and controller-runtime do.
func TestMappers(t *testing.T) {
	server, config := start(t)
	deferred := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoveryClient(t, config)))
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	dynamic, err := apiutil.NewDynamicRESTMapper(config, client)
	if err != nil {
		t.Fatal(err)
	}
	shortcuts := restmapper.NewShortcutExpander(deferred, discoveryClient(t, config), nil)
	for _, short := range []string{"wd", "deploy", "hpa", "sts", "netpol", "crd"} {
		_, err := shortcuts.ResourceFor(schema.GroupVersionResource{Resource: short})
		if found := err == nil; found != (short != "crd") {
			t.Errorf("short name %s: %v", short, err)
		}
	}
	late := apitest.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "late.example.com", Version: "v1", Kind: "Late"}, Resource: "latecomers"}
	for _, step := range []struct {
		gk         schema.GroupKind
		resource   string
		namespaced bool
	}{
		{schema.GroupKind{Kind: "Node"}, "/v1, Resource=nodes", false},
		{schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}, "autoscaling/v2, Resource=horizontalpodautoscalers", true},
		{schema.GroupKind{Group: "example.com", Kind: "Widget"}, "example.com/v1, Resource=widgets", true},
		{schema.GroupKind{Group: "late.example.com", Kind: "Late"}, "late.example.com/v1, Resource=latecomers", false},
	} {
		if step.gk == late.GroupKind() {
			if err := server.AddKinds(late); err != nil {
				t.Fatal(err)
			}
			deferred.Reset()
		}
		for name, mapper := range map[string]interface {
			RESTMapping(schema.GroupKind, ...string) (*meta.RESTMapping, error)
		}{"deferred": deferred, "controller-runtime": dynamic} {
			mapping, err := mapper.RESTMapping(step.gk)
			if err != nil {
				t.Errorf("%s: %s: %v", name, step.gk, err)
				continue
			}
			if got := mapping.Resource.String(); got != step.resource || (mapping.Scope.Name() == "namespace") != step.namespaced {
				t.Errorf("%s: %s is %s in scope %s, want %s", name, step.gk, got, mapping.Scope.Name(), step.resource)
			}
		}
	}
}

func TestServerVersion(t *testing.T) {
	_, config := start(t)
	info, err := discoveryClient(t, config).ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if info.Major != "1" || info.Minor != "37" || !strings.HasPrefix(info.GitVersion, "v1.37.") {
		t.Errorf("version %+v", version.Info(*info))
	}
}

// TestPaths reads documents without a client, over a connection.
func TestPaths(t *testing.T) {
	server, _ := start(t)
	listener := httptest.NewServer(server)
	defer listener.Close()
	for path, want := range map[string]string{
		"/healthz": "ok", "/readyz/ping": "ok", "/livez?verbose": "ok",
		"/api":                            `"versions":["v1"]`,
		"/apis/example.com":               `"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}`,
		"/apis/example.com/v1beta1/":      `"name":"widgets/scale"`,
		"/apis/example.com/v2":            "404 page not found",
		"/apis/nothing.example.com":       "404 page not found",
		"/openapi/v4":                     "404 page not found",
		"/":                               `"/apis/apps/v1"`,
		"/api/v1/namespaces/a/gadgets":    `"message":"the server could not find the requested resource"`,
		"/apis/example.com/v1/widgets/a/": "404 page not found",
	} {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, listener.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := listener.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(body), want) || (response.StatusCode == http.StatusNotFound) != (strings.HasPrefix(want, "404") || strings.Contains(want, "could not find")) {
			t.Errorf("GET %s: %d %.300s, want %s", path, response.StatusCode, body, want)
		}
	}
}

// TestFaultsInDiscovery reads the groups that are left when one cannot be reached.
func TestFaultsInDiscovery(t *testing.T) {
	server, config := start(t)
	client := discoveryClient(t, config)
	client.UseLegacyDiscovery = true
	server.On("get", "/apis/apps/v1").Unavailable(0)
	_, lists, err := client.ServerGroupsAndResources()
	if !discovery.IsGroupDiscoveryFailedError(err) {
		t.Fatalf("error %v, want that of a group", err)
	}
	has := func(group string) bool {
		return slices.ContainsFunc(lists, func(list *metav1.APIResourceList) bool { return list.GroupVersion == group })
	}
	if has("apps/v1") || !has("batch/v1") {
		t.Errorf("apps/v1 is there: %t, batch/v1: %t", has("apps/v1"), has("batch/v1"))
	}
}
