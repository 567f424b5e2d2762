package healthz_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/observe/healthz"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// statuses is a source with these informers.
type statuses []status.Informer

func (s statuses) Statuses() iter.Seq[status.Informer] { return slices.Values(s) }

var (
	foos = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"}
	bars = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "bars"}
)

// following returns an informer that follows the server and is ready.
func following(resource schema.GroupVersionResource) status.Informer {
	return status.Informer{
		Resource: resource,
		Status:   status.Status{Phase: status.Watching, Since: time.Now(), Objects: 3, ResourceVersion: "8"},
		Stats:    status.Stats{Synced: true, Handlers: []status.HandlerStats{{Name: "reconciler", Synced: true}}},
	}
}

func degraded(resource schema.GroupVersionResource, reason status.Reason) status.Informer {
	s := following(resource)
	s.Status.Phase, s.Status.Reason, s.Status.Err = status.Degraded, reason, errors.New("the error")
	return s
}

func notListed(s status.Informer) status.Informer {
	s.Stats = status.Stats{}
	return s
}

// rescoped returns an informer that was synced before a scope was added. failed is the version of a scope
// that is not allowed, or empty if it was never listed, and version that of another one.
func rescoped(s status.Informer, failed, version string) status.Informer {
	s.Stats.Synced, s.Stats.WasSynced, s.Stats.NotFollowing = false, true, time.Hour
	s.Stats.Handlers = nil
	s.Namespaces = []string{"team-a", "team-b"}
	s.Status.Scopes = []status.Scope{
		{Name: "namespace team-a", Namespace: "team-a", Status: status.Status{Phase: status.Watching, Since: s.Status.Since, ResourceVersion: version}},
		{Name: "namespace team-b", Namespace: "team-b", Status: status.Status{Phase: status.Degraded, Reason: s.Status.Reason, Err: s.Status.Err, Since: s.Status.Since, ResourceVersion: failed}},
	}
	return s
}

func get(h http.Handler, method, path string, accept ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, nil)
	request.Header["Accept"] = accept
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, request)
	return recorder
}

// TestReadiness sleeps for five minutes after the states were made, so that limits have ended.
func TestReadiness(t *testing.T) {
	with := func(s status.Informer, change func(*status.Informer)) status.Informer {
		change(&s)
		return s
	}
	const limit = 4 * time.Minute
	for name, test := range map[string]struct {
		of    func() status.Informer
		set   []healthz.Option
		ready bool
		lines []string
	}{
		"watching": {func() status.Informer { return following(foos) }, nil, true, []string{"[+] foos.example.com: Watching for 5m: 3 objects at version 8"}},
		"first list": {func() status.Informer {
			return status.Informer{Resource: foos, Status: status.Status{Phase: status.Listing, Since: time.Now()}}
		}, nil, false, []string{"[-] foos.example.com: Listing for 5m; the cache does not hold the first list", "sent nothing of the first list for 5m"}},
		"failing later": {func() status.Informer { return degraded(foos, status.Unreachable) }, nil, true, []string{"[+] foos.example.com: Degraded for 5m (Unreachable: the error)", "its address"}},
		"listing between errors": {func() status.Informer {
			return with(following(foos), func(s *status.Informer) {
				s.Status.Phase, s.Status.Since, s.Stats.NotFollowing = status.Listing, time.Now().Add(5*time.Minute), limit+1
			})
		}, []healthz.Option{healthz.WithDegradedLimit(limit)}, false, []string{"has not followed the server for 4m"}},
		"a handler has panicked": {func() status.Informer { return degraded(foos, status.HandlerPanic) }, []healthz.Option{healthz.WithDegradedLimit(limit)}, true, []string{"Fix the handler"}},
		"a later scope is forbidden": {func() status.Informer { return rescoped(degraded(foos, status.Forbidden), "", "8") },
			[]healthz.Option{healthz.WithDegradedLimit(limit)}, true, []string{"[+] foos.example.com in namespaces team-a, team-b: Degraded for 5m in namespace team-b (Forbidden", "Add the rule to a Role in that namespace"}},
		"a first scope fails later": {func() status.Informer { return rescoped(degraded(foos, status.Forbidden), "7", "8") },
			[]healthz.Option{healthz.WithDegradedLimit(limit)}, false, []string{"it has not followed the server for 5m, and the limit is 4m"}},
		"a handler waits for a later scope": {func() status.Informer {
			return with(following(foos), func(s *status.Informer) {
				s.Stats = status.Stats{WasSynced: true, Handlers: []status.HandlerStats{{Name: "reconciler", WasSynced: true}}}
			})
		}, nil, true, nil},
		"a handler has not had the first scopes": {func() status.Informer {
			return with(following(foos), func(s *status.Informer) {
				s.Stats = status.Stats{WasSynced: true, Handlers: []status.HandlerStats{{Name: "reconciler"}}}
			})
		}, nil, false, []string{"handler reconciler has not returned from its initial list"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source := statuses{following(bars), test.of()}
				time.Sleep(5 * time.Minute)
				code, first := http.StatusOK, "ready: 2 informers\n"
				if !test.ready {
					code, first = http.StatusServiceUnavailable, "not ready: 1 of 2 informers\n"
				}
				answer := get(healthz.Handler(source, test.set...), http.MethodGet, "/readyz")
				body := answer.Body.String()
				if answer.Code != code || !strings.HasPrefix(body, first) {
					t.Errorf("%d, want %d and %q:\n%s", answer.Code, code, first, body)
				}
				for _, want := range append(test.lines, "\n[+] bars.example.com: Watching for 5m: 3 objects at version 8\n") {
					if !strings.Contains(body, want) {
						t.Errorf("the body does not have %q:\n%s", want, body)
					}
				}
				err := healthz.Readiness(source, test.set...)(nil)
				if (err == nil) != test.ready {
					t.Errorf("the error is %v", err)
				}
				if refused := (*healthz.NotReadyError)(nil); err != nil && (!errors.As(err, &refused) || refused.Report.Ready || !strings.HasPrefix(body, err.Error()+"\n[+] bars")) {
					t.Errorf("the error is %v", err)
				}
				var report healthz.Report
				answer = get(healthz.Handler(source, test.set...), http.MethodGet, "/readyz", "application/json")
				if err := json.Unmarshal(answer.Body.Bytes(), &report); err != nil || answer.Code != code || report.Ready != test.ready || len(report.Informers) != 2 || report.Informers[1].Ready != test.ready {
					t.Errorf("%d, %v: %s", answer.Code, err, answer.Body)
				}
			})
		})
	}
}

