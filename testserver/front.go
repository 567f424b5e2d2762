package testserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/typedinformers/informer-gen/internal/loopback"
)

// drainTimeout is how long requests that are being served may still take when the server stops.
const drainTimeout = 2 * time.Second

// front is the plain HTTP listener of one run.
//
// The API server itself would listen with TLS only, and its orderly shutdown is bound to that listener: with
// none, RunWithContext never returns. So it gets a gate, a listener that lets nobody in. The API server closes
// the gate when it would stop listening, and that is when front closes the real listener.
type front struct {
	listener net.Listener
	gate     *gate
	server   *http.Server
	served   chan struct{}  // closed when no goroutine accepts connections any more
	open     sync.WaitGroup // connections that have a goroutine
}

func listen(ctx context.Context, address string) (*front, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s for the API server: %w", address, err)
	}
	if at := loopback.Hostname(listener.Addr().String()); !loopback.Is(at) {
		_ = listener.Close()
		return nil, fmt.Errorf("listen on %s for the API server: it resolves to %s, which is not a loopback address; listen on 127.0.0.1", address, at)
	}
	return &front{
		listener: listener,
		gate:     &gate{addr: listener.Addr(), closed: make(chan struct{})},
		served:   make(chan struct{}),
	}, nil
}

func (f *front) address() string { return f.listener.Addr().String() }

// serve starts to answer requests; until then connections wait in the listener's queue.
func (f *front) serve(handler http.Handler, logs *logOutput) {
	f.server = &http.Server{
		Handler:           loopback.Handler(handler),
		ErrorLog:          logs.http(),
		ReadHeaderTimeout: 30 * time.Second,
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				f.open.Add(1)
			case http.StateClosed, http.StateHijacked:
				f.open.Done()
			}
		},
	}
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		// The error is always that the listener was closed, by the goroutine below.
		_ = f.server.Serve(f.listener)
	}()
	go func() {
		defer close(f.served)
		<-f.gate.closed
		// Shutdown closes the listener first, then idle connections; it gives the busy ones their time, so
		// that a client that reads slowly cannot hold up the API server's own drain.
		ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
		defer cancel()
		if f.server.Shutdown(ctx) != nil {
			_ = f.server.Close()
		}
		<-accepting
	}()
}

// stop blocks until the port is free and no connection has a goroutine. The API server must have stopped, or
// never run.
func (f *front) stop() error {
	_ = f.gate.Close()
	if f.server == nil {
		return f.listener.Close()
	}
	// Nothing is being served any more: what is open is idle, or a watch whose client does not read.
	err := f.server.Close()
	<-f.served
	f.open.Wait()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the API server's listener: %w", err)
	}
	return nil
}

// gate is a listener on which nobody ever arrives.
type gate struct {
	addr   net.Addr // of the real listener, for the API server to tell its clients
	closed chan struct{}
	once   sync.Once
}

func (g *gate) Accept() (net.Conn, error) {
	<-g.closed
	return nil, net.ErrClosed
}

func (g *gate) Close() error {
	g.once.Do(func() { close(g.closed) })
	return nil
}

func (g *gate) Addr() net.Addr { return g.addr }
