package cache

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
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
		kind := Kind[object]{Resource: widgets, Namespaced: true, Open: func(namespace string) OpenFunc { return c.Open(namespace, cachetest.InJSON) }}
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
		if status := s.Status(); status.Phase != Degraded || status.Reason != Forbidden {
			t.Errorf("while the informer of the scopes fails: %v", status)
		}
		log.Take()
		failing.Remove()
		time.Sleep(time.Minute)
		synctest.Wait()
		if !s.HasSynced() || s.NotSyncedReason() != "" || s.Status().Phase != Watching || len(names(s)) != 1 {
			t.Errorf("with the scopes: %v", s.Status())
		}
	})
}
