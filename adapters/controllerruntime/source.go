package crcache

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// NewSource returns a source of the events of a typed informer, for a project that has informers
// of its own next to the cache of the manager. The controller does not run the informer: a
// factory does, or its owner.
//
//	foos := factory.Example().V1().Foos().Informer()
//	err := ctrl.NewControllerManagedBy(mgr).
//		Named("foo").
//		WatchesRawSource(crcache.NewSource(foos, &handler.TypedEnqueueRequestForObject[*v1.Foo]{})).
//		Complete(reconciler)
//
// The workers of the controller start when the handler has returned from the first list of all scopes
// that the informer has then. A scope that SetScopes adds later does not stop them. The handler is
// removed when the controller ends.
func NewSource[T client.Object, R comparable](informer *cache.SharedIndexInformer[T], handler handler.TypedEventHandler[T, R], predicates ...predicate.TypedPredicate[T]) source.TypedSyncingSource[R] {
	return &informerSource[T, R]{informer: informer, handler: handler, predicates: predicates}
}

// informerSource is a source of the events of an informer.
type informerSource[T client.Object, R comparable] struct {
	source.TypedSyncingSource[R] // nil: it has the methods that a later version of controller-runtime adds

	informer   *cache.SharedIndexInformer[T]
	handler    handler.TypedEventHandler[T, R]
	predicates []predicate.TypedPredicate[T]

	mu           sync.Mutex // guards registration
	registration cache.ResourceEventHandlerRegistration
}

// Start adds the handler to the informer, until ctx ends. It does not block.
func (s *informerSource[T, R]) Start(ctx context.Context, queue workqueue.TypedRateLimitingInterface[R]) error {
	if s.informer == nil || s.handler == nil {
		return errors.New("crcache.NewSource needs an informer and a handler, and one of them is nil")
	}
	registration, err := s.informer.AddEventHandler(&queueHandler[T, R]{ctx: ctx, source: s, queue: queue}, cache.WithHandlerName(s.String()))
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = s.informer.RemoveEventHandler(registration) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.registration = registration
	return nil
}

// WaitForSync waits until the handler has returned from the first list. The error says why it has
// not. It is nil if ctx was canceled, because the controller ends then.
func (s *informerSource[T, R]) WaitForSync(ctx context.Context) error {
	s.mu.Lock()
	registration := s.registration
	s.mu.Unlock()
	if registration == nil {
		return fmt.Errorf("%s is not started", s)
	}
	err := cache.WaitForCacheSync(ctx, s.informer, registration)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	return err
}

// String names the source in logs.
func (s *informerSource[T, R]) String() string {
	return "informer source: " + s.informer.Resource().GroupResource().String()
}

// queueHandler calls the handler of a source for the events that its predicates let pass.
type queueHandler[T client.Object, R comparable] struct {
	ctx    context.Context // of Start
	source *informerSource[T, R]
	queue  workqueue.TypedRateLimitingInterface[R]
}

// OnAdd calls Create.
func (h *queueHandler[T, R]) OnAdd(obj T, isInInitialList bool) {
	e := event.TypedCreateEvent[T]{Object: obj, IsInInitialList: isInInitialList}
	for _, p := range h.source.predicates {
		if !p.Create(e) {
			return
		}
	}
	h.source.handler.Create(h.ctx, e, h.queue)
}

// OnUpdate calls Update.
func (h *queueHandler[T, R]) OnUpdate(oldObj, newObj T) {
	e := event.TypedUpdateEvent[T]{ObjectOld: oldObj, ObjectNew: newObj}
	for _, p := range h.source.predicates {
		if !p.Update(e) {
			return
		}
	}
	h.source.handler.Update(h.ctx, e, h.queue)
}

// OnDelete calls Delete.
func (h *queueHandler[T, R]) OnDelete(obj T, finalStateUnknown bool) {
	e := event.TypedDeleteEvent[T]{Object: obj, DeleteStateUnknown: finalStateUnknown}
	for _, p := range h.source.predicates {
		if !p.Delete(e) {
			return
		}
	}
	h.source.handler.Delete(h.ctx, e, h.queue)
}
