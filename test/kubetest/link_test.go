package kubetest

import (
	"net/http"
	"path"
	"slices"
	"sync"

	"k8s.io/client-go/rest"
)

// link is what the requests of a client go through. It notes the lists of pods, and can hold
// all requests, or refuse lists that are in one piece.
type link struct {
	mu    sync.Mutex // guards the fields below
	lists []string
	// held is closed when requests may go on; nil if they may.
	held chan struct{}
	// tooLarge is how many lists in one piece are still refused.
	tooLarge int
}

// through lets the requests of a configuration go through l.
func (l *link) through(config *rest.Config) *rest.Config {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			l.mu.Lock()
			held := l.held
			l.mu.Unlock()
			if held != nil {
				select {
				case <-held:
				case <-request.Context().Done():
					return nil, request.Context().Err()
				}
			}
			if l.note(request) {
				return &http.Response{StatusCode: http.StatusGatewayTimeout, Body: http.NoBody, Request: request}, nil
			}
			return next.RoundTrip(request)
		})
	})
	return config
}

// note notes a list as "stream", as "list" in one piece, or as "page". It reports whether the
// list is refused.
func (l *link) note(request *http.Request) (refused bool) {
	query := request.URL.Query()
	if request.Method != http.MethodGet || path.Base(request.URL.Path) != "pods" {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case query.Has("sendInitialEvents"):
		l.lists = append(l.lists, "stream")
	case query.Has("watch"):
	case query.Has("limit"):
		l.lists = append(l.lists, "page")
	default:
		l.lists = append(l.lists, "list")
		refused = l.tooLarge > 0
		l.tooLarge--
	}
	return refused
}

// noted returns the lists so far.
func (l *link) noted() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lists)
}

// hold lets requests wait for release.
func (l *link) hold() (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := make(chan struct{})
	l.held = held
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held = nil
		close(held)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// afterFirstPage calls do before the request for the second page of a list.
func afterFirstPage(do func()) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		var once sync.Once
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if request.URL.Query().Has("continue") {
				once.Do(do)
			}
			return next.RoundTrip(request)
		})
	}
}
