package apitest_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/apitest"
)

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

// No client of a transport asks for a Table alone. kubectl also takes the object itself.
func TestNoTables(t *testing.T) {
	t.Parallel()
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	c.put("a", "one", "1", "red")
	const table = "application/json;as=Table;v=v1;g=meta.k8s.io"
	for _, path := range []string{widgets, widgets + "/one", widgets + "?watch=true", "/api/v1/namespaces/a/pods"} {
		c.send("GET", path, "", table, 406)
	}
	if body := string(c.send("GET", widgets, "", table+",application/json", 200)); !strings.Contains(body, `"kind":"WidgetList"`) {
		t.Errorf("a client that takes the list itself gets %s", body)
	}
}
