package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// worlds are the sources of an informer whose scopes change: one for each namespace.
type worlds struct {
	mu      sync.Mutex
	sources map[string]*cachetest.Source
}

func (w *worlds) of(namespace string) *cachetest.Source {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sources == nil {
		w.sources = map[string]*cachetest.Source{}
	}
	if w.sources[namespace] == nil {
		w.sources[namespace] = cachetest.NewSource()
	}
	return w.sources[namespace]
}

func (w *worlds) kind() Kind[object] {
	return Kind[object]{Resource: widgets, Namespaced: true, ListWatch: func(namespace string) ListerWatcher[object] { return listWatchOf[object](w.of(namespace)) }}
}

func (w *worlds) open() (open int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, src := range w.sources {
		src.Mu.Lock()
		open += src.Open
		src.Mu.Unlock()
	}
	return open
}

func (w *worlds) informer(t *testing.T, options ...SharedInformerOption) *SharedIndexInformer[object] {
	t.Helper()
	s, err := w.kind().NewInformer(append(options, WithWatchErrorHandler(quiet))...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func in(namespaces ...string) (scopes []Scope) {
	for _, namespace := range namespaces {
		scopes = append(scopes, Scope{Namespace: namespace})
	}
	return scopes
}

func setScopes(t *testing.T, s *SharedIndexInformer[object], scopes ...Scope) {
	t.Helper()
	if err := s.SetScopes(scopes...); err != nil {
		t.Fatal(err)
	}
}

// sortedLines returns what a recorder has heard, in any order.
func sortedLines(r *cachetest.Recorder) []string {
	lines := r.Drain()
	slices.Sort(lines)
	return lines
}

func TestSetScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		for _, namespace := range []string{"a", "b", "c"} {
			w.of(namespace).Set(namespace, "one", nil)
		}
		s := w.informer(t, WithNamespace("a"))
		cachetest.Run(t, s.Run)
		heard, reg := listen(t, s)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add a/one@101 initial=true")
		first := s.Synced()

		w.of("b").FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		setScopes(t, s, in("b", "a", "b")...) // a goes on, b is one
		synctest.Wait()
		if s.HasSynced() || reg.HasSynced() || !isClosed(first) || isClosed(reg.Synced()) {
			t.Error("synced before the list of the new scope")
		}
		if got := phases(s.Status()); got != "Degraded a:Watching b:DegradedForbidden" {
			t.Errorf("the status is %s", got)
		}
		if scopes := s.Scopes(); !slices.Equal(scopes, in("a", "b")) {
			t.Errorf("the scopes are %v", scopes)
		}
		lists := len(w.of("a").Requests)
		w.of("b").FailWith(nil) // the right is granted later
		time.Sleep(time.Minute)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add b/one@101 initial=true")
		if !s.HasSynced() || !reg.HasSynced() || len(w.of("a").Requests) != lists {
			t.Errorf("after the new list synced is %v, the handler %v; %d requests in the old scope", s.HasSynced(), reg.HasSynced(), len(w.of("a").Requests)-lists)
		}

		setScopes(t, s, in("b", "c")...)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "delete a/one@101 unknown=true", "add c/one@101 initial=true")
		if n := w.open(); n != 2 {
			t.Errorf("%d watches are open", n)
		}
		w.of("a").Set("a", "two", nil)
		w.of("c").Set("c", "two", nil)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add c/two@102 initial=false")

		setScopes(t, s)
		synctest.Wait()
		cachetest.WantLines(t, sortedLines(heard), "delete b/one@101 unknown=true", "delete c/one@101 unknown=true", "delete c/two@102 unknown=true")
		if now := s.Status(); now.Phase != status.Watching || !s.HasSynced() || now.Objects != 0 || w.open() != 0 {
			t.Errorf("without scopes the status is %v, %d watches are open", now, w.open())
		}
		setScopes(t, s, in("a")...)
		synctest.Wait()
		cachetest.WantLines(t, sortedLines(heard), "add a/one@101 initial=true", "add a/two@102 initial=true")
		s.Stop()
		if err := s.SetScopes(in("a")...); !errors.Is(err, ErrStopped) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestSetScopesBeforeRun also empties the set, as a coordinator of shards does.
func TestSetScopesBeforeRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		w.of("b").Set("b", "one", nil)
		s := w.informer(t)
		setScopes(t, s)
		setScopes(t, s, in("b")...)
		synced := s.Synced()
		if s.HasSynced() || isClosed(synced) {
			t.Error("synced before Run")
		}
		heard, _ := listen(t, s)
		cachetest.Run(t, s.Run)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add b/one@101 initial=true")
		if !isClosed(synced) || w.open() != 1 {
			t.Errorf("%d watches are open", w.open())
		}
	})
}

func TestScopesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		w.of("a").Set("a", "one", nil)
		s := w.informer(t, WithScopesLater())
		cachetest.Run(t, s.Run)
		heard, reg := listen(t, s)
		synctest.Wait()
		before := s.Synced()
		if now := s.Status(); s.HasSynced() || now.Phase != status.Listing || !strings.Contains(s.NotSyncedReason(), "in scopes that are not set yet") {
			t.Errorf("before the first scopes: %v, %s", now, s.NotSyncedReason())
		}
		s.SetScopesError(errors.New("the file is missing"))
		if failed := (*status.ScopesError)(nil); !errors.As(s.Status().Err, &failed) || failed.Err.Error() != "the file is missing" || !strings.Contains(s.NotSyncedReason(), "scopes: the file is missing") {
			t.Errorf("the error is %#v, and the reason %s", s.Status().Err, s.NotSyncedReason())
		}
		s.SetScopesError(nil)
		if now := s.Status(); now.Phase != status.Listing || now.Err != nil {
			t.Errorf("after the error: %v", now)
		}
		w.of("a").FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		setScopes(t, s, in("a")...)
		synctest.Wait()
		if isClosed(before) || s.HasSynced() {
			t.Error("synced before the list of the first scope")
		}
		w.of("a").FailWith(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add a/one@101 initial=true")
		if !isClosed(before) || !reg.HasSynced() {
			t.Error("not synced with the first scope")
		}
		s.SetScopesError(cachetest.ErrInternal)
		if now := s.Status(); now.Phase != status.Degraded || !s.HasSynced() || now.Objects != 1 {
			t.Errorf("with an error: %v", now)
		}
		setScopes(t, s)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "delete a/one@101 unknown=true")
		if now := s.Status(); now.Phase != status.Watching || now.Err != nil || !s.HasSynced() {
			t.Errorf("without scopes: %v", now)
		}
	})
}

// TestScopesErrorBeforeRun is in the Status from Run on, also of an informer that has scopes.
func TestScopesErrorBeforeRun(t *testing.T) {
	for name, options := range map[string][]SharedInformerOption{"later": {WithScopesLater()}, "a namespace": {WithNamespace("a")}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := (&worlds{}).informer(t, options...)
				s.SetScopesError(cachetest.ErrInternal)
				stop := cachetest.Run(t, s.Run)
				synctest.Wait()
				if failed := (*status.ScopesError)(nil); s.Status().Phase != status.Degraded || !errors.As(s.Status().Err, &failed) {
					t.Errorf("the status is %v", s.Status())
				}
				stop()
				s.SetScopesError(nil)
				if s.Status().Phase != status.Stopped {
					t.Errorf("after the end the status is %v", s.Status())
				}
			})
		})
	}
}

// followNames sets a scope for each object of an informer, of the namespace with its name.
func followNames(t *testing.T, s, objects *SharedIndexInformer[object]) {
	cachetest.Run(t, func(ctx context.Context) {
		_ = FollowScopes(ctx, s, ScopesOf(objects, func(n object) ([]Scope, error) { return in(n.Name), nil }))
	})
}

func TestFollowScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		namespaces, w := cachetest.NewSource(), &worlds{}
		namespaces.Set("", "a", nil)
		namespaces.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		kind := Kind[object]{Resource: widgets, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](namespaces) }}
		kind.Resource.Resource = "namespaces"
		of, err := kind.NewInformer(WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		cachetest.Run(t, of.Run)
		s := w.informer(t, WithScopesLater())
		followNames(t, s, of)
		cachetest.Run(t, s.Run)
		heard, _ := listen(t, s)
		for _, namespace := range []string{"a", "b"} {
			w.of(namespace).Set(namespace, "one", nil)
		}
		synctest.Wait()
		now := s.Status()
		if s.HasSynced() || now.Phase != status.Degraded || now.Reason != status.Forbidden || !strings.Contains(now.String(), "scopes: namespaces.test.example.com") {
			t.Errorf("without the right to list namespaces: %v", now)
		}
		observed := inside(s).observed()
		if advice := observed.Advice(); len(advice) != 1 || !strings.Contains(fmt.Sprint(advice[0].Text, advice[0].Manifest), "namespaces") {
			t.Errorf("the advice is %v", advice)
		}
		namespaces.FailWith(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add a/one@101 initial=true")
		namespaces.Set("", "b", nil)
		namespaces.Remove("", "a")
		synctest.Wait()
		cachetest.WantLines(t, sortedLines(heard), "add b/one@101 initial=true", "delete a/one@101 unknown=true")
		if now := s.Status(); now.Phase != status.Watching || !s.HasSynced() {
			t.Errorf("in the end: %v", now)
		}
	})
}

// TestFollowAStoppedInformer has an informer whose objects name the scopes, and which ends while they change. Its cache is empty
// then, and the scopes stay.
func TestFollowAStoppedInformer(t *testing.T) {
	for range 20 { // which of two channels is received first is random
		synctest.Test(t, func(t *testing.T) {
			namespaces, w := cachetest.NewSource(), &worlds{}
			namespaces.Set("", "a", nil)
			w.of("a").Set("a", "one", nil)
			of, err := Kind[object]{Resource: widgets, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](namespaces) }}.NewInformer()
			if err != nil {
				t.Fatal(err)
			}
			cachetest.Run(t, of.Run)
			s := w.informer(t, WithScopesLater())
			ended := make(chan error, 1)
			cachetest.Run(t, func(ctx context.Context) {
				ended <- FollowScopes(ctx, s, ScopesOf(of, func(n object) ([]Scope, error) { return in(n.Name), nil }))
			})
			cachetest.Run(t, s.Run)
			heard, _ := listen(t, s)
			synctest.Wait()
			cachetest.WantLines(t, heard.Drain(), "add a/one@101 initial=true")
			namespaces.Set("", "a", map[string]string{"x": "y"})
			of.Stop()
			time.Sleep(time.Minute)
			synctest.Wait()
			cachetest.WantLines(t, heard.Drain())
			if status := s.Status(); status.Objects != 1 || !errors.Is(status.Err, ErrStopped) {
				t.Errorf("the status is %v", status)
			}
			if err := <-ended; !errors.Is(err, ErrStopped) {
				t.Errorf("FollowScopes returned %v", err)
			}
		})
	}
}

// TestFirstListsOfScopesThatAreAddedAreLimited sets many namespaces at one time.
func TestFirstListsOfScopesThatAreAddedAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		var reading, most atomic.Int32
		var names []string
		for i := range 8 * maxFirstLists {
			names = append(names, fmt.Sprintf("n%02d", i))
			w.of(names[i]).FailWith(func(r cachetest.Request) error {
				if r.Verb == "list" {
					most.Store(max(most.Load(), reading.Add(1)))
					time.Sleep(time.Second)
					reading.Add(-1)
				}
				return nil
			})
		}
		s := w.informer(t, WithNamespace("a"))
		cachetest.Run(t, s.Run)
		synctest.Wait()
		setScopes(t, s, in(names...)...)
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := most.Load(); !s.HasSynced() || n != maxFirstLists/2 {
			t.Errorf("%d first lists at one time, want %d: %v", n, maxFirstLists/2, s.Status())
		}
	})
}

func TestMistakesOfSetScopes(t *testing.T) {
	w := &worlds{}
	namespaced, cluster := w.kind(), w.kind()
	cluster.Namespaced = false
	for want, test := range map[string]struct {
		kind   Kind[object]
		scopes []Scope
	}{
		"cluster-scoped, so it has no namespace": {cluster, in("a")},
		`"A" cannot be the name of a namespace`:  {namespaced, in("b", "A")},
		`"a in (" is not a label selector`:       {namespaced, []Scope{{LabelSelector: "a in ("}}},
		`"x" is not a field selector`:            {namespaced, []Scope{{FieldSelector: "x"}}},
		`"shardRange()" is not a shard selector`: {namespaced, []Scope{{ShardSelector: "shardRange()"}}},
	} {
		s, err := test.kind.NewInformer()
		if err != nil {
			t.Fatal(err)
		}
		err = s.SetScopes(test.scopes...)
		if mistake := (*OptionError)(nil); !errors.As(err, &mistake) || mistake.Option != "SetScopes" || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
		if scopes := s.Scopes(); !slices.Equal(scopes, []Scope{{}}) {
			t.Errorf("after %q the scopes are %v", want, scopes)
		}
	}
}

