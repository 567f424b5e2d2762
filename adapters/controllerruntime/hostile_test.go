package crcache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestRunOfAnInformer runs the informers of a cache, which only the cache may do.
func TestRunOfAnInformer(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	informer, err := c.GetInformer(t.Context(), &widget{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.(toolscache.SharedIndexInformer).Run(t.Context().Done())
		informer.(toolscache.SharedIndexInformer).RunWithContext(t.Context())
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("Run follows the server, although the cache is not started")
	}
	start(t, c)
	if got := namesIn(t, c); got != "a/one" {
		t.Errorf("the names are %q", got)
	}
}

// TestOptionsAreCopied changes the options after New.
func TestOptionsAreCopied(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	share, bookmarks := true, true
	config := ctrlcache.Config{UnsafeDisableDeepCopy: &share, EnableWatchBookmarks: &bookmarks}
	off := false
	options := ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{"a": config, "b": {UnsafeDisableDeepCopy: &off}}}
	c := newCache(t, s, options)
	share, bookmarks, off = false, false, true
	clear(options.DefaultNamespaces)
	start(t, c)
	var first, second widget
	for _, obj := range []*widget{&first, &second} {
		if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, obj); err != nil {
			t.Fatal(err)
		}
	}
	if &first.Spec.Sizes[0] != &second.Spec.Sizes[0] {
		t.Error("the object is copied")
	}
	eventually(t, func() error {
		for _, r := range s.seen("widgets", true) {
			if r.namespace == "a" && !r.bookmarks {
				t.Error("a watch without bookmarks")
			}
		}
		if len(s.seen("widgets", true)) < 2 {
			return errors.New("a namespace is not watched")
		}
		return nil
	})
}

// TestHandlersUseTheCache calls the cache from handlers.
func TestHandlersUseTheCache(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	stop := start(t, c)
	ctx, key := timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}
	informer, err := c.GetInformer(ctx, &widget{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	ready := make(chan struct{})
	var own toolscache.ResourceEventHandlerRegistration
	own, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{AddFunc: func(any) {
		<-ready
		errs := []error{c.Get(ctx, key, untypedWidget()), c.List(ctx, &widgetList{})}
		color := func(obj client.Object) []string { return []string{obj.GetLabels()["color"]} }
		errs = append(errs, c.IndexField(ctx, &widget{}, "color", color))
		other, err := informer.AddEventHandler(&recorder{})
		errs = append(errs, err, informer.RemoveEventHandler(other), informer.RemoveEventHandler(own))
		errs = append(errs, c.RemoveInformer(ctx, untypedWidget()), c.RemoveInformer(ctx, &widget{}))
		errs = append(errs, c.Get(ctx, key, &widget{}))
		done <- errors.Join(errs...)
	}})
	if err != nil {
		t.Fatal(err)
	}
	close(ready)
	if err := <-done; err != nil {
		t.Error(err)
	}
	stop()
}

