package cache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// ofScope selects the requests of informers for a selector of labels.
func ofScope(labels string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.UserAgent() == "informer" && r.URL.Query().Get("labelSelector") == labels
	}
}

// TestForbiddenScopeChangesNothing gives a namespace another scope, which is forbidden. The scope that it had goes on until
// the right is there.
func TestForbiddenScopeChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cachetest.NewCluster(t)
		for _, name := range []string{"one", "two", "three"} {
			cachetest.Create(c, "x", name)
			cachetest.Label(c, ObjectName{Namespace: "x", Name: name}, "a")
		}
		s := newOfCluster(c, cachetest.InJSON, WithScopes(Scope{OtherNamespaces: true, LabelSelector: "letters=a"}))
		heard, _ := listen(t, s)
		cachetest.Run(t, s.Run)
		time.Sleep(time.Second)
		heard.Drain()
		fault := c.Server.On("*", widgets.Resource).Optional().Where(ofScope("letters=b")).Forbidden()
		setScopes(t, s, Scope{OtherNamespaces: true, LabelSelector: "letters=a"}, Scope{Namespace: "x", LabelSelector: "letters=b"})
		cachetest.Remove(c, "x", "one")
		cachetest.Create(c, "x", "four")
		cachetest.Label(c, ObjectName{Namespace: "x", Name: "four"}, "a")
		time.Sleep(time.Minute)
		synctest.Wait()
		if lines := heard.Drain(); len(lines) != 2 || !strings.HasPrefix(lines[0], "delete x/one@") || !strings.HasPrefix(lines[1], "add x/four@") || s.HasSynced() {
			t.Errorf("while the new scope is forbidden: %q, status %v", lines, s.Status())
		}
		cachetest.Label(c, ObjectName{Namespace: "x", Name: "two"}, "b")
		time.Sleep(time.Minute)
		fault.Remove()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if got := names(s); !slices.Equal(got, []string{"x/two"}) || !s.HasSynced() {
			t.Errorf("with all rights: %q, %v", got, s.Status())
		}
	})
}

// TestFollowAnInformerWithOtherErrors takes scopes from an informer that follows the server, but has a
// handler that panicked.
func TestFollowAnInformerWithOtherErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		teams, src := cachetest.NewSource(), cachetest.NewSource()
		teams.Set("", "a", nil)
		src.Set("a", "one", nil)
		src.Set("b", "one", nil)
		namespaces := informerOf(Config[object]{Resource: widgets, ListerWatcher: teams, WatchErrorHandler: quiet, Settings: Settings{HandlerPanicRecovery: true}})
		if _, err := namespaces.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { panic("of another handler") }}); err != nil {
			t.Fatal(err)
		}
		kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] { return listWatchOf[object](within{src, namespace}) }}
		s, err := kind.NewInformer(WithWatchErrorHandler(quiet), WithScopesLater())
		if err != nil {
			t.Fatal(err)
		}
		followNames(t, s, namespaces)
		cachetest.Run(t, namespaces.Run)
		cachetest.Run(t, s.Run)
		time.Sleep(time.Minute)
		synctest.Wait()
		teams.Set("", "b", nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := names(s); !slices.Equal(got, []string{"a/one", "b/one"}) {
			t.Errorf("cached are %q; %v; of the namespaces: %v", got, s.Status(), namespaces.Status())
		}
	})
}

// within is the part of a source in one namespace, as a server selects it.
type within struct {
	*cachetest.Source
	namespace string
}

func (o within) List(ctx context.Context, options metav1.ListOptions) (cachetest.Page[object], error) {
	page, err := o.Source.List(ctx, options)
	page.Items = slices.DeleteFunc(page.Items, func(item cachetest.Item[object]) bool {
		return o.namespace != "" && item.Object.Namespace != o.namespace
	})
	return page, err
}

func (o within) Watch(ctx context.Context, options metav1.ListOptions) (cachetest.EventStream[object], error) {
	stream, err := o.Source.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return withinStream{stream, o.namespace}, nil
}

type withinStream struct {
	cachetest.EventStream[object]
	namespace string
}

