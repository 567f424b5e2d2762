package cache

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// twoViews are two sources of one server: one of all namespaces, and one of the namespace a.
type twoViews struct{ worlds }

func (v *twoViews) both(do func(*cachetest.Source)) {
	do(v.of(""))
	do(v.of("a"))
}

func (v *twoViews) set(name string) {
	v.both(func(src *cachetest.Source) { src.Set("a", name, nil) })
}

// TestNamespaceTakesOver adds a scope for a namespace of OtherNamespaces. Its server is behind. The namespace stays with the
// others until the new scope has reported what they have reported: by an event, or by a bookmark. It lists once.
func TestNamespaceTakesOver(t *testing.T) {
	for _, by := range []string{"event", "bookmark", "nothing"} {
		synctest.Test(t, func(t *testing.T) {
			v := &twoViews{}
			v.set("one")
			s := v.informer(t, WithScopes(Scope{OtherNamespaces: true}))
			cachetest.Run(t, s.Run)
			heard, _ := listen(t, s)
			synctest.Wait()
			if by == "nothing" {
				v.of("").Version = 200
			}
			v.of("").Set("a", "two", nil) // the server of the new scope does not know that yet
			synctest.Wait()
			if lines := heard.Drain(); len(lines) != 2 {
				t.Errorf("by %s: at first %q", by, lines)
			}
			setScopes(t, s, Scope{OtherNamespaces: true}, Scope{Namespace: "a"})
			synctest.Wait()
			cachetest.WantLines(t, heard.Drain())
			if s.HasSynced() || s.GetStore().Len() != 2 || s.Status().Phase != status.Listing {
				t.Errorf("by %s: while the new scope is behind: %v", by, s.Status())
			}
			switch by {
			case "event":
				v.of("a").Set("a", "two", nil)
			case "bookmark": // the object is gone since
				v.of("a").Bookmark()
				v.of("a").Bookmark()
			case "nothing": // the version of the others is not of this server
				for range 2 {
					time.Sleep(70 * time.Second)
					synctest.Wait()
					if s.HasSynced() {
						t.Error("took over without a reason")
					}
					v.of("a").Bookmark()
				}
			}
			synctest.Wait()
			if !s.HasSynced() || s.Status().Phase != status.Watching {
				t.Errorf("by %s: not synced: %v", by, s.Status())
			}
			want := "102"
			if by == "nothing" { // what the last bookmark has reported
				want = "103"
			}
			if got := s.LastSyncResourceVersion(); got != want {
				t.Errorf("by %s: the cache has version %s, want %s", by, got, want)
			}
			heard.Drain()
			v.of("a").Version = max(v.of("a").Version, 300)
			v.of("a").Set("a", "one", nil)
			v.of("").Set("a", "three", nil) // it is no longer a namespace of the others
			synctest.Wait()
			cachetest.WantLines(t, heard.Drain(), "update a/one@101->301")
			if n := v.of("a").Count("list"); n != 1 {
				t.Errorf("by %s: %d lists", by, n)
			}
			if n := s.Status().Unconfirmed; (n > 0) != (by == "nothing") {
				t.Errorf("by %s: %d versions are unconfirmed", by, n)
			}
		})
	}
}

// TestNamespaceGoesBack removes the scope of a namespace next to OtherNamespaces, which list again. Meanwhile it goes on.
func TestNamespaceGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &twoViews{}
		v.set("one")
		s := v.informer(t, WithScopes(Scope{OtherNamespaces: true}, Scope{Namespace: "a"}))
		cachetest.Run(t, s.Run)
		heard, _ := listen(t, s)
		synctest.Wait()
		v.of("").FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		setScopes(t, s, Scope{OtherNamespaces: true})
		v.set("two")
		time.Sleep(time.Minute)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add a/one@101 initial=true", "add a/two@102 initial=false")
		v.of("").FailWith(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !s.HasSynced() || v.open() != 1 {
			t.Errorf("%d watches are open: %v", v.open(), s.Status())
		}
		v.set("three")
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add a/three@103 initial=false")
	})
}

