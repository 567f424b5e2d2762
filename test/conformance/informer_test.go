package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/typedinformers/informer-gen/runtime/writes"
)

// informer is what scenarios need of an informer, whoever made it.
type informer interface {
	// Run follows the server until ctx ends.
	Run(ctx context.Context)
	AddHandler(handler, handlerOptions) (registration, error)
	RemoveHandler(registration) error
	HasSynced() bool
	Get(namespace, name string) (object, bool)
	List() []object
	ByIndex(name, value string) ([]object, error)
	AddIndexers(indexers) error
}

// handler hears of changes.
type handler interface {
	OnAdd(obj object, initial bool)
	OnUpdate(oldObj, newObj object)
	// OnDelete gets the last known state, whether it is known to be the last, and
	// the value as the informer's own handlers get it.
	OnDelete(obj object, stateUnknown bool, raw any)
}

type handlerOptions struct {
	// resync is the handler's own period; nil for that of the informer.
	resync *time.Duration
	// filter limits the handler, through the filtering handler of the informer's
	// package.
	filter func(object) bool
}

type registration interface{ HasSynced() bool }

type indexers map[string]func(object) []string

// config is how an informer is set up.
type config struct {
	resync    time.Duration
	indexers  indexers
	transform func(object) (object, error)
	// ownWrites lets ours read what stage.write writes, from bodies.
	ownWrites bool
	// observer sees them.
	observer *writes.Observer
	// pages lets the server answer a list at resourceVersion 0 in pages. A server with a watch cache
	// does not.
	pages bool
	// onError hears of failed requests.
	onError func(error)
}

// platform makes the server of a scenario.
type platform struct {
	name string
	new  func(*testing.T, config) server
}

var (
	onFake      = platform{"", func(_ *testing.T, c config) server { return newFakeServer(c) }}
	onAPIServer = platform{" on apitest", func(t *testing.T, _ config) server { return newAPIServer(t, false) }}
	onStreams   = platform{" on apitest with streaming lists", func(t *testing.T, _ config) server { return newAPIServer(t, true) }}
)

type implementation struct {
	name string
	new  func(server, config) informer
}

var (
	// ours reads what a typed client decodes, and overBodies decodes by itself.
	ours       = implementation{"runtime", newRuntimeInformer}
	overBodies = implementation{"runtime over bodies", newBodyInformer}
	clientgo   = implementation{"client-go", newClientGoInformer}
	// adapted is ours behind client-go's interface.
	adapted = implementation{"adapter", newAdaptedInformer}
)
