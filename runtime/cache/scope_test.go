package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/initial"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/reflector"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// followAll runs an informer of several namespaces, each of which has a source of its own. ""
// is for all others.
func followAll(t *testing.T, sources map[string]*cachetest.Source, options ...SharedInformerOption) *SharedIndexInformer[object] {
	t.Helper()
	kind := Kind[object]{Resource: widgets, Namespaced: true}
	if os.Getenv(cachetest.OverBodies) != "" {
		kind.Open = func(namespace string) bodies.OpenFunc { return cachetest.OpenerOf(sources[namespace]) }
	} else {
		kind.ListWatch = func(namespace string) ListerWatcher[object] { return listWatchOf[object](sources[namespace]) }
	}
	options = append(options, WithScopes(disjoint(slices.Collect(maps.Keys(sources)))...), WithWatchErrorHandler(quiet))
	s, err := kind.NewInformer(options...)
	if err != nil {
		t.Fatal(err)
	}
	cachetest.Run(t, s.Run)
	return s
}

// disjoint returns a scope for each namespace. "" is for all others.
func disjoint(namespaces []string) (scopes []Scope) {
	for _, namespace := range namespaces {
		scopes = append(scopes, Scope{Namespace: namespace, OtherNamespaces: namespace == "" && len(namespaces) > 1})
	}
	return scopes
}

// phases describes the Status of each namespace.
func phases(status Status) string {
	text := string(status.Phase)
	for _, scope := range status.Scopes {
		text += " " + scope.Namespace + ":" + string(scope.Status.Phase) + string(scope.Status.Reason)
	}
	return text
}

// TestNamespacesFailOnTheirOwn refuses one of two namespaces at first.
func TestNamespacesFailOnTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := cachetest.NewSource(), cachetest.NewSource()
		a.Set("a", "one", nil)
		b.Set("b", "one", nil)
		b.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		s := followAll(t, map[string]*cachetest.Source{"a": a, "b": b}, WithResync(time.Hour))
		heard, reg := listen(t, s)
		synctest.Wait()
		a.Set("a", "two", nil)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add a/one@101 initial=true", "add a/two@102 initial=false")
		now := s.Status()
		if got := phases(now); got != "Degraded a:Watching b:DegradedForbidden" || now.Reason != status.Forbidden {
			t.Errorf("the status is %s: %v", got, now)
		}
		if text := now.String(); !strings.Contains(text, "namespace b: list: ") {
			t.Errorf("the status does not name the namespace: %s", text)
		}
		if !errors.Is(now.Err, cachetest.ErrForbidden) || now.NextAttempt.IsZero() {
			t.Errorf("the status is %+v", now)
		}
		if s.HasSynced() || reg.HasSynced() {
			t.Error("synced before both namespaces are listed")
		}
		late, lateReg := listen(t, s)
		synctest.Wait()
		lines := late.Drain()
		slices.Sort(lines)
		cachetest.WantLines(t, lines, "add a/one@101 initial=true", "add a/two@102 initial=true")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := WaitForCacheSync(ctx, s, reg)
		if err == nil || !strings.Contains(err.Error(), "widgets.test.example.com in namespaces a, b: Degraded") || !strings.Contains(err.Error(), "Forbidden: namespace b") {
			t.Errorf("the wait ends with %v", err)
		}

		time.Sleep(time.Hour)
		synctest.Wait()
		if lines := heard.Drain(); len(lines) != 2 {
			t.Errorf("a resync while one namespace is refused: %q", lines)
		}
		late.Drain()
		b.FailWith(nil)
		s.Retry()
		synctest.Wait()
		for _, r := range []*cachetest.Recorder{heard, late} {
			cachetest.WantLines(t, r.Drain(), "add b/one@101 initial=true")
		}
		if !s.HasSynced() || !reg.HasSynced() || !lateReg.HasSynced() || phases(s.Status()) != "Watching a:Watching b:Watching" {
			t.Errorf("with all rights the status is %v", s.Status())
		}
	})
}