// TestVersionsThatCannotBeCompared has a namespace change its scope on a server whose versions are no numbers. It waits as it is for the list
// of the new scope.
func TestVersionsThatCannotBeCompared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &twoViews{}
		v.set("one")
		v.set("two")
		kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] { return listWatchOf[object](unordered(v.of(namespace))) }}
		s, err := kind.NewInformer(WithScopes(Scope{OtherNamespaces: true}), WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		heard, _ := listen(t, s)
		synctest.Wait()
		heard.Drain()
		v.of("a").FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		setScopes(t, s, Scope{OtherNamespaces: true}, Scope{Namespace: "a"})
		v.both(func(src *cachetest.Source) { src.Remove("a", "one") })
		time.Sleep(time.Minute)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain())
		v.of("a").FailWith(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if lines := heard.Drain(); len(lines) != 1 || !strings.HasPrefix(lines[0], "delete a/one@") || !s.HasSynced() {
			t.Errorf("after the list: %q, %v", lines, s.Status())
		}
	})
}

// unordered returns a server whose versions are no numbers.
func unordered(src *cachetest.Source) cachetest.Lister[object] {
	mark := func(obj object) object {
		obj = obj.DeepCopy()
		obj.ResourceVersion = "v" + obj.ResourceVersion
		return obj
	}
	return &cachetest.ListWatch[object]{
		ListFunc: func(ctx context.Context, options metav1.ListOptions) (cachetest.Page[object], error) {
			page, err := src.List(ctx, options)
			page.ResourceVersion = "v" + page.ResourceVersion
			for i := range page.Items {
				page.Items[i].Object = mark(page.Items[i].Object)
			}
			return page, err
		},
		WatchFunc: func(ctx context.Context, options metav1.ListOptions) (cachetest.EventStream[object], error) {
			options.ResourceVersion = strings.TrimPrefix(options.ResourceVersion, "v")
			stream, err := src.Watch(ctx, options)
			return &unorderedStream{stream, mark}, err
		},
	}
}

type unorderedStream struct {
	cachetest.EventStream[object]
	mark func(object) object
}

func (s *unorderedStream) Next(ctx context.Context, reuse []cachetest.Event[object]) ([]cachetest.Event[object], error) {
	events, err := s.EventStream.Next(ctx, reuse)
	for i := range events {
		events[i].ResourceVersion = "v" + events[i].ResourceVersion
		if events[i].Object != nil {
			events[i].Object = s.mark(events[i].Object)
		}
	}
	return events, err
}

// TestContradictionOfObjects has objects that name a namespace twice. The others are set, and that one stays as it is.
func TestContradictionOfObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		for _, namespace := range []string{"a", "b", "c"} {
			w.of(namespace).Set(namespace, "one", nil)
		}
		s := w.informer(t, WithScopesLater())
		set := func(scopes []Scope) { // as FollowScopes does
			if err := inside(s).set.setScopes(scopes, true); err != nil {
				s.SetScopesError(err)
			}
		}
		cachetest.Run(t, s.Run)
		heard, _ := listen(t, s)
		set(in("a", "a", "b")) // equal ones are one
		synctest.Wait()
		cachetest.WantLines(t, sortedLines(heard), "add a/one@101 initial=true", "add b/one@101 initial=true")
		set(append(in("a", "c"), Scope{Namespace: "a", LabelSelector: "x=y"}, Scope{Namespace: "d"}, Scope{Namespace: "d", LabelSelector: "x=y"}))
		synctest.Wait()
		cachetest.WantLines(t, sortedLines(heard), "add c/one@101 initial=true", "delete b/one@101 unknown=true")
		if now := s.Status(); now.Reason != status.Misconfigured || !strings.Contains(now.String(), `"d"`) || !slices.Equal(s.Scopes(), in("a", "c")) {
			t.Errorf("the scopes are %v: %v", s.Scopes(), now)
		}
		w.of("a").Set("a", "two", nil)
		set(append(in("a"), Scope{}))
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add a/two@102 initial=false")
		set(in("a"))
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "delete c/one@101 unknown=true")
		if status := s.Status(); status.Err != nil || !s.HasSynced() {
			t.Errorf("in the end: %v", status)
		}
	})
}

