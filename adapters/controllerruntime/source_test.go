package crcache

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// typedInformer returns a running informer of the widgets of a server.
func typedInformer(t *testing.T, s *server) *cache.SharedIndexInformer[*widget] {
	t.Helper()
	settings, err := resolve(s.config(), ctrlcache.Options{Scheme: testScheme(), Mapper: testMapper(), HTTPClient: s.client()})
	if err != nil {
		t.Fatal(err)
	}
	mapping := &meta.RESTMapping{Resource: widgetKind.GroupVersion().WithResource("widgets"), GroupVersionKind: widgetKind, Scope: meta.RESTScopeNamespace}
	client, err := settings.restClient(mapping)
	if err != nil {
		t.Fatal(err)
	}
	informer, err := cache.Kind[*widget]{Resource: mapping.Resource, Kind: "Widget", Namespaced: true, Open: opener(client, mapping.Resource, func(string) bool { return true })}.NewInformer()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return informer
}

func TestSource(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	s.put("widgets", newWidget("a", "hidden", "blue"))
	informer := typedInformer(t, s)
	var mu sync.Mutex
	var events []string
	record := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, fmt.Sprintf(format, args...))
	}
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	source := NewSource(informer, handler.TypedFuncs[*widget, reconcile.Request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[*widget], q queue) {
			record("create %s %v", e.Object.Name, e.IsInInitialList)
			q.Add(reconcile.Request{})
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*widget], _ queue) {
			record("update %s %s", e.ObjectOld.Spec.Color, e.ObjectNew.Spec.Color)
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[*widget], _ queue) {
			record("delete %s %v", e.Object.Name, e.DeleteStateUnknown)
		},
	}, predicate.NewTypedPredicateFuncs(func(w *widget) bool { return w.Name != "hidden" }))
	if err := source.WaitForSync(t.Context()); err == nil {
		t.Error("a source that is not started is synced")
	}
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	ctx, cancel := context.WithCancel(t.Context())
	if err := source.Start(ctx, q); err != nil {
		t.Fatal(err)
	}
	if err := source.WaitForSync(timeout(t)); err != nil {
		t.Fatal(err)
	}
	has := func(want string) func() error {
		return func() error {
			mu.Lock()
			defer mu.Unlock()
			if got := strings.Join(events, ", "); got != want {
				return fmt.Errorf("the events are %s, want %s", got, want)
			}
			return nil
		}
	}
	if err := has("create one true")(); err != nil || q.Len() != 1 { // when WaitForSync returns
		t.Errorf("%v, and %d requests", err, q.Len())
	}
	s.put("widgets", newWidget("a", "one", "green"))
	s.put("widgets", newWidget("a", "hidden", "green"))
	s.remove("widgets", "a", "hidden")
	s.remove("widgets", "a", "one")
	eventually(t, has("create one true, update red green, delete one false"))
	cancel()
	<-source.(*informerSource[*widget, reconcile.Request]).registration.Ended() // the handler is removed
}

func TestSourceThatDoesNotSync(t *testing.T) {
	s := newServer(t)
	s.setRefuse(func(*http.Request, string) *metav1.Status {
		return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: "widgets is forbidden"}
	})
	informer := typedInformer(t, s)
	source := NewSource(informer, &handler.TypedEnqueueRequestForObject[*widget]{})
	if err := source.Start(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if informer.Status().Err == nil {
			return fmt.Errorf("no error yet")
		}
		return nil
	})
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := source.WaitForSync(short); err == nil || !strings.Contains(err.Error(), "widgets is forbidden") {
		t.Errorf("the source returns %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := source.WaitForSync(ended); err != nil {
		t.Errorf("when the controller ends: %v", err)
	}
	if err := NewSource[*widget, reconcile.Request](nil, nil).Start(t.Context(), nil); err == nil {
		t.Error("a source without an informer has started")
	}
}