// TestRelistOfANamespace lists one of two namespaces again, after changes in both.
func TestRelistOfANamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := cachetest.NewSource(), cachetest.NewSource()
		for _, name := range []string{"one", "two", "three"} {
			a.Set("a", name, nil)
			b.Set("b", name, nil)
		}
		s := followAll(t, map[string]*cachetest.Source{"a": a, "b": b})
		heard, _ := listen(t, s)
		unchanged, _ := listen(t, s, WithRelistUpdates())
		synctest.Wait()
		heard.Drain()
		unchanged.Drain()
		a.FailWith(func(r cachetest.Request) error {
			if r.Verb == "watch" {
				return cachetest.ErrGone
			}
			return errors.New("busy") // so that it lists once, after the changes
		})
		a.EndWatches(cachetest.ErrGone)
		a.Remove("a", "two")
		a.Set("a", "four", nil)
		a.Forget()
		b.Set("b", "two", nil)
		a.FailWith(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		lines := heard.Drain()
		slices.Sort(lines)
		cachetest.WantLines(t, lines, "add a/four@105 initial=false", "delete a/two@102 unknown=true", "update b/two@102->104")
		lines = unchanged.Drain()
		slices.Sort(lines)
		cachetest.WantLines(t, lines, "add a/four@105 initial=false", "delete a/two@102 unknown=true", "update a/one@101->101", "update a/three@103->103",
			"update b/two@102->104")
		if n := s.GetStore().Len(); n != 6 {
			t.Errorf("%d objects are cached", n)
		}
		if status := s.Status(); status.ResourceVersion != "104" { // that of b, which is earlier
			t.Errorf("the version is %s", status.ResourceVersion)
		}
	})
}

// TestObjectOfAnotherNamespace gets an object that no relist would remove again.
func TestObjectOfAnotherNamespace(t *testing.T) {
	for _, verb := range []string{"list", "watch"} {
		synctest.Test(t, func(t *testing.T) {
			a, b := cachetest.NewSource(), cachetest.NewSource()
			s := followAll(t, map[string]*cachetest.Source{"a": a, "b": b})
			if verb == "watch" {
				synctest.Wait()
			}
			a.Set("b", "stray", nil)
			synctest.Wait()
			now := s.Status()
			if now.Reason != status.Decode || s.GetStore().Len() > 0 || !strings.Contains(now.String(), "b/stray: the server sent the object for namespace a") {
				t.Errorf("after a stray object in a %s: %v", verb, now)
			}
		})
	}
}

// TestOneOfManyNamespacesIsLate lists three namespaces at different times.
func TestOneOfManyNamespacesIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sources := map[string]*cachetest.Source{}
		for _, namespace := range []string{"a", "b", "c", "d", "e", "f"} {
			sources[namespace] = cachetest.NewSource()
			sources[namespace].FailWith(func(cachetest.Request) error { return cachetest.ErrInternal })
		}
		s := followAll(t, sources)
		_, reg := listen(t, s)
		if reason := s.NotSyncedReason(); !strings.Contains(reason, "in 6 namespaces: ") {
			t.Errorf("the reason is %s", reason)
		}
		for _, namespace := range slices.Sorted(maps.Keys(sources)) {
			if reg.HasSynced() {
				t.Error("synced before namespace", namespace)
			}
			sources[namespace].FailWith(nil)
			time.Sleep(2 * time.Minute)
			synctest.Wait()
		}
		if !reg.HasSynced() {
			t.Error(reg.NotSyncedReason())
		}
		s.Stop()
		if got := phases(s.Status()); got != "Stopped a:Stopped b:Stopped c:Stopped d:Stopped e:Stopped f:Stopped" {
			t.Error(got)
		}
	})
}