func (o withinStream) Next(ctx context.Context, reuse []cachetest.Event[object]) ([]cachetest.Event[object], error) {
	events, err := o.EventStream.Next(ctx, reuse)
	return slices.DeleteFunc(events, func(e cachetest.Event[object]) bool {
		return o.namespace != "" && e.Item.Object != nil && e.Item.Object.Namespace != o.namespace && e.Item.Object.Name != ""
	}), err
}

// TestManyChangesOfScopesLeaveNothing sets scopes in a row, also while the lists hang, and looks at the
// watches, the goroutines and the memory that are left.
func TestManyChangesOfScopesLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cachetest.NewCluster(t)
		for i := range 4 {
			cachetest.Create(c, fmt.Sprintf("team-%02d", i), "one")
		}
		s := newOfCluster(c, cachetest.InJSON, WithScopes(teams(0, 1)...))
		cachetest.Run(t, s.Run)
		synctest.Wait()
		goroutines := runtime.NumGoroutine()
		change := func(n int) {
			for i := range n {
				if err := s.SetScopes(teams(i%3, i%3+2)...); err != nil {
					t.Fatal(err)
				}
				if i%7 == 0 {
					synctest.Wait()
				}
			}
			if err := s.SetScopes(teams(0, 1)...); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Minute)
			synctest.Wait()
		}
		heap := func() uint64 {
			var m runtime.MemStats
			for range 3 {
				runtime.GC()
			}
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		change(1000)
		before := heap()
		change(3000)
		if after := heap(); after > before+400<<10 {
			t.Errorf("3,000 changes keep %d KB", (after-before)>>10)
		}
		if n := c.Reads.Open(); n != 1 {
			t.Errorf("%d bodies are open", n)
		}
		if n := runtime.NumGoroutine(); n > goroutines+3 {
			t.Errorf("%d goroutines, before %d", n, goroutines)
		}
		if got := names(s); !slices.Equal(got, []string{"team-00/one"}) || !s.HasSynced() {
			t.Errorf("cached are %q; %v", got, s.Status())
		}
	})
}

// TestSetScopesFromManyGoroutines sets scopes from goroutines and from a handler, while others read.
func TestSetScopesFromManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cachetest.NewCluster(t)
		for i := range 8 {
			cachetest.Create(c, fmt.Sprintf("team-%02d", i), "one")
		}
		s := newOfCluster(c, cachetest.InJSON, WithScopes(teams(0, 2)...))
		var n atomic.Int32
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) {
			if n := int(n.Add(1)); n < 50 {
				_ = s.SetScopes(teams(n%5, n%5+3)...)
			}
		}}); err != nil {
			t.Fatal(err)
		}
		_ = s.SetScopes(teams(1, 3)...)
		cachetest.Run(t, s.Run)
		var all sync.WaitGroup
		for g := range 8 {
			all.Go(func() {
				for i := range 60 {
					if err := s.SetScopes(teams((g+i)%6, (g+i)%6+2)...); err != nil {
						t.Error(err)
					}
					_, _, _, _ = s.Status(), s.Scopes(), s.LastSyncResourceVersion(), s.NotSyncedReason()
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					_ = WaitForCacheSync(ctx, s)
					cancel()
				}
			})
		}
		all.Wait()
		n.Store(100)
		synctest.Wait() // for the handler
		if err := s.SetScopes(teams(2, 5)...); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := names(s); !slices.Equal(got, []string{"team-02/one", "team-03/one", "team-04/one"}) || !s.HasSynced() || c.Reads.Open() != 3 {
			t.Errorf("cached are %q, %d watches; %v", got, c.Reads.Open(), s.Status())
		}
		s.Stop()
		if err := s.SetScopes(teams(0, 1)...); !errors.Is(err, ErrStopped) {
			t.Errorf("after Stop: %v", err)
		}
	})
}

