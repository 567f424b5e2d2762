package hostile

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"k8s.io/client-go/rest"
)

// link is a way from a client to a server.
type link struct {
	host   string
	client *http.Client
	// close ends the server and all connections.
	close func()
	// drop resets all connections, with the streams in them.
	drop func()
}

// clientset returns a client as a program makes it, without a rate limiter: what the
// informer asks is to be seen.
func (l *link) clientset(t *testing.T) *versioned.Clientset {
	t.Helper()
	clientset, err := versioned.NewForConfigAndClient(&rest.Config{Host: l.host, QPS: -1}, l.client)
	if err != nil {
		t.Fatal(err)
	}
	return clientset
}

// pipes is a listener and a dialer in memory, which work in a synctest bubble.
type pipes struct {
	backlog chan net.Conn
	closed  chan struct{}
	once    sync.Once

	mu   sync.Mutex // guards the fields below
	open map[net.Conn]struct{}
}

func newPipes() *pipes {
	return &pipes{backlog: make(chan net.Conn), closed: make(chan struct{}), open: map[net.Conn]struct{}{}}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.backlog <- theirs:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.open[theirs] = struct{}{}
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.backlog:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (p *pipes) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.open {
		_ = conn.Close()
	}
	clear(p.open)
}

// inMemory serves handler over pipes. Call it in a bubble, and close the link there.
func inMemory(handler http.Handler, http2 bool) *link {
	p := newPipes()
	protocols := &http.Protocols{}
	protocols.SetHTTP1(!http2)
	protocols.SetUnencryptedHTTP2(http2)
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0), Protocols: protocols}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(p) })
	transport := &http.Transport{DialContext: p.dial, Protocols: protocols}
	return &link{
		host:   "http://hostile",
		client: &http.Client{Transport: transport},
		close: func() {
			_ = server.Close()
			transport.CloseIdleConnections()
			p.drop()
			serving.Wait()
		},
		drop: p.drop,
	}
}

// overSockets serves handler on the loopback interface.
func overSockets(t *testing.T, handler http.Handler, http2 bool) *link {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if http2 {
		server.EnableHTTP2 = true
		server.StartTLS()
	} else {
		server.Start()
	}
	return &link{
		host:   server.URL,
		client: server.Client(),
		close: func() {
			server.CloseClientConnections()
			server.Close()
		},
		drop: server.CloseClientConnections,
	}
}