// TestTransformThatEndsTheGoroutineOfANamespace stops the whole informer: the others would
// hide that one of them is no longer followed.
func TestTransformThatEndsTheGoroutineOfANamespace(t *testing.T) {
	for _, namespace := range []string{"a", "b"} {
		synctest.Test(t, func(t *testing.T) {
			sources := map[string]*cachetest.Source{"a": cachetest.NewSource(), "b": cachetest.NewSource()}
			s := followAll(t, sources, WithTransform(func(obj object) (object, error) {
				runtime.Goexit()
				return obj, nil
			}))
			synctest.Wait()
			sources[namespace].Set(namespace, "one", nil)
			synctest.Wait()
			if got := phases(s.Status()); got != "Stopped a:Stopped b:Stopped" || !isClosed(inside(s).core.Done()) {
				t.Errorf("after the end of namespace %s the status is %s", namespace, got)
			}
		})
	}
}

// TestStatusNamesTheNamespaceThatIsLate has one that never answers.
func TestStatusNamesTheNamespaceThatIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sources := map[string]*cachetest.Source{"a": cachetest.NewSource(), "b": cachetest.NewSource(), "c": cachetest.NewSource()}
		sources["a"].Set("a", "one", nil)
		for _, namespace := range []string{"b", "c"} {
			sources[namespace].FailWith(func(cachetest.Request) error { time.Sleep(time.Minute); return nil })
		}
		s := followAll(t, sources)
		time.Sleep(time.Second)
		if got, want := s.NotSyncedReason(), "widgets.test.example.com in namespaces a, b, c: Listing for 1s in 2 of 3 namespaces: 1 object"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		sources["c"].FailWith(nil)
		time.Sleep(time.Minute)
		if got, want := s.Status().String(), "Listing for 61s in namespace b: 1 object at version 100"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// TestTransformOfNamespacesRunsOnce at a time, so that it needs no lock.
func TestTransformOfNamespacesRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sources := map[string]*cachetest.Source{"a": cachetest.NewSource(), "b": cachetest.NewSource(), "c": cachetest.NewSource()}
		running, calls := 0, 0
		for namespace, src := range sources {
			src.Set(namespace, "one", nil)
		}
		s := followAll(t, sources, WithTransform(func(obj object) (object, error) {
			if running++; running > 1 {
				t.Error("two calls at one time")
			}
			time.Sleep(time.Second)
			running--
			calls++
			return obj, nil
		}))
		time.Sleep(time.Minute)
		if !s.HasSynced() || calls != len(sources) {
			t.Errorf("after %d calls: %s", calls, s.NotSyncedReason())
		}
	})
}

// TestNamespacesThatHangDelayNoOthers has 50 namespaces, 40 of which never answer a list.
func TestNamespacesThatHangDelayNoOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewSharedInformerFactory(0, WithWatchErrorHandler(quiet))
		defer f.Shutdown()
		var names []string
		var mu sync.Mutex // guards the fields below
		reading, most := 0, 0
		read := func(by int) int {
			mu.Lock()
			defer mu.Unlock()
			reading += by
			most = max(most, reading)
			return most
		}
		kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] {
			src := cachetest.NewSource()
			src.FailWith(func(r cachetest.Request) error {
				if namespace < "n40" && r.Verb == "list" {
					read(1)
					time.AfterFunc(initial.Timeout-time.Second, func() { read(-1) })
					time.Sleep(reflector.ListTimeout)
				}
				return nil
			})
			return listWatchOf[object](src)
		}}
		for i := range 50 {
			names = append(names, fmt.Sprintf("n%02d", i))
		}
		many := InformerFor(f, kind, WithNamespaces(names...))
		f.Start(t.Context())
		synctest.Wait()
		kind.Resource.Resource = "others"
		other := InformerFor(f, kind, WithNamespace("n40"))
		f.Start(t.Context())
		synctest.Wait()
		if most := read(0); !other.HasSynced() || most != maxFirstLists/2 {
			t.Errorf("another kind waits for a kind that lists %d namespaces at one time: %s", most, other.NotSyncedReason())
		}
		time.Sleep(2 * reflector.ListTimeout)
		synctest.Wait()
		if !many.HasSynced() {
			t.Error(many.NotSyncedReason())
		}
	})
}