// TestScopeRemovedDuringItsList removes a scope whose list hangs, or waits for the limit of first lists.
func TestScopeRemovedDuringItsList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cachetest.NewCluster(t)
		for i := range 60 {
			cachetest.Create(c, fmt.Sprintf("team-%02d", i), "one")
		}
		s := newOfCluster(c, cachetest.InJSON, WithScopes(teams(0, 1)...))
		_, reg := listen(t, s)
		cachetest.Run(t, s.Run)
		synctest.Wait()
		hang := c.From("informer").Hang()
		if err := s.SetScopes(teams(0, 50)...); err != nil {
			t.Fatal(err)
		}
		synced, regSynced := s.Synced(), reg.Synced()
		synctest.Wait()
		if s.HasSynced() || reg.HasSynced() || isClosed(synced) {
			t.Error("synced while lists hang")
		}
		hang.Remove()
		if err := s.SetScopes(teams(55, 57)...); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !s.HasSynced() || !reg.HasSynced() || !isClosed(synced) || !isClosed(regSynced) || c.Reads.Open() != 2 {
			t.Errorf("not synced, or %d watches: %v", c.Reads.Open(), s.Status())
		}
		if got := names(s); !slices.Equal(got, []string{"team-55/one", "team-56/one"}) {
			t.Errorf("cached are %q", got)
		}
	})
}

// TestWaitForWhenScopesChange waits for a version that one of two scopes does not reach, until it is removed.
func TestWaitForWhenScopesChange(t *testing.T) {
	for name, next := range map[string][]Scope{"one scope": {{Namespace: "a"}}, "no scope": nil, "a new scope": {{Namespace: "c"}}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sources := map[string]*cachetest.Source{"a": cachetest.NewSource(), "b": cachetest.NewSource(), "c": cachetest.NewSource()}
				kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] { return listWatchOf[object](sources[namespace]) }}
				s, err := kind.NewInformer(WithWatchErrorHandler(quiet), WithNamespaces("a", "b"))
				if err != nil {
					t.Fatal(err)
				}
				cachetest.Run(t, s.Run)
				synctest.Wait()
				sources["a"].Set("a", "one", nil)
				sources["c"].Set("c", "one", nil)
				sources["c"].Set("c", "two", nil)
				waits := waitFor(t, s, 101)
				if waits.returned(t) {
					t.Fatal("returned although b is behind")
				}
				if err := s.SetScopes(next...); err != nil {
					t.Fatal(err)
				}
				if !waits.returned(t) {
					t.Errorf("WaitFor does not return; the cache has version %q", s.LastSyncResourceVersion())
				}
			})
		})
	}
}

// TestSetScopesInGoroutines sets scopes and errors in several goroutines, as handlers of other informers would. The race detector
// looks at it.
func TestSetScopesInGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		w.of("a").Set("a", "one", nil)
		s := w.informer(t, WithScopesLater())
		cachetest.Run(t, s.Run)
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				for i := range 50 {
					s.SetScopesError(cachetest.ErrInternal)
					if err := s.SetScopes(in([]string{"a", "b", "c"}[(g+i)%3])...); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		setScopes(t, s, in("a")...)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := names(s); !slices.Equal(got, []string{"a/one"}) || !s.HasSynced() || s.Status().Err != nil || w.open() != 1 {
			t.Errorf("cached are %q with %d watches: %v", got, w.open(), s.Status())
		}
	})
}

