package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

// writer is a Schema that writes to all that it may write to.
type writer struct{ version string }

func (writer) Prune(obj map[string]any) ([]string, error) {
	if spec, ok := obj["spec"].(map[string]any); ok && spec["unknown"] != nil {
		delete(spec, "unknown")
		return []string{"spec.unknown"}, nil
	}
	return nil, nil
}

func (writer) Default(obj map[string]any) {
	spec, ok := obj["spec"].(map[string]any)
	if !ok {
		spec = map[string]any{}
		obj["spec"] = spec
	}
	if spec["color"] == nil {
		spec["color"] = "red"
	}
}

func (writer) Validate(context.Context, map[string]any, map[string]any, string, field.ErrorList) field.ErrorList {
	return nil
}

func (writer) Store(obj map[string]any) error { obj["apiVersion"] = "example.com/v1"; return nil }

func (writer) TypeConverter() managedfields.TypeConverter {
	return managedfields.NewDeducedTypeConverter()
}

func (writer) OpenAPI() (string, map[string]json.RawMessage) {
	return "Widget", map[string]json.RawMessage{"Widget": json.RawMessage(`{"type": "object"}`)}
}

// witness remembers the content of each state.
type witness struct {
	*testing.T
	server *Server
	seen   map[*history.State][]byte
}

// look remembers the states that there are.
func (w *witness) look() {
	w.server.objects.Lock()
	defer w.server.objects.Unlock()
	for _, gr := range []schema.GroupResource{{Group: "example.com", Resource: "widgets"}, {Resource: "pods"}, {Resource: "namespaces"}} {
		events, err := w.server.objects.History.Events(gr, 0)
		if err != nil {
			w.Fatal(err)
		}
		for _, event := range events {
			w.add(event.State)
			if event.Before != nil {
				w.add(event.Before)
			}
		}
	}
}

func (w *witness) add(state *history.State) {
	if w.seen[state] == nil {
		w.seen[state] = w.content(state)
	}
}

func (w *witness) content(state *history.State) []byte {
	content, err := json.Marshal(state.Object)
	if err != nil {
		w.Fatal(err)
	}
	return content
}

// check reports the first state that has changed.
func (w *witness) check(after string) {
	w.Helper()
	for state, content := range w.seen {
		if now := w.content(state); !bytes.Equal(now, content) {
			w.Fatalf("%s has changed a stored state:\n%s\n%s", after, content, now)
		}
	}
}

// TestSameRequestsSameAnswers sends the same random requests to several servers.
func TestSameRequestsSameAnswers(t *testing.T) {
	t.Parallel()
	scheme, kinds := randomKinds()
	play := func(seed uint64) (answers []string) {
		synctest.Test(t, func(t *testing.T) {
			server := Start(t, WithKinds(kinds...), WithScheme(scheme), WithNamespaceLifecycle())
			random := rand.New(rand.NewPCG(seed, 0))
			for range 300 {
				request := randomRequest(random)
				response, err := server.RoundTrip(request)
				if err != nil {
					t.Fatal(err)
				}
				content, err := io.ReadAll(response.Body)
				if err != nil {
					t.Fatal(err)
				}
				answers = append(answers, fmt.Sprintf("%s %s: %d %v %s", request.Method, request.URL, response.StatusCode, response.Header, content))
				time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
			}
			server.Close()
			for _, gr := range server.objects.History.Resources() {
				events, err := server.objects.History.Events(gr, 0)
				if err != nil {
					t.Fatal(err)
				}
				for _, event := range events {
					content, err := event.State.JSON()
					if err != nil {
						t.Fatal(err)
					}
					answers = append(answers, fmt.Sprintf("%s %s", event.Type, content))
				}
			}
		})
		return answers
	}
	for seed := range uint64(3) {
		first := play(seed)
		for range 4 {
			for i, answer := range play(seed) {
				if answer != first[i] {
					t.Fatalf("seed %d, line %d:\n%s\n%s", seed, i, first[i], answer)
				}
			}
		}
	}
}

// randomKinds are those of randomRequest, one of which has a Go type.
func randomKinds() (*runtime.Scheme, []Kind) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, &testv1.Carp{})
	kinds := make([]Kind, 2)
	for i, version := range []string{"v1", "v1beta1"} {
		kinds[i] = Kind{
			GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: version, Kind: "Widget"}, Resource: "widgets",
			Namespaced: true, Status: true, Scale: &Scale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"}, Schema: writer{version},
		}
	}
	return scheme, kinds
}

// TestStoredStatesDoNotChange sends random requests, and reactors change what they get.
func TestStoredStatesDoNotChange(t *testing.T) {
	t.Parallel()
	scheme, kinds := randomKinds()
	for seed := range uint64(3) {
		server := Start(t, WithKinds(kinds...), WithScheme(scheme), WithNamespaceLifecycle())
		w := &witness{t, server, map[*history.State][]byte{}}
		random := rand.New(rand.NewPCG(seed, 0))
		spoil := server.Transport(Reactors{Scheme: scheme, React: func(call *Call) (bool, runtime.Object, error) {
			if obj, ok := call.Object.(*unstructured.Unstructured); ok && random.IntN(2) == 0 {
				obj.SetLabels(map[string]string{"spoiled": "yes"})
			}
			return false, nil, nil
		}})
		for i := range 300 {
			request := randomRequest(random)
			transport := http.RoundTripper(server)
			if random.IntN(3) == 0 {
				transport = spoil
			}
			if random.IntN(40) == 0 {
				request.Method = "tracker"
				useTracker(server, scheme, random)
			} else {
				response, err := transport.RoundTrip(request)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil {
					t.Fatal(err)
				}
			}
			w.look()
			if i%50 == 0 {
				w.check(fmt.Sprintf("seed %d, one of the 50 requests up to %s %s", seed, request.Method, request.URL))
			}
		}
		w.check(fmt.Sprintf("seed %d", seed))
	}
}

