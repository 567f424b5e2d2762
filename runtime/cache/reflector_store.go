package cache

import (
	"context"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/deltafifo"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// ReflectorStore is what a Reflector copies a collection to. An *Indexer is one.
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

// reflectorFace is what all Reflectors have.
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

// LastSyncResourceVersion returns the version of the last list, event or bookmark that was read. The store may be a
// batch behind it. It is empty before the first list.
func (r *Reflector[T]) LastSyncResourceVersion() string { return r.machine.LastSyncResourceVersion() }

// NewReflector returns a Reflector of a kind, which does nothing until Run. One goroutine at a time calls the methods
// of store. The error is that of Kind.NewInformer, or about several scopes: a Reflector has one. Options for handlers and
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

// storeReflector is a Reflector without its type parameter.
type storeReflector struct {
	*reflector
	store erasedStore
}

func newStoreReflector(kind *kind, of erasedStore, set []SharedInformerOption) (runner, error) {
	own := newOptions(kind.form.Type(), set)
	config, err := kind.config(&options{}, own)
	if err == nil && (len(config.scopes) > 0 || config.scopeSource != nil) {
		err = optionError("NewReflector", own.object, "the options have several scopes, or a source of them; use a Reflector for each, or an informer")
	}
	if err != nil {
		return nil, err
	}
	config.ReadYourWrites, config.MutationDetector = nil, false
	return &storeReflector{aloneReflector(config, &deltafifo.Queue{}), of}, nil
}

// Run is that of Reflector.
func (r *storeReflector) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var reading sync.WaitGroup
	finally(func() {
		reading.Go(func() {
			defer r.queue.Close() // also if a transform ends the goroutine
			r.reflector.Run(ctx)
		})
		var batch deltafifo.Batch
		for {
			if r.queue.Pop(ctx, &batch) != nil {
				return
			}
			for i := range batch.Deltas {
				if ctx.Err() != nil {
					return
				}
				r.apply(&batch.Deltas[i])
			}
		}
	}, func() {
		cancel()
		reading.Wait()
	})
}

func (r *storeReflector) apply(d *deltafifo.Delta) {
	switch d.Type {
	case deltafifo.Replaced:
		r.store.replace(d.Collection.Items)
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

// named returns an object of which only what an error tells is known.
func (r *storeReflector) named(state *DecodeError) Object {
	obj := reflect.New(r.config.objectType().Elem()).Interface().(Object)
	obj.SetNamespace(state.Namespace)
	obj.SetName(state.Name)
	obj.SetUID(types.UID(state.UID))
	obj.SetResourceVersion(state.ResourceVersion)
	return obj
}

// LastSyncResourceVersion returns the version of what was read.
func (r *storeReflector) LastSyncResourceVersion() string { return r.frontier.Received().Version }
