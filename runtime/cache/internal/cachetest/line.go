package cachetest

import (
	"io"
	"net/http"
	"sync"
)

// Line is the connection of an informer to a server. It may be dead for a while: then nothing comes
// over it, not even the end of a watch.
type Line struct {
	next http.RoundTripper

	mu sync.Mutex // guards the fields below
	// dead is nil, or closed when the connection works again.
	dead chan struct{}
	// watches is the number of open ones.
	watches int
}

// RoundTrip sends a request.
func (l *Line) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err == nil && request.URL.Query().Get("watch") != "" && response.StatusCode == http.StatusOK {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watches++
		response.Body = &lineBody{ReadCloser: response.Body, line: l, request: request}
	}
	return response, err
}

// SetDead sets whether nothing comes over the line.
func (l *Line) SetDead(dead bool) {
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

// Open returns the number of open watches.
func (l *Line) Open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.watches
}

// lineBody is the body of a watch.
type lineBody struct {
	io.ReadCloser
	line    *Line
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
