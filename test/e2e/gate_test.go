package e2e

import (
	"io"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"
)

// gate is what the answers to watches go through. While it holds them, informers learn nothing
// from the server. The zero value lets them through.
type gate struct {
	mu sync.Mutex // guards held
	// held is closed by release. It is nil while watches go on.
	held chan struct{}
}

func (g *gate) hold() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = make(chan struct{})
}

// release may be called only after hold.
func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.held)
	g.held = nil
}

// through lets the watches of a configuration go through g.
func (g *gate) through(config *rest.Config) {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(request)
			if err == nil && request.URL.Query().Has("watch") {
				response.Body = &gatedBody{ReadCloser: response.Body, gate: g, closed: make(chan struct{})}
			}
			return response, err
		})
	})
}

type gatedBody struct {
	io.ReadCloser
	gate   *gate
	once   sync.Once
	closed chan struct{}
}

// Read returns nothing while the gate holds, also if it was called before that.
func (b *gatedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.gate.mu.Lock()
	held := b.gate.held
	b.gate.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-b.closed:
		}
	}
	return n, err
}

func (b *gatedBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.ReadCloser.Close()
}