// TestLeavingScopeTellsWhatItOwns: a scope that goes on, because the scope after it is refused in one namespace, does not tell
// of undecodable objects that others have taken over.
func TestLeavingScopeTellsWhatItOwns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &twoViews{}
		v.set("one")
		var lists atomic.Int32
		kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] {
			src := v.of(namespace)
			return listWatchOf[object](&cachetest.ListWatch[object]{WatchFunc: src.Watch, ListFunc: func(ctx context.Context, options metav1.ListOptions) (cachetest.Page[object], error) {
				page, err := src.List(ctx, options)
				if lists.Add(1) == 1 {
					for _, namespace := range []string{"a", "w"} {
						page.Items = append(page.Items, cachetest.Item[object]{Err: &wire.DecodeError{Namespace: namespace, Name: "bad", Path: "/spec"}})
					}
				}
				return page, err
			}})
		}}
		s, err := kind.NewInformer(WithScopes(Scope{OtherNamespaces: true}), WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		want := func(want ...string) {
			t.Helper()
			var names []string
			for _, state := range s.Status().Undecodable {
				names = append(names, state.Namespace)
			}
			if !slices.Equal(names, want) {
				t.Errorf("undecodable are objects in %q, want %q", names, want)
			}
		}
		want("a", "w")
		v.of("a").FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		setScopes(t, s, Scope{OtherNamespaces: true, LabelSelector: "x!=y"}, Scope{Namespace: "a"})
		time.Sleep(time.Minute)
		synctest.Wait()
		want("a")
		v.of("a").FailWith(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		want()
	})
}

// TestRestOfARegionIsReady has one scope take over two namespaces. It is behind what was reported of one of them, which then gets a scope of
// its own again. The scope takes over the rest at once: no event or bookmark has to come first.
func TestRestOfARegionIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		w.of("a").Set("a", "one", nil)
		w.of("b").Set("b", "one", nil)
		for range 10 {
			w.of("b").Bookmark()
		}
		w.of("").Set("a", "one", nil)
		w.of("").Set("c", "one", nil)
		s := w.informer(t, WithNamespaces("a", "b"))
		cachetest.Run(t, s.Run)
		heard, _ := listen(t, s)
		synctest.Wait()
		heard.Drain()
		setScopes(t, s, Scope{OtherNamespaces: true})
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain())
		w.of("b").FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		setScopes(t, s, Scope{OtherNamespaces: true}, Scope{Namespace: "b", LabelSelector: "x!=y"})
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add c/one@102 initial=true")
	})
}

// TestNamespaceTakesOverFromARestoredServer adds a scope that is behind the others. Then the server is restored from a backup, and
// the others list again. What they told before does not count, so the new scope takes over.
func TestNamespaceTakesOverFromARestoredServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &twoViews{}
		v.set("one")
		others := v.of("")
		others.Set("a", "lost", nil)
		s := v.informer(t, WithScopes(Scope{OtherNamespaces: true}))
		cachetest.Run(t, s.Run)
		heard, _ := listen(t, s)
		synctest.Wait()
		heard.Drain()
		setScopes(t, s, Scope{OtherNamespaces: true}, Scope{Namespace: "a"})
		synctest.Wait()
		if s.HasSynced() {
			t.Error("took over although it is behind")
		}
		others.Mu.Lock()
		others.Version, others.History = 101, others.History[:1]
		delete(others.Objects, ObjectName{"a", "lost"})
		others.Mu.Unlock()
		others.EndWatches(cachetest.ErrGone)
		time.Sleep(time.Second)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "delete a/lost@102 unknown=true")
		if now := s.Status(); !s.HasSynced() || now.Phase != status.Watching || now.Unconfirmed != 0 {
			t.Errorf("after the list of the others: %v", now)
		}
	})
}
