package main

import (
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/leaderelection"

	"github.com/typedinformers/informer-gen/runtime/cache"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
)

func TestReady(t *testing.T) {
	since := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	forbidden := cache.Status{Phase: cache.Degraded, Since: since, Objects: 7, Err: errors.New("no role allows it"), Reason: cache.Forbidden}
	missing := cache.Status{Phase: cache.Degraded, Since: since, Err: errors.New("no such path"), Reason: cache.NotFound}
	for name, c := range map[string]struct {
		servers cache.Status
		code    int
		says    []string
	}{
		"ready":     {cache.Status{Phase: cache.Watching, Since: since, Objects: 3}, http.StatusOK, []string{"[+] databaseservers.data.example.com", "Watching", "3 objects"}},
		"listing":   {cache.Status{Phase: cache.Listing, Since: since}, http.StatusServiceUnavailable, []string{"[-] databaseservers.data.example.com", "Listing"}},
		"forbidden": {forbidden, http.StatusServiceUnavailable, []string{"[-] databaseservers.data.example.com", "2026-03-01T12:00:00Z", "Forbidden: no role allows it", "7 objects"}},
		"not found": {missing, http.StatusServiceUnavailable, []string{"NotFound: no such path", "CRD"}},
		"stopped":   {cache.Status{Phase: cache.Stopped, Since: since}, http.StatusServiceUnavailable, []string{"Stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			statuses := slices.Values([]informerStatus{
				{datav1.SchemeGroupVersion.WithResource("databases"), cache.Status{Phase: cache.Watching, Since: since}},
				{datav1.SchemeGroupVersion.WithResource("databaseservers"), c.servers},
			})
			h := &health{statuses: func() iter.Seq[informerStatus] { return statuses }, watchdog: leaderelection.NewLeaderHealthzAdaptor(0)}
			ready := httptest.NewRecorder()
			h.handler().ServeHTTP(ready, httptest.NewRequest(http.MethodGet, "/readyz", nil))
			for _, want := range append(c.says, "[+] databases.data.example.com") {
				if !strings.Contains(ready.Body.String(), want) {
					t.Errorf("/readyz does not say %q:\n%s", want, ready.Body)
				}
			}
			if ready.Code != c.code {
				t.Errorf("/readyz is %d, want %d", ready.Code, c.code)
			}

			// A restart helps in none of these cases.
			live := httptest.NewRecorder()
			h.handler().ServeHTTP(live, httptest.NewRequest(http.MethodGet, "/livez", nil))
			if live.Code != http.StatusOK {
				t.Errorf("/livez is %d", live.Code)
			}
		})
	}
}
