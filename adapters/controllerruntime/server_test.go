package crcache

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// server is an API server for a test: lists and watches in JSON, with selectors, of objects that the
// test puts into it.
type server struct {
	*httptest.Server
	t testing.TB

	mu      sync.Mutex
	changed *sync.Cond
	objects map[string]*unstructured.Unstructured // by "resource/namespace/name"
	history []change
	closed  bool
	// held is set while watches send nothing. releases counts when it was reset.
	held     bool
	releases int
	// refuse answers a request of a resource, if it returns a Status.
	refuse func(r *http.Request, resource string) *metav1.Status
	// listKinds has the listKind of a CustomResourceDefinition that names another one than usual, by its resource.
	listKinds map[string]string
	// plain is set if the server has no other form than whole objects in JSON, as a simple aggregated server.
	plain    bool
	requests []asked
}

// asked is a request that the server has received.
type asked struct {
	method, resource, namespace, accept string
	watch                               bool
	labels, fields                      string
	bookmarks                           bool
}

// change is one of the states of the server.
type change struct {
	resource string
	old, new *unstructured.Unstructured // nil before a create and after a delete
}

// kinds are those of the resources.
var kinds = map[string]string{"widgets": "Widget", "gadgets": "Gadget", "gizmos": "Gizmo", "pods": "Pod", "configmaps": "ConfigMap", "secrets": "Secret", "nodes": "Node"}

func newServer(t testing.TB) *server {
	s := &server{t: t, objects: map[string]*unstructured.Unstructured{}}
	s.changed = sync.NewCond(&s.mu)
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.mu.Lock()
		s.closed = true
		s.changed.Broadcast()
		s.mu.Unlock()
		s.Server.CloseClientConnections()
		s.Server.Close()
	})
	return s
}

// config returns a rest.Config for the server. Its connections end with the test.
func (s *server) config() *rest.Config { return &rest.Config{Host: s.URL, QPS: -1} }

// client returns an HTTP client whose idle connections are closed with the test.
func (s *server) client() *http.Client {
	transport := &http.Transport{}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// mapper knows the kinds of the tests.
func testMapper() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	add := func(version schema.GroupVersion, scope meta.RESTScope, kinds ...string) {
		for _, kind := range kinds {
			m.Add(version.WithKind(kind), scope)
			m.Add(version.WithKind(kind+"List"), scope) // discovery has lists too, and controller-runtime looks for them
		}
	}
	add(corev1.SchemeGroupVersion, meta.RESTScopeNamespace, "Pod", "ConfigMap", "Secret")
	add(corev1.SchemeGroupVersion, meta.RESTScopeRoot, "Node")
	add(widgetKind.GroupVersion(), meta.RESTScopeNamespace, "Widget", "Gadget", "Gizmo")
	return m
}

// put creates or updates an object.
func (s *server) put(resource string, obj *unstructured.Unstructured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store(resource, obj.DeepCopy())
}

// store creates or updates an object, which it owns. mu is held.
func (s *server) store(resource string, obj *unstructured.Unstructured) {
	key := resource + "/" + obj.GetNamespace() + "/" + obj.GetName()
	old := s.objects[key]
	if obj.GetUID() == "" {
		obj.SetUID("u")
	}
	obj.SetResourceVersion(strconv.Itoa(len(s.history) + 2))
	s.objects[key] = obj
	s.history = append(s.history, change{resource, old, obj})
	s.changed.Broadcast()
}

// remove deletes an object.
func (s *server) remove(resource, namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(resource, namespace, name)
}

// drop deletes an object. mu is held.
func (s *server) drop(resource, namespace, name string) {
	key := resource + "/" + namespace + "/" + name
	old := s.objects[key].DeepCopy()
	old.SetResourceVersion(strconv.Itoa(len(s.history) + 2))
	delete(s.objects, key)
	s.history = append(s.history, change{resource, old, nil})
	s.changed.Broadcast()
}

// seen returns the requests of a resource so far.
func (s *server) seen(resource string, watch bool) []asked {
	return slices.DeleteFunc(s.of(resource), func(r asked) bool { return r.watch != watch })
}

// of returns the requests of a resource so far, in their order.
func (s *server) of(resource string) (seen []asked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r.resource == resource {
			seen = append(seen, r)
		}
	}
	return seen
}

