package cache

import (
	"errors"
	"time"
)

// ResourceEventHandler hears of each change to a collection, in order, from one
// goroutine of its own. It may take its time: neither the cache nor another
// handler waits for it. The objects are shared with the cache and must not be
// changed.
type ResourceEventHandler[T Object] interface {
	// OnAdd is called when an object appears. isInInitialList is true while the
	// handler is told what was there when it began to listen.
	OnAdd(obj T, isInInitialList bool)
	// OnUpdate is called with the states before and after a change. On a resync
	// both are the same. States in between may have been missed over a relist.
	OnUpdate(oldObj, newObj T)
	// OnDelete is called with the last known state of an object that is gone. If
	// the deletion was noticed by a relist only, or the last state could not be decoded,
	// finalStateUnknown is true, and the object may have changed before its end.
	OnDelete(obj T, finalStateUnknown bool)
}

// ResourceEventHandlerFuncs is a ResourceEventHandler of up to three functions.
// What is nil is not called.
type ResourceEventHandlerFuncs[T Object] struct {
	AddFunc    func(obj T, isInInitialList bool)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj T, finalStateUnknown bool)
}

// OnAdd calls AddFunc.
func (h ResourceEventHandlerFuncs[T]) OnAdd(obj T, isInInitialList bool) {
	if h.AddFunc != nil {
		h.AddFunc(obj, isInInitialList)
	}
}

// OnUpdate calls UpdateFunc.
func (h ResourceEventHandlerFuncs[T]) OnUpdate(oldObj, newObj T) {
	if h.UpdateFunc != nil {
		h.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (h ResourceEventHandlerFuncs[T]) OnDelete(obj T, finalStateUnknown bool) {
	if h.DeleteFunc != nil {
		h.DeleteFunc(obj, finalStateUnknown)
	}
}

// FilteringResourceEventHandler shows a handler only the objects that FilterFunc
// accepts. An object that starts to be accepted is added for the handler, and
// one that ceases to be is deleted, with its last accepted state. FilterFunc must
// depend on the object alone.
type FilteringResourceEventHandler[T Object] struct {
	FilterFunc func(obj T) bool
	Handler    ResourceEventHandler[T]
}

// OnAdd tells of an object that the filter accepts.
func (h FilteringResourceEventHandler[T]) OnAdd(obj T, isInInitialList bool) {
	if h.FilterFunc(obj) {
		h.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate tells of a change as the filter sees it.
func (h FilteringResourceEventHandler[T]) OnUpdate(oldObj, newObj T) {
	switch before, after := h.FilterFunc(oldObj), h.FilterFunc(newObj); {
	case before && after:
		h.Handler.OnUpdate(oldObj, newObj)
	case after:
		h.Handler.OnAdd(newObj, false)
	case before:
		h.Handler.OnDelete(oldObj, false)
	}
}

// OnDelete tells of the end of an object that the filter accepts. An informer goes by
// the state of which it told last: an object that was accepted is deleted, with its
// last accepted state, whatever its final one. It cannot do that for a filter within a
// handler of another type: a filter has to be outermost.
func (h FilteringResourceEventHandler[T]) OnDelete(obj T, finalStateUnknown bool) {
	if h.FilterFunc(obj) {
		h.Handler.OnDelete(obj, finalStateUnknown)
	}
}

// deliverDelete tells h of the end of an object, of which it knows an earlier state.
// A filter decides by that one.
func deliverDelete[T Object](h ResourceEventHandler[T], known, obj T, finalStateUnknown bool) {
	switch h := h.(type) {
	case *FilteringResourceEventHandler[T]:
		deliverDelete[T](*h, known, obj, finalStateUnknown)
	case FilteringResourceEventHandler[T]:
		if !h.FilterFunc(known) {
			return
		}
		if !h.FilterFunc(obj) {
			obj = known
		}
		deliverDelete(h.Handler, known, obj, finalStateUnknown)
	case genericHandler[T]:
		deliverDelete(h.handler, GenericObject(known), GenericObject(obj), finalStateUnknown)
	default:
		h.OnDelete(obj, finalStateUnknown)
	}
}

// deliver calls the method of h that n is for.
func deliver[T Object](h ResourceEventHandler[T], n *notification[T]) {
	switch n.kind {
	case notifyAdd:
		h.OnAdd(n.obj, n.initial)
	case notifyUpdate:
		h.OnUpdate(n.old, n.obj)
	case notifyDelete:
		deliverDelete(h, n.old, n.obj, n.stateUnknown)
	}
}

// HandlerOption sets a property of one handler.
type HandlerOption func(*handlerOptions)

type handlerOptions struct {
	name         string
	resyncPeriod time.Duration
	backlogLimit int
}

// WithHandlerName names a handler in logs and errors. The default is its Go type.
func WithHandlerName(name string) HandlerOption {
	return func(o *handlerOptions) { o.name = name }
}

// WithBacklogLimit bounds the queue of a handler that is slower than its objects
// change. When more than limit events wait for it, the events of one object are merged
// into one, from the first to the last state. An object that appeared and disappeared
// meanwhile is dropped. So the queue has at most limit events, or a few for each object.
// By default the handler gets every event.
func WithBacklogLimit(limit int) HandlerOption {
	return func(o *handlerOptions) { o.backlogLimit = limit }
}

// WithResyncPeriod calls a handler with every cached object again, as an update, each
// period; 0 for never. The default is the period of the informer.
func WithResyncPeriod(period time.Duration) HandlerOption {
	return func(o *handlerOptions) { o.resyncPeriod = period }
}

// ResourceEventHandlerRegistration is what AddEventHandler returns, and
// RemoveEventHandler takes. It is synced when the handler has returned from the last
// event of its initial list. It ends when the handler is removed or the informer stops.
type ResourceEventHandlerRegistration interface {
	Syncer
	// Backlog returns how many events wait for the handler, with the one that it
	// handles; 0 after the end.
	Backlog() int
}

// registration is the only ResourceEventHandlerRegistration.
type registration[T Object] struct {
	informer *SharedIndexInformer[T]
	listener *listener[T]
}

func (r *registration[T]) HasSynced() bool { return isClosed(r.listener.synced) }

func (r *registration[T]) Synced() <-chan struct{} { return r.listener.synced }

func (r *registration[T]) Ended() <-chan struct{} { return r.listener.stopping }

func (r *registration[T]) NotSyncedReason() string {
	_, waiting := r.waitsFor()
	return waiting.Reason
}

func (r *registration[T]) waitsFor() (subject, NotSynced) {
	if r.HasSynced() || r.listener.removed.Load() {
		return subject{}, NotSynced{}
	}
	about, waiting := r.informer.waitsFor()
	if waiting.Reason != "" {
		return about, waiting
	}
	return subject{r.informer.controller, r.listener}, NotSynced{
		Resource: r.informer.config.Resource,
		Handler:  r.listener.options.name,
		Reason: "a handler of " + r.informer.name() + " has not returned from its initial list: " +
			plural(r.Backlog(), "event") + " to go",
		Status: r.informer.Status(),
	}
}

func (r *registration[T]) Backlog() int { return int(r.listener.backlog.Load()) }

// errForeignRegistration is returned for a registration of another informer.
var errForeignRegistration = errors.New("the registration belongs to another informer")
