package apitest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/naming"
)

// Server is an in-memory API server. Its methods are safe for concurrent use. It has no goroutine
// and no port: a client uses it as the [http.RoundTripper] of its configuration, with URL as host.
type Server struct {
	url    string
	now    func() time.Time
	scheme *runtime.Scheme
	// namespaces reports whether the server has the namespaces of a cluster: an object can be
	// created in those that exist.
	namespaces bool
	// collects reports whether objects are deleted with their owners.
	collects bool

	// mu guards what follows. It is held while a request reads or writes objects, and not while
	// bodies are encoded.
	mu      sync.Mutex
	kinds   *registry
	history *history.History
	// closing is sent by Close.
	closing history.Signal
	outages outages
	// collector has the work that follows from writes.
	collector collector
	names     naming.Names
	closed    bool

	faults faults
}

// servers counts the servers of this process, because informers tell servers apart by URL.
var servers atomic.Uint64

// errClosed answers requests to a closed server.
var errClosed = errors.New("apitest: the server is closed")

// New returns a server with the kinds of Kubernetes and those of the options.
func New(options ...Option) (*Server, error) {
	s := &Server{
		url:       fmt.Sprintf("http://apitest-%d", servers.Add(1)),
		now:       time.Now,
		scheme:    runtime.NewScheme(),
		collects:  true,
		kinds:     newRegistry(),
		history:   history.New(defaultEvents),
		collector: newCollector(),
	}
	for _, option := range options {
		if err := option(s); err != nil {
			return nil, err
		}
	}
	s.kinds.scheme = s.scheme
	if s.namespaces {
		if err := s.addInitialNamespaces(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// TB is the part of [testing.TB] that Start calls.
type TB interface {
	Helper()
	Fatal(...any)
	Errorf(string, ...any)
	Cleanup(func())
}

// Start returns a server that is closed when the test ends. A fault that no request met then fails the
// test.
func Start(t TB, options ...Option) *Server {
	t.Helper()
	s, err := New(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		t.Helper()
		s.Close()
		s.CheckFaults(t)
	})
	return s
}

// URL is the host for a client's configuration. No name server knows it: requests reach the
// server only through RoundTrip.
func (s *Server) URL() string { return s.url }

// Close ends all watches. Later requests fail. A server that is not closed leaks nothing.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.closing.Send()
	s.history.Wake()
}

// leave ends the wait for a signal.
func (s *Server) leave(signal *history.Signal, channel <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	signal.Leave(channel)
}

// AddKinds adds kinds while the server runs, as a new CustomResourceDefinition does. A kind with
// a Schema takes the place of the same kind without one, and is not replaced by one.
//
// A kind that is wrong does not stop the others. The error joins what is wrong with each. A request for
// the resource of such a kind is answered with it, unless another kind has the resource.
func (s *Server) AddKinds(kinds ...Kind) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kinds.add(kinds...)
}

// RoundTrip answers a request. It closes the request's body. The body of a watch has to be read to
// its end or closed, like each body.
func (s *Server) RoundTrip(req *http.Request) (*http.Response, error) {
	return s.roundTrip(req, nil)
}

// roundTrip answers a request of a client, whose reactors may be nil.
func (s *Server) roundTrip(req *http.Request, reactors *transport) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	r, err := s.parse(req, body)
	if reactors != nil && r.kind != nil && r.verb != "" && (err == nil || r.unserved) {
		response, err := s.react(r, reactors)
		if response != nil || err != nil {
			return response, err
		}
	}
	if err != nil {
		return s.respond(r, nil, err), nil
	}
	if fault := s.faultFor(r); fault != nil {
		return fault.apply(s, r)
	}
	return s.proceed(r)
}

// proceed does what a request asks for. Its errors are those of a connection.
func (s *Server) proceed(r *request) (*http.Response, error) {
	if r.document != nil {
		return r.document.response(r.http), nil
	}
	ctx := r.http.Context()
	answer, err := s.serve(ctx, r)
	if errors.Is(err, errClosed) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil, err
	}
	return s.respond(r, answer, err), nil
}

// maxBody is the size that a kube-apiserver accepts, in bytes.
const maxBody = 3 << 20

func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	return io.ReadAll(io.LimitReader(req.Body, maxBody+1))
}

// serve calls the handler of a request, and does what follows from a write.
func (s *Server) serve(ctx context.Context, r *request) (*reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	answer, err := s.handle(ctx, r)
	s.collect()
	return answer, err
}

// handle calls the handler of a verb.
func (s *Server) handle(ctx context.Context, r *request) (*reply, error) {
	switch r.verb {
	case "get":
		return s.get(r)
	case "list":
		return s.list(r)
	case "watch":
		return s.watch(ctx, r)
	case "create":
		return s.create(r)
	case "update":
		return s.update(r)
	case "patch":
		return s.patch(r)
	case "delete":
		return s.delete(r)
	case "deletecollection":
		return s.deleteCollection(r)
	}
	return nil, methodNotAllowed(r)
}

// ServeHTTP answers a request that came over a connection, so that a Server can be the handler of
// a listener, for kubectl or another process.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	response, err := s.RoundTrip(req)
	switch {
	case errors.Is(err, errClosed):
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	case err != nil:
		panic(http.ErrAbortHandler) // the client sees a connection that breaks
	}
	defer response.Body.Close()
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	flush := http.NewResponseController(w).Flush
	for buffer := make([]byte, 32<<10); ; {
		// Flush first, because the client of a watch waits for the header.
		if err := flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return
		}
		n, err := response.Body.Read(buffer)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			panic(http.ErrAbortHandler) // the client sees a connection that breaks
		}
	}
}

// Option sets up a Server. New returns its error. An option of another package may call AddKinds.
type Option func(*Server) error

// defaultEvents is how many events a server remembers.
const defaultEvents = 10_000

// WithKinds adds kinds.
func WithKinds(kinds ...Kind) Option {
	return func(s *Server) error { return s.AddKinds(kinds...) }
}

// WithScheme gives the server the Go types of the built-in kinds that scheme has, for strategic
// merge patches, protobuf and strict validation. client-go's kubernetes/scheme.Scheme has all of
// them.
func WithScheme(scheme *runtime.Scheme) Option {
	return func(s *Server) error {
		if scheme == nil {
			return errors.New("apitest: WithScheme needs a scheme")
		}
		s.scheme = scheme
		return nil
	}
}

// WithNamespaceLifecycle refuses to create an object in a namespace that does not exist, and
// deletes the contents of a namespace with it. The namespaces default, kube-system, kube-public
// and kube-node-lease exist from the start. Without it, namespaces are like other objects, and
// need not exist.
func WithNamespaceLifecycle() Option {
	return func(s *Server) error { s.namespaces = true; return nil }
}

// WithoutGarbageCollection leaves objects alone whose owners are gone. Without it, the server
// deletes them as the garbage collector of a cluster does, before the request returns that deleted
// the owner.
func WithoutGarbageCollection() Option {
	return func(s *Server) error { s.collects = false; return nil }
}

// WithHistory limits how many events of a resource the server remembers. An older version expires
// with 410. The default is 10,000.
func WithHistory(events int) Option {
	return func(s *Server) error {
		if events < 1 {
			return errors.New("apitest: WithHistory needs at least one event")
		}
		s.history = history.New(events)
		return nil
	}
}

// WithClock sets the source of timestamps. The default is [time.Now], which a synctest bubble
// controls.
func WithClock(now func() time.Time) Option {
	return func(s *Server) error { s.now = now; return nil }
}
