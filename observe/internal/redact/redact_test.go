package redact

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// TestLongErrors has errors of megabytes, which a server chooses: a page of 1,000 informers has one
// for each.
func TestLongErrors(t *testing.T) {
	for _, text := range []string{"conversion webhook for ", " failed: ", "://a", `"token":"`, `token="`, "-----BEGIN PRIVATE KEY-----", `\`, "a-"} {
		err := errors.New("conversion webhook for " + strings.Repeat(text, 4<<20/len(text)))
		began := time.Now()
		if got := Error(status.ServerError, err); len(got) > 2*maxRead {
			t.Errorf("%q: %d bytes", text, len(got))
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%q: it takes %v", text, took)
		}
	}
}

// TestHarmlessErrors checks that what a person needs stays.
func TestHarmlessErrors(t *testing.T) {
	for _, text := range []string{
		`secrets is forbidden: User "system:serviceaccount:a:b" cannot list resource "secrets" in API group ""`,
		"cannot refresh the token: open /var/run/secrets/kubernetes.io/serviceaccount/token: no such file",
		`Get "https://10.0.0.1:6443/api/v1/pods?limit=500&continue=abc": dial tcp 10.0.0.1:6443: connection refused`,
		`unable to parse requirement: <nil>: Invalid value: "a b": a key must be in the form key=value`,
		`conversion webhook for example.com/v1, Kind=Foo failed: Post "https://hook.a.svc:443/": x509: unknown authority`,
	} {
		if got := Error(status.Unreachable, errors.New(text)); got != text {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}
