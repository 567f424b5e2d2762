package cache

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// wantAwaited checks what is said about an informer whose source has set no scopes: status is in the text of its
// Status, and remedy in its advice.
func wantAwaited(t *testing.T, s *SharedIndexInformer[object], status, remedy string) {
	t.Helper()
	synctest.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{s.Status().String(), s.NotSyncedReason(), WaitForCacheSync(ctx, s).Error()} {
		if !strings.Contains(text, "Listing") || !strings.Contains(text, status) {
			t.Errorf("%q does not have %q", text, status)
		}
	}
	observed := inside(s).observed()
	if advice := observed.Advice(); len(advice) != 1 || advice[0].Runbook() != "scopes" || !strings.HasPrefix(advice[0].Text, "The informer has sent no request, because ") || !strings.Contains(advice[0].Text, remedy) {
		t.Errorf("the advice is %q, want %q", advice, remedy)
	}
}

// TestScopesThatAreNotSet has no scopes, and says so in Status, in WaitForCacheSync, in the advice and in the log.
func TestScopesThatAreNotSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
		s := runLogged(t, c, log, nil, WithScopesLater())
		wantAwaited(t, s, "SetScopes was not called yet", "its scopes are not set yet. Look at what calls SetScopes")
		time.Sleep(advice.After)
		cachetest.WantLog(t, log, "Does not follow the API server yet resource=widgets.test.example.com in scopes that are not set yet for=10s advice=The informer has sent no request, because its scopes are not set yet")
		if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		cachetest.WantLog(t, log)
		wantAwaited(t, s, "Listing for 60m: SetScopes was not called yet", "SetScopes")
	})
}

// TestFollowAnInformerThatIsNotSynced has an informer whose objects are the scopes, and which is not started, then
// lists, and fails.
func TestFollowAnInformerThatIsNotSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
		cachetest.Create(c, "teams", "a")
		cachetest.Create(c, "a", "one")
		kind := Kind[object]{Resource: widgets, Namespaced: true, Open: func(namespace string) bodies.OpenFunc { return c.Open(namespace, cachetest.InJSON) }}
		teams, err := kind.NewInformer(WithNamespace("teams"), WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		s := runLogged(t, c, log, nil, WithScopesLater())
		followNames(t, s, teams)
		wantAwaited(t, s, "its scopes come from an informer that is not synced: widgets.test.example.com in namespace teams: Pending for ", "which is not started. Start that informer")
		time.Sleep(advice.After)
		cachetest.WantLog(t, log, "the objects of the informer of widgets.test.example.com, which is not started.")

		hanging := c.Server.On("list", widgets.Resource).In("teams").Hang()
		cachetest.Run(t, func(ctx context.Context) { teams.Run(klog.NewContext(ctx, klog.New(log))) })
		wantAwaited(t, s, "in namespace teams: Listing for ", "which is not synced. Look at the Status of that informer")
		time.Sleep(advice.After)
		cachetest.WantLog(t, log, "in namespace teams for=10s advice=The server has sent nothing of the first list for 10s")

		failing := c.Server.On("list", widgets.Resource).In("teams").Forbidden()
		hanging.Remove()
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if now := s.Status(); now.Phase != status.Degraded || now.Reason != status.Forbidden {
			t.Errorf("while the informer of the scopes fails: %v", now)
		}
		log.Take()
		failing.Remove()
		time.Sleep(time.Minute)
		synctest.Wait()
		if !s.HasSynced() || s.NotSyncedReason() != "" || s.Status().Phase != status.Watching || len(names(s)) != 1 {
			t.Errorf("with the scopes: %v", s.Status())
		}
	})
}

// namedBy returns scopes of single objects, whose names are in a label: "namespace/name namespace/name".
func namedBy(obj object) (scopes []Scope, err error) {
	for _, text := range strings.Fields(obj.Labels["names"]) {
		if text == "panic" {
			panic("on purpose")
		}
		if text == "error" {
			err = errors.New("an error on purpose")
			continue
		}
		namespace, name, _ := strings.Cut(text, "/")
		scopes = append(scopes, Scope{Namespace: namespace, FieldSelector: "metadata.name=" + name})
	}
	return scopes, err
}

// owner is an informer of objects that name others.
type owner struct {
	*SharedIndexInformer[object]
	*cachetest.Source
}

func newOwner(t *testing.T, resource string) owner {
	t.Helper()
	source := cachetest.NewSource()
	kind := Kind[object]{Resource: widgets, ListWatch: func(string) ListerWatcher[object] { return listWatchOf[object](source) }}
	kind.Resource.Resource = resource
	informer, err := kind.NewInformer(WithWatchErrorHandler(quiet))
	if err != nil {
		t.Fatal(err)
	}
	return owner{informer, source}
}

func (o owner) name(name, names string) {
	o.Set("", name, map[string]string{"names": names})
}