// setRefuse sets refuse.
func (s *server) setRefuse(refuse func(*http.Request, string) *metav1.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = refuse
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if parts = parts[min(2, len(parts)):]; strings.HasPrefix(r.URL.Path, "/apis/") {
		parts = parts[1:]
	}
	q := asked{method: r.Method, accept: r.Header.Get("Accept"), labels: r.FormValue("labelSelector"), fields: r.FormValue("fieldSelector")}
	q.watch, q.bookmarks = r.FormValue("watch") != "", r.FormValue("allowWatchBookmarks") != ""
	if parts[0] == "namespaces" && len(parts) > 2 {
		q.namespace, parts = parts[1], parts[2:]
	}
	q.resource = parts[0]
	s.mu.Lock()
	s.requests = append(s.requests, q)
	refuse := s.refuse
	s.mu.Unlock()
	if s.plain {
		if !slices.Contains(strings.Split(q.accept, ","), "application/json") {
			http.Error(w, "only application/json is acceptable", http.StatusNotAcceptable)
			return
		}
		q.accept = "application/json"
	}
	if refuse != nil {
		if status := refuse(r, q.resource); status != nil {
			status.Kind, status.APIVersion = "Status", "v1"
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(int(status.Code))
			json.NewEncoder(w).Encode(status)
			return
		}
	}
	switch {
	case r.Method != http.MethodGet:
		s.write(w, r, &q, parts[1:])
	case q.watch:
		s.watch(w, r, &q)
	default:
		s.list(w, &q)
	}
}

func (s *server) list(w http.ResponseWriter, q *asked) {
	s.mu.Lock()
	items := []any{}
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if obj := s.objects[key]; strings.HasPrefix(key, q.resource+"/") && q.selects(obj) {
			items = append(items, q.shown(obj))
		}
	}
	version := strconv.Itoa(len(s.history) + 1)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	kind, apiVersion := cmp.Or(s.listKinds[q.resource], kinds[q.resource]+"List"), "v1"
	switch {
	case strings.Contains(q.accept, "as=PartialObjectMetadata"):
		kind, apiVersion = "PartialObjectMetadataList", "meta.k8s.io/v1"
	case slices.Contains([]string{"widgets", "gadgets", "gizmos"}, q.resource):
		apiVersion = "example.com/v1"
	}
	json.NewEncoder(w).Encode(map[string]any{"kind": kind, "apiVersion": apiVersion, "metadata": map[string]any{"resourceVersion": version}, "items": items})
}

func (s *server) watch(w http.ResponseWriter, r *http.Request, q *asked) {
	from, err := strconv.Atoi(r.FormValue("resourceVersion"))
	if err != nil {
		http.Error(w, fmt.Sprintf("a watch from version %q", r.FormValue("resourceVersion")), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	stop := func() { s.changed.L.Lock(); s.changed.Broadcast(); s.changed.L.Unlock() }
	go func() { <-r.Context().Done(); stop() }()
	encoder := json.NewEncoder(w)
	s.mu.Lock()
	defer s.mu.Unlock()
	next, releases := from-1, 0
	for {
		var event map[string]any
		switch {
		case s.closed || r.Context().Err() != nil:
			return
		case !s.held && next < len(s.history):
			event = q.event(s.history[next])
			next++
		case !s.held && q.bookmarks && releases < s.releases:
			releases = s.releases
			event = s.bookmark(q)
		default:
			s.changed.Wait()
			continue
		}
		if event != nil {
			s.mu.Unlock()
			encoder.Encode(event)
			w.(http.Flusher).Flush()
			s.mu.Lock()
		}
	}
}

// bookmark returns the event that tells a watch how far it is. A server sends one each minute, and
// this one after each release. mu is held.
func (s *server) bookmark(q *asked) map[string]any {
	return map[string]any{"type": "BOOKMARK", "object": map[string]any{
		"kind": kinds[q.resource], "apiVersion": "example.com/v1", "metadata": map[string]any{"resourceVersion": strconv.Itoa(len(s.history) + 1)},
	}}
}

// event returns the event of a change for a watch, or nil.
func (q *asked) event(c change) map[string]any {
	was := c.old != nil && q.selects(c.old)
	is := c.new != nil && q.selects(c.new)
	switch {
	case c.resource != q.resource:
	case is && was:
		return map[string]any{"type": "MODIFIED", "object": q.shown(c.new)}
	case is:
		return map[string]any{"type": "ADDED", "object": q.shown(c.new)}
	case was:
		return map[string]any{"type": "DELETED", "object": q.shown(c.old)}
	}
	return nil
}

// shown returns an object as it was asked for.
func (q *asked) shown(obj *unstructured.Unstructured) map[string]any {
	if !strings.Contains(q.accept, "as=PartialObjectMetadata") {
		return obj.Object
	}
	return map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj.Object["metadata"]}
}

func (q *asked) selects(obj *unstructured.Unstructured) bool {
	byLabels, err := labels.Parse(q.labels)
	if err != nil {
		return false
	}
	byFields, err := fields.ParseSelector(q.fields)
	if err != nil {
		return false
	}
	if q.namespace != "" && q.namespace != obj.GetNamespace() {
		return false
	}
	return byLabels.Matches(labels.Set(obj.GetLabels())) &&
		byFields.Matches(fields.Set{"metadata.name": obj.GetName(), "metadata.namespace": obj.GetNamespace()})
}
