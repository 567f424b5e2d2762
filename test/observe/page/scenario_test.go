package page

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	datainformers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions/api/v1"
	"github.com/typedinformers/informer-gen/observe/debugpage"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
	"github.com/typedinformers/informer-gen/test/progress"
)

// scenario is what the page shows.
type scenario struct {
	name   string
	source func(*testing.T) status.Source
	// texts are on the page.
	texts []string
}

var scenarios = []scenario{
	{"healthy", healthy, []string{"3 of 3 informers follow the server.", "databases.data.example.com", "DatabaseClass", "Healthy", "31 objects"}},
	{"forbidden", forbidden, []string{
		"1 of 3 informers does not follow the server (Forbidden): databases.data.example.com.", "Failing", "Degraded: Forbidden",
		"The last list failed: Forbidden.", "What to do", "Runbook", "Manifest to add",
	}},
	{"stale", stale, []string{"1 of 3 informers needs attention: databases.data.example.com.", "Attention", "The server has sent nothing for 7m12s, although the watch is open."}},
	{"scopes", scopes, []string{
		"1 of 3 informers does not follow the server (Forbidden): databases.data.example.com in namespaces default, team-b.", "The last list failed in 1 of 3 scopes: Forbidden.", "in namespaces default, team-b", "in no namespace",
		"What to do in namespace team-b", "a Role in that namespace",
	}},
	{"many", many, []string{"9 of 200 informers do not follow the server (8 NotFound, 1 Unreachable).", "Degraded: NotFound", "Stopped"}},
}

// operator returns a started factory of the example operator with three informers, each with a
// handler, and 31 objects. prepare may add faults to its server.
func operator(t *testing.T, prepare func(*fake.Clientset), options ...informers.SharedInformerOption) (*fake.Clientset, *cache.SharedInformerFactory) {
	t.Helper()
	client := fake.NewClientset(&v1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "small"}})
	for i := range 30 {
		name := fmt.Sprintf("orders-%d", i)
		if _, err := client.DataV1().Databases("default").Create(t.Context(), &v1.Database{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.DatabaseSpec{ClassName: "small", StorageGi: 10}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if prepare != nil {
		prepare(client)
	}
	factory := informers.NewSharedInformerFactory(client, 0, options...)
	inner := factory.Inner()
	add := func(_ cache.ResourceEventHandlerRegistration, err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	add(factory.Data().V1().Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*v1.Database]{}, cache.WithHandlerName("reconcile")))
	add(factory.Data().V1().Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*v1.Database]{}, cache.WithHandlerName("quota")))
	add(factory.Data().V1().DatabaseServers().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*v1.DatabaseServer]{}, cache.WithHandlerName("reconcile")))
	factory.Views().V1().DatabaseClassSummaries().Informer()
	factory.Start(t.Context())
	t.Cleanup(factory.Shutdown)
	return client, inner
}

func healthy(t *testing.T) status.Source {
	_, factory := operator(t, nil)
	if err := factory.WaitForCacheSync(progress.Context(t)); err != nil {
		t.Fatal(err)
	}
	return factory
}

// forbidden has an informer whose first list is refused.
func forbidden(t *testing.T) status.Source {
	reached := make(chan struct{})
	var mu sync.Mutex // guards states
	states := map[string]string{}
	_, factory := operator(t, func(client *fake.Clientset) {
		client.Server().On("list", "databases").Forbidden()
	}, cache.WithStatusHandler(func(_ context.Context, change status.Change) {
		mu.Lock()
		defer mu.Unlock()
		if len(states) == 3 {
			return
		}
		if change.New.Phase == status.Watching || change.New.Reason == status.Forbidden {
			states[change.New.Resource.Resource] = string(change.New.Phase)
		}
		if len(states) == 3 {
			close(reached)
		}
	}))
	select {
	case <-reached:
	case <-progress.Context(t).Done():
		t.Fatal("an informer does not start")
	}
	return factory
}

// scopes has an informer with two names in one namespace, and a namespace that is added later, without the
// right to list it. Another one follows no scope.
func scopes(t *testing.T) status.Source {
	first := []cache.Scope{{Namespace: "default", FieldSelector: "metadata.name=orders-0"}, {Namespace: "default", FieldSelector: "metadata.name=orders-1"}}
	reached := make(chan struct{})
	var once sync.Once
	client, factory := operator(t, func(client *fake.Clientset) {
		client.Server().On("list", "databases").In("team-b").Forbidden()
	}, cache.WithOptionsFor[*v1.Database](cache.WithScopes(first...)), cache.WithOptionsFor[*v1.DatabaseServer](cache.WithScopesLater()),
		cache.WithStatusHandler(func(_ context.Context, change status.Change) {
			if change.New.Reason == status.Forbidden {
				once.Do(func() { close(reached) })
			}
		}))
	if err := cache.InformerFor(factory, datainformers.DatabaseServerKind(client)).SetScopes(); err != nil {
		t.Fatal(err)
	}
	if err := factory.WaitForCacheSync(progress.Context(t)); err != nil {
		t.Fatal(err)
	}
	if err := cache.InformerFor(factory, datainformers.DatabaseKind(client)).SetScopes(append(first, cache.Scope{Namespace: "team-b"})...); err != nil {
		t.Fatal(err)
	}
	select {
	case <-reached:
	case <-progress.Context(t).Done():
		t.Fatal("the added namespace is not refused")
	}
	return factory
}