// TestScopes follows two namespaces with selectors of their own, and all others. The source of the
// others ignores the field selector that excludes the two, as a fake does.
func TestScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sources := map[string]*cachetest.Source{"": cachetest.NewSource(), "a": cachetest.NewSource(), "b": cachetest.NewSource()}
		for _, namespace := range []string{"a", "b", "c"} {
			sources[""].Set(namespace, "everywhere", nil)
		}
		sources["a"].Set("a", "one", nil)
		kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] { return listWatchOf[object](sources[namespace]) }}
		s, err := kind.NewInformer(WithWatchErrorHandler(quiet), WithLabelSelector("tier=web"), WithScopes(
			Scope{Namespace: "b", FieldSelector: "spec.node=n"}, Scope{OtherNamespaces: true, LabelSelector: "app!=x", FieldSelector: "metadata.namespace!=b,metadata.namespace!=a"}, Scope{Namespace: "a", LabelSelector: "app in (y,z)"}))
		if err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		heard, _ := listen(t, s)
		synctest.Wait()
		for namespace, want := range map[string][2]string{
			"":  {"app!=x,tier=web", "metadata.namespace!=a,metadata.namespace!=b"},
			"a": {"app in (y,z),tier=web", ""},
			"b": {"tier=web", "spec.node=n"},
		} {
			for _, verb := range []string{"list", "watch"} {
				if options := sources[namespace].Last(verb); options.LabelSelector != want[0] || options.FieldSelector != want[1] {
					t.Errorf("%s of %q: labels %q, fields %q", verb, namespace, options.LabelSelector, options.FieldSelector)
				}
			}
		}
		lines := heard.Drain()
		slices.Sort(lines)
		cachetest.WantLines(t, lines, "add a/one@101 initial=true", "add c/everywhere@103 initial=true")

		// Changes in the namespaces of other scopes are theirs.
		sources[""].Set("a", "one", nil)
		sources[""].Remove("b", "everywhere")
		sources[""].Set("d", "new", nil)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add d/new@106 initial=false")
		if version := s.Status().Scopes[0].Status.ResourceVersion; version != "106" {
			t.Errorf("the version of the other namespaces is %s", version)
		}

		// A relist of each scope leaves the objects of the others.
		sources[""].Remove("c", "everywhere")
		sources["b"].Set("b", "late", nil)
		for _, src := range sources {
			src.Forget()
			src.EndWatches(cachetest.ErrGone)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		lines = heard.Drain()
		slices.Sort(lines)
		if len(lines) != 2 || !strings.HasPrefix(lines[0], "add b/late") || !strings.HasPrefix(lines[1], "delete c/everywhere") {
			t.Errorf("after relists: %q", lines)
		}
		if n := s.GetStore().Len(); n != 3 {
			t.Errorf("%d objects are cached", n)
		}

		sources[""].FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		sources[""].EndWatches(cachetest.ErrForbidden)
		time.Sleep(time.Second)
		if text := s.Status().String(); !strings.Contains(text, "in other namespaces") {
			t.Errorf("the status is %s", text)
		}
	})
}

// TestStreamedScopeOfOtherNamespaces leaves out the objects of other scopes from the initial events
// too.
func TestStreamedScopeOfOtherNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sources := map[string]*cachetest.Source{"": cachetest.NewSource(), "a": cachetest.NewSource()}
		for _, src := range sources {
			src.Streams = true
		}
		sources[""].Set("a", "everywhere", nil)
		sources[""].Set("c", "everywhere", nil)
		s, err := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] { return listWatchOf[object](sources[namespace]) }}.
			NewInformer(WithStreamingList(), WithScopes(disjoint([]string{"", "a"})...))
		if err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, s.Run)
		synctest.Wait()
		if objs := s.GetStore().List(); len(objs) != 1 || objs[0].Namespace != "c" || !s.HasSynced() {
			t.Errorf("the cache has %v", objs)
		}
	})
}

