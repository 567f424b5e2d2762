package main

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/typedinformers/informer-gen/apiextensions"
	"github.com/typedinformers/informer-gen/apitest"
)

const crds = "../../../examples/operator/config/crd"

// TestSchema sends the same requests to a server with the kinds of the demo, and to one with module apiextensions, which has
// the code of an API server.
func TestSchema(t *testing.T) {
	kinds, _, err := kindsOf(crds)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := apitest.Start(t, apitest.WithKinds(kinds...)), apitest.Start(t, apiextensions.WithCRDs(crds))
	const databases = "/apis/data.example.com/v1/namespaces/a/databases"
	database := func(name, rest string) string {
		return `{"apiVersion": "data.example.com/v1", "kind": "Database", "metadata": {"name": "` + name + `"}` + rest + `}`
	}
	for _, request := range []struct {
		method, path, mediaType, body string
		code                          int
	}{
		{"POST", databases, "application/json", database("one", `, "spec": {"className": "c", "storageGi": 1}`), 201},
		{"POST", databases, "application/json", database("pruned", `, "more": 1, "spec": {"className": "c", "storageGi": 1, "typo": {"x": 1}}`), 201},
		{"POST", databases + "?fieldValidation=Strict", "application/json", database("strict", `, "spec": {"className": "c", "storageGi": 1, "typo": 1}`), 400},
		{"POST", databases, "application/json", database("small", `, "spec": {"className": "", "storageGi": 0}`), 422},
		{"POST", databases, "application/json", database("wrong", `, "spec": {"className": 1, "storageGi": "x"}`), 422},
		{"POST", databases, "application/json", database("missing", ``), 422},
		{"PATCH", databases + "/one", "application/merge-patch+json", `{"spec": {"replicas": 0}}`, 422},
		{"PATCH", databases + "/one", "application/merge-patch+json", `{"spec": {"replicas": null}}`, 200},
		{"PATCH", databases + "/one/status", "application/merge-patch+json", `{"status": {"phase": "Unknown"}}`, 422},
		{"PATCH", databases + "/one/status", "application/merge-patch+json",
			`{"status": {"phase": "Ready", "conditions": [{"type": "Ready", "status": "True", "reason": "R", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z", "more": 1}]}}`, 200},
		{"PATCH", databases + "/one?fieldManager=m", "application/apply-patch+yaml", database("one", `, "spec": {"storageGi": 2}`), 409},
		{"PATCH", databases + "/one?fieldManager=m&force=true", "application/apply-patch+yaml", database("one", `, "spec": {"storageGi": 2}`), 200},
		{"GET", databases + "?fieldSelector=status.phase=Ready", "", "", 200},
		{"DELETE", databases + "/one", "", "", 200},
	} {
		code, got := send(t, ours, request.method, request.path, request.mediaType, request.body)
		_, want := send(t, theirs, request.method, request.path, request.mediaType, request.body)
		name := request.method + " " + request.path + " " + request.body
		if code != request.code || want["code"] != nil && want["code"] != float64(code) {
			t.Errorf("%s: %d %v, want %d, and %v", name, code, got["message"], request.code, want["message"])
		}
		for _, field := range []string{"spec", "status", "reason"} {
			if !reflect.DeepEqual(got[field], want[field]) {
				t.Errorf("%s: %s is %v, want %v", name, field, got[field], want[field])
			}
		}
	}
}

func send(t *testing.T, server *apitest.Server, method, path, mediaType, body string) (code int, answer map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", mediaType)
	response, err := server.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

// TestDependencies keeps away what makes the demo slow to compile for the first time.
func TestDependencies(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(output))
	for _, name := range packages {
		for _, heavy := range []string{
			"k8s.io/apiextensions-apiserver/", "k8s.io/apiserver/", "k8s.io/client-go/informers", "k8s.io/client-go/kubernetes/typed", "github.com/google/cel-go/", "google.golang.org/grpc", "go.etcd.io/",
		} {
			if strings.HasPrefix(name, heavy) {
				t.Errorf("the demo depends on %s", name)
			}
		}
	}
	if n := len(packages); n < 300 || n > 600 {
		t.Errorf("the demo has %d packages, want at most 600", n)
	}
}
