package cache

import (
	"context"
	"iter"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// SharedInformer is the part of an informer that a controller uses: events and reads.
type SharedInformer[T Object] interface {
	Syncer
	// AddEventHandler calls handler for every object and every change.
	AddEventHandler(handler ResourceEventHandler[T], options ...HandlerOption) (ResourceEventHandlerRegistration, error)
	// RemoveEventHandler removes a handler.
	RemoveEventHandler(registration ResourceEventHandlerRegistration) error
	// GetStore returns the cache.
	GetStore() Store[T]
	// Status returns the state of the informer.
	Status() Status
	// Retry retries a failed list or watch at once, instead of after its wait.
	Retry()
}

// SharedIndexInformer keeps one cache of a collection, with indexes, for any
// number of handlers and listers. Its methods may be called from any goroutine.
type SharedIndexInformer[T Object] face

// faceOf returns the SharedIndexInformer of an informer, the same one each time.
func faceOf[T Object](m machine) *SharedIndexInformer[T] {
	return (*SharedIndexInformer[T])(m.itsFace())
}

// NewSharedIndexInformer is Kind.NewInformer. Most programs use the informers of a generated factory.
func NewSharedIndexInformer[T Object](kind Kind[T], set ...SharedInformerOption) (*SharedIndexInformer[T], error) {
	return kind.NewInformer(set...)
}

// Controller is the part of an informer that runs it.
type Controller interface {
	Syncer
	// Run follows the server until ctx ends.
	Run(ctx context.Context)
	// LastSyncResourceVersion returns a resourceVersion of which the cache has every change.
	LastSyncResourceVersion() string
	// Status returns the state of the informer, since when, and why.
	Status() Status
}

// NewInformer returns a cache, and the informer that fills it and calls handler after each change. It returns the error of
// Kind.NewInformer.
func NewInformer[T Object](kind Kind[T], handler ResourceEventHandler[T], set ...SharedInformerOption) (Store[T], Controller, error) {
	return NewIndexerInformer(kind, handler, set...)
}

// NewIndexerInformer is NewInformer for a cache with indexes.
func NewIndexerInformer[T Object](kind Kind[T], handler ResourceEventHandler[T], set ...SharedInformerOption) (*Indexer[T], Controller, error) {
	s, err := kind.NewInformer(set...)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.AddEventHandler(handler); err != nil {
		return nil, nil, err
	}
	return s.GetIndexer(), s, nil
}

// Run follows the server until ctx ends. When it returns, no goroutine of the informer
// is left, and no handler and no hook is running. It runs once: a second call returns at once.
func (s *SharedIndexInformer[T]) Run(ctx context.Context) { s.machine.Run(ctx) }

// Stop ends Run, and waits until it has returned: no handler is running then. It empties the
// cache. Listers that are kept return errors that wrap ErrStopped then. An informer that was not
// started can no longer be. The factory creates another one at the next call for the kind. A
// handler or a hook must not call Stop, which would wait for it.
func (s *SharedIndexInformer[T]) Stop() { s.machine.Stop() }

// HasSynced reports whether the cache holds the first list of each present scope. Handlers may still
// be handling it: their registrations report that. It becomes false when SetScopes adds a scope.
func (s *SharedIndexInformer[T]) HasSynced() bool { return s.machine.HasSynced() }

// Synced is closed when the cache holds the first list of each scope that is there at the call, and
// was not removed meanwhile.
func (s *SharedIndexInformer[T]) Synced() <-chan struct{} { return s.machine.Synced() }

// Ended is closed when the informer no longer follows the server.
func (s *SharedIndexInformer[T]) Ended() <-chan struct{} { return s.machine.Ended() }

// NotSyncedReason returns why the informer is not synced; it is empty once it is.
func (s *SharedIndexInformer[T]) NotSyncedReason() string { return s.machine.NotSyncedReason() }

// Status returns the state of the informer, since when, and why.
func (s *SharedIndexInformer[T]) Status() Status { return s.machine.Status() }

// Statuses yields the state and the counters of the informer.
func (s *SharedIndexInformer[T]) Statuses() iter.Seq[status.Informer] { return s.machine.Statuses() }

// LastSyncResourceVersion returns a resourceVersion of which the cache has every change: the last one
// that the server sent, or, while changes wait to be stored, an earlier one. It is empty before
// the first list is stored. Status().ResourceVersion may be ahead of the cache.
func (s *SharedIndexInformer[T]) LastSyncResourceVersion() string {
	return s.machine.LastSyncResourceVersion()
}

// WaitFor waits until the cache has all changes up to a resourceVersion, for example that of an
// object that this or another program has written. It returns when an event or a bookmark shows
// that. If no object of the collection changes, this may take until the next bookmark: a
// kube-apiserver sends one each minute. If ctx or the informer ends first, the error has the state
// of the informer, with the reason.
//
// The version has to be of the same API server and the same resource: versions of others cannot be
// compared. It has to be a number, as all versions of Kubernetes are.
func (s *SharedIndexInformer[T]) WaitFor(ctx context.Context, resourceVersion string) error {
	return s.machine.WaitFor(ctx, resourceVersion)
}

// Retry retries a failed list or watch at once, instead of after its wait; see
// Reflector.Retry.
func (s *SharedIndexInformer[T]) Retry() { s.machine.Retry() }

// Resource returns the resource that the informer follows.
func (s *SharedIndexInformer[T]) Resource() schema.GroupVersionResource { return s.machine.Resource() }

// SetScopes replaces the scopes of the informer. It may be called at any time before the informer ends.
// The informer lists and watches each new scope separately, closes the watch of each removed one, and
// does not interrupt the others. Handlers get OnDelete, with the last cached state and an unknown final
// state, for each object that no scope has any more. If a namespace gets another scope, with other selectors for
// example, its old one goes on until the new one is listed. Then handlers get the difference. Without scopes the
// informer has no objects.
//
// HasSynced is false until the lists of the new scopes are in the cache. Their objects are added with
// isInInitialList set. Package healthz reports the informer as ready meanwhile.
//
// The error is an *OptionError, or joins several of them, or wraps ErrStopped. Nothing has changed then.
// A handler may call SetScopes. An index function, a transform or a hook must not.
func (s *SharedIndexInformer[T]) SetScopes(scopes ...Scope) error {
	return s.machine.SetScopes(scopes...)
}

// SetScopesError reports why the scopes cannot be set as they should be, such as an error of the code that decides about them. The informer
// keeps the scopes that it has, and Status has a *status.ScopesError, until SetScopesError(nil) or the next SetScopes without an error.
func (s *SharedIndexInformer[T]) SetScopesError(err error) { s.machine.SetScopesError(err) }

// Scopes returns the scopes of the informer, sorted.
func (s *SharedIndexInformer[T]) Scopes() []Scope { return s.machine.Scopes() }

// RemoveEventHandler ends a registration. The current call of the handler may still
// run; no other follows. It may be called from the handler itself, and twice.
func (s *SharedIndexInformer[T]) RemoveEventHandler(r ResourceEventHandlerRegistration) error {
	return s.machine.RemoveEventHandler(r)
}

// SetWatchErrorHandler replaces that of WithWatchErrorHandler; nil for the default, which logs. It
// fails if the informer was started or stopped.
func (s *SharedIndexInformer[T]) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.machine.SetWatchErrorHandler(handler)
}

