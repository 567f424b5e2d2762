package hostile

import (
	"context"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"syscall"
	"time"
)

// outage is a way in which a server is away.
type outage struct {
	name string
	// refuses is set if no connection can be made, and closes if connections end before an answer, with resets by an RST and otherwise
	// by a FIN. hangs is set if nothing is answered that is or was asked, keeps if open connections stay so, and drops if all are cut
	// again and again.
	refuses, closes, resets, hangs, keeps, drops bool
	// overTCP is set if the outage is also played over TCP.
	overTCP bool
	// answer answers a request. It returns false for one that the server answers itself.
	answer func(d *downtime, w http.ResponseWriter, r *http.Request) bool
}

var outages = []*outage{
	{name: "connections refused", refuses: true, overTCP: true},
	{name: "connections reset", closes: true, resets: true, overTCP: true},
	{name: "connections closed", closes: true, overTCP: true},
	{name: "429 with Retry-After 1", overTCP: true, answer: func(_ *downtime, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many requests", http.StatusTooManyRequests)
		return true
	}},
	{name: "5xx", answer: func(d *downtime, w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "the server is not ready", d.oneOf(http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable))
		return true
	}},
	{name: "random faults", drops: true, answer: func(d *downtime, w http.ResponseWriter, r *http.Request) bool {
		switch d.oneOf(0, 1, 2, 3, 4, 5, 6) {
		case 0:
			http.Error(w, "too many requests", http.StatusTooManyRequests)
		case 1:
			http.Error(w, "etcd has no leader", http.StatusInternalServerError)
		case 2:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusGone)
			_, _ = w.Write([]byte(expired))
		case 3:
			panic(http.ErrAbortHandler)
		case 4:
			d.wait(r.Context(), 5*time.Second)
			panic(http.ErrAbortHandler)
		case 5:
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(html))
		default:
			return false
		}
		return true
	}},
	{name: "silence", hangs: true, keeps: true},
	{name: "a cut and silence", hangs: true},
}

// downtime is a server that has outages.
type downtime struct {
	*server
	link *link

	mu  sync.Mutex // guards the fields below
	way *outage    // nil while the server is well
	// over is closed when the outage ends.
	over    chan struct{}
	dropped sync.WaitGroup
}

// inBubble connects d over pipes. Call it in a bubble.
func (d *downtime) inBubble() {
	d.link = inMemory(d, false)
	transport := d.link.client.Transport.(*http.Transport)
	transport.DialContext = d.dialer(transport.DialContext)
}

// overTCP connects d over the loopback interface, with TLS and HTTP/2 as an API server.
func (d *downtime) overTCP() {
	server := httptest.NewUnstartedServer(d)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	accepted := &sockets{Listener: server.Listener, d: d}
	server.Listener = accepted
	server.StartTLS()
	server.Client().Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if way, _ := d.now(); way != nil && way.refuses {
			address = "127.0.0.1:1" // where no one listens
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	d.link = &link{server.URL, server.Client(), func() { accepted.drop(); server.Close(); accepted.closing.Wait() }, accepted.drop}
}

// sockets has the accepted connections, below TLS, which could say goodbye.
type sockets struct {
	net.Listener
	d       *downtime
	closing sync.WaitGroup // one for each connection that ends instead of its handshake

	mu   sync.Mutex // guards open
	open []net.Conn
}

// Accept ends a connection before its handshake if d closes connections, as a load balancer without a server.
func (s *sockets) Accept() (net.Conn, error) {
	for {
		conn, err := s.Listener.Accept()
		if err != nil {
			return nil, err
		}
		way, _ := s.d.now()
		if way == nil || !way.closes {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.open = append(s.open, conn)
			return conn, nil
		}
		s.closing.Go(func() {
			_, _ = conn.Read(make([]byte, 1<<14)) // so that closing it sends a FIN
			way.end(conn)
		})
	}
}

func (s *sockets) drop() {
	way, _ := s.d.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.open {
		way.end(conn)
	}
	s.open = nil
}

// end closes a socket. w may be nil.
func (w *outage) end(conn net.Conn) {
	if w != nil && w.resets {
		_ = conn.(*net.TCPConn).SetLinger(0) // closing it sends an RST
	}
	_ = conn.Close()
}

func (d *downtime) begin(way *outage) {
	d.mu.Lock()
	d.way, d.over = way, make(chan struct{})
	d.mu.Unlock()
	if !way.keeps {
		d.link.drop()
	}
	if way.drops {
		d.dropped.Go(func() {
			for {
				d.wait(context.Background(), rand.N(3*time.Second))
				if now, _ := d.now(); now == nil {
					return
				}
				d.link.drop()
			}
		})
	}
}

// end ends the outage. Requests that hang are answered, and open watches end if the server has forgotten where they are.
func (d *downtime) end(compacts bool) {
	if compacts {
		d.endWatches(asExpired)
	}
	d.mu.Lock()
	d.way = nil
	close(d.over)
	d.mu.Unlock()
	d.dropped.Wait()
}

func (d *downtime) now() (*outage, chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.way, d.over
}

// wait waits, at most until the end of the outage.
func (d *downtime) wait(ctx context.Context, most time.Duration) {
	_, over := d.now()
	select {
	case <-over:
	case <-ctx.Done():
	case <-time.After(most):
	}
}

func (*downtime) oneOf(all ...int) int { return all[rand.IntN(len(all))] }

func (d *downtime) dialer(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if way, _ := d.now(); way != nil && way.refuses {
			return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return resettable{conn, d}, nil
	}
}

// resettable is the client's end of a pipe, which itself does not tell a reset from a close.
type resettable struct {
	net.Conn
	d *downtime
}

func (c resettable) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if way, _ := c.d.now(); way != nil && way.resets && err == io.EOF {
		err = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	return n, err
}

func (d *downtime) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	way, over := d.now()
	if way != nil && way.closes {
		d.link.drop()
		panic(http.ErrAbortHandler)
	}
	if way != nil && way.answer != nil && way.answer(d, w, r) {
		return
	}
	if way != nil && way.hangs {
		select {
		case <-over:
		case <-r.Context().Done():
			return
		}
	}
	d.server.ServeHTTP(silenced{w, http.NewResponseController(w), d, r.Context()}, r)
}

// silenced is a response that comes only while the server is not silent.
type silenced struct {
	http.ResponseWriter
	*http.ResponseController
	d   *downtime
	ctx context.Context
}

func (s silenced) Write(text []byte) (int, error) {
	if way, over := s.d.now(); way != nil && way.hangs {
		select {
		case <-over:
		case <-s.ctx.Done():
		}
	}
	return s.ResponseWriter.Write(text)
}

func (s silenced) Flush() { _ = s.ResponseController.Flush() }
