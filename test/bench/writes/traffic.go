package main

import (
	"net/http"
	"sync/atomic"

	"k8s.io/client-go/rest"
)

// traffic counts the requests of a program, but no watches.
type traffic struct{ requests atomic.Int64 }

// through lets the requests of a configuration go through t.
func (t *traffic) through(config *rest.Config) *rest.Config {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if !request.URL.Query().Has("watch") {
				t.requests.Add(1)
			}
			return next.RoundTrip(request)
		})
	})
	return config
}

func (t *traffic) reset() { t.requests.Store(0) }

func (t *traffic) count() int64 { return t.requests.Load() }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
