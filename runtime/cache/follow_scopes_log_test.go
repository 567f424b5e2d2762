package cache

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// followTeams runs an informer with a scope for each widget of the namespace teams, which another informer follows.
func followTeams(t *testing.T, c *cachetest.Cluster, log *cachetest.ShownLog, names ...string) *SharedIndexInformer[object] {
	for _, name := range names {
		cachetest.Create(c, "teams", name)
	}
	teams := runLogged(t, c, log, []string{"teams"})
	s := runLogged(t, c, log, nil, WithScopesLater())
	followNames(t, s, teams)
	return s
}

// outages are ways in which a whole server fails. end ends the outage.
var outages = map[string]func(c *cachetest.Cluster) (end func()){
	"refused": func(c *cachetest.Cluster) func() {
		return c.Server.On("*", widgets.Resource).Fail(syscall.ECONNREFUSED).Remove
	},
	"errors":  func(c *cachetest.Cluster) func() { return c.Server.On("*", widgets.Resource).InternalError().Remove },
	"silence": func(c *cachetest.Cluster) func() { return c.Server.On("*", widgets.Resource).Hang().Remove },
	"each failure in turn": func(c *cachetest.Cluster) func() {
		var faults []*apitest.Fault
		for i, fail := range []func(apitest.Match) *apitest.Fault{
			func(m apitest.Match) *apitest.Fault { return m.Fail(syscall.ECONNREFUSED) },
			func(m apitest.Match) *apitest.Fault { return m.InternalError() },
			func(m apitest.Match) *apitest.Fault { return m.TooManyRequests(time.Second) },
			func(m apitest.Match) *apitest.Fault { return m.Disconnect() },
			func(m apitest.Match) *apitest.Fault { return m.Expired() },
		} {
			now := func(*http.Request) bool { return int(time.Now().UnixNano()/int64(time.Second))%5 == i }
			faults = append(faults, fail(c.Server.On("*", widgets.Resource).Where(now)))
		}
		return func() {
			for _, f := range faults {
				f.Remove()
			}
		}
	},
	"one scope after the other": func(c *cachetest.Cluster) func() {
		var faults []*apitest.Fault
		for i, namespace := range []string{"teams", "a", "b", "c"} {
			from := time.Now().Add(time.Duration(i) * 7 * time.Second)
			begun := func(*http.Request) bool { return !time.Now().Before(from) }
			faults = append(faults, c.Server.On("*", widgets.Resource).In(namespace).Where(begun).Optional().Fail(syscall.ECONNREFUSED))
		}
		return func() {
			for _, f := range faults {
				time.Sleep(7 * time.Second)
				f.Remove()
			}
		}
	},
}

// TestLogOfAnOutageWithScopes has outages of a whole server. Each informer logs one line at the beginning and
// one at the end, and does not blame what sets its scopes.
func TestLogOfAnOutageWithScopes(t *testing.T) {
	for name, running := range map[string]func(*testing.T, *cachetest.Cluster, *cachetest.ShownLog) *SharedIndexInformer[object]{
		"one namespace": func(t *testing.T, c *cachetest.Cluster, log *cachetest.ShownLog) *SharedIndexInformer[object] {
			return runLogged(t, c, log, nil, WithNamespace("a"))
		},
		"namespaces": func(t *testing.T, c *cachetest.Cluster, log *cachetest.ShownLog) *SharedIndexInformer[object] {
			return runLogged(t, c, log, nil, WithNamespaces("a", "b", "c"))
		},
		"FollowScopes": func(t *testing.T, c *cachetest.Cluster, log *cachetest.ShownLog) *SharedIndexInformer[object] {
			return followTeams(t, c, log, "a", "b", "c")
		},
		"SetScopes": func(t *testing.T, c *cachetest.Cluster, log *cachetest.ShownLog) *SharedIndexInformer[object] {
			s := runLogged(t, c, log, nil, WithScopesLater())
			setScopes(t, s, in("a", "b", "c")...)
			return s
		},
	} {
		for outage, begin := range outages {
			t.Run(name+"/"+outage, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
					s := running(t, c, log)
					informers := 1
					if name == "FollowScopes" {
						informers = 2
					}
					time.Sleep(time.Minute)
					cachetest.WantLog(t, log)
					end := begin(c)
					c.Server.Restart()
					time.Sleep(15 * time.Minute)
					now := s.Status()
					cachetest.WantLog(t, log, slices.Repeat([]string{"Does not follow the API server: "}, informers)...)
					if failed := (*status.ScopesError)(nil); now.Err == nil || errors.As(now.Err, &failed) {
						t.Errorf("during the outage: %v", now)
					}
					end()
					time.Sleep(10 * time.Minute)
					cachetest.WantLog(t, log, slices.Repeat([]string{"Follows the API server again"}, informers)...)
				})
			})
		}
	}
}

