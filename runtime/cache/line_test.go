package cache

import (
	"io"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/cachetest"
)

// line is the connection of an informer to a server. It may be dead for a while: then nothing comes
// over it, not even the end of a watch.
type line struct {
	next http.RoundTripper

	mu sync.Mutex // guards what follows
	// dead is nil, or closed when the connection works again.
	dead chan struct{}
	// watches is the number of open ones.
	watches int
}

func (l *line) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err == nil && request.URL.Query().Get("watch") != "" && response.StatusCode == http.StatusOK {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watches++
		response.Body = &lineBody{ReadCloser: response.Body, line: l, request: request}
	}
	return response, err
}

func (l *line) setDead(dead bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case dead && l.dead == nil:
		l.dead = make(chan struct{})
	case !dead && l.dead != nil:
		close(l.dead)
		l.dead = nil
	}
}

// open returns the number of open watches.
func (l *line) open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.watches
}

// lineBody is the body of a watch.
type lineBody struct {
	io.ReadCloser
	line    *line
	request *http.Request
	closing sync.Once
}

func (b *lineBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for {
		b.line.mu.Lock()
		dead := b.line.dead
		b.line.mu.Unlock()
		if dead == nil {
			return n, err
		}
		select {
		case <-dead:
		case <-b.request.Context().Done():
			return 0, b.request.Context().Err()
		}
	}
}

func (b *lineBody) Close() error {
	b.closing.Do(func() {
		b.line.mu.Lock()
		defer b.line.mu.Unlock()
		b.line.watches--
	})
	return b.ReadCloser.Close()
}

// readFault makes some of the requests to read fail. An informer has to survive all of it.
func readFault(m apitest.Match, arg byte) *apitest.Fault {
	m = m.Times(1 + int(arg>>4)%5)
	wait := time.Duration(arg) * time.Second / 4
	switch arg % 16 {
	case 0:
		return m.Forbidden()
	case 1:
		return m.NotFound()
	case 2:
		return m.Expired()
	case 3:
		return m.TooManyRequests(17 * time.Second)
	case 4:
		return m.InternalError()
	case 5:
		return m.Unavailable(5 * time.Second)
	case 6:
		return m.Timeout()
	case 7:
		return m.Unauthorized()
	case 8:
		return m.Disconnect()
	case 9:
		return m.LoseResponse()
	case 10:
		return m.Delay(wait)
	case 11:
		return m.After(wait).InternalError()
	case 12:
		return m.Hang()
	case 13:
		return m.Truncate(int64(arg) * 7)
	case 14:
		return m.CutAfter(int(arg >> 5))
	}
	return m.Fail(cachetest.ErrTooLarge())
}

// writeFault makes some of the requests to write fail.
func writeFault(m apitest.Match, arg byte) *apitest.Fault {
	m = m.Times(1 + int(arg>>4)%5)
	switch arg % 8 {
	case 0:
		return m.Forbidden()
	case 1:
		return m.Conflict()
	case 2:
		return m.TooManyRequests(time.Second)
	case 3:
		return m.Disconnect()
	case 4:
		return m.LoseResponse()
	case 5:
		return m.Truncate(int64(arg))
	case 6:
		return m.Delay(time.Duration(arg) * time.Second / 4)
	}
	return m.Fail(apierrors.NewInternalError(cachetest.ErrCut))
}
