package crcache

import (
	"context"
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// pendingInformer returns the informer of a form that the server does not list until open is
// called. The metadata of one object is cached.
func pendingInformer(t *testing.T, s *server, c *Cache, obj client.Object) (informer toolscache.SharedIndexInformer, open func()) {
	t.Helper()
	s.put("widgets", newWidget("a", "one", "red"))
	start(t, c)
	if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, partialWidget()); err != nil {
		t.Fatal(err)
	}
	opened := make(chan struct{})
	s.setRefuse(func(r *http.Request, _ string) *metav1.Status {
		if r.FormValue("watch") == "" {
			select {
			case <-opened:
			case <-r.Context().Done():
			}
		}
		return nil
	})
	got, err := c.GetInformer(timeout(t), obj, ctrlcache.BlockUntilSynced(false))
	if err != nil {
		t.Fatal(err)
	}
	return got.(toolscache.SharedIndexInformer), func() { close(opened) }
}

// TestLateHandlersAreIndependent adds three handlers before their form is listed. One never
// returns, one is removed while it runs.
func TestLateHandlersAreIndependent(t *testing.T) {
	s := newServer(t)
	c := newCache(t, s, ctrlcache.Options{})
	informer, open := pendingInformer(t, s, c, &widget{})
	release, entered := make(chan struct{}), make(chan struct{}, 2)
	blocking := toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) { entered <- struct{}{}; <-release }}
	var registrations [3]toolscache.ResourceEventHandlerRegistration
	for i, handler := range []toolscache.ResourceEventHandler{blocking, blocking, &recorder{}} {
		var err error
		if registrations[i], err = informer.AddEventHandler(handler); err != nil {
			t.Fatal(err)
		}
	}
	open()
	<-entered
	<-entered
	if err := informer.RemoveEventHandler(registrations[1]); err != nil {
		t.Fatal(err)
	}
	select {
	case <-syncedOf(registrations[2]):
	case <-time.After(patience):
		t.Error("a handler that has returned waits for another one")
	}
	if registrations[0].HasSynced() || registrations[1].HasSynced() {
		t.Error("a handler that has not returned is synced")
	}
	close(release)
	<-syncedOf(registrations[0])
}

// TestShutDownLateHandler calls client-go's ShutDownEventHandler, before and after the form is
// listed.
func TestShutDownLateHandler(t *testing.T) {
	s := newServer(t)
	c := newCache(t, s, ctrlcache.Options{})
	informer, open := pendingInformer(t, s, c, &widget{})
	first, err := informer.AddEventHandler(&recorder{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := informer.AddEventHandler(&recorder{})
	if err != nil {
		t.Fatal(err)
	}
	if err := shutDownEventHandler(informer, first); err != nil {
		t.Errorf("before: %v", err)
	}
	open()
	<-syncedOf(second)
	for range 2 {
		if err := shutDownEventHandler(informer, second); err != nil {
			t.Errorf("after: %v", err)
		}
	}
	third, err := informer.AddEventHandler(&recorder{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.RemoveInformer(t.Context(), &widget{}); err != nil {
		t.Fatal(err)
	}
	if err := shutDownEventHandler(informer, third); err != nil {
		t.Errorf("of a removed informer: %v", err)
	}
}

// TestStoreOfAPendingForm reads the store of an informer whose objects are not in its form yet.
func TestStoreOfAPendingForm(t *testing.T) {
	s := newServer(t)
	c := newCache(t, s, ctrlcache.Options{})
	informer, open := pendingInformer(t, s, c, untypedWidget())
	indexer := informer.GetIndexer()
	if list := indexer.List(); len(list) != 0 {
		t.Errorf("List: %v", list)
	}
	if keys := indexer.ListKeys(); len(keys) != 0 {
		t.Errorf("ListKeys: %v", keys)
	}
	if obj, exists, err := indexer.GetByKey("a/one"); obj != nil || exists || err != nil {
		t.Errorf("GetByKey: %v, %v, %v", obj, exists, err)
	}
	if list, err := indexer.ByIndex(toolscache.NamespaceIndex, "a"); len(list) != 0 || err != nil {
		t.Errorf("ByIndex: %v, %v", list, err)
	}
	if keys, err := indexer.IndexKeys(toolscache.NamespaceIndex, "a"); len(keys) != 0 || err != nil {
		t.Errorf("IndexKeys: %v, %v", keys, err)
	}
	if list, err := indexer.Index(toolscache.NamespaceIndex, newWidget("a", "two", "red")); len(list) != 0 || err != nil {
		t.Errorf("Index: %v, %v", list, err)
	}
	if informer.GetController().HasSynced() || isClosed(syncedOf(informer.GetController())) {
		t.Error("the controller is synced")
	}
	open()
	<-syncedOf(informer.GetController())
	if list := indexer.List(); len(list) != 1 {
		t.Errorf("List: %v", list)
	}
}

// TestMetadataDoesNotWait reads metadata while the objects are listed again for another form.
func TestMetadataDoesNotWait(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	ctx, key := timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}
	if err := c.Get(ctx, key, &widget{}); err != nil {
		t.Fatal(err)
	}
	s.setRefuse(func(*http.Request, string) *metav1.Status {
		return &metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden}
	})
	if _, err := c.GetInformer(ctx, untypedWidget(), ctrlcache.BlockUntilSynced(false)); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if err := c.Get(short, key, partialWidget()); err != nil {
		t.Error(err)
	}
}