// useTracker writes objects, and changes what it gets.
func useTracker(server *Server, scheme *runtime.Scheme, random *rand.Rand) {
	tracker := server.Tracker(scheme)
	gvr := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	name := fmt.Sprintf("w%d", random.IntN(4))
	if obj, err := tracker.Get(gvr, "default", name); err == nil {
		widget := obj.(*unstructured.Unstructured)
		widget.Object["spec"] = map[string]any{"tracker": int64(random.IntN(9))}
		widget.SetFinalizers(nil)
		_ = tracker.Update(gvr, widget, "default")
		widget.Object["spec"].(map[string]any)["tracker"] = "changed"
		widget.Object["metadata"].(map[string]any)["labels"] = nil
	}
	seed := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "spec": map[string]any{"list": []any{map[string]any{"a": "b"}}}}}
	seed.SetName(name)
	seed.SetNamespace("default")
	if server.Add(seed) == nil {
		seed.Object["spec"].(map[string]any)["list"].([]any)[0].(map[string]any)["a"] = "changed"
	}
	if list, err := tracker.List(gvr, gvr.GroupVersion().WithKind("Widget"), ""); err == nil {
		for _, item := range list.(*unstructured.UnstructuredList).Items {
			item.SetLabels(map[string]string{"changed": "yes"})
			item.Object["spec"] = nil
			item.Object["metadata"].(map[string]any)["annotations"] = map[string]any{"a": "b"}
		}
	}
}

// randomRequest is a write of one of a few objects.
func randomRequest(random *rand.Rand) *http.Request {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	pod := random.IntN(3) == 0
	kind, collection := "Widget", "/apis/example.com/"+pick("v1", "v1", "v1beta1")+"/namespaces/default/widgets"
	if pod {
		kind, collection = "Pod", "/api/v1/namespaces/default/pods"
	}
	apiVersion := map[bool]string{false: "example.com/v1", true: "v1"}[pod]
	if !pod && bytes.Contains([]byte(collection), []byte("v1beta1")) {
		apiVersion = "example.com/v1beta1"
	}
	name := fmt.Sprintf("w%d", random.IntN(4))
	content := map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{
			"name": name, "labels": map[string]any{"n": pick("1", "2", "3")},
			"annotations": map[string]any{pick("a", "b"): pick("1", "2", "3")},
		},
		"spec":   map[string]any{"replicas": random.IntN(4), "list": []any{map[string]any{"name": pick("x", "y"), "v": pick("1", "2")}}, "unknown": true},
		"status": map[string]any{"replicas": random.IntN(4), "conditions": []any{map[string]any{"type": pick("A", "B"), "status": "True"}}},
	}
	if pod {
		content["spec"] = map[string]any{"nodeSelector": map[string]any{pick("a", "b"): pick("1", "2", "3")}, "serviceAccountName": pick("a", "b")}
		content["status"] = map[string]any{"conditions": []any{map[string]any{"type": pick("A", "B"), "status": "True"}}}
	}
	metadata := content["metadata"].(map[string]any)
	if random.IntN(3) == 0 {
		metadata["finalizers"] = []any{"example.com/" + pick("x", "y")}
	}
	if random.IntN(3) == 0 {
		metadata["ownerReferences"] = []any{map[string]any{
			"apiVersion": "v1", "kind": "Pod", "name": name, "uid": pick("u1", "u2"), "blockOwnerDeletion": true,
		}}
	}
	method, path, query, mediaType := "POST", collection, "?", "application/json"
	one := collection + "/" + name + pick("", "", "/status", "/scale")
	if pod && bytes.HasSuffix([]byte(one), []byte("/scale")) {
		one = collection + "/" + name
	}
	var body any = content
	switch random.IntN(12) {
	case 0, 1, 2:
	case 3:
		method, path = "PUT", one
		metadata["resourceVersion"] = pick("", "2")
	case 4, 5:
		method, path, mediaType = "PATCH", one, "application/merge-patch+json"
	case 6:
		method, path, mediaType = "PATCH", one, "application/strategic-merge-patch+json"
	case 7, 8:
		method, path, mediaType, query = "PATCH", one, "application/apply-patch+yaml", "?fieldManager="+pick("m1", "m2")+"&force="+pick("true", "false")
		delete(content["spec"].(map[string]any), "unknown")
	case 9:
		method, path, mediaType = "PATCH", one, "application/json-patch+json"
		body = []any{map[string]any{"op": pick("add", "replace", "remove"), "path": pick("/metadata/finalizers", "/metadata/labels/n", "/spec/list/0/v", "/spec/nodeSelector/a"), "value": pick("1", "2")}}
		if random.IntN(2) == 0 {
			body = []any{map[string]any{"op": "remove", "path": "/metadata/finalizers"}}
		}
	case 10:
		method, path, query = "DELETE", collection+"/"+name, "?propagationPolicy="+pick("Foreground", "Background", "Orphan")
		body = nil
	case 11:
		method = pick("DELETE", "GET")
		body = nil
	}
	if random.IntN(6) == 0 && method != "GET" {
		query += "&dryRun=All"
	}
	var data []byte
	if body != nil {
		data, _ = json.Marshal(body)
	}
	request, _ := http.NewRequest(method, "http://server"+path+query, bytes.NewReader(data))
	request.Header.Set("Content-Type", mediaType)
	if random.IntN(3) == 0 {
		request.Header.Set("Accept", "application/json;as=PartialObjectMetadata"+pick("", "List")+";g=meta.k8s.io;v=v1")
	}
	return request
}
