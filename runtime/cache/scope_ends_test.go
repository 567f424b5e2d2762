package cache

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestTransformEndsAReflectorWhileScopesChange ends the goroutine of one scope while another goroutine sets
// scopes, also before Run has started them all. The informer ends, and SetScopes reports that.
func TestTransformEndsAReflectorWhileScopesChange(t *testing.T) {
	for _, of := range []string{"a", "b", "c"} {
		synctest.Test(t, func(t *testing.T) {
			w := &worlds{}
			for _, namespace := range []string{"a", "b", "c"} {
				w.of(namespace).set(namespace, "one", nil)
			}
			s := w.informer(t, WithNamespace("a"), WithTransform(func(obj object) (object, error) {
				if obj.Namespace == of {
					runtime.Goexit()
				}
				return obj, nil
			}))
			run(t, s.Run)
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
			if status := s.Status(); !isClosed(inside(s).done) || status.Phase != Stopped {
				t.Errorf("after the end of the scope %s: %v", of, status)
			}
			for _, scope := range s.Status().Scopes {
				if scope.Status.Phase != Stopped {
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

// TestFormWhileScopesChange changes the form, and the scopes before, during and after that. A scope that is
// removed does not delay it, and one that is added has the form.
func TestFormWhileScopesChange(t *testing.T) {
	if servesProtobuf() {
		t.Skip("unstructured objects are JSON")
	}
	synctest.Test(t, func(t *testing.T) {
		sources := map[string]*fakeSource{"a": newSource(), "b": newSource(), "c": newSource()}
		for namespace, src := range sources {
			src.set(namespace, "one", nil)
		}
		s := followForm(t, &metav1.PartialObjectMetadata{}, sources, WithNamespaces("a", "b"))
		synctest.Wait()
		wantForm(t, s, 2, formMetadata)

		sources["b"].failWith(func(request) error { return errForbidden })
		applied, err := s.SetForm(&unstructured.Unstructured{}, true)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if isClosed(applied) {
			t.Error("applied, but b is not listed")
		}
		for _, next := range [][]Scope{in("a", "b", "c"), in("a", "c")} {
			if err := s.SetScopes(next...); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if !isClosed(applied) {
			t.Error("a scope that was removed delays the form")
		}
		wantForm(t, s, 2, formUnstructured)

		if err := s.SetScopes(); err != nil {
			t.Fatal(err)
		}
		if applied, err = s.SetForm(&metav1.PartialObjectMetadata{}, false); err != nil || !isClosed(applied) {
			t.Errorf("without scopes the form is not applied at once: %v", err)
		}
		sources["b"].failWith(nil)
		if err := s.SetScopes(in("b", "c")...); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantForm(t, s, 2, formMetadata)
	})
}

// TestFormWhileANamespaceTakesOver changes the form before the first list of a scope that is behind. It lists again before it
// takes over. Then the form is applied.
func TestFormWhileANamespaceTakesOver(t *testing.T) {
	if servesProtobuf() {
		t.Skip("unstructured objects are JSON")
	}
	synctest.Test(t, func(t *testing.T) {
		sources := map[string]*fakeSource{"": newSource(), "a": newSource()}
		others, own := sources[""], sources["a"]
		others.set("a", "one", nil)
		own.set("a", "one", nil)
		s := followForm(t, &metav1.PartialObjectMetadata{}, sources, WithScopes(Scope{OtherNamespaces: true}))
		synctest.Wait()
		others.set("a", "two", nil) // the server of the new scope does not know that yet
		own.failWith(func(request) error { return errForbidden })
		if err := s.SetScopes(Scope{OtherNamespaces: true}, Scope{Namespace: "a"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		applied, err := s.SetForm(&unstructured.Unstructured{}, false)
		if err != nil {
			t.Fatal(err)
		}
		own.failWith(nil)
		time.Sleep(time.Minute)
		own.forget()
		own.endWatches(errGone)
		time.Sleep(time.Minute)
		synctest.Wait()
		if lists := own.count("list"); lists < 3 || isClosed(applied) {
			t.Errorf("while the new scope is behind: %d lists, the form is applied: %v", lists, isClosed(applied))
		}
		own.set("a", "two", nil)
		synctest.Wait()
		if !isClosed(applied) || !s.HasSynced() {
			t.Errorf("the form is applied: %v; %v", isClosed(applied), s.Status())
		}
		wantForm(t, s, 2, formUnstructured)
	})
}

// TestTransformOfScopesThatAreAdded is set before Run, before and after SetScopes.
func TestTransformOfScopesThatAreAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		for _, namespace := range []string{"a", "b", "c"} {
			w.of(namespace).set(namespace, "one", nil)
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
		run(t, s.Run)
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