func TestSources(t *testing.T) {
	none := statuses{}
	if answer := get(healthz.Handler(none), http.MethodGet, "/"); answer.Code != http.StatusOK || answer.Body.String() != "ready: there are no informers\n" {
		t.Errorf("without informers: %d %s", answer.Code, answer.Body)
	}
	if answer := get(healthz.Handler(none), http.MethodGet, "/", "application/json"); answer.Body.String() != "{\n  \"ready\": true,\n  \"informers\": []\n}\n" {
		t.Errorf("without informers: %s", answer.Body)
	}
	other := following(foos)
	other.Server, other.Object = "https://other", "*v1.Foo"
	h := healthz.Handler(none, healthz.WithSource(statuses{following(foos), following(bars)}), healthz.WithSource(statuses{other}))
	body := get(h, http.MethodGet, "/").Body.String()
	for _, want := range []string{"ready: 3 informers\n", "[+] bars.example.com: ", "[+] foos.example.com (v1): ", "[+] foos.example.com (v1, *v1.Foo, https://other): "} {
		if !strings.Contains(body, want) {
			t.Errorf("the body does not have %q:\n%s", want, body)
		}
	}
}

// TestHTTP checks methods, headers and the choice of the format.
func TestHTTP(t *testing.T) {
	h := healthz.Handler(statuses{notListed(following(foos))})
	for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodOptions} {
		if answer := get(h, method, "/readyz"); answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d %v", method, answer.Code, answer.Header())
		}
	}
	page := get(h, http.MethodGet, "/any/path")
	head := get(h, http.MethodHead, "/any/path")
	if head.Code != page.Code || head.Body.Len() != 0 || fmt.Sprint(head.Header()) != fmt.Sprint(page.Header()) {
		t.Errorf("HEAD: %d %v %q, want that of GET: %d %v", head.Code, head.Header(), head.Body, page.Code, page.Header())
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "Content-Length": fmt.Sprint(page.Body.Len()), "X-Content-Type-Options": "nosniff", "Vary": "Accept"} {
		if got := page.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for accept, json := range map[string]bool{"": false, "*/*": false, "text/plain;q=0.5, application/json": true, "application/json;q=0": false} {
		want := "text/plain; charset=utf-8"
		if json {
			want = "application/json"
		}
		if got := get(h, http.MethodGet, "/", accept).Header().Get("Content-Type"); got != want {
			t.Errorf("Accept: %s gets %s, want %s", accept, got, want)
		}
	}
}

// ranged knows whether its informers are being read.
type ranged struct {
	statuses
	isRead bool
}

func (r *ranged) Statuses() iter.Seq[status.Informer] {
	return func(yield func(status.Informer) bool) {
		r.isRead = true
		r.statuses.Statuses()(yield)
		r.isRead = false
	}
}