// edited changes what a source has.
type edited struct {
	status.Source
	edit func(*status.Informer)
}

func (e edited) Statuses() iter.Seq[status.Informer] {
	return func(yield func(status.Informer) bool) {
		for s := range e.Source.Statuses() {
			if e.edit(&s); !yield(s) {
				return
			}
		}
	}
}

// stale has an informer that has heard nothing for minutes, which takes too long for a test.
func stale(t *testing.T) status.Source {
	return edited{healthy(t), func(s *status.Informer) {
		if s.Resource.Resource == "databases" {
			s.Stats.Staleness = 7*time.Minute + 12*time.Second
			s.Stats.ObjectBytes = 48 << 10
		}
	}}
}

// fixed has informers that are made up.
type fixed []status.Informer

func (f fixed) Statuses() iter.Seq[status.Informer] {
	return func(yield func(status.Informer) bool) {
		for _, s := range f {
			s.Status.Since = time.Now().Add(-s.Status.Since.Sub(began)) // so that it is the same in each look
			if !yield(s) {
				return
			}
		}
	}
}

var began = time.Now()

// many has 200 informers of a large operator, some of them in each state.
func many(t *testing.T) status.Source {
	groups := []string{"", "apps", "batch", "networking.k8s.io", "monitoring.coreos.com", "infrastructure.cluster.x-k8s.io"}
	kinds := []string{"Pod", "Deployment", "Job", "Ingress", "ServiceMonitor", "AWSManagedControlPlaneTemplate"}
	plurals := []string{"pods", "deployments", "jobs", "ingresses", "servicemonitors", "awsmanagedcontrolplanetemplates"}
	var all fixed
	for i := range 200 {
		k := i % len(groups)
		s := status.Informer{
			Resource: schema.GroupVersionResource{Group: groups[k], Version: "v1", Resource: plurals[k]}, Kind: kinds[k], Object: "*v1." + kinds[k],
			Namespaces: []string{fmt.Sprintf("team-%03d", i/len(groups))},
			Status:     cache.Status{Phase: status.Watching, Since: began.Add(time.Duration(i*i) * 40 * time.Second), Objects: i * i * 3, ResourceVersion: fmt.Sprint(48_000_000 + i)},
			Stats: status.Stats{
				Synced: true, Staleness: time.Duration(i%50) * 900 * time.Millisecond, ObjectBytes: int64(i*i) * 9000, BytesRead: int64(i*i) * 42000,
				Added: uint64(i * 7), Updated: uint64(i * i * 11), Deleted: uint64(i), Bookmarks: uint64(i * 60), Lists: 1,
				Handlers: []status.HandlerStats{{Name: "reconcile", Synced: true, Backlog: i % 5, Processed: uint64(i * i * 11), Slowest: time.Duration(i) * time.Millisecond}},
				Indexes:  []status.IndexStats{{Name: "namespace", Values: 1}},
			},
		}
		switch {
		case i%25 == 3:
			s.Status.Phase, s.Status.Reason, s.Status.Verb = status.Degraded, status.NotFound, "list"
			s.Status.Err = fmt.Errorf("list https://10.0.0.1:6443/apis/%s/v1/%s: %w", groups[k], plurals[k], apierrors.NewNotFound(s.Resource.GroupResource(), ""))
			s.Status.NextAttempt = time.Now().Add(time.Hour)
			s.Stats.Failures = []status.FailureCount{{Verb: "list", Reason: status.NotFound, Count: 41}}
		case i == 77:
			s.Status.Phase, s.Status.Reason, s.Status.Verb = status.Degraded, status.Unreachable, "watch"
			s.Status.Err = errors.New("watch https://10.0.0.1:6443/apis/batch/v1/jobs: dial tcp 10.0.0.1:6443: connect: connection refused")
			s.Stats.Relists = map[cache.Reason]uint64{status.Expired: 3, status.Unreachable: 1}
		case i == 50:
			s.Stats.Handlers[0].Backlog, s.Stats.Handlers[0].Running, s.Stats.Handlers[0].Slowest = 48213, 94*time.Second, 94*time.Second
		case i == 120:
			s.Status.Undecodable = []*wire.DecodeError{{Namespace: "team-020", Name: "broken", Path: "/spec/replicas", Err: errors.New("cannot unmarshal string into int32")}}
			s.Stats.DecodeFailures = 1
		case i%40 == 11:
			s.Status.Phase, s.Stats.Synced, s.Status.Since, s.Status.Objects, s.Stats.ObjectBytes = status.Listing, false, began.Add(4*time.Second), 0, 0
		case i == 199:
			s.Status.Phase = status.Stopped
		}
		all = append(all, s)
	}
	return all
}

// serve returns the address of the page of a source.
func serve(t *testing.T, source status.Source, options ...debugpage.Option) string {
	t.Helper()
	server := httptest.NewServer(debugpage.New(source, options...))
	t.Cleanup(server.Close)
	return server.URL + "/debug/informers"
}
