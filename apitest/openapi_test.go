package apitest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/apitest"
)

// Each version of each group has a document with the patch of each kind, also of one that is added later.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	server := apitest.Start(t)
	c := client{t, server}
	get := func(path string, into any) {
		t.Helper()
		code, body := c.raw("GET", path)
		if code != http.StatusOK {
			t.Fatalf("%s is %d: %s", path, code, body)
		}
		if err := json.Unmarshal([]byte(body), into); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	if code, body := c.raw("GET", "/openapi/v3/apis/example.com/v1"); code != http.StatusNotFound {
		t.Errorf("a group without kinds is %d: %s", code, body)
	}
	if err := server.AddKinds(widget); err != nil {
		t.Fatal(err)
	}
	if code, body := c.raw("POST", "/openapi/v3"); code != http.StatusMethodNotAllowed {
		t.Errorf("POST is %d: %s", code, body)
	}
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	get("/openapi/v3", &index)
	for path, name := range map[string]string{
		"api/v1":              "/api/v1/nodes/{name}",
		"apis/apps/v1":        "/apis/apps/v1/namespaces/{namespace}/deployments/{name}",
		"apis/example.com/v1": "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}",
	} {
		var document struct {
			Paths map[string]struct {
				Patch struct {
					Parameters  []struct{ Name string }
					RequestBody struct{ Content map[string]any }
				}
			}
		}
		get(index.Paths[path].ServerRelativeURL, &document)
		patch := document.Paths[name].Patch
		var parameters []string
		for _, p := range patch.Parameters {
			parameters = append(parameters, p.Name)
		}
		if got := strings.Join(parameters, " "); !strings.HasSuffix(got, "name dryRun fieldManager fieldValidation force") {
			t.Errorf("%s has the parameters %s", name, got)
		}
		if _, applies := patch.RequestBody.Content["application/apply-patch+yaml"]; !applies {
			t.Errorf("%s has the media types %v", name, patch.RequestBody.Content)
		}
	}
}
