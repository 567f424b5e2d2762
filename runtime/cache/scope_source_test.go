package cache

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
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

// TestSourceThatHasSetNothing says so in Status, in WaitForCacheSync, in the advice and in the log.
func TestSourceThatHasSetNothing(t *testing.T) {
	for name, source := range map[string]func() ScopeSource{
		"ScopesFrom": func() ScopeSource { return ScopesFrom(make(chan []Scope)) },
		"function": func() ScopeSource {
			return ScopeSourceFunc(func(ctx context.Context, _ func(...Scope) error) error {
				<-ctx.Done()
				return nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, log := newCluster(t), &shownLog{}
				s := c.runLogged(t, log, nil, WithScopeSource(source()))
				wantAwaited(t, s, "its scope source has set no scopes yet", "the source of its scopes has not called set")
				time.Sleep(outage.After)
				wantLog(t, log, "Does not follow the API server yet resource=widgets.test.example.com in scopes that their source has not set yet for=10s advice=The informer has sent no request, because the source")
				if _, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Hour)
				wantLog(t, log)
				wantAwaited(t, s, "Listing for 60m: its scope source has set no scopes yet", "called set")
			})
		})
	}
}

// TestScopesOfAnInformerThatIsNotSynced has an informer whose objects are the scopes, and which is not started, then
// lists, and fails.
func TestScopesOfAnInformerThatIsNotSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := newCluster(t), &shownLog{}
		create(c, "teams", "a")
		create(c, "a", "one")
		kind := Kind[object]{Resource: widgets, Namespaced: true, Open: func(namespace string) OpenFunc { return c.open(namespace, inJSON) }}
		teams, err := kind.NewInformer(WithNamespace("teams"), WithoutStreamingList(), WithWatchErrorHandler(quiet))
		if err != nil {
			t.Fatal(err)
		}
		s := c.runLogged(t, log, nil, WithScopeSource(ScopesOf(teams, func(n object) Scope { return Scope{Namespace: n.Name} })))
		wantAwaited(t, s, "its scopes come from an informer that is not synced: widgets.test.example.com in namespace teams: Pending for ", "which is not started. Start that informer")
		time.Sleep(outage.After)
		wantLog(t, log, "the objects of the informer of widgets.test.example.com, which is not started.")

		hanging := c.server.On("list", widgets.Resource).In("teams").Hang()
		run(t, func(ctx context.Context) { teams.Run(klog.NewContext(ctx, klog.New(log))) })
		wantAwaited(t, s, "in namespace teams: Listing for ", "which is not synced. Look at the Status of that informer")
		time.Sleep(outage.After)
		wantLog(t, log, "in namespace teams for=10s advice=The server has sent nothing of the first list for 10s")

		failing := c.server.On("list", widgets.Resource).In("teams").Forbidden()
		hanging.Remove()
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if status := s.Status(); status.Phase != Degraded || status.Reason != Forbidden {
			t.Errorf("while the informer of the scopes fails: %v", status)
		}
		log.take()
		failing.Remove()
		time.Sleep(time.Minute)
		synctest.Wait()
		if !s.HasSynced() || s.NotSyncedReason() != "" || s.Status().Phase != Watching || len(names(s)) != 1 {
			t.Errorf("with the scopes: %v", s.Status())
		}
	})
}

// TestChannelOfSeveralInformers passes one channel to informers of a factory, and to others.
func TestChannelOfSeveralInformers(t *testing.T) {
	w := &worlds{}
	kinds := []Kind[object]{w.kind(), w.kind()}
	kinds[1].Resource.Resource = "gadgets"
	wantMistake := func(t *testing.T, err error) {
		t.Helper()
		if mistake := (*OptionError)(nil); !errors.As(err, &mistake) || mistake.Option != "ScopesFrom" || !strings.Contains(err.Error(), "receives from the same channel") {
			t.Errorf("the error is %v", err)
		}
	}
	scopes := make(chan []Scope)
	for name, factory := range map[string]func() (f *SharedInformerFactory, first, second []SharedInformerOption){
		"factory": func() (*SharedInformerFactory, []SharedInformerOption, []SharedInformerOption) {
			return NewSharedInformerFactory(0, WithScopeSource(ScopesFrom(scopes))), nil, nil
		},
		"one source": func() (*SharedInformerFactory, []SharedInformerOption, []SharedInformerOption) {
			source := WithScopeSource(ScopesFrom(scopes))
			return NewSharedInformerFactory(0), []SharedInformerOption{source}, []SharedInformerOption{source}
		},
		"two sources": func() (*SharedInformerFactory, []SharedInformerOption, []SharedInformerOption) {
			return NewSharedInformerFactory(0), []SharedInformerOption{WithScopeSource(ScopesFrom(scopes))}, []SharedInformerOption{WithScopeSource(ScopesFrom(scopes))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, first, second := factory()
			defer f.Shutdown()
			one := InformerFor(f, kinds[0], first...)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := f.WaitForCacheSync(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("with one informer the error is %v", err)
			}
			if _, err := Acquire(f, kinds[1], second...); err != nil {
				wantMistake(t, err)
			} else {
				t.Error("a second informer was acquired")
			}
			two := InformerFor(f, kinds[1], second...)
			wantMistake(t, f.WaitForCacheSync(t.Context()))
			if status := two.Status(); status.Reason != Misconfigured || status.Phase != Stopped {
				t.Errorf("the second informer is %v", status)
			}
			if status := one.Status(); status.Phase != Pending {
				t.Errorf("the first informer is %v", status)
			}
		})
	}

	source := WithScopeSource(ScopesFrom(scopes))
	one, err := kinds[0].NewInformer(source)
	if err != nil {
		t.Fatal(err)
	}
	_, err = kinds[1].NewInformer(source)
	wantMistake(t, err)
	f := NewSharedInformerFactory(0, source)
	defer f.Shutdown()
	InformerFor(f, kinds[1])
	wantMistake(t, f.WaitForCacheSync(t.Context()))
	one.Stop()
	if _, err := kinds[1].NewInformer(source); err != nil {
		t.Errorf("after the end of the first informer: %v", err)
	}
	of := WithScopeSource(ScopesOf(one, func(n object) Scope { return Scope{Namespace: n.Name} }))
	for _, kind := range kinds { // each has a handler of its own
		if _, err := kind.NewInformer(of); err != nil {
			t.Error(err)
		}
	}
	if _, err := kinds[0].NewInformer(WithScopeSource(ScopesFrom(nil))); err == nil || !strings.Contains(err.Error(), "the channel is nil") {
		t.Errorf("without a channel: %v", err)
	}
	if _, err := kinds[0].NewInformer(WithScopeSource(ScopeSourceFunc(nil))); err == nil || !strings.Contains(err.Error(), "the source is nil") {
		t.Errorf("without a function: %v", err)
	}
}
