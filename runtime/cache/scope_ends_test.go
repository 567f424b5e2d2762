package cache

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestTransformEndsAReflectorWhileScopesChange ends the goroutine of one scope while another goroutine sets
// scopes, also before Run has started them all. The informer ends, and SetScopes reports that.
func TestTransformEndsAReflectorWhileScopesChange(t *testing.T) {
	for _, of := range []string{"a", "b", "c"} {
		synctest.Test(t, func(t *testing.T) {
			w := &worlds{}
			for _, namespace := range []string{"a", "b", "c"} {
				w.of(namespace).Set(namespace, "one", nil)
			}
			s := w.informer(t, WithNamespace("a"), WithTransform(func(obj object) (object, error) {
				if obj.Namespace == of {
					runtime.Goexit()
				}
				return obj, nil
			}))
			cachetest.Run(t, s.Run)
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					for _, next := range [][]string{{"a", "b"}, {"b", "c"}, {"c"}, {"a", "b", "c"}} {
						if err := s.SetScopes(in(next...)...); err != nil && !errors.Is(err, ErrStopped) {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			time.Sleep(time.Minute)
			synctest.Wait()
			if now := s.Status(); !isClosed(inside(s).core.Done()) || now.Phase != status.Stopped {
				t.Errorf("after the end of the scope %s: %v", of, now)
			}
			for _, scope := range s.Status().Scopes {
				if scope.Status.Phase != status.Stopped {
					t.Errorf("the scope %s is %s", scope.Namespace, scope.Status.Phase)
				}
			}
			if err := s.SetScopes(in("a")...); !errors.Is(err, ErrStopped) {
				t.Errorf("SetScopes after the end returns %v", err)
			}
			if n := w.open(); n != 0 {
				t.Errorf("%d watches are open", n)
			}
		})
	}
}

// TestTransformOfScopesThatAreAdded is set before Run, before and after SetScopes.
func TestTransformOfScopesThatAreAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		for _, namespace := range []string{"a", "b", "c"} {
			w.of(namespace).Set(namespace, "one", nil)
		}
		s := w.informer(t, WithNamespace("a"))
		mark := func(value string) TransformFunc[object] {
			return func(obj object) (object, error) {
				obj.Labels = map[string]string{"by": value}
				return obj, nil
			}
		}
		set := func(value string) error { return s.SetTransform(mark(value)) }
		if err := set("first"); err != nil {
			t.Fatal(err)
		}
		setScopes(t, s, in("a", "b")...)
		if err := set("second"); err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		setScopes(t, s, in("a", "b", "c")...)
		synctest.Wait()
		for _, obj := range s.GetStore().List() {
			if by := obj.Labels["by"]; by != "second" {
				t.Errorf("%s was transformed by %q", MetaObjectToName(obj), by)
			}
		}
		if n := s.GetStore().Len(); n != 3 {
			t.Errorf("%d objects are cached", n)
		}
		if err := set("third"); err == nil {
			t.Error("the transform of an informer that runs was replaced")
		}
	})
}
