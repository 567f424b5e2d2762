// Package link is what lies between a client that is measured and the API server. It can take the client off the server and
// bring it back, and counts the requests.
package link

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// Link is what the requests of a client go through. It can end the watch in good order, hold
// the next one, and let it begin at a version that has expired, so that the server answers
// 410. It has one watch. The zero value lets all requests through.
type Link struct {
	mu sync.Mutex // guards the fields below
	// watch is the body of the newest watch, and opened is when it began. It is nil from the
	// beginning of a list in pages until the watch after it.
	watch  *body
	opened time.Time
	// held is closed when requests may go on. It is nil if they may.
	held chan struct{}
	// expired is set if the next watch begins at an expired version.
	expired bool
	// relisted is when the first request for a list came after a release, and the processor
	// time of the process then.
	relisted time.Time
	cpu      time.Duration
	requests Requests
}

// Requests are how many a client has sent that the server has not refused.
type Requests struct {
	Lists, Streams, Watches int
	// Protobuf is how many of all answers are in this encoding.
	Protobuf int
}

// Through lets the requests of a configuration go through l.
func (l *Link) Through(config *rest.Config) *rest.Config {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) { return l.send(next, request) })
	})
	return config
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func (l *Link) send(next http.RoundTripper, request *http.Request) (*http.Response, error) {
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
	query := request.URL.Query()
	if query.Get("limit") == "1" {
		// Our informer asks for the current version if a streaming list takes more than 10 s.
		return next.RoundTrip(request)
	}
	watches := query.Has("watch")
	list := !watches || query.Has("sendInitialEvents")
	l.mu.Lock()
	if !watches {
		l.watch = nil
	}
	switch {
	case list && l.relisted.IsZero():
		l.relisted, l.cpu = time.Now(), meter.CPUTime()
	case !list && l.expired:
		l.expired = false
		query.Set("resourceVersion", "1")
		request = request.Clone(request.Context())
		request.URL.RawQuery = query.Encode()
	}
	l.mu.Unlock()
	response, err := next.RoundTrip(request)
	if err != nil {
		return response, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if response.StatusCode == http.StatusOK { // a server that reads its objects from etcd refuses requests
		l.requests.count(response, list, watches)
	}
	if watches {
		l.watch, l.opened = &body{ReadCloser: response.Body}, time.Now()
		response.Body = l.watch
	}
	return response, nil
}

func (r *Requests) count(response *http.Response, list, watches bool) {
	switch {
	case !watches:
		r.Lists++
	case list:
		r.Streams++
	default:
		r.Watches++
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), runtime.ContentTypeProtobuf) {
		r.Protobuf++
	}
}

// Requests returns how many the client has sent so far.
func (l *Link) Requests() Requests {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests
}

// shortWatch is how long a watch lasts at least that client-go does not report as an error,
// after which it would list again without the server's 410.
const shortWatch = 1100 * time.Millisecond

// Hold ends the watch, when it is open for long enough, and holds the requests after it.
func (l *Link) Hold(ctx context.Context) error {
	// The watch of a streaming list begins at the end of the list for client-go.
	return poll(ctx, shortWatch, l.tryHold)
}

// AwaitWatch returns when the watch after the last list is open.
func (l *Link) AwaitWatch(ctx context.Context) error {
	return poll(ctx, 10*time.Millisecond, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.watch != nil
	})
}

func poll(ctx context.Context, interval time.Duration, done func() bool) error {
	wait := time.NewTicker(interval)
	defer wait.Stop()
	for {
		select {
		case <-wait.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if done() {
			return nil
		}
	}
}

func (l *Link) tryHold() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch == nil || time.Since(l.opened) < shortWatch {
		return false
	}
	l.held = make(chan struct{})
	l.watch.cut()
	return true
}

// Release lets requests go on. If expired is set, the next watch begins at an expired version.
func (l *Link) Release(expired bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.relisted, l.expired = time.Time{}, expired
	close(l.held)
	l.held = nil
}

// Expiring reports whether the next watch begins at an expired version.
func (l *Link) Expiring() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.expired
}

// List returns when the first list after a release began, and the processor time of the process then.
func (l *Link) List() (began time.Time, cpu time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.relisted, l.cpu
}

// body is the body of a watch. After cut it ends in good order.
type body struct {
	io.ReadCloser
	mu  sync.Mutex // guards end
	end bool
}

func (b *body) cut() {
	b.mu.Lock()
	b.end = true
	b.mu.Unlock()
	_ = b.Close()
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.end {
			err = io.EOF
		}
	}
	return n, err
}