// TestFollowForbiddenNamespaces has no right to list namespaces at first.
func TestFollowForbiddenNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		namespaces, src := cachetest.NewSource(), cachetest.NewSource()
		namespaces.Set("", "a", nil)
		namespaces.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		src.Set("a", "one", nil)
		of := informerOf(Config[object]{Resource: widgets, ListerWatcher: namespaces, WatchErrorHandler: quiet})
		kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] { return listWatchOf[object](within{src, namespace}) }}
		s, err := kind.NewInformer(WithWatchErrorHandler(quiet), WithScopesLater())
		if err != nil {
			t.Fatal(err)
		}
		followNames(t, s, of)
		heard, _ := listen(t, s)
		cachetest.Run(t, s.Run)
		synctest.Wait()
		if s.HasSynced() || s.NotSyncedReason() == "" {
			t.Errorf("before the namespaces are followed: %v", s.Status())
		}
		cachetest.Run(t, of.Run)
		time.Sleep(time.Second)
		if now := s.Status(); s.HasSynced() || now.Reason != status.Forbidden || now.Verb != "list" || now.Phase != status.Degraded {
			t.Errorf("while namespaces are forbidden: %+v", now)
		}
		namespaces.FailWith(nil)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if !s.HasSynced() || s.Status().Err != nil {
			t.Errorf("with all rights: %v", s.Status())
		}
		cachetest.WantLines(t, heard.Drain(), "add a/one@101 initial=true")

		// The namespace is deleted with its objects, and both come again, in one step and in two.
		for _, wait := range []bool{false, true} {
			pause := func() {
				if wait {
					synctest.Wait()
				}
			}
			namespaces.Remove("", "a")
			pause()
			src.Remove("a", "one")
			pause()
			namespaces.Set("", "a", nil)
			pause()
			obj := src.Set("a", "one", nil)
			time.Sleep(time.Minute)
			synctest.Wait()
			if got, found := s.GetStore().Get(ObjectName{Namespace: "a", Name: "one"}); !found || got.UID != obj.UID || !s.HasSynced() {
				t.Errorf("cached is %v of %v, %v", got, obj.UID, s.Status())
			}
			// Without a wait, the new object may be seen before the namespace is, which then comes again.
			lines := heard.Drain()
			asExpected := len(lines) == 2 || len(lines) == 4 && !wait
			for i, line := range lines {
				asExpected = asExpected && strings.HasPrefix(line, []string{"delete ", "add "}[i%2])
			}
			if !asExpected {
				t.Errorf("the handler heard %q", lines)
			}
		}
		namespaces.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		namespaces.EndWatches(cachetest.ErrGone)
		time.Sleep(time.Minute)
		synctest.Wait()
		if now := s.Status(); now.Reason != status.Forbidden || s.GetStore().Len() != 1 || !s.HasSynced() {
			t.Errorf("after the rights are gone: %v", now)
		}
	})
}

// TestScopeRemovedAndAddedAtOnce replaces the scope and sets it again, with changes meanwhile.
func TestScopeRemovedAndAddedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cachetest.NewCluster(t)
		cachetest.Create(c, "team-00", "one")
		cachetest.Create(c, "team-00", "two")
		s := newOfCluster(c, cachetest.InJSON, WithScopes(teams(0, 1)...))
		heard, _ := listen(t, s)
		cachetest.Run(t, s.Run)
		synctest.Wait()
		heard.Drain()
		_ = s.SetScopes()
		cachetest.Remove(c, "team-00", "one")
		c.From("informer").Once().Delay(time.Second) // otherwise the list may end before HasSynced is called
		if err := s.SetScopes(teams(0, 1)...); err != nil {
			t.Fatal(err)
		}
		if s.HasSynced() { // the list may be fast
			if got := names(s); !slices.Equal(got, []string{"team-00/two"}) {
				t.Errorf("synced with %q", got)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		lines := heard.Drain()
		slices.Sort(lines)
		if len(lines) != 3 || !strings.HasPrefix(lines[0], "add team-00/two") || !strings.HasSuffix(lines[0], "initial=true") || !strings.HasPrefix(lines[1], "delete team-00/one") {
			t.Errorf("the handler heard %q", lines)
		}
		if got := names(s); !slices.Equal(got, []string{"team-00/two"}) || c.Reads.Open() != 1 {
			t.Errorf("cached are %q, with %d watches", got, c.Reads.Open())
		}
	})
}

// TestOtherNamespacesAreNotDecoded counts objects of namespaces with scopes of their own, which the watch of all others leaves out.
func TestOtherNamespacesAreNotDecoded(t *testing.T) {
	if os.Getenv(cachetest.OverBodies) != "" {
		t.Skip("the cluster has bodies of its own")
	}
	synctest.Test(t, func(t *testing.T) {
		c := cachetest.NewCluster(t)
		for _, scope := range teams(0, 6) {
			cachetest.Create(c, scope.Namespace, "one")
		}
		s := newOfCluster(c, cachetest.InJSON, WithScopes(append(teams(0, 2), Scope{OtherNamespaces: true})...))
		cachetest.Run(t, s.Run)
		synctest.Wait()
		cachetest.Create(c, "team-01", "two")
		cachetest.Create(c, "team-05", "two")
		synctest.Wait()
		if dropped := inside(s).monitor.Stats().Dropped; s.GetStore().Len() != 8 || dropped != 2+1 {
			t.Errorf("%d objects, and %d were left out, want 8 and 3", s.GetStore().Len(), dropped)
		}
	})
}