func TestMistakesInScopes(t *testing.T) {
	kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](cachetest.NewSource()) }}
	cluster := kind
	cluster.Namespaced = false
	for want, test := range map[string]struct {
		kind   Kind[object]
		scopes []Scope
	}{
		"there is no namespace":                         {kind, nil},
		`"shardRange()" is not a shard selector`:        {kind, []Scope{{Namespace: "a", ShardSelector: "shardRange()"}}},
		`"A" cannot be the name of a namespace`:         {kind, []Scope{{Namespace: "A"}}},
		`"a in (" is not a label selector`:              {kind, []Scope{{Namespace: "a", LabelSelector: "a in ("}}},
		`"x" is not a field selector`:                   {kind, []Scope{{Namespace: "a", FieldSelector: "x"}}},
		`is cluster-scoped, so it has no namespace "a"`: {cluster, []Scope{{}, {Namespace: "a"}}},
		"has no OtherNamespaces":                        {cluster, []Scope{{OtherNamespaces: true}}},
		"has no namespace of its own":                   {kind, []Scope{{Namespace: "a", OtherNamespaces: true}}},
		"set its OtherNamespaces":                       {kind, []Scope{{}, {Namespace: "a"}}},
		"both have all namespaces":                      {kind, []Scope{{LabelSelector: "x=y"}, {OtherNamespaces: true}}},
		"one scope for the namespace":                   {kind, []Scope{{Namespace: "a"}, {Namespace: "a", LabelSelector: "x=y"}}},
		"may have the same objects":                     {kind, []Scope{{Namespace: "a", FieldSelector: "metadata.name=x"}, {Namespace: "a", FieldSelector: "metadata.name=x,spec.y=z"}}},
		"a cluster-scoped kind has several scopes":      {cluster, []Scope{{LabelSelector: "x=y"}, {FieldSelector: "metadata.name=x"}}},
		"": {cluster, []Scope{{LabelSelector: "x=y"}}},
	} {
		_, err := test.kind.NewInformer(WithScopes(test.scopes...))
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// TestStatusOfOtherNamespaces tells the scope of all other namespaces from one of all namespaces.
func TestStatusOfOtherNamespaces(t *testing.T) {
	kind := Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](cachetest.NewSource()) }}
	s, err := kind.NewInformer(WithScopes(Scope{Namespace: "a"}, Scope{OtherNamespaces: true, LabelSelector: "tier=gold"}))
	if err != nil {
		t.Fatal(err)
	}
	scopes := s.Status().Scopes
	if len(scopes) != 2 || scopes[0].Namespace != "" || scopes[0].Scope != "other namespaces labels tier=gold" || scopes[1].Scope != "" {
		t.Errorf("the scopes are %+v", scopes)
	}
}

// TestContradictions has scopes of a namespace and of single objects in it, in each order.
func TestContradictions(t *testing.T) {
	one, two := Scope{Namespace: "a", FieldSelector: "metadata.name=one"}, Scope{Namespace: "a", FieldSelector: "metadata.name=two"}
	whole, labeled, other := Scope{Namespace: "a"}, Scope{Namespace: "a", LabelSelector: "x=y"}, Scope{Namespace: "b"}
	for _, test := range []struct {
		scopes []Scope
		want   bool
	}{
		{[]Scope{one, two, other}, false},
		{[]Scope{other, whole}, false},
		{[]Scope{one, two, whole}, true},
		{[]Scope{whole, one, two}, true},
		{[]Scope{one, labeled, two}, true},
		{[]Scope{one, two, one}, true},
		{[]Scope{whole, labeled}, true},
	} {
		found := contradictions(test.scopes, true)
		if has := found["a"] != nil; has != test.want || len(found) > 1 || !has && len(found) > 0 {
			t.Errorf("the contradictions in %v are %v", test.scopes, found)
		}
	}
}