// TestFailingMapper gets a new kind from many goroutines, from a mapper that fails at first.
func TestFailingMapper(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	mapper := &flakyMapper{RESTMapper: c.mapper}
	mapper.fails.Store(50)
	c.mapper = mapper
	start(t, c)
	var all sync.WaitGroup
	var failed atomic.Int32
	for range 100 {
		all.Go(func() {
			if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, &widget{}); meta.IsNoMatchError(err) {
				failed.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := failed.Load(); got > 50 {
		t.Errorf("%d reads failed", got)
	}
	if got := namesIn(t, c); got != "a/one" {
		t.Errorf("the names are %q", got)
	}
}

// flakyMapper fails some times.
type flakyMapper struct {
	meta.RESTMapper
	fails atomic.Int32
}

func (m *flakyMapper) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if m.fails.Add(-1) >= 0 {
		return nil, &meta.NoKindMatchError{GroupKind: gk, SearchedVersions: versions}
	}
	return m.RESTMapper.RESTMapping(gk, versions...)
}

// TestErrorHandlerRemovesInformer is a handler of watch errors that gives a kind up, and blocks.
func TestErrorHandlerRemovesInformer(t *testing.T) {
	s := newServer(t)
	s.setRefuse(func(_ *http.Request, resource string) *metav1.Status {
		if resource == "widgets" {
			return &metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden}
		}
		return nil
	})
	var c *Cache
	release, called := make(chan struct{}), make(chan struct{}, 100)
	c = newCache(t, s, ctrlcache.Options{DefaultWatchErrorHandler: func(ctx context.Context, _ *toolscache.Reflector, _ error) {
		if err := c.RemoveInformer(ctx, &widget{}); err != nil {
			t.Error(err)
		}
		called <- struct{}{}
		<-release
	}})
	start(t, c)
	t.Cleanup(func() { close(release) }) // before the end of the cache, which waits for handlers
	if _, err := c.GetInformer(timeout(t), &widget{}, ctrlcache.BlockUntilSynced(false)); err != nil {
		t.Fatal(err)
	}
	<-called
	for range c.Kinds() {
		t.Error("the informer is not removed")
	}
	if err := c.List(timeout(t), &gadgetList{}); err != nil {
		t.Error(err)
	}
	if _, err := c.GetInformer(timeout(t), &widget{}, ctrlcache.BlockUntilSynced(false)); err != nil {
		t.Error(err)
	}
	<-called
}

// TestTypeOfTwoKinds has one Go type for two kinds, so only the object tells which one it is.
func TestTypeOfTwoKinds(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	other := newWidget("a", "two", "blue")
	other.SetKind("Gadget")
	s.put("gadgets", other)
	scheme := runtime.NewScheme()
	for _, kind := range []string{"Widget", "Gadget"} {
		scheme.AddKnownTypeWithName(widgetKind.GroupVersion().WithKind(kind), &widget{})
		scheme.AddKnownTypeWithName(widgetKind.GroupVersion().WithKind(kind+"List"), &widgetList{})
	}
	metav1.AddToGroupVersion(scheme, widgetKind.GroupVersion())
	c := newCache(t, s, ctrlcache.Options{})
	c.scheme = scheme
	start(t, c)
	for range 2 {
		for kind, name := range map[string]string{"Widget": "one", "Gadget": "two"} {
			obj, list := &widget{}, &widgetList{}
			obj.SetGroupVersionKind(widgetKind.GroupVersion().WithKind(kind))
			list.SetGroupVersionKind(widgetKind.GroupVersion().WithKind(kind + "List"))
			if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: name}, obj); err != nil || obj.Kind != kind {
				t.Errorf("%s: %v, %v", kind, obj.Kind, err)
			}
			if err := c.List(timeout(t), list); err != nil || len(list.Items) != 1 || list.Items[0].Name != name {
				t.Errorf("%s: %v, %v", kind, list.Items, err)
			}
		}
	}
	if err := c.Get(timeout(t), client.ObjectKey{Namespace: "a", Name: "one"}, &widget{}); err == nil {
		t.Error("the kind was guessed")
	}
}

// TestStartAndStopRace adds and removes informers with handlers while the cache starts and ends.
func TestStartAndStopRace(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	for round := range 30 {
		c := newCache(t, s, ctrlcache.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for worker := range 3 {
			all.Go(func() {
				for n := range 20 {
					obj, list := pairKinds[0].in(form((worker + n + round) % numForms))
					if informer, err := c.GetInformer(ctx, obj); err == nil {
						_, _ = informer.AddEventHandler(&recorder{})
					}
					_ = c.List(ctx, list)
					_ = c.IndexField(ctx, obj, "color", func(client.Object) []string { return nil })
					if n%3 == 0 {
						if err := c.RemoveInformer(ctx, obj); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		all.Go(func() {
			if err := c.Start(ctx); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			c.WaitForCacheSync(ctx)
			if round%2 == 0 {
				for range c.Statuses() {
					_ = ReadyChecker(c)(nil)
				}
			}
			cancel()
		})
		all.Wait()
		if err := c.Start(ctx); err == nil {
			t.Error("the cache was started twice")
		}
		obj, _ := pairKinds[1].in(typed) // of which there is no informer
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "one"}, obj); !apierrors.IsTimeout(err) {
			t.Errorf("a read after the end: %v", err)
		}
		if err := c.RemoveInformer(t.Context(), obj); err != nil {
			t.Error(err)
		}
	}
}

// TestResourceComesBack deletes the CRD of a kind, and installs it again with other objects.
func TestResourceComesBack(t *testing.T) {
	s := newServer(t)
	s.put("widgets", newWidget("a", "one", "red"))
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	informer, err := c.GetInformer(timeout(t), &widget{})
	if err != nil {
		t.Fatal(err)
	}
	var heard recorder
	if _, err := informer.AddEventHandler(&heard); err != nil {
		t.Fatal(err)
	}
	s.setRefuse(func(*http.Request, string) *metav1.Status {
		return &metav1.Status{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
	})
	s.CloseClientConnections()
	eventually(t, func() error {
		for now := range c.Kinds() {
			if now.Status.Reason != status.NotFound || now.NotSynced != "" {
				return fmt.Errorf("the status is %v, %s", now.Status, now.NotSynced)
			}
		}
		return nil
	})
	if got := namesIn(t, c); got != "a/one" {
		t.Errorf("without the CRD: %q", got)
	}
	s.remove("widgets", "a", "one")
	s.put("widgets", newWidget("a", "two", "blue"))
	s.setRefuse(nil)
	eventually(t, func() error {
		for _, e := range c.sortedEntries() {
			e.informer.Retry()
		}
		if got := namesIn(t, c); got != "a/two" {
			return fmt.Errorf("the names are %q", got)
		}
		return nil
	})
	heard.waitFor(t, "add *crcache.widget one true", "gone *crcache.widget a/one", "add *crcache.widget two false")
}
