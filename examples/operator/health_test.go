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

type statuses []cache.InformerStatus

func (s statuses) Statuses() iter.Seq[cache.InformerStatus] { return slices.Values(s) }

func TestReady(t *testing.T) {
	since := time.Now().Add(-3 * time.Hour)
	forbidden := cache.Status{Phase: cache.Degraded, Since: since, Err: errors.New("no role allows it"), Reason: cache.Forbidden}
	missing := cache.Status{Phase: cache.Degraded, Since: since, Err: errors.New("no such path"), Reason: cache.NotFound}
	for name, c := range map[string]struct {
		servers cache.Status
		code    int
		says    []string
	}{
		"ready":     {cache.Status{Phase: cache.Watching, Since: since, Objects: 3, ResourceVersion: "8"}, http.StatusOK, []string{"[+] databaseservers.data.example.com", "Watching", "3 objects"}},
		"listing":   {cache.Status{Phase: cache.Listing, Since: since}, http.StatusServiceUnavailable, []string{"[-] databaseservers.data.example.com", "Listing"}},
		"forbidden": {forbidden, http.StatusServiceUnavailable, []string{"[-] databaseservers.data.example.com", "Degraded for 3h", "Forbidden: no role allows it"}},
		"not found": {missing, http.StatusServiceUnavailable, []string{"NotFound: no such path", "CRD"}},
		"stopped":   {cache.Status{Phase: cache.Stopped, Since: since}, http.StatusServiceUnavailable, []string{"Stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := &health{statuses{
				{Resource: datav1.SchemeGroupVersion.WithResource("databases"), Status: cache.Status{Phase: cache.Watching, Since: since}},
				{Resource: datav1.SchemeGroupVersion.WithResource("databaseservers"), Status: c.servers},
			}, leaderelection.NewLeaderHealthzAdaptor(0)}
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
