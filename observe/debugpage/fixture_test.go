package debugpage

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// source has informers that are made up.
type source []status.Informer

func (s source) Statuses() iter.Seq[status.Informer] {
	return slices.Values(s)
}

func pods() status.Informer {
	return status.Informer{
		Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: "Pod", Object: "*v1.Pod", Server: "https://10.0.0.1:6443",
		Status: status.Status{Phase: status.Watching, Since: time.Now().Add(-5 * time.Hour), ResourceVersion: "4711", Objects: 12345},
		Stats: status.Stats{
			Synced: true, WasSynced: true, Staleness: 12 * time.Second, ObjectBytes: 48 << 20, BytesRead: 96 << 20,
			Added: 12345, Updated: 67890, Deleted: 12, Bookmarks: 300, Lists: 1,
			Handlers: []status.HandlerStats{{Name: "reconcile", Synced: true, Processed: 80247, Slowest: 37 * time.Millisecond}},
			Indexes:  []status.IndexStats{{Name: "namespace", Values: 42}},
			ToCache:  status.Histogram{Counts: [16]uint64{0: 90, 1: 8, 15: 2}, Sum: 75 * time.Second},
		},
	}
}

// secrets may not be listed in one of two namespaces.
func secrets() status.Informer {
	resource := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	err := fmt.Errorf("list: %w", apierrors.NewForbidden(resource.GroupResource(), "", errors.New(`User "system:serviceaccount:shop:operator" cannot list resource "secrets" in API group "" in the namespace "shop"`)))
	failed := status.Status{Phase: status.Degraded, Since: time.Now().Add(-3 * time.Minute), Err: err, Reason: status.Forbidden, Verb: "list", NextAttempt: time.Now().Add(12 * time.Second)}
	joined := failed
	joined.Scopes = []status.Scope{
		{Name: "namespace bank", Namespace: "bank", Status: status.Status{Phase: status.Watching, Since: time.Now().Add(-time.Hour), ResourceVersion: "4700"}},
		{Name: "namespace shop", Namespace: "shop", Status: failed},
	}
	return status.Informer{
		Name: "credentials", Resource: resource, Kind: "Secret", Object: "*v1.Secret", Server: "https://10.0.0.1:6443", Namespaces: []string{"bank", "shop"},
		Status: joined,
		Stats: status.Stats{
			NotFollowing: 200 * time.Second, Lists: 1,
			Relists:  map[status.Reason]uint64{status.Expired: 2, status.Unreachable: 1},
			Failures: []status.FailureCount{{Verb: "list", Reason: status.Forbidden, Count: 14}},
			Handlers: []status.HandlerStats{{Name: "rotate", Backlog: 3}},
		},
	}
}

// databases follow two names of a namespace, and all other namespaces. Those are refused, and the source of
// the scopes fails.
func databases() status.Informer {
	resource := schema.GroupVersionResource{Group: "data.example.com", Version: "v1", Resource: "databases"}
	refused := status.Status{
		Phase: status.Degraded, Since: time.Now().Add(-time.Minute), Reason: status.Refused, Verb: "list",
		Err: fmt.Errorf("list: %w", apierrors.NewBadRequest("shardSelector: unknown key")),
	}
	watching := status.Status{Phase: status.Watching, Since: time.Now().Add(-time.Hour), ResourceVersion: "4700"}
	return status.Informer{
		Resource: resource, Kind: "Database", Object: "*v1.Database", Namespaces: []string{"", "bank"},
		Status: status.Status{
			Phase: status.Degraded, Since: time.Now().Add(-time.Minute), Reason: status.Unreachable, Err: &status.ScopesError{Err: errors.New("the file scopes.yaml is missing")},
			Scopes: []status.Scope{
				{Name: "other namespaces (labels tier=b)", Scope: "other namespaces labels tier=b", Status: refused},
				{Name: "namespace bank (fields metadata.name=loans)", Namespace: "bank", Scope: `"bank" fields metadata.name=loans`, Status: watching},
				{Name: "namespace bank (fields metadata.name=orders)", Namespace: "bank", Scope: `"bank" fields metadata.name=orders`, Status: watching},
			},
		},
		Stats: status.Stats{Synced: true, WasSynced: true, NotFollowing: time.Minute, Lists: 3, Added: 5, Dropped: 4321},
	}
}

// widgets has a busy handler and an object that cannot be decoded.
func widgets() status.Informer {
	return status.Informer{
		Resource: schema.GroupVersionResource{Group: "shop.example.com", Version: "v1alpha1", Resource: "widgets"}, Kind: "Widget", Object: "*v1alpha1.WidgetView",
		Status: status.Status{
			Phase: status.Watching, Since: time.Now().Add(-26 * time.Hour), ResourceVersion: "4720", Objects: 7,
			Undecodable: []*wire.DecodeError{{Namespace: "shop", Name: "broken", Path: "/spec/size", Near: `"size":"large"`, Err: errors.New("cannot unmarshal string into int32")}},
		},
		Stats: status.Stats{
			Synced: true, WasSynced: true, Staleness: 4 * time.Minute, DecodeFailures: 2, LiveReads: 3, Queued: 2,
			Handlers: []status.HandlerStats{
				{Name: "reconcile", Synced: true, Backlog: 4813, Processed: 977, Running: 94 * time.Second, Slowest: 94 * time.Second},
				{Name: "*main.audit", Unnamed: true, Synced: true, Processed: 977, Panics: 2},
			},
		},
	}
}

// nodes is not started.
func nodes() status.Informer {
	return status.Informer{
		Resource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, Kind: "Node", Object: "*v1.Node",
		Status: status.Status{Phase: status.Pending, Since: time.Now().Add(-time.Minute)},
	}
}

// queues follows no scope.
func queues() status.Informer {
	return status.Informer{
		Resource: schema.GroupVersionResource{Group: "data.example.com", Version: "v1", Resource: "queues"}, Kind: "Queue", Object: "*v1.Queue", Namespaces: []string{},
		Status: status.Status{Phase: status.Watching, Since: time.Now().Add(-time.Minute)},
		Stats:  status.Stats{Synced: true, WasSynced: true},
	}
}

// tenants follow n namespaces. The first is forbidden, which was added last.
func tenants(n int) status.Informer {
	s := pods()
	s.Status.Phase, s.Status.Reason, s.Status.Verb, s.Status.Err = status.Degraded, status.Forbidden, "list", errors.New("namespace tenant-0000: list: forbidden")
	s.Stats.Synced = false
	for i := range n {
		name := fmt.Sprintf("tenant-%04d", i)
		scope := status.Scope{Name: "namespace " + name, Namespace: name, Status: status.Status{Phase: status.Watching, Since: time.Now().Add(-time.Hour), ResourceVersion: "4700"}}
		if i == 0 {
			scope.Status = status.Status{Phase: status.Degraded, Since: time.Now().Add(-time.Minute), Reason: status.Forbidden, Verb: "list", Err: errors.New("list: forbidden")}
		}
		s.Namespaces = append(s.Namespaces, name)
		s.Status.Scopes = append(s.Status.Scopes, scope)
	}
	return s
}

// some has an informer in each state.
func some() source { return source{pods(), secrets(), widgets(), nodes()} }

// get returns the answer to a GET. The path may have a query.
func get(t *testing.T, h http.Handler, path, accept string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = "localhost"
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// body returns the body of a GET that succeeds.
func body(t *testing.T, h http.Handler, path string) string {
	t.Helper()
	w := get(t, h, path, "")
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}
