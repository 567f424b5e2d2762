package status

import (
	"iter"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Source has informers that can be observed: a SharedInformerFactory, a generated factory,
// one SharedIndexInformer, or the cache of controller-runtime that the module
// adapters/controllerruntime has. The debug page, the health check and the metrics read it. All of
// them may do so at any time, from any goroutine: no informer waits for a reader.
type Source interface {
	// Statuses ranges over the informers that exist when the range begins, in the same order each
	// time.
	Statuses() iter.Seq[Informer]
}

// Informer is one informer as it can be observed. Its parts are of slightly different
// moments.
type Informer struct {
	// ID is a number that no other informer of the process has. It does not change. It is 0 if there is
	// no informer, as for a kind of adapters/controllerruntime that the server does not serve.
	ID uint64
	// Name is the name given by cache.WithInformerName, or empty.
	Name     string
	Resource schema.GroupVersionResource
	// Kind is the kind of the objects, such as Deployment. It is empty if it is not known.
	Kind string
	// Object is the Go type of the objects, such as *v1.Pod. It tells a view from the whole kind.
	Object string
	// Server is the URL of the API server, or empty.
	Server string
	// Namespaces are those that the informer is limited to, sorted; nil for all of them, and for
	// a cluster-scoped kind. An empty one is a scope of all, or of all that it does not exclude. The
	// slice is empty, but not nil, if the informer follows no scope, or SetScopes has set none yet.
	Namespaces []string
	// ReferenceDecoder is set if apimachinery's serializers decode the objects; see cache.WithReferenceDecoder.
	ReferenceDecoder bool
	Status           Status
	Stats            Stats
}

// String returns the Status in one line. If the server does not serve the Resource, the text says what that
// means, also if the Status has no Resource.
func (s *Informer) String() string {
	own := s.Status
	own.Resource = s.Resource
	return own.String()
}
