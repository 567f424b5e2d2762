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
)

// worlds are the sources of an informer whose scopes change: one for each namespace.
type worlds struct {
	mu      sync.Mutex
	sources map[string]*fakeSource
}

func (w *worlds) of(namespace string) *fakeSource {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sources == nil {
		w.sources = map[string]*fakeSource{}
	}
	if w.sources[namespace] == nil {
		w.sources[namespace] = newSource()
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
		src.mu.Lock()
		open += src.open
		src.mu.Unlock()
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
func sortedLines(r *recorder) []string {
	lines := r.drain()
	slices.Sort(lines)
	return lines
}

func TestSetScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		for _, namespace := range []string{"a", "b", "c"} {
			w.of(namespace).set(namespace, "one", nil)
		}
		s := w.informer(t, WithNamespace("a"))
		run(t, s.Run)
		heard, reg := listen(t, s)
		synctest.Wait()
		wantLines(t, heard.drain(), "add a/one@101 initial=true")
		first := s.Synced()

		w.of("b").failWith(func(request) error { return errForbidden })
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
		lists := len(w.of("a").requests)
		w.of("b").failWith(nil) // the right is granted later
		time.Sleep(time.Minute)
		synctest.Wait()
		wantLines(t, heard.drain(), "add b/one@101 initial=true")
		if !s.HasSynced() || !reg.HasSynced() || len(w.of("a").requests) != lists {
			t.Errorf("after the new list synced is %v, the handler %v; %d requests in the old scope", s.HasSynced(), reg.HasSynced(), len(w.of("a").requests)-lists)
		}

		setScopes(t, s, in("b", "c")...)
		synctest.Wait()
		wantLines(t, heard.drain(), "delete a/one@101 unknown=true", "add c/one@101 initial=true")
		if n := w.open(); n != 2 {
			t.Errorf("%d watches are open", n)
		}
		w.of("a").set("a", "two", nil)
		w.of("c").set("c", "two", nil)
		synctest.Wait()
		wantLines(t, heard.drain(), "add c/two@102 initial=false")

		setScopes(t, s)
		synctest.Wait()
		wantLines(t, sortedLines(heard), "delete b/one@101 unknown=true", "delete c/one@101 unknown=true", "delete c/two@102 unknown=true")
		if status := s.Status(); status.Phase != Watching || !s.HasSynced() || status.Objects != 0 || w.open() != 0 {
			t.Errorf("without scopes the status is %v, %d watches are open", status, w.open())
		}
		setScopes(t, s, in("a")...)
		synctest.Wait()
		wantLines(t, sortedLines(heard), "add a/one@101 initial=true", "add a/two@102 initial=true")
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
		w.of("b").set("b", "one", nil)
		s := w.informer(t)
		setScopes(t, s)
		setScopes(t, s, in("b")...)
		synced := s.Synced()
		if s.HasSynced() || isClosed(synced) {
			t.Error("synced before Run")
		}
		heard, _ := listen(t, s)
		run(t, s.Run)
		synctest.Wait()
		wantLines(t, heard.drain(), "add b/one@101 initial=true")
		if !isClosed(synced) || w.open() != 1 {
			t.Errorf("%d watches are open", w.open())
		}
	})
}

// scopesFrom returns the source of a channel.
func scopesFrom(scopes <-chan []Scope) ScopeSource {
	return func(ctx context.Context, set func(...Scope) error) error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case next, open := <-scopes:
				if !open {
					return nil
				}
				_ = set(next...)
			}
		}
	}
}

func TestScopeSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		w.of("a").set("a", "one", nil)
		scopes := make(chan []Scope)
		s := w.informer(t, WithScopeSource(scopesFrom(scopes)))
		if err := s.SetScopes(in("a")...); err == nil || !strings.Contains(err.Error(), "WithScopeSource") {
			t.Errorf("SetScopes next to a source: %v", err)
		}
		run(t, s.Run)
		heard, reg := listen(t, s)
		synctest.Wait()
		before := s.Synced()
		if status := s.Status(); s.HasSynced() || status.Phase != Listing || !strings.Contains(s.NotSyncedReason(), "their source has not set yet") {
			t.Errorf("before the first scopes: %v, %s", status, s.NotSyncedReason())
		}
		w.of("a").failWith(func(request) error { return errForbidden })
		scopes <- in("a")
		synctest.Wait()
		if isClosed(before) || s.HasSynced() {
			t.Error("synced before the list of the first scope")
		}
		w.of("a").failWith(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		wantLines(t, heard.drain(), "add a/one@101 initial=true")
		if !isClosed(before) || !reg.HasSynced() {
			t.Error("not synced with the first scope")
		}
		scopes <- []Scope{{Namespace: "A"}}
		synctest.Wait()
		if status := s.Status(); status.Reason != Misconfigured || status.Phase != Degraded || !strings.Contains(status.String(), `"A" cannot be the name of a namespace`) {
			t.Errorf("after a mistake: %v", status)
		}
		scopes <- nil
		close(scopes)
		synctest.Wait()
		wantLines(t, heard.drain(), "delete a/one@101 unknown=true")
		if status := s.Status(); status.Phase != Watching || status.Err != nil || !s.HasSynced() {
			t.Errorf("without scopes: %v", status)
		}
	})
}

func TestScopesOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		namespaces, w := newSource(), &worlds{}
		namespaces.set("", "a", nil)
		namespaces.failWith(func(request) error { return errForbidden })
		kind := Kind[object]{Resource: widgets, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](namespaces) }}
		kind.Resource.Resource = "namespaces"
		of, err := kind.NewInformer(WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		run(t, of.Run)
		s := w.informer(t, WithScopeSource(ScopesOf(of, func(n object) Scope { return Scope{Namespace: n.Name} })))
		run(t, s.Run)
		heard, _ := listen(t, s)
		for _, namespace := range []string{"a", "b"} {
			w.of(namespace).set(namespace, "one", nil)
		}
		synctest.Wait()
		status := s.Status()
		if s.HasSynced() || status.Phase != Degraded || status.Reason != Forbidden || !strings.Contains(status.String(), "scopes: namespaces.test.example.com") {
			t.Errorf("without the right to list namespaces: %v", status)
		}
		observed := inside(s).observed()
		if advice := observed.Advice(); len(advice) != 1 || !strings.Contains(fmt.Sprint(advice[0].Text, advice[0].Manifest), "namespaces") {
			t.Errorf("the advice is %v", advice)
		}
		namespaces.failWith(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		wantLines(t, heard.drain(), "add a/one@101 initial=true")
		namespaces.set("", "b", nil)
		namespaces.remove("", "a")
		synctest.Wait()
		wantLines(t, sortedLines(heard), "add b/one@101 initial=true", "delete a/one@101 unknown=true")
		if status := s.Status(); status.Phase != Watching || !s.HasSynced() {
			t.Errorf("in the end: %v", status)
		}
	})
}

// TestScopesOfAStoppedInformer stay as they are: the cache of that informer is emptied while its scopes are read.
func TestScopesOfAStoppedInformer(t *testing.T) {
	for range 20 { // which of two channels is received first is random
		synctest.Test(t, func(t *testing.T) {
			namespaces, w := newSource(), &worlds{}
			namespaces.set("", "a", nil)
			w.of("a").set("a", "one", nil)
			of, err := Kind[object]{Resource: widgets, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](namespaces) }}.NewInformer()
			if err != nil {
				t.Fatal(err)
			}
			run(t, of.Run)
			var gate atomic.Pointer[chan struct{}]
			s := w.informer(t, WithScopeSource(ScopesOf(of, func(n object) Scope {
				if gate := gate.Load(); gate != nil {
					<-*gate
				}
				return Scope{Namespace: n.Name}
			})))
			run(t, s.Run)
			heard, _ := listen(t, s)
			synctest.Wait()
			wantLines(t, heard.drain(), "add a/one@101 initial=true")
			held := make(chan struct{})
			gate.Store(&held)
			namespaces.set("", "a", map[string]string{"x": "y"})
			synctest.Wait()
			of.Stop()
			close(held)
			time.Sleep(time.Minute)
			synctest.Wait()
			wantLines(t, heard.drain())
			if status := s.Status(); status.Objects != 1 || !errors.Is(status.Err, ErrStopped) {
				t.Errorf("the status is %v", status)
			}
		})
	}
}

