package apitest

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/history"
)

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