// TestFollowSeveralInformers has objects of two informers that name the same scopes, function calls that panic, scopes with a
// mistake, and contradictions. Only the scopes of that object, or of that namespace, stay as they are.
func TestFollowSeveralInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, log := &worlds{}, &cachetest.ShownLog{}
		for _, name := range []string{"one", "two", "three"} {
			w.of("a").Set("a", name, nil)
		}
		w.of("b").Set("b", "four", nil)
		sites, gates := newOwner(t, "sites"), newOwner(t, "gates")
		sites.name("s1", "a/one a/two")
		gates.name("g1", "a/one")
		s := w.informer(t, WithScopesLater())
		heard, _ := listen(t, s)
		cachetest.Run(t, s.Run)
		cachetest.Run(t, func(ctx context.Context) {
			_ = FollowScopes(klog.NewContext(ctx, klog.New(log)), s, ScopesOf(sites.SharedIndexInformer, namedBy), ScopesOf(gates.SharedIndexInformer, namedBy))
		})
		cachetest.Run(t, sites.Run)
		wantAwaited(t, s, "its scopes come from an informer that is not synced: gates.test.example.com: Pending", "which is not started")
		cachetest.Run(t, gates.Run)
		synctest.Wait()
		cachetest.WantLines(t, sortedLines(heard), "add a/one@101 initial=true", "add a/two@102 initial=true")

		step := func(name, wantErr string, lines ...string) {
			t.Helper()
			time.Sleep(time.Minute)
			synctest.Wait()
			cachetest.WantLines(t, sortedLines(heard), lines...)
			status := s.Status()
			if status.Err == nil && wantErr != "" || status.Err != nil && (wantErr == "" || !strings.Contains(status.Err.Error(), wantErr)) {
				t.Errorf("%s: the error is %v, want %q", name, status.Err, wantErr)
			}
		}
		sites.name("s1", "")
		step("the first of two references", "", "delete a/two@102 unknown=true")
		sites.name("s2", "b/four Not_a_namespace/five")
		step("a mistake", "sites.test.example.com s2: \"Not_a_namespace\" cannot be the name", "add b/four@101 initial=true")
		sites.name("s2", "error b/four error")
		step("an error", "sites.test.example.com s2: an error on purpose")
		sites.name("s3", "panic")
		step("a mistake and a panic", "sites.test.example.com s2")
		sites.name("s2", "a/three")
		step("a panic", "handler FollowScopes panicked on s3: on purpose", "add a/three@103 initial=true", "delete b/four@101 unknown=true")
		if reason := s.Status().Reason; reason != status.HandlerPanic {
			t.Errorf("the reason is %s", reason)
		}
		if !strings.Contains(strings.Join(log.Take(), "\n"), "A handler panicked") {
			t.Error("the panic is not in the log")
		}
		sites.name("s2", "panic")
		step("two panics", "panicked on s2") // its scopes stay
		sites.Remove("", "s3")
		gates.name("g2", "b/four")
		step("after a panic", "panicked on s2", "add b/four@101 initial=true")
		sites.name("s2", "a/three")
		step("no panic any more", "")
		gates.name("g1", "a/one a/one a/")
		step("a contradiction", "may have the same objects")
		gates.name("g1", "")
		sites.Remove("", "s2")
		step("no references", "", "delete a/one@101 unknown=true", "delete a/three@103 unknown=true")

		gates.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		gates.EndWatches(cachetest.ErrInternal)
		sites.name("s1", "a/two")
		step("while an informer fails", "scopes: gates.test.example.com", "add a/two@102 initial=true")
		gates.FailWith(nil)
		time.Sleep(time.Minute)
		step("in the end", "")
		if !s.HasSynced() {
			t.Error("not synced")
		}
	})
}

// TestFollowAForbiddenObject has an object that may not be read. Only that one is missing, and no one waits for it. A failure of
// another kind is waited for, and so is a scope of SetScopes.
func TestFollowAForbiddenObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worlds{}
		w.of("a").Set("a", "one", nil)
		w.of("b").Set("b", "two", nil)
		w.of("b").FailWith(func(cachetest.Request) error { return cachetest.ErrInternal })
		sites := newOwner(t, "sites")
		sites.name("s1", "a/one b/two")
		cachetest.Run(t, sites.Run)
		s := w.informer(t, WithScopesLater())
		cachetest.Run(t, s.Run)
		cachetest.Run(t, func(ctx context.Context) {
			_ = FollowScopes(ctx, s, ScopesOf(sites.SharedIndexInformer, namedBy))
		})
		heard, reg := listen(t, s)
		time.Sleep(time.Minute)
		if isClosed(s.Synced()) || reg.HasSynced() {
			t.Error("synced without an object that a server in trouble has")
		}
		w.of("b").FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		time.Sleep(time.Minute)
		synctest.Wait()
		cachetest.WantLines(t, sortedLines(heard), "add a/one@101 initial=true")
		if !isClosed(s.Synced()) || !reg.HasSynced() || s.NotSyncedReason() != "" {
			t.Errorf("not synced: %s", s.NotSyncedReason())
		}
		if now := s.Status(); now.Reason != status.Forbidden {
			t.Errorf("the status is %v", now)
		}
		if _, _, isKnown := s.Lookup(ObjectName{"b", "two"}); isKnown {
			t.Error("an object that may not be read is known")
		}
		w.of("b").FailWith(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		cachetest.WantLines(t, heard.Drain(), "add b/two@101 initial=true")

		w.of("c").FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		plain := w.informer(t, WithScopesLater())
		setScopes(t, plain, Scope{Namespace: "c", FieldSelector: "metadata.name=three"})
		cachetest.Run(t, plain.Run)
		time.Sleep(time.Minute)
		if isClosed(plain.Synced()) {
			t.Error("SetScopes: synced without the object")
		}
	})
}