// TestSourceThatFails is called again.
func TestSourceThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, w := 0, &worlds{}
		s := w.informer(t, WithScopeSource(func(ctx context.Context, set func(...Scope) error) error {
			if calls++; calls < 3 {
				return errors.New("the file is missing")
			}
			return set(in("a")...)
		}))
		run(t, s.Run)
		synctest.Wait()
		if status := s.Status(); status.Phase != Degraded || !strings.Contains(status.String(), "scopes: the file is missing") || status.NextAttempt.IsZero() {
			t.Errorf("after a failure: %v", status)
		}
		if failed := (*ScopeSourceError)(nil); !errors.As(s.Status().Err, &failed) || failed.Err.Error() != "the file is missing" {
			t.Errorf("the error is %#v", s.Status().Err)
		}
		s.Retry()
		time.Sleep(time.Minute)
		synctest.Wait()
		if status := s.Status(); calls != 3 || status.Phase != Watching || !s.HasSynced() {
			t.Errorf("after %d calls: %v", calls, status)
		}
	})
}

// TestSourceThatTellsAndFails is called after growing waits, until a call has gone on for a while.
func TestSourceThatTellsAndFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		var calls atomic.Int32
		var works atomic.Bool
		s := w.informer(t, WithScopeSource(func(ctx context.Context, set func(...Scope) error) error {
			calls.Add(1)
			if err := set(in("a")...); err != nil {
				return err
			}
			if works.Load() {
				select {
				case <-ctx.Done():
				case <-time.After(time.Hour):
				}
			}
			return errors.New("the connection was closed")
		}))
		run(t, s.Run)
		time.Sleep(10 * time.Minute)
		if n := calls.Load(); n < 70 || n > 130 {
			t.Errorf("the source was called %d times in ten minutes, want a wait that grows to 8 s", n)
		}
		works.Store(true)
		time.Sleep(40 * time.Second) // it works now
		before := calls.Load()
		time.Sleep(time.Hour)
		if n := calls.Load() - before; n != 1 {
			t.Errorf("after an hour of work the source was called %d times, want once", n)
		}
		time.Sleep(10 * time.Minute)
		if status := s.Status(); status.Phase != Watching || !s.HasSynced() {
			t.Errorf("while the source works: %v", status)
		}
	})
}

// TestSourceThatFailsLate has a source whose requests time out, so each call lasts. It has set no scopes, so the waits grow.
func TestSourceThatFailsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended time.Time
		var waits []time.Duration
		w := &worlds{}
		s := w.informer(t, WithScopeSource(func(ctx context.Context, _ func(...Scope) error) error {
			if !ended.IsZero() {
				waits = append(waits, time.Since(ended))
			}
			select {
			case <-ctx.Done():
			case <-time.After(2 * sourceWorked):
			}
			ended = time.Now()
			return errors.New("the request has timed out")
		}))
		stop := run(t, s.Run)
		time.Sleep(time.Hour)
		stop()
		if n := len(waits); n < 20 || slices.Min(waits[n-10:]) < 4*time.Second {
			t.Errorf("the waits are %v, want some that grow to 8 s", waits)
		}
	})
}

// TestFirstListsOfScopesThatAreAddedAreLimited sets many namespaces at one time.
func TestFirstListsOfScopesThatAreAddedAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		var reading, most atomic.Int32
		var names []string
		for i := range 8 * maxFirstLists {
			names = append(names, fmt.Sprintf("n%02d", i))
			w.of(names[i]).failWith(func(r request) error {
				if r.verb == "list" {
					most.Store(max(most.Load(), reading.Add(1)))
					time.Sleep(time.Second)
					reading.Add(-1)
				}
				return nil
			})
		}
		s := w.informer(t, WithNamespace("a"))
		run(t, s.Run)
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
	s := w.informer(t, WithNamespace("a"), WithIndexers(Indexers[object]{"letters": byLetters}))
	run(t, s.Run)
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
			src.set(namespace, name, map[string]string{"letters": "xyz"[:arg>>6]})
		case 2:
			if src.objects[ObjectName{namespace, name}] != nil {
				src.remove(namespace, name)
			}
		case 3:
			src.bookmark()
		case 4:
			src.endWatches([]error{io.EOF, errGone, errCut}[(arg>>3)%3])
		case 5:
			src.forget()
		case 6:
			src.failWith(failures(arg))
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
		src.failWith(nil)
		src.endWatches(io.EOF)
	}
	time.Sleep(15 * time.Minute)
	for range 3 {
		for _, namespace := range []string{"a", "b", "c"} {
			w.of(namespace).bookmark()
		}
		time.Sleep(time.Minute)
	}
	synctest.Wait()
	objects := map[ObjectName]object{}
	for _, r := range inside(s).reflectors() {
		for name, obj := range w.of(r.config.Namespace).objects {
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