// TestLogOfAnOutageFromTheStart has a server that refuses connections before the scopes are known.
func TestLogOfAnOutageFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
		cachetest.Create(c, "a", "one")
		away := c.Server.On("list", widgets.Resource).Fail(syscall.ECONNREFUSED)
		s := followTeams(t, c, log, "a", "b")
		time.Sleep(time.Hour)
		synctest.Wait()
		lines := log.Take()
		slices.Sort(lines)
		if len(lines) != 2 || !strings.HasPrefix(lines[0], "Does not follow the API server: list: connection refused ") || !strings.HasPrefix(lines[1], "Does not follow the API server: scopes: widgets.test.example.com in namespace teams: list: connection refused ") {
			t.Errorf("the log has\n\t%s", strings.Join(lines, "\n\t"))
		}
		away.Remove()
		time.Sleep(10 * time.Minute)
		cachetest.WantLog(t, log, "Follows the API server again", "Follows the API server again")
		if got := names(s); !slices.Equal(got, []string{"a/one"}) {
			t.Errorf("cached are %q", got)
		}
	})
}

// TestLogOfAScopesError has an informer that follows the server, and an error of its scopes. An outage meanwhile has a line of its
// own.
func TestLogOfAScopesError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
		s := runLogged(t, c, log, nil, WithScopesLater())
		setScopes(t, s, in("a", "b")...)
		s.SetScopesError(errors.New("the file is missing"))
		time.Sleep(time.Hour)
		cachetest.WantLog(t, log, "Does not follow the API server: scopes: the file is missing resource=widgets.test.example.com in namespaces a, b")
		away := c.Server.On("*", widgets.Resource).Fail(syscall.ECONNREFUSED)
		c.Server.Restart()
		time.Sleep(time.Hour)
		cachetest.WantLog(t, log, "Does not follow the API server: watch: connection refused")
		if status := s.Status(); !strings.Contains(status.String(), "scopes: the file is missing") {
			t.Errorf("the status is %v", status)
		}
		away.Remove()
		time.Sleep(time.Hour)
		cachetest.WantLog(t, log, "The API server answers again")
	})
}

// TestLogOfOutagesNextToAForbiddenScope has a scope that never works. Outages of the others are logged all the same.
func TestLogOfOutagesNextToAForbiddenScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := cachetest.NewCluster(t), &cachetest.ShownLog{}
		c.Server.On("*", widgets.Resource).In("c").Forbidden()
		runLogged(t, c, log, []string{"a", "b", "c"})
		time.Sleep(time.Hour)
		cachetest.WantLog(t, log, "in the namespace \"c\"")
		for range 3 {
			for name, begin := range outages {
				if name == "one scope after the other" {
					continue // which ends nowhere at one time
				}
				end := begin(c)
				c.Server.Restart()
				time.Sleep(15 * time.Minute)
				cachetest.WantLog(t, log, "Does not follow the API server: ")
				end()
				time.Sleep(15 * time.Minute)
				cachetest.WantLog(t, log, "The API server answers again")
			}
		}
		// A server that fails each minute does not fill the log.
		for range 60 {
			end := outages["refused"](c)
			c.Server.Restart()
			time.Sleep(30 * time.Second)
			end()
			time.Sleep(30 * time.Second)
		}
		synctest.Wait()
		if lines := log.Take(); len(lines) > 40 { // of 60 outages
			t.Errorf("%d lines in an hour", len(lines))
		}
	})
}
