package testserver_test

import (
	"encoding/json"
	"testing"
)

func TestDiscoveryListsBuiltIns(t *testing.T) {
	t.Parallel()
	client := kubeClient(t, shared)
	_, lists, err := client.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			found[list.GroupVersion+" "+resource.Name] = true
		}
	}
	for _, want := range []string{"v1 namespaces", "v1 namespaces/status", "v1 events", "events.k8s.io/v1 events", "coordination.k8s.io/v1 leases", "example.com/v1 widgets"} {
		if !found[want] {
			t.Errorf("discovery does not list %s", want)
		}
	}
}

// TestOpenAPIDescribesBuiltIns reads what kubectl explain shows, in both versions of OpenAPI.
func TestOpenAPIDescribesBuiltIns(t *testing.T) {
	t.Parallel()
	discovery := kubeClient(t, shared).Discovery()
	for path, want := range map[string]string{
		"api/v1": "io.k8s.api.core.v1.Namespace", "apis/coordination.k8s.io/v1": "io.k8s.api.coordination.v1.LeaseSpec",
		"apis/events.k8s.io/v1": "io.k8s.api.events.v1.EventSeries",
	} {
		paths, err := discovery.OpenAPIV3().Paths()
		if err != nil {
			t.Fatal(err)
		}
		document, err := paths[path].Schema("application/json")
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var content struct {
			Components struct {
				Schemas map[string]struct {
					Description string
					Properties  map[string]any
				}
			}
		}
		if err := json.Unmarshal(document, &content); err != nil {
			t.Fatal(err)
		}
		if schema := content.Components.Schemas[want]; schema.Description == "" || len(schema.Properties) < 2 {
			t.Errorf("%s describes %s as %v", path, want, schema)
		}
	}
	document, err := discovery.OpenAPISchema()
	if err != nil {
		t.Fatal(err)
	}
	for _, definition := range document.GetDefinitions().GetAdditionalProperties() {
		if definition.GetName() == "io.k8s.api.coordination.v1.Lease" {
			return
		}
	}
	t.Error("OpenAPI v2 does not describe leases")
}
