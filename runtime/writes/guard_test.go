package writes

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// pod has the lists of a Pod that matter.
type pod struct {
	metav1.PartialObjectMetadata
	Spec struct {
		Containers []struct {
			Name string   `json:"name"`
			Args []string `json:"args"`
		} `json:"containers" patchStrategy:"merge" patchMergeKey:"name"`
		Volumes []struct {
			Name string `json:"name"`
		} `json:"volumes" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
		Tolerations []struct {
			Key string `json:"key"`
		} `json:"tolerations"`
	} `json:"spec"`
}

// TestGuard sends requests for objects whose informers leave fields out.
func TestGuard(t *testing.T) {
	const (
		update, patch   = http.MethodPut, http.MethodPatch
		merge           = "application/merge-patch+json"
		strategic       = "application/strategic-merge-patch+json"
		jsonPatch       = "application/json-patch+json"
		pods, sites     = "/api/v1/namespaces/a/pods/x", "/apis/web.example.com/v1/sites/x"
		nodes, fetching = "/api/v1/nodes/x", "/apis/apps/v1/deployments"
	)
	type request struct{ method, path, kind, body string }
	for name, test := range map[string]struct {
		left    LeftOut
		refused []request
		sent    []request
	}{
		"some fields of a built-in kind": {
			LeftOut{Resource: schema.GroupResource{Resource: "pods"}, Only: []string{"spec.containers.name", "spec.tolerations.key", "status"}, Object: &pod{}},
			[]request{
				{update, pods, "", "{}"},
				{update, pods + "/status", "", "{}"}, // which writes labels too
				{update, pods + "/ephemeralcontainers", "", "{}"},
				{patch, pods, merge, `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[]}}`},
				{patch, pods, merge, `{"spec":{"volumes":[{"name":"v"}]}}`},
				{patch, pods, strategic, `{"spec":{"tolerations":[{"key":"a"}]}}`},
				{patch, pods, strategic, `{"spec":{"containers":[{"name":"a","args":["b"]}]}}`},
				{patch, pods, strategic, `{"spec":{"containers":[{"name":"a"},{"$patch":"replace"}]}}`},
				{patch, pods, strategic, `{"spec":{"volumes":[{"$retainKeys":["name","emptyDir"],"name":"v","emptyDir":{}}]}}`},
				{patch, pods, strategic, `{"spec":{"securityContext":{"$patch":"replace"}}}`},
				{patch, pods, jsonPatch, `[{"op":"test","path":"/spec","value":{}},{"op":"add","path":"/metadata/annotations","value":{}}]`},
				{patch, pods, jsonPatch, `[{"op":"replace","path":"/spec/containers/0","value":{"name":"a"}}]`},
				{patch, pods, jsonPatch, `[{"op":"replace","path":"/spec/tolerations","value":[]}]`},
				{patch, pods, jsonPatch, `[{"op":"replace","path":"","value":{}}]`},
				{patch, "/api/v2/namespaces/a/pods/x", merge, `{"spec":{"containers":[]}}`},
				{update, "/api/v2/namespaces/a/pods/x", "", "{}"},
			},
			[]request{
				{http.MethodPost, "/api/v1/namespaces/a/pods", "", "{}"},
				{http.MethodDelete, pods, "", "{}"},
				{update, "/api/v1/namespaces/a/pods/x/proxy/file", "", "{}"},
				{update, "/api/v1/namespaces/a/configmaps/x", "", "{}"},
				{update, "/apis/metrics.k8s.io/v1/namespaces/a/pods/x", "", "{}"},
				{patch, pods, merge, `{"metadata":{"labels":{"a":"b"},"finalizers":["f"]},"spec":{"nodeName":"n"},"status":{"conditions":[]}}`},
				{patch, pods, strategic, `{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a","image":"b"}]}}`},
				{patch, pods, jsonPatch, `[{"op":"replace","path":"/spec/containers/0/image","value":"b"},{"op":"add","path":"/metadata/annotations/example.com~1a","value":"b"}]`},
				{patch, pods, jsonPatch, `[{"op":"add","path":"/spec/tolerations/-","value":{"key":"a"}},{"op":"replace","path":"/status/conditions","value":[]},{"op":"remove","path":"/metadata/annotations"}]`},
				{patch, pods, jsonPatch, `{}`},
				{patch, pods + "/scale", merge, `{"spec":{"containers":[]}}`},
				{patch, pods, strategic, `{"spec":{"$setElementOrder/volumes":[{"name":"v"}],"volumes":[{"name":"v","configMap":{"name":"c"}}]}}`},
				{patch, pods, "application/apply-patch+yaml", `{"spec":{"containers":[]}}`},
				{patch, pods, merge, `{"spec":`},
			},
		},
		"a field of a custom resource": {
			LeftOut{Resource: schema.GroupResource{Group: "web.example.com", Resource: "sites"}, Without: []string{"metadata.annotations", "spec.pages.text"}},
			[]request{{update, sites, "", "{}"}, {patch, sites, merge, `{"spec":{"pages":[{"name":"a"}]}}`}, {patch, sites, strategic, `{"spec":{"pages":[{"name":"a"}]}}`}},
			[]request{{update, sites + "/status", "", "{}"}, {update, sites + "/scale", "", "{}"}, {patch, sites, merge, `{"spec":{"hosts":["a"],"pages":null}}`}},
		},
		"a part of the status of a custom resource": {
			LeftOut{Resource: schema.GroupResource{Group: "web.example.com", Resource: "sites"}, Without: []string{"status.seen"}},
			[]request{{update, sites, "", "{}"}, {update, sites + "/status", "", "{}"}},
			[]request{{update, sites + "/scale", "", "{}"}},
		},
		"a built-in kind with whole metadata and status": {
			LeftOut{Resource: schema.GroupResource{Resource: "nodes"}, Without: []string{"spec"}},
			[]request{{update, nodes, "", "{}"}},
			[]request{{update, nodes + "/status", "", "{}"}},
		},
		"managed fields": {
			LeftOut{Resource: schema.GroupResource{Resource: "nodes"}, Without: []string{"metadata.managedFields"}},
			nil,
			[]request{{update, nodes, "", "{}"}, {update, nodes + "/status", "", "{}"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var own Observer
			received := ""
			client := own.Transport(answering(func(request *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(request.Body)
				received = string(body)
				return respond(200, "application/json", inJSON(t, object("Pod", "x"))), err
			}))
			for range 2 { // the second one changes nothing
				if err := own.Guard(host, test.left); err != nil {
					t.Fatal(err)
				}
			}
			send := func(ctx context.Context, r request) error {
				request, err := http.NewRequestWithContext(ctx, r.method, host+r.path, strings.NewReader(r.body))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Content-Type", r.kind)
				received = "nothing"
				response, err := client.RoundTrip(request)
				if err == nil {
					_ = response.Body.Close()
				}
				return err
			}
			for _, r := range test.refused {
				if err := send(t.Context(), r); !errors.Is(err, ErrFieldsLeftOut) || received != "nothing" {
					t.Errorf("%v: the error is %v, and the server has received %s", r, err, received)
				}
				if err := send(Whole(t.Context()), r); err != nil || received != r.body {
					t.Errorf("%v of a whole object: the error is %v, and the server has received %s", r, err, received)
				}
			}
			for _, r := range test.sent {
				if err := send(t.Context(), r); err != nil || received != r.body {
					t.Errorf("%v: the error is %v, and the server has received %s", r, err, received)
				}
			}
			other := request{update, fetching, "", "{}"}
			if err := send(t.Context(), other); err != nil {
				t.Errorf("another resource: %v", err)
			}
		})
	}
}

