package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// TestLookup asks for objects in and out of the scopes, before and after their lists are in the cache.
func TestLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cachetest.NewCluster(t)
		cachetest.Create(c, "a", "one")
		cachetest.Create(c, "b", "one")
		s := newOfCluster(c, cachetest.InJSON, WithScopesLater())
		lookup := func(namespace, name string) string {
			obj, exists, isKnown := s.Lookup(ObjectName{namespace, name})
			if exists && (obj.Name != name || obj.Namespace != namespace || !isKnown) {
				t.Errorf("%s/%s is %v, known: %v", namespace, name, obj, isKnown)
			}
			return fmt.Sprintf("%s/%s exists=%v known=%v follows=%v", namespace, name, exists, isKnown, s.Follows(ObjectName{namespace, name}))
		}
		want := func(step string, lines ...string) {
			t.Helper()
			synctest.Wait()
			var got []string
			for _, line := range lines {
				name, _, _ := strings.Cut(line, " ")
				namespace, name, _ := strings.Cut(name, "/")
				got = append(got, lookup(namespace, name))
			}
			if fmt.Sprint(got) != fmt.Sprint(lines) {
				t.Errorf("%s:\n%s\nwant\n%s", step, strings.Join(got, "\n"), strings.Join(lines, "\n"))
			}
		}
		want("before Run", "a/one exists=false known=false follows=false")
		cachetest.Run(t, s.Run)
		hanging := c.Server.On("list", widgets.Resource).In("a").Hang()
		setScopes(t, s, Scope{Namespace: "a", FieldSelector: "metadata.name=one"}, Scope{Namespace: "a", FieldSelector: "metadata.name=two"}, Scope{Namespace: "b"})
		want("before a list", "a/one exists=false known=false follows=true", "a/three exists=false known=false follows=false", "b/one exists=true known=true follows=true", "b/two exists=false known=true follows=true", "c/one exists=false known=false follows=false")
		hanging.Remove()
		time.Sleep(10 * time.Minute)
		want("after all lists", "a/one exists=true known=true follows=true", "a/two exists=false known=true follows=true", "a/three exists=false known=false follows=false")

		hanging = c.Server.On("list", widgets.Resource).Hang()
		setScopes(t, s, Scope{Namespace: "a"}, Scope{Namespace: "b", FieldSelector: "metadata.name=one"})
		want("before others take over", "a/one exists=true known=true follows=true", "a/two exists=false known=true follows=true", "a/three exists=false known=false follows=true",
			"b/one exists=true known=true follows=true", "b/two exists=false known=false follows=false")
		hanging.Remove()
		time.Sleep(10 * time.Minute)
		want("after that", "a/one exists=true known=true follows=true", "a/three exists=false known=true follows=true", "b/two exists=false known=false follows=false")
		setScopes(t, s)
		want("without scopes", "a/one exists=false known=false follows=false")
		setScopes(t, s, Scope{Namespace: "a"})
		time.Sleep(time.Minute)
		want("again", "a/two exists=false known=true follows=true")
		s.Stop()
		want("after the end", "a/one exists=false known=false follows=true")
	})
}

// TestWaitForNamespace waits for a list, while that of another namespace fails, and while the scope is removed.
func TestWaitForNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cachetest.NewCluster(t)
		s := newOfCluster(c, cachetest.InJSON, WithScopesLater())
		stop := cachetest.Run(t, s.Run)
		type result struct {
			isFollowed bool
			err        error
		}
		wait := func(ctx context.Context, namespace string) <-chan result {
			done := make(chan result, 1)
			go func() {
				isFollowed, err := s.WaitForNamespace(ctx, namespace)
				done <- result{isFollowed, err}
			}()
			synctest.Wait()
			return done
		}
		if got := <-wait(t.Context(), "a"); got != (result{}) {
			t.Errorf("a namespace without a scope: %v", got)
		}
		c.Server.On("list", widgets.Resource).In("b").Forbidden()
		hanging := c.Server.On("list", widgets.Resource).In("a").Hang()
		setScopes(t, s, in("a", "b", "c")...)
		if got := <-wait(t.Context(), "c"); got != (result{true, nil}) {
			t.Errorf("a namespace that is listed: %v", got)
		}
		first, canceled, removed := wait(t.Context(), "a"), wait(expiring(t), "b"), wait(t.Context(), "b")
		if len(first)+len(canceled)+len(removed) > 0 {
			t.Error("a wait has ended before the list")
		}
		hanging.Remove()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if got := <-first; got != (result{true, nil}) {
			t.Errorf("after the list: %v", got)
		}
		if got := <-canceled; !got.isFollowed || !errors.Is(got.err, context.DeadlineExceeded) || !strings.Contains(got.err.Error(), "Forbidden") {
			t.Errorf("after the end of the context: %v", got)
		}
		setScopes(t, s, in("a")...)
		if got := <-removed; got != (result{}) {
			t.Errorf("after the scope was removed: %v", got)
		}
		setScopes(t, s, in("b")...)
		ended := wait(t.Context(), "b")
		stop()
		if got := <-ended; !errors.Is(got.err, ErrStopped) {
			t.Errorf("after the end: %v", got)
		}
	})
}

// expiring returns a context that ends after a second.
func expiring(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	t.Cleanup(cancel)
	return ctx
}
