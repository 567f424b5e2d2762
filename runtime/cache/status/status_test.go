package status

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/wire"
)

var widgets = schema.GroupVersionResource{Group: "test.example.com", Version: "v1", Resource: "widgets"}

var (
	errGone      = apierrors.NewResourceExpired("too old resource version: 5 (9)")
	errForbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "widgets"}, "", errors.New("no right to list"))
)

func TestStatusAsText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		since := time.Now()
		time.Sleep(5*time.Minute + 12*time.Second)
		next := since.Add(time.Hour)
		for _, test := range []struct {
			status Status
			want   string
		}{
			{Status{}, ""},
			{Status{Phase: Pending, Since: since}, "Pending for 5m12s (not started)"},
			{Status{Phase: Listing, Since: since}, "Listing for 5m12s"},
			{Status{Phase: Watching, Since: since, Objects: 312, ResourceVersion: "4711"}, "Watching for 5m12s: 312 objects at version 4711"},
			{Status{Phase: Watching, Since: since, ResourceVersion: "4711"}, "Watching for 5m12s: 0 objects at version 4711"},
			{Status{Phase: Degraded, Since: since, Err: errForbidden, Reason: Forbidden, NextAttempt: next, Objects: 1, ResourceVersion: "9"},
				"Degraded for 5m12s (Forbidden: widgets is forbidden: no right to list; it needs the rights to list and to watch); next attempt at 2000-01-01T01:00:00Z; 1 object at version 9"},
			{Status{Phase: Stopped, Since: since, ResourceVersion: "a\n" + strings.Repeat("b", 100), Undecodable: []*wire.DecodeError{{Name: "x", Err: errGone}}},
				`Stopped for 5m12s: 0 objects at version a\n` + strings.Repeat("b", 64-2) + "…; 1 undecodable, the first: object x cannot be decoded: too old resource version: 5 (9)"},
		} {
			if got := test.status.String(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		}
	})
}
