package crcache

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// withBoth runs a test with a cache of controller-runtime and with ours, which have started, each with a server of its own.
func withBoth(t *testing.T, options ctrlcache.Options, prepare func(*server), test func(t *testing.T, s *server, c ctrlcache.Cache)) {
	for name, newCache := range map[string]ctrlcache.NewCacheFunc{"controller-runtime": ctrlcache.New, "ours": New} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			prepare(s)
			test(t, s, startOne(t, newCache, s, options))
		})
	}
}

// TestErrorsThatProgramsCompare have the texts of client-go, which has no types for them.
func TestErrorsThatProgramsCompare(t *testing.T) {
	withBoth(t, ctrlcache.Options{}, func(*server) {}, func(t *testing.T, _ *server, c ctrlcache.Cache) {
		extract := func(client.Object) []string { return nil }
		if err := c.IndexField(t.Context(), &widget{}, "x", extract); err != nil {
			t.Fatal(err)
		}
		if err := c.IndexField(t.Context(), &widget{}, "x", extract); err == nil || !strings.HasPrefix(err.Error(), "indexer conflict") {
			t.Errorf("a second index: %v", err)
		}
		if err := c.List(t.Context(), &widgetList{}, client.MatchingFields{"y": "z"}); err == nil || !strings.HasSuffix(err.Error(), "Index with name field:y does not exist") {
			t.Errorf("a list without an index: %v", err)
		}
	})
}

// TestKindForATransform is that of the object also for metadata: one transform may be for all kinds.
func TestKindForATransform(t *testing.T) {
	var mu sync.Mutex
	var kinds []string
	options := ctrlcache.Options{DefaultTransform: func(obj any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		kinds = append(kinds, fmt.Sprintf("%T %v", obj, obj.(client.Object).GetObjectKind().GroupVersionKind()))
		return obj, nil
	}}
	withBoth(t, options, func(s *server) { s.put("widgets", newWidget("a", "one", "red")) }, func(t *testing.T, s *server, c ctrlcache.Cache) {
		get := func(name string) error {
			return c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: name}, partialWidget())
		}
		if err := get("one"); err != nil {
			t.Fatal(err)
		}
		s.put("widgets", newWidget("a", "two", "red")) // by the watch
		eventually(t, func() error { return get("two") })
		mu.Lock()
		defer mu.Unlock()
		if len(kinds) < 2 {
			t.Errorf("the transform got %q", kinds)
		}
		for _, kind := range kinds {
			if !strings.Contains(kind, "Kind=Widget") {
				t.Errorf("the transform got a %s", kind)
			}
		}
		kinds = nil
	})
}

// TestHandlerOfARemovedInformer can be removed from the informer that GetInformer returns after it.
func TestHandlerOfARemovedInformer(t *testing.T) {
	withBoth(t, ctrlcache.Options{}, func(s *server) { s.put("widgets", newWidget("a", "one", "red")) }, func(t *testing.T, _ *server, c ctrlcache.Cache) {
		ctx := timeout(t)
		if err := c.Get(ctx, client.ObjectKey{Namespace: "a", Name: "one"}, &widget{}); err != nil {
			t.Fatal(err)
		}
		informer := func() ctrlcache.Informer {
			i, err := c.GetInformer(ctx, untypedWidget(), ctrlcache.BlockUntilSynced(false))
			if err != nil {
				t.Fatal(err)
			}
			return i
		}
		registration, err := informer().AddEventHandler(&recorder{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.RemoveInformer(ctx, untypedWidget()); err != nil {
			t.Fatal(err)
		}
		if err := informer().RemoveEventHandler(registration); err != nil {
			t.Error(err)
		}
	})
}

// TestIndexFunctionThatReads reads another kind for the first time, while its own kind gets another form.
func TestIndexFunctionThatReads(t *testing.T) {
	prepare := func(s *server) {
		s.put("widgets", newWidget("a", "one", "red"))
		s.put("configmaps", newObject("ConfigMap", "a", "one"))
	}
	withBoth(t, ctrlcache.Options{}, prepare, func(t *testing.T, _ *server, c ctrlcache.Cache) {
		ctx := timeout(t)
		one := client.ObjectKey{Namespace: "a", Name: "one"}
		called, read := make(chan struct{}), make(chan struct{})
		isCalled := sync.OnceFunc(func() { close(called) })
		indexed, added := make(chan error, 1), make(chan error, 1)
		go func() {
			indexed <- c.IndexField(ctx, &widget{}, "x", func(client.Object) []string {
				isCalled()
				<-read
				if err := c.Get(ctx, one, &corev1.ConfigMap{}); err != nil {
					t.Error(err)
				}
				return []string{"v"}
			})
		}()
		<-called
		go func() {
			_, err := c.GetInformer(ctx, untypedWidget(), ctrlcache.BlockUntilSynced(false))
			added <- err
		}()
		var err error
		select {
		case err = <-added:
		case <-ctx.Done():
			err = ctx.Err()
		}
		close(read)
		if err := errors.Join(err, <-indexed); err != nil {
			t.Fatal(err)
		}
		if err := c.Get(ctx, one, untypedWidget()); err != nil {
			t.Error(err)
		}
		var found widgetList
		if err := c.List(ctx, &found, client.MatchingFields{"x": "v"}); err != nil || len(found.Items) != 1 {
			t.Errorf("%d widgets, %v", len(found.Items), err)
		}
	})
}