// GetStore returns the cache.
func (s *SharedIndexInformer[T]) GetStore() Store[T] { return s.GetIndexer() }

// GetIndexer returns the cache with its indexes. Only tests may write to it.
func (s *SharedIndexInformer[T]) GetIndexer() *Indexer[T] {
	return (*Indexer[T])(s.machine.itsIndexer())
}

// AddIndexers adds indexes, before or after the informer is started. It fails if
// there is one of the same name.
func (s *SharedIndexInformer[T]) AddIndexers(indexers Indexers[T]) error {
	return s.GetIndexer().AddIndexers(indexers)
}

// SetTransform changes objects before they are stored, as WithTransform does, which it
// replaces. It fails if the informer was started or stopped.
func (s *SharedIndexInformer[T]) SetTransform(transform TransformFunc[T]) error {
	return s.machine.setTransform(erasedTransform(transform))
}

// AddEventHandler calls handler for every object and every change, from a goroutine of
// its own, until the handler is removed or the informer stops. It may be called at any
// time, also from a handler. The error wraps ErrStopped, or is that of the options if the informer
// never runs because of them.
func (s *SharedIndexInformer[T]) AddEventHandler(handler ResourceEventHandler[T], options ...HandlerOption) (ResourceEventHandlerRegistration, error) {
	return s.machine.addHandler(erasedHandler(handler), options)
}

// itsMachine returns the machine that WaitForCacheSync waits for.
func (s *SharedIndexInformer[T]) itsMachine() Syncer { return s.machine }

// NewInformer returns an informer that does not belong to a factory. The caller runs it. The
// error is an *OptionError, or joins several of them.
//
//	informer, err := examplev1.FooKind(client).NewInformer(cache.WithNamespace("team-a"))
//	…
//	go informer.Run(ctx)
func (k Kind[T]) NewInformer(set ...SharedInformerOption) (*SharedIndexInformer[T], error) {
	m, err := erasedKind(&k).newMachine(set)
	if err != nil {
		return nil, err
	}
	return faceOf[T](m), nil
}

// AddIndex adds an index to the cache of an informer, at any time: before the informer is
// started, or while it runs, over the objects that it has then. values is called for each of
// them before AddIndex returns. It fails if there is an index of that name, or after Stop.
//
//	byClass, err := cache.AddIndex(informer, "class", func(foo *v1.Foo) []string { return []string{foo.Spec.Class} })
//	…
//	fast := byClass.Get("fast") // []*v1.Foo
func AddIndex[T Object](informer *SharedIndexInformer[T], name string, values IndexFunc[T]) (*Index[T], error) {
	if err := informer.machine.addIndex(name, erasedIndexers(Indexers[T]{name: values})); err != nil {
		return nil, err
	}
	return &Index[T]{informer.machine.itsIndexer().machine, name}, nil
}
