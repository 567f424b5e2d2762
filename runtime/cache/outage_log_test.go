package cache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/bodies"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/advice"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// runLogged runs an informer over a cluster.
func runLogged(t *testing.T, c *cachetest.Cluster, log *cachetest.ShownLog, namespaces []string, options ...SharedInformerOption) *SharedIndexInformer[object] {
	kind := Kind[object]{Resource: widgets, Namespaced: true, Open: func(namespace string) bodies.OpenFunc { return c.Open(namespace, cachetest.InJSON) }}
	if namespaces != nil {
		options = append(options, WithNamespaces(namespaces...))
	}
	s, err := kind.NewInformer(options...)
	if err != nil {
		t.Fatal(err)
	}
	cachetest.Run(t, func(ctx context.Context) { s.Run(klog.NewContext(ctx, klog.New(log))) })
	return s
}

func TestLogOfAnOutage(t *testing.T) {
	const rule = `The rule: {apiGroups: ["test.example.com"], resources: ["widgets"], verbs: ["list", "watch"]}`
	for name, handler := range map[string]WatchErrorHandler{"by default": nil, "with a handler": quiet} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
				list := c.Server.On("list", widgets.Resource).Forbidden()
				s := runLogged(t, c, log, []string{"team-a"}, WithWatchErrorHandler(handler))
				time.Sleep(advice.After - time.Second)
				cachetest.WantLog(t, log)
				time.Sleep(time.Second)
				cachetest.WantLog(t, log, `Does not follow the API server: list: widgets.test.example.com is forbidden: User "apitest" cannot list resource "widgets" in API group "test.example.com" in the namespace "team-a" resource=widgets.test.example.com in namespace team-a reason=Forbidden for=10s advice=The server does not allow user apitest to list widgets.test.example.com in namespace team-a. Add the rule to a Role in that namespace, and bind it to that user with a RoleBinding there. `+rule)
				time.Sleep(time.Hour)
				cachetest.WantLog(t, log)

				watch := c.Server.On("watch", widgets.Resource).Forbidden()
				list.Remove()
				s.Retry()
				time.Sleep(time.Minute)
				cachetest.WantLog(t, log, "to watch widgets.test.example.com in namespace team-a")
				if lasted := inside(s).monitor.Stats().NotFollowing; lasted.Round(time.Second) != time.Hour+time.Minute+advice.After {
					t.Errorf("it has not followed the server for %v", lasted)
				}
				watch.Remove()
				s.Retry()
				time.Sleep(time.Minute)
				cachetest.WantLog(t, log, "Follows the API server again resource=widgets.test.example.com in namespace team-a after=1h1m")
				if lasted := inside(s).monitor.Stats().NotFollowing; lasted != 0 {
					t.Errorf("it follows the server, but NotFollowing is %v", lasted)
				}

				for range 20 { // restarts of a server pass at once
					c.Server.Restart()
					c.Server.On("*", widgets.Resource).Once().Disconnect()
					time.Sleep(time.Minute)
				}
				cachetest.WantLog(t, log)
			})
		})
	}
}

func TestLogOfAServerThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
		hanging := c.Server.On("list", widgets.Resource).Hang()
		s := runLogged(t, c, log, nil)
		time.Sleep(advice.After)
		cachetest.WantLog(t, log, "Does not follow the API server yet resource=widgets.test.example.com for=10s advice=The server has sent nothing of the first list for 10s.")
		if advice := (&status.Informer{Status: s.Status(), Stats: inside(s).monitor.Stats()}).Advice(); len(advice) != 1 || advice[0].Runbook() != "listing" {
			t.Errorf("the advice is %+v", advice)
		}
		time.Sleep(3 * time.Minute)
		cachetest.WantLog(t, log, "Does not follow the API server: list: the server did not answer a list in time resource=widgets.test.example.com reason=Unreachable for=2m10s advice=The connection is open, but")
		hanging.Remove()
		time.Sleep(5 * time.Minute)
		cachetest.WantLog(t, log, "Follows the API server again")
	})
}

// TestLogOfManyInformers has a hundred informers whose server is away for a minute.
func TestLogOfManyInformers(t *testing.T) {
	const informers = 100
	synctest.Test(t, func(t *testing.T) {
		c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
		for range informers {
			runLogged(t, c, log, nil)
		}
		time.Sleep(time.Minute)
		cachetest.WantLog(t, log)
		away := c.Server.On("*", widgets.Resource).Fail(syscall.ECONNREFUSED)
		c.Server.Restart()
		time.Sleep(time.Minute)
		count := map[string]int{}
		for _, line := range log.Take() {
			message, _, _ := strings.Cut(line, ":")
			count[message]++
		}
		if len(count) != 1 || count["Does not follow the API server"] != informers {
			t.Errorf("the log has %v", count)
		}
		away.Remove()
		time.Sleep(2 * time.Minute)
		for _, line := range log.Take() {
			message, _, _ := strings.Cut(line, " resource=")
			count[message]++
		}
		if len(count) != 2 || count["Follows the API server again"] != informers {
			t.Errorf("the log has %v", count)
		}
	})
}