// slow is a client for which a write may take for ever.
type slow struct {
	*httptest.ResponseRecorder
	write func()
}

func (s slow) Write(body []byte) (int, error) {
	s.write()
	return s.ResponseRecorder.Write(body)
}

// TestSlowClient checks that nothing is being read while an answer is written.
func TestSlowClient(t *testing.T) {
	source, writes := &ranged{statuses: statuses{following(foos)}}, 0
	client := slow{httptest.NewRecorder(), func() {
		if writes++; source.isRead {
			t.Error("an informer may wait for the client")
		}
	}}
	healthz.Handler(source).ServeHTTP(client, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	if writes != 1 || !strings.HasPrefix(client.Body.String(), "ready: 1 informer\n") {
		t.Errorf("%d writes of %s", writes, client.Body)
	}
}

// TestLongLists has a thousand informers: 300 of them are forbidden, and wait for the first list.
func TestLongLists(t *testing.T) {
	var source statuses
	for i := range 1000 {
		resource := foos
		resource.Resource = fmt.Sprintf("foos%03d", i)
		s := following(resource)
		if i%10 < 3 {
			s = notListed(degraded(resource, status.Unreachable))
		}
		source = append(source, s)
	}
	h := healthz.Handler(source)
	lines := strings.Split(strings.TrimSpace(get(h, http.MethodGet, "/").Body.String()), "\n")
	count := func(prefix string) (n int) {
		for _, line := range lines {
			if strings.HasPrefix(line, prefix) {
				n++
			}
		}
		return n
	}
	if lines[0] != "not ready: 300 of 1,000 informers" || count("[-] foos") != 100 || count("[+] foos") != 20 || count("[-] and 200 more; add ?verbose") != 1 || count("[+] and 680 more; add ?verbose") != 1 {
		t.Errorf("the body has %d lines: %s, %d not ready, %d ready", len(lines), lines[0], count("[-] "), count("[+] "))
	}
	if count("    The server did not answer") != 1 || count("    As for foos000.example.com.") != 99 {
		t.Errorf("the advice is there %d times", count("    The server did not answer"))
	}
	lines = strings.Split(get(h, http.MethodGet, "/?verbose").Body.String(), "\n")
	if count("[-] ") != 300 || count("[+] ") != 700 || strings.Contains(strings.Join(lines, ""), "more; add") {
		t.Errorf("verbose: %d not ready, %d ready", count("[-] "), count("[+] "))
	}
	if err := healthz.Readiness(source)(nil); strings.Count(err.Error(), "[-] foos") != 20 || !strings.Contains(err.Error(), "\n[-] and 280 more") || strings.Contains(err.Error(), "[+]") {
		t.Errorf("the error is %v", err)
	}
}

// TestNoObjectText has errors with text of an object, which a Secret may be, and with a credential.
func TestNoObjectText(t *testing.T) {
	const secret = "hunter2"
	s := notListed(degraded(foos, status.Decode))
	s.Server = "https://admin:" + secret + "@10.0.0.1"
	value := &wire.DecodeError{Namespace: "team-a", Name: "web", Path: "data." + secret, Near: secret, Err: errors.New("not a number: " + secret)}
	s.Status.Err, s.Status.Undecodable = fmt.Errorf("list: %w", value), []*wire.DecodeError{value, value}
	source := statuses{s}
	h := healthz.Handler(source)
	for _, body := range []string{get(h, http.MethodGet, "/").Body.String(), get(h, http.MethodGet, "/", "application/json").Body.String(), healthz.Readiness(source)(nil).Error()} {
		if strings.Contains(body, secret) || !strings.Contains(body, "2 undecodable, the first: object team-a/web") {
			t.Error(body)
		}
		if strings.Contains(body, "10.0.0.1") || strings.Contains(body, `"undecodable":`) {
			t.Errorf("a probe, which may be open to everyone, has the server or a list of objects:\n%s", body)
		}
	}
}

// TestResourceOfKubernetes is not served, and has no CRD that someone could install. The error keeps its type
// although its text is redacted.
func TestResourceOfKubernetes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
		server := statuses{notListed(degraded(pods, status.NotFound))}
		wantBody(t, healthz.Handler(server), http.StatusServiceUnavailable, "(NotFound: the error; it is a part of Kubernetes, so the server is too old or too new for v1, has disabled it, or is no API server)", `Check: kubectl api-resources --api-group=""`)
		noWatch := notListed(degraded(foos, status.NotFound))
		noWatch.Status.Verb, noWatch.Status.Err = "watch", apierrors.NewMethodNotSupported(foos.GroupResource(), "watch")
		wantBody(t, healthz.Handler(statuses{noWatch}), http.StatusServiceUnavailable, "; its API server knows no watch)")
	})
}
