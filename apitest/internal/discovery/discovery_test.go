package discovery

import (
	"encoding/json"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func resource(group, version, kind, name string) Resource {
	return Resource{GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: kind}, Name: name, Verbs: []string{"get"}}
}

// What clients make of the documents is tested in test/apiclients.
func TestGroups(t *testing.T) {
	widget := resource("example.com", "v1", "Widget", "widgets")
	widget.Namespaced = true
	widget.Subresources = []Subresource{{Name: "scale", GroupVersionKind: schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}, Verbs: []string{"get"}}}
	groups := New([]Resource{
		resource("", "v1", "Node", "nodes"), resource("example.com", "v1beta1", "Widget", "widgets"), widget,
		resource("example.com", "v1", "Gadget", "gadgets"), resource("example.com", "v2alpha1", "Widget", "widgets"),
	})
	group := groups.Group("example.com")
	var versions []string
	for _, v := range group.Versions {
		versions = append(versions, v.Version)
	}
	if want := []string{"v1", "v1beta1", "v2alpha1"}; !slices.Equal(versions, want) || group.PreferredVersion.Version != "v1" {
		t.Errorf("versions %v, preferred %s, want %v", versions, group.PreferredVersion.Version, want)
	}
	list := groups.Resources(schema.GroupVersion{Group: "example.com", Version: "v1"})
	var names []string
	for _, r := range list.APIResources {
		names = append(names, r.Name)
	}
	if want := []string{"gadgets", "widgets", "widgets/scale"}; !slices.Equal(names, want) || list.APIResources[2].Group != "autoscaling" {
		t.Errorf("resources %v, want %v", names, want)
	}
	// The hash names the preferred version, also in another one.
	other := groups.Resources(schema.GroupVersion{Group: "example.com", Version: "v2alpha1"})
	if hash := other.APIResources[0].StorageVersionHash; hash == "" || hash != list.APIResources[1].StorageVersionHash {
		t.Errorf("hashes %q and %q", hash, list.APIResources[1].StorageVersionHash)
	}
	if groups.Group("nothing.com") != nil || groups.Resources(schema.GroupVersion{Version: "v2"}) != nil || len(groups.List().Groups) != 1 {
		t.Error("there are groups that no one has given")
	}
	document, err := json.Marshal(groups.Aggregated(true))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{},"versions":[{"version":"v1","resources":[` +
		`{"resource":"nodes","responseKind":{"group":"","version":"v1","kind":"Node"},"scope":"Cluster","singularResource":"","verbs":["get"]}],"freshness":"Current"}]}]}`
	if string(document) != want {
		t.Errorf("aggregated %s, want %s", document, want)
	}
}