// TestLogOfManyNamespaces forbids 200 of 201 namespaces.
func TestLogOfManyNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
		names := []string{"allowed"}
		for i := range 200 {
			names = append(names, fmt.Sprintf("team-%03d", i))
		}
		forbidden := c.Server.On("list", widgets.Resource).Where(func(r *http.Request) bool { return !strings.Contains(r.URL.Path, "/allowed/") }).Forbidden()
		s := runLogged(t, c, log, names)
		time.Sleep(10 * time.Minute)
		cachetest.WantLog(t, log, `namespaces=team-000, team-001, team-002 and 197 more advice=The server does not allow user apitest to list widgets.test.example.com in 200 namespaces (team-000, team-001, team-002 and 197 more). Add the rule to a ClusterRole, and bind it to that user with a RoleBinding in each of these namespaces.`)
		now := inside(s).observed()
		advice := now.Advice()
		if len(advice) != 1 || len(advice[0].Namespaces) != 200 || advice[0].Reason != status.Forbidden || advice[0].Check != "kubectl auth can-i list widgets.test.example.com -n team-000 --as apitest" {
			t.Errorf("the advice is %+v", advice)
		}
		forbidden.Remove()
		s.Retry()
		time.Sleep(time.Minute)
		cachetest.WantLog(t, log, "Follows the API server again resource=widgets.test.example.com in 201 namespaces after=10m")
	})
}

// TestLogOfHandlers has a handler that blocks in its initial list, one that is quick, and one that
// is removed.
func TestLogOfHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
		ctx := t.Context()
		if code, body := c.Send(ctx, c.Others, cachetest.Call{Method: "POST", Path: cachetest.PathOf("a", ""), Body: map[string]any{"apiVersion": "test.example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "one"}}}); code != 201 {
			t.Fatalf("%d %s", code, body)
		}
		s := runLogged(t, c, log, nil)
		var gates []chan struct{}
		add := func(name string) ResourceEventHandlerRegistration {
			gate := make(chan struct{})
			gates = append(gates, gate)
			registration, err := s.AddEventHandler(ResourceEventHandlerFuncs[object]{AddFunc: func(object, bool) { <-gate }}, WithHandlerName(name))
			if err != nil {
				t.Fatal(err)
			}
			return registration
		}
		add("quick")
		close(gates[0])
		add("slow")
		time.Sleep(2*advice.After - time.Second)
		cachetest.WantLog(t, log)
		removed := add("removed")
		time.Sleep(time.Second)
		cachetest.WantLog(t, log, "A handler has not returned from its initial list resource=widgets.test.example.com handler=slow events=1")
		if err := s.RemoveEventHandler(removed); err != nil {
			t.Fatal(err)
		}
		add("later")
		time.Sleep(time.Hour)
		cachetest.WantLog(t, log, "handler=later events=1")
		for _, gate := range gates[1:] {
			close(gate)
		}
		time.Sleep(time.Hour)
		cachetest.WantLog(t, log)
	})
}

// TestNoLineAfterTheEnd stops an informer shortly before and after the log would name it.
func TestNoLineAfterTheEnd(t *testing.T) {
	for _, lasted := range []time.Duration{time.Second, advice.After - 1, advice.After + 1} {
		synctest.Test(t, func(t *testing.T) {
			c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
			c.Server.On("*", widgets.Resource).Optional().InternalError()
			s := runLogged(t, c, log, nil)
			time.Sleep(lasted)
			s.Stop()
			lines := len(log.Take())
			if want := min(int(lasted/advice.After), 1); lines != want {
				t.Errorf("%d lines after %v", lines, lasted)
			}
			time.Sleep(time.Hour)
			cachetest.WantLog(t, log)
		})
	}
}

// TestLogOfAReflector runs one without a Controller.
func TestLogOfAReflector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, log := cachetest.NewSource(), &cachetest.ShownLog{}
		src.FailWith(func(cachetest.Request) error { return cachetest.ErrForbidden })
		r := reflectorOf(Config[object]{ListerWatcher: src, Resource: widgets}, &deltafifo.Queue{})
		cachetest.Run(t, func(ctx context.Context) { r.Run(klog.NewContext(ctx, klog.New(log))) })
		time.Sleep(time.Minute)
		cachetest.WantLog(t, log, "Does not follow the API server: ")
		src.FailWith(nil)
		time.Sleep(time.Minute)
		cachetest.WantLog(t, log, "Follows the API server again")
	})
}

// TestRefusedScopeIsNotTheFaultOfAHandler adds a scope that the server refuses. The handler has returned from all that it got.
func TestRefusedScopeIsNotTheFaultOfAHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, log := &worlds{}, &cachetest.ShownLog{}
		w.of("a").Set("a", "w", nil)
		w.of("b").FailWith(func(cachetest.Request) error {
			return apierrors.NewForbidden(widgets.GroupResource(), "", errors.New("no right"))
		})
		s := w.informer(t, WithNamespaces("a"))
		_, reg := listen(t, s)
		cachetest.Run(t, func(ctx context.Context) { s.Run(klog.NewContext(ctx, klog.New(log))) })
		if err := WaitForCacheSync(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if err := s.SetScopes(in("a", "b")...); err != nil {
			t.Fatal(err)
		}
		w.of("a").Set("a", "w2", nil)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if lines := strings.Join(log.Lines, "\n"); !strings.Contains(lines, "Forbidden") || strings.Contains(lines, "A handler has not returned") {
			t.Errorf("logged:\n%s", lines)
		}
		if reason := reg.NotSyncedReason(); !strings.Contains(reason, "Forbidden") {
			t.Errorf("the handler is not synced because of %q", reason)
		}
	})
}