// FuzzSetScopes plays a random history to an informer whose scopes come, go and replace each other. Each namespace
// has a server, which fails on its own, and ignores field selectors.
func FuzzSetScopes(f *testing.F) {
	for _, script := range scripts(17, 60, 200) {
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 400 {
			return
		}
		synctest.Test(t, func(t *testing.T) { playScopes(t, script) })
	})
}

func playScopes(t *testing.T, script []byte) {
	one := func(namespace, name string) Scope {
		return Scope{Namespace: namespace, FieldSelector: "metadata.name=" + name}
	}
	pool := [][][]Scope{ // for each namespace one of them
		{nil, in("a"), {{Namespace: "a", FieldSelector: "metadata.name!=3"}}, {one("a", "3"), one("a", "1")}},
		{nil, in("b"), {{Namespace: "b", FieldSelector: "metadata.name!=1"}}, {one("b", "1")}},
		{nil, in("c"), {one("c", "2"), one("c", "3")}, {one("c", "2")}},
	}
	w := &worlds{}
	s := w.informer(t, WithNamespace("a"), WithIndexers(Indexers[object]{"letters": cachetest.ByLetters}))
	cachetest.Run(t, s.Run)
	var handlers []*historian
	var registrations []ResourceEventHandlerRegistration
	join := func() {
		h := &historian{t: t, known: map[ObjectName]object{}, severalLists: true, scoped: true}
		reg, err := s.AddEventHandler(h)
		if err != nil {
			t.Fatal(err)
		}
		handlers, registrations = append(handlers, h), append(registrations, reg)
	}
	join()
	for ; len(script) >= 2; script = script[2:] {
		what, arg := script[0]%10, script[1]
		name, namespace := fmt.Sprint(arg%5), "abc"[arg%3:][:1]
		src := w.of(namespace)
		switch what {
		case 0, 1:
			src.Set(namespace, name, map[string]string{"letters": "xyz"[:arg>>6]})
		case 2:
			if src.Objects[ObjectName{namespace, name}] != nil {
				src.Remove(namespace, name)
			}
		case 3:
			src.Bookmark()
		case 4:
			src.EndWatches([]error{io.EOF, cachetest.ErrGone, cachetest.ErrCut}[(arg>>3)%3])
		case 5:
			src.Forget()
		case 6:
			src.FailWith(failures(arg))
		case 7, 8:
			var next []Scope
			for i, choices := range pool {
				next = append(next, choices[arg>>(2*i)&3]...)
			}
			setScopes(t, s, next...)
		case 9:
			join()
			time.Sleep(time.Duration(arg) * time.Second)
		}
		if arg&0x40 != 0 {
			synctest.Wait()
		}
	}
	for _, namespace := range []string{"a", "b", "c"} {
		src := w.of(namespace)
		src.FailWith(nil)
		src.EndWatches(io.EOF)
	}
	time.Sleep(15 * time.Minute)
	for range 3 {
		for _, namespace := range []string{"a", "b", "c"} {
			w.of(namespace).Bookmark()
		}
		time.Sleep(time.Minute)
	}
	synctest.Wait()
	objects := map[ObjectName]object{}
	for _, r := range inside(s).set.reflectors() {
		for name, obj := range w.of(r.config.Namespace).Objects {
			if !r.config.rule.Excludes(name.Namespace, name.Name) {
				objects[name] = obj
			}
		}
	}
	for i, h := range handlers {
		h.mu.Lock()
		h.registration = registrations[i] // SetScopes makes it, and the informer, one that is not synced
		h.mu.Unlock()
	}
	checkEnd(t, s, objects, handlers)
	checkCauses(t, s, false)
	if n := w.open(); n != len(s.Scopes()) {
		t.Errorf("%d watches are open for %d scopes", n, len(s.Scopes()))
	}
}
