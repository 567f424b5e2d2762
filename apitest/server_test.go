package apitest_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/typedinformers/informer-gen/apitest"
)

var widget = apitest.Kind{
	GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"},
	Resource:         "widgets",
	Namespaced:       true,
	Status:           true,
	Scale:            &apitest.Scale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"},
}

const widgets = "/apis/example.com/v1/namespaces/a/widgets"

// client sends requests to a server.
type client struct {
	*testing.T
	server http.RoundTripper
}

// do sends a request, checks the code and returns the body.
func (c client) do(method, path, body string, code int) *unstructured.Unstructured {
	c.Helper()
	content := c.send(method, path, body, "", code)
	obj := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(content, &obj.Object); err != nil {
		c.Fatalf("%s %s: %v in %s", method, path, err, content)
	}
	return obj
}

// send sends a request that accepts a media type, or any if accept is empty. It checks the code and returns
// the body.
func (c client) send(method, path, body, accept string, code int) []byte {
	c.Helper()
	req, err := http.NewRequestWithContext(c.Context(), method, "http://server"+path, bytes.NewBufferString(body))
	if err != nil {
		c.Fatal(err)
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	response, err := c.server.RoundTrip(req)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	if response.StatusCode != code {
		c.Fatalf("%s %s: %d, want %d: %s", method, path, response.StatusCode, code, content)
	}
	return content
}

func TestOneObject(t *testing.T) {
	c := client{t, apitest.Start(t, apitest.WithKinds(widget))}
	created := c.do("POST", widgets, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}, "spec": {"color": "red"}, "status": {"x": 1}}`, 201)
	if created.GetUID() == "" || created.GetGeneration() != 1 || created.GetResourceVersion() == "" || created.Object["status"] != nil {
		t.Errorf("created: %v", created.Object)
	}
	c.do("POST", widgets, `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}}`, 409)
	created.SetFinalizers([]string{"example.com/x"})
	data, _ := created.MarshalJSON()
	updated := c.do("PUT", widgets+"/one", string(data), 200)
	if updated.GetGeneration() != 1 || updated.GetResourceVersion() == created.GetResourceVersion() {
		t.Errorf("updated: %v", updated.Object)
	}
	c.do("PUT", widgets+"/one", string(data), 409)
	deleting := c.do("DELETE", widgets+"/one", "", 200)
	if deleting.GetDeletionTimestamp() == nil || deleting.GetGeneration() != 2 {
		t.Errorf("deleting: %v", deleting.Object)
	}
	deleting.SetFinalizers(nil)
	data, _ = deleting.MarshalJSON()
	c.do("PUT", widgets+"/one", string(data), 200)
	c.do("GET", widgets+"/one", "", 404)
}
