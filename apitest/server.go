package apitest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/reactors"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
	"github.com/typedinformers/informer-gen/apitest/internal/serve"
	"github.com/typedinformers/informer-gen/apitest/internal/watch"
	"github.com/typedinformers/informer-gen/internal/fieldmarks"
	"github.com/typedinformers/informer-gen/internal/loopback"
)

// Server is an in-memory API server. Its methods are safe for concurrent use. It has no goroutine
// and no port: a client uses it as the [http.RoundTripper] of its configuration, with URL as host.
type Server struct {
	url     string
	objects *rest.Store
	watches *watch.Watches
	handler *serve.Handler
	faults  faults
	// marksFields is set by WithFieldDetector.
	marksFields bool
}

// servers counts the servers of this process, because informers tell servers apart by URL.
var servers atomic.Uint64

// New returns a server with the kinds of Kubernetes and those of the options.
func New(options ...Option) (*Server, error) {
	objects := rest.New()
	objects.History = history.New(defaultEvents)
	watches := watch.Of(objects)
	handler := serve.New(objects, watches)
	s := &Server{
		url: fmt.Sprintf("http://apitest-%d", servers.Add(1)), objects: objects, watches: watches, handler: handler,
		faults: faults{handler: handler, holdups: watches},
	}
	for _, option := range options {
		if err := option(s); err != nil {
			return nil, err
		}
	}
	if objects.Namespaces {
		if err := objects.AddInitialNamespaces(); err != nil {
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
func (s *Server) Close() { s.objects.Close() }

// AddKinds adds kinds while the server runs, as a new CustomResourceDefinition does. A kind with
// a Schema takes the place of the same kind without one, and is not replaced by one.
//
// A kind that is wrong does not stop the others. The error joins their errors. A request for
// the resource of such a kind is answered with it, unless another kind has the resource.
func (s *Server) AddKinds(all ...Kind) error {
	added := make([]kinds.Kind, len(all))
	for i, kind := range all {
		added[i] = kind.internal()
	}
	s.objects.Lock()
	defer s.objects.Unlock()
	return s.objects.Kinds.Add(added...)
}

// RoundTrip answers a request. It closes the request's body. The body of a watch has to be read to
// its end or closed, like each body.
func (s *Server) RoundTrip(req *http.Request) (*http.Response, error) {
	return s.roundTrip(req, nil)
}

// roundTrip answers a request of a client, which may be nil.
func (s *Server) roundTrip(req *http.Request, client *reactors.Client) (*http.Response, error) {
	response, err := s.answer(req, client)
	if s.marksFields {
		fieldmarks.Mark(response)
	}
	return response, err
}

// answer is roundTrip without WithFieldDetector.
func (s *Server) answer(req *http.Request, client *reactors.Client) (*http.Response, error) {
	r, err := s.handler.Parse(req)
	if r == nil {
		return nil, err
	}
	if client != nil && r.Kind != nil && r.Verb != "" && (err == nil || r.Unserved) {
		response, err := client.Answer(r)
		if response != nil || err != nil {
			return response, err
		}
	}
	if err != nil {
		return r.Respond(nil, err), nil
	}
	if fault := s.faults.of(r); fault != nil {
		return fault.apply(s.handler, r)
	}
	return s.handler.Proceed(r)
}

// ServeHTTP answers a request that came over a connection, so that a Server can be the handler of
// a listener, for kubectl or another process. Because it authenticates no one, it refuses requests for another host than localhost
// or a loopback address, and those of web pages of other origins.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	loopback.Handler(http.HandlerFunc(s.serveHTTP)).ServeHTTP(w, req)
}

func (s *Server) serveHTTP(w http.ResponseWriter, req *http.Request) {
	response, err := s.RoundTrip(req)
	switch {
	case errors.Is(err, rest.ErrClosed):
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
func WithKinds(all ...Kind) Option {
	return func(s *Server) error { return s.AddKinds(all...) }
}

// WithScheme gives the server the Go types of the built-in kinds that scheme has, for strategic merge
// patches, protobuf and strict validation. Without its Go type, an apply of a built-in kind replaces
// whole lists, and warns if another manager has written the object. client-go's
// kubernetes/scheme.Scheme has all types.
func WithScheme(scheme *runtime.Scheme) Option {
	return func(s *Server) error {
		if scheme == nil {
			return errors.New("apitest: WithScheme needs a scheme")
		}
		s.objects.Kinds.Scheme = scheme
		return nil
	}
}

// WithFieldDetector sets cache.WithFieldDetector, as crcache.WithFieldDetector does, of all informers whose clients have the Server as their
// transport: fields that they leave out have odd values. A transport that replaces the bodies of responses turns it off.
func WithFieldDetector() Option {
	return func(s *Server) error { s.marksFields = true; return nil }
}

// WithNamespaceLifecycle refuses to create an object in a namespace that does not exist, and
// deletes the contents of a namespace with it. The namespaces default, kube-system, kube-public
// and kube-node-lease exist from the start. Without it, namespaces are like other objects, and
// need not exist.
func WithNamespaceLifecycle() Option {
	return func(s *Server) error { s.objects.Namespaces = true; return nil }
}

// WithoutGarbageCollection leaves objects alone whose owners are gone. Without it, the server
// deletes them as the garbage collector of a cluster does, before the request returns that deleted
// the owner.
func WithoutGarbageCollection() Option {
	return func(s *Server) error { s.objects.Collects = false; return nil }
}

// WithHistory limits how many events of a resource the server remembers. An older version expires
// with 410. The default is 10,000.
func WithHistory(events int) Option {
	return func(s *Server) error {
		if events < 1 {
			return errors.New("apitest: WithHistory needs at least one event")
		}
		s.objects.History = history.New(events)
		return nil
	}
}

// WithClock sets the source of timestamps. The default is [time.Now], which a synctest bubble
// controls.
func WithClock(now func() time.Time) Option {
	return func(s *Server) error { s.objects.Now = now; return nil }
}

// Transport returns a transport for one client, whose requests reactors see before the server does.
// A client without reactors uses the Server itself as its transport.
//
// A streaming list, which is a watch with sendInitialEvents, is a list and then a watch for
// reactors, as if the client had sent two requests. So they need not know streaming lists.
func (s *Server) Transport(all Reactors) http.RoundTripper {
	return transport{s, reactors.New(s.handler, all.internal())}
}

// transport is the transport of one client.
type transport struct {
	server *Server
	client *reactors.Client
}

// RoundTrip answers a request, like [Server.RoundTrip].
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	return t.server.roundTrip(req, t.client)
}

// On selects requests by verb and resource.
//
// The verb is as in RBAC: get, list, watch, create, update, patch, delete or deletecollection. A
// streaming list matches both list and watch. apply is a patch by server-side apply, and * is any
// verb.
//
// The resource is a plural name, and may have a group and a subresource: databases, databases/status,
// databases.data.example.com. * is any resource, and /* after it any subresource or none. A path such
// as /apis selects requests that are for no resource; then the verb is get.
//
// On panics if the verb is not one of these, because such a fault would never begin.
func (s *Server) On(verb, resource string) Match {
	if !slices.Contains(verbs, verb) {
		panic(fmt.Sprintf("apitest: On(%q, %q): %q is not a verb; use one of %s", verb, resource, verb, strings.Join(verbs, ", ")))
	}
	return s.faults.on(verb, resource)
}

// CheckFaults reports the faults that did not begin as often as they should have, as errors of a
// test. [Start] does it at the end of the test: a fault that no request met shows that the test does
// not test what it says.
func (s *Server) CheckFaults(t interface {
	Helper()
	Errorf(format string, args ...any)
}) {
	t.Helper()
	for _, wrong := range s.faults.check() {
		t.Errorf("apitest: %s", wrong)
	}
}
