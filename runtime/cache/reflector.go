package cache

import (
	"context"
	"reflect"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/frontier"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/informer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/monitor"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/protocol"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// ReflectorStore is the store to which a Reflector copies a collection. An *Indexer is one.
type ReflectorStore[T Object] interface {
	// Replace makes objs all of the objects. It is called after each list, and before all other methods.
	Replace(objs []T)
	// Add is called with an object that has appeared, Update with a new state of one, and Delete with the last state of
	// one that was deleted. If that state cannot be decoded, it has only its namespace, name, UID and resourceVersion.
	Add(obj T)
	Update(obj T)
	Delete(obj T)
}

// Reflector copies a collection of the API server to a store of the program, for example one that keeps metrics
// instead of objects. It lists, as a stream or in one piece, and in pages after that has failed. It watches from the
// version of the list. It resumes a watch that ended, and lists again when the server has forgotten that
// version. A program that reads objects, or hears of changes, uses a SharedIndexInformer.
type Reflector[T Object] reflectorFace

// reflectorFace has the fields of all Reflectors.
type reflectorFace struct{ machine runner }

// runner is a storeReflector as its faces see it.
type runner interface {
	Run(ctx context.Context)
	Status() Status
	Retry()
	LastSyncResourceVersion() string
}

// Run copies until ctx ends. When it returns, no method of the store and no hook is running. It runs once.
func (r *Reflector[T]) Run(ctx context.Context) { r.machine.Run(ctx) }

// Status returns the state of the Reflector, without Objects.
func (r *Reflector[T]) Status() Status { return r.machine.Status() }

// Retry retries a failed list or watch at once, instead of after its wait.
func (r *Reflector[T]) Retry() { r.machine.Retry() }

// LastSyncResourceVersion returns the version up to which the store has all changes. It is empty before the first list.
func (r *Reflector[T]) LastSyncResourceVersion() string { return r.machine.LastSyncResourceVersion() }

// NewReflector returns a Reflector of a kind, which does nothing until Run. The goroutine of Run calls the methods
// of store, and reads nothing meanwhile. It fails for the same options as Kind.NewInformer, and for several scopes: a Reflector has one. Options for handlers and
// for a cache have no effect.
func NewReflector[T Object](kind Kind[T], store ReflectorStore[T], set ...SharedInformerOption) (*Reflector[T], error) {
	of := erasedStore{
		replace: func(items []wire.Item) {
			objs := make([]T, 0, len(items))
			for i := range items {
				if items[i].Err == nil {
					objs = append(objs, items[i].Object.(T))
				}
			}
			store.Replace(objs)
		},
		add:    func(obj Object) { store.Add(obj.(T)) },
		update: func(obj Object) { store.Update(obj.(T)) },
		delete: func(obj Object) { store.Delete(obj.(T)) },
	}
	r, err := newStoreReflector(erasedKind(&kind), of, set)
	if err != nil {
		return nil, err
	}
	return &Reflector[T]{r}, nil
}

// erasedStore is a ReflectorStore as the machine calls it.
type erasedStore struct {
	replace             func([]wire.Item)
	add, update, delete func(Object)
}

// storeReflector is a Reflector without its type parameter. It is the half of the Sink that gets the objects.
type storeReflector struct {
	*monitor.Scope
	config  *config
	monitor *monitor.Monitor
	store   erasedStore
	pace    protocol.Pace
	known   frontier.Frontier
	changes atomic.Uint64 // there are none
}

func newStoreReflector(kind *kind, of erasedStore, set []SharedInformerOption) (runner, error) {
	own := newOptions(kind.form.Type(), set)
	config, err := kind.config(&options{}, own)
	if err == nil && (len(config.scopes) > 0 || config.scopesLater) {
		err = optionError("NewReflector", own.object, "the options have several scopes, or none yet; use a Reflector for each, or an informer")
	}
	if err != nil {
		return nil, err
	}
	return storeReflectorOf(config, of), nil
}

func storeReflectorOf(config config, of erasedStore) *storeReflector {
	config.ReadYourWrites, config.MutationDetector = nil, false
	r := &storeReflector{store: of, config: &config}
	r.monitor = monitor.New(monitor.Options{
		Resource: config.Resource, Name: config.name, Namespaces: r.namespaces,
		HasSynced: func() bool { return r.LastSyncResourceVersion() != "" },
		Scopes:    func() []*monitor.Scope { return []*monitor.Scope{r.Scope} },

		DecoderCheck: config.DecoderCheck, Warn: config.warnOfDecoder,
	})
	config.checkDecoder(r.monitor.DecoderCheck())
	settings := config.reflector(0, &r.pace, config.gate(&r.monitor.Traffic, nil))
	settings.Changes = &r.changes
	r.Scope = r.monitor.NewScope(settings, r, config.monitored(&r.known))
	r.monitor.Hear(config.hooks(config.name))
	return r
}

// Run implements Reflector.
func (r *storeReflector) Run(ctx context.Context) {
	r.monitor.Started(ctx)
	defer informer.Finally(func() {
		r.monitor.Ended()
		r.monitor.Stopped()
	})
	r.Scope.Run(ctx)
}

// Retry implements Reflector.
func (r *storeReflector) Retry() { r.Reflector.Retry() }

// Listed implements reflector.Sink.
func (r *storeReflector) Listed(list *deltafifo.Collection, at frontier.Position) {
	r.store.replace(list.Items)
	r.known.Receive(at, clock.Now())
}

// Events implements reflector.Sink.
func (r *storeReflector) Events(deltas []deltafifo.Delta, at frontier.Position) (received clock.Stamp) {
	received = clock.Now()
	for i := range deltas {
		r.apply(&deltas[i])
	}
	r.known.Receive(at, received)
	return received
}

func (r *storeReflector) apply(d *deltafifo.Delta) {
	switch d.Type {
	case deltafifo.Added:
		r.store.add(d.Object)
	case deltafifo.Updated:
		r.store.update(d.Object)
	case deltafifo.Deleted:
		if d.Err != nil {
			d.Object = r.named(d.Err)
		}
		r.store.delete(d.Object)
	}
}

// named returns an object of which only the identity in an error is known.
func (r *storeReflector) named(state *wire.DecodeError) Object {
	of := r.config.objectType()
	if of == nil { // a ListerWatcher returns objects of any type
		of = reflect.TypeFor[*metav1.PartialObjectMetadata]()
	}
	obj := reflect.New(of.Elem()).Interface().(Object)
	obj.SetNamespace(state.Namespace)
	obj.SetName(state.Name)
	obj.SetUID(types.UID(state.UID))
	obj.SetResourceVersion(state.ResourceVersion)
	return obj
}

// LastSyncResourceVersion returns the version of the store.
func (r *storeReflector) LastSyncResourceVersion() string { return r.known.Received().Version }

// namespaces returns the namespace that the Reflector is limited to; nil for all.
func (r *storeReflector) namespaces() []string {
	if r.config.Namespace == "" {
		return nil
	}
	return []string{r.config.Namespace}
}
