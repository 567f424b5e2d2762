package apitest_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/apitest"
)

// A column whose path cannot be read fails a Table of its kind, and nothing else.
func TestBadColumn(t *testing.T) {
	t.Parallel()
	tabled := widget
	tabled.Kind, tabled.Resource = "Tabled", "tableds"
	tabled.Columns = []apitest.Column{{Name: "Ready", Type: "string", JSONPath: `.status.conditions[?(@.type==\"Ready\")].status`}}
	server := apitest.Start(t, apitest.WithKinds(tabled, widget))
	c := client{t, server}
	const path = "/apis/example.com/v1/namespaces/a/tableds"
	c.do("POST", path, `{"apiVersion": "example.com/v1", "kind": "Tabled", "metadata": {"name": "one"}}`, 201)
	c.do("GET", path+"/one", "", 200)
	c.do("GET", path, "", 200)
	c.do("GET", widgets, "", 200)
	for resource, code := range map[string]int{path: 500, widgets: 200} {
		if body := string(c.send("GET", resource, "", "application/json;as=Table;v=v1;g=meta.k8s.io", code)); code == 500 && !strings.Contains(body, "Ready") {
			t.Errorf("the error does not name the column: %s", body)
		}
	}
}

// Kinds that are wrong do not stop the others, and requests for them are answered with the reason.
func TestRefusedKinds(t *testing.T) {
	t.Parallel()
	clustered := widget
	clustered.Version, clustered.Namespaced = "v2", false
	other := widget
	other.Kind = "Gadget"
	deployments := apitest.Kind{Resource: "deployments"}
	deployments.Group, deployments.Version, deployments.Kind = "apps", "v1", "Deployment" // cluster-scoped
	nameless := apitest.Kind{Resource: "Things/"}
	nameless.Group, nameless.Version, nameless.Kind = "example.com", "v1", "Thing"
	notes := widget
	notes.Kind, notes.Resource = "Note", "notes"

	server := apitest.Start(t, apitest.WithKinds(widget))
	err := server.AddKinds(clustered, other, deployments, nameless, notes)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"v2, Kind=Widget", "of Widget and of Gadget", "apps/v1, Kind=Deployment", `"Things/"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the error:\n%v", want, err)
		}
	}
	c := client{t, server}
	c.do("GET", widgets, "", 200)
	c.do("GET", "/apis/example.com/v1/namespaces/a/notes", "", 200)
	c.do("GET", "/apis/apps/v1/namespaces/a/deployments", "", 200)
	for _, path := range []string{"/apis/example.com/v2/widgets", "/apis/example.com/v2/widgets/one"} {
		if status := c.do("GET", path, "", 500); !strings.Contains(status.Object["message"].(string), "one scope") {
			t.Errorf("%s: %v", path, status.Object)
		}
	}
	// The client of the refused Deployment sends no namespace.
	if status := c.do("GET", "/apis/apps/v1/deployments/one", "", 500); !strings.Contains(status.Object["message"].(string), "one scope") {
		t.Error(status.Object)
	}
	if err := server.Add(named("example.com/v2", "Widget", "", "one")); err == nil || !strings.Contains(err.Error(), "one scope") {
		t.Errorf("Add: %v", err)
	}
	if _, err := server.Tracker(nil).Get(clustered.GroupVersion().WithResource("widgets"), "", "one", metav1.GetOptions{}); err == nil || !strings.Contains(err.Error(), "one scope") {
		t.Errorf("Tracker: %v", err)
	}
}
