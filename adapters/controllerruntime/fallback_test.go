package crcache

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestHealthyFormGoesOn reads a kind in a form in which one object cannot be decoded. The form
// that was read before goes on. The other one follows when the object is replaced.
func TestHealthyFormGoesOn(t *testing.T) {
	for _, healthy := range []client.Object{untypedWidget(), partialWidget()} {
		t.Run(formOf(healthy).String(), func(t *testing.T) {
			s := newServer(t)
			s.put("widgets", newWidget("a", "one", "red"))
			wrong := newWidget("a", "two", "red")
			wrong.Object["spec"] = map[string]any{"color": int64(7)}
			s.put("widgets", wrong)
			c := newCache(t, s, ctrlcache.Options{})
			start(t, c)
			ctx := timeout(t)
			get := func(name string, obj client.Object) func() error {
				return func() error { return c.Get(ctx, client.ObjectKey{Namespace: "a", Name: name}, obj) }
			}
			informer, err := c.GetInformer(ctx, healthy)
			if err != nil {
				t.Fatal(err)
			}
			var heard, late recorder
			if _, err := informer.AddEventHandler(&heard); err != nil {
				t.Fatal(err)
			}
			failing, err := c.GetInformer(ctx, &widget{}, ctrlcache.BlockUntilSynced(false))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := failing.AddEventHandler(&late); err != nil {
				t.Fatal(err)
			}
			for n := range 3 {
				name := fmt.Sprint("new", n)
				s.put("widgets", newWidget("a", name, "red"))
				eventually(t, get(name, healthy))
				e := c.sortedEntries()[0]
				eventually(t, func() error {
					if e.failure(typed) == nil {
						return fmt.Errorf("the form is decoded: %v", e.informer.Status())
					}
					return nil
				})
				if n > 0 {
					e.retryForms() // as the timer does
				}
			}
			eventually(t, func() error {
				for status := range c.Kinds() {
					if !strings.Contains(status.NotSynced, "cannot be decoded as typed") || !strings.Contains(status.NotSynced, "a/two") {
						return fmt.Errorf("the reason is %q", status.NotSynced)
					}
				}
				return nil
			})
			short, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			if err := c.Get(short, client.ObjectKey{Namespace: "a", Name: "one"}, &widget{}); err == nil || !strings.Contains(err.Error(), "a/two") {
				t.Errorf("a typed read: %v", err)
			}
			if got := late.sorted(); got != "" || failing.HasSynced() {
				t.Errorf("a typed handler got %s, and synced is %v", got, failing.HasSynced())
			}
			if strings.Contains(heard.sorted(), "update") || strings.Contains(heard.sorted(), "gone") {
				t.Errorf("the handler got %s", heard.sorted())
			}

			s.put("widgets", newWidget("a", "two", "blue"))
			eventually(t, func() error {
				c.sortedEntries()[0].retryForms()
				short, cancel := context.WithTimeout(ctx, patience/20)
				defer cancel()
				return c.Get(short, client.ObjectKey{Namespace: "a", Name: "two"}, &widget{})
			})
			late.waitFor(t, "add *crcache.widget one true", "add *crcache.widget two true", "add *crcache.widget new0 true", "add *crcache.widget new1 true", "add *crcache.widget new2 true")
			if err := get("new2", healthy)(); err != nil {
				t.Error(err)
			}
			for status := range c.Kinds() {
				if status.NotSynced != "" {
					t.Errorf("the reason is %q", status.NotSynced)
				}
			}
		})
	}
}

// TestFailedFormIsRemoved removes the informers of the form that fails, and of the healthy one.
func TestFailedFormIsRemoved(t *testing.T) {
	s := newServer(t)
	wrong := newWidget("a", "two", "red")
	wrong.Object["spec"] = map[string]any{"color": int64(7)}
	s.put("widgets", wrong)
	c := newCache(t, s, ctrlcache.Options{})
	start(t, c)
	ctx := timeout(t)
	if err := c.Get(ctx, client.ObjectKey{Namespace: "a", Name: "two"}, untypedWidget()); err != nil {
		t.Fatal(err)
	}
	fail := func() {
		t.Helper()
		if _, err := c.GetInformer(ctx, &widget{}, ctrlcache.BlockUntilSynced(false)); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error {
			if e := c.sortedEntries()[0]; e.failure(typed) == nil {
				return fmt.Errorf("%v", e.informer.Status())
			}
			return nil
		})
	}
	fail()
	if err := c.RemoveInformer(ctx, &widget{}); err != nil {
		t.Fatal(err)
	}
	for status := range c.Kinds() {
		if status.NotSynced != "" {
			t.Errorf("without the form: %s", status.NotSynced)
		}
	}
	fail()
	if err := c.RemoveInformer(ctx, untypedWidget()); err != nil { // so only the typed informer is left
		t.Fatal(err)
	}
	s.put("widgets", newWidget("a", "two", "red"))
	eventually(t, func() error {
		for _, e := range c.sortedEntries() {
			e.informer.Retry()
		}
		short, cancel := context.WithTimeout(ctx, patience/20)
		defer cancel()
		return c.Get(short, client.ObjectKey{Namespace: "a", Name: "two"}, &widget{})
	})
}