// TestGuardSaysWhatToDo compares texts of errors.
func TestGuardSaysWhatToDo(t *testing.T) {
	var own Observer
	client := own.Transport(echo(t))
	configMaps := schema.GroupResource{Resource: "configmaps"}
	if err := own.Guard(host, LeftOut{Resource: configMaps, Only: []string{"data[a"}}); err == nil {
		t.Error("a wrong path is no error")
	}
	if err := own.Guard(host, LeftOut{Resource: configMaps, Only: []string{"data", "metadata.labels"}, Without: []string{"data[large]"}, Object: runtime.Object(nil)}); err != nil {
		t.Fatal(err)
	}
	const (
		why = `an informer of this program leaves out fields of configmaps (all but data, metadata.labels, and data[large]), and `
		end = `; send a patch of the fields that change, or a server-side apply of those that the program owns; if the object is whole, because the program has read it from the server or has made it, pass writes.Whole(ctx)`
	)
	for body, want := range map[string]string{
		"":                              `update of configmaps "a/x" is refused: ` + why + `the server would delete what the object lacks` + end,
		`{"webhooks":[{"name":"one"}]}`: `patch of configmaps "a/x" is refused: ` + why + `the patch replaces all of webhooks` + end,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, host+"/api/v1/namespaces/a/configmaps/x", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if body != "" {
			request.Method = http.MethodPatch
			request.Header.Set("Content-Type", "application/merge-patch+json")
		}
		if _, err := client.RoundTrip(request); err == nil || err.Error() != want {
			t.Errorf("%q: the error is\n%v\nwant\n%s", body, err, want)
		}
	}
}
