package cache

import (
	"fmt"
	"reflect"
	"time"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/indexer"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
)

// ResourceEventHandler gets each change to a collection, in order, from one goroutine
// of its own. Neither the cache nor another handler waits for it. The objects are
// shared with the cache and must not be changed.
//
// A handler that wraps another one has two extension points. If it has a method HandlerType() string, the result is
// its name without WithHandlerName, instead of its Go type. If it calls the other one in a goroutine of its own, it
// passes what recover returns there, or nil after runtime.Goexit, to HandlerPanicked(obj Object, value any), a method of
// its registration: the informer treats that as a panic of the handler.
type ResourceEventHandler[T Object] interface {
	// OnAdd is called when an object appears. isInInitialList is true for the objects
	// that were cached when the handler was added.
	OnAdd(obj T, isInInitialList bool)
	// OnUpdate is called with the states before and after a change. On a resync
	// both are the same. States in between may be missing after a relist.
	OnUpdate(oldObj, newObj T)
	// OnDelete is called with the last known state of an object that was deleted.
	// finalStateUnknown is true if only a relist showed the deletion, or if the last
	// state could not be decoded. The object may have changed before its end then.
	OnDelete(obj T, finalStateUnknown bool)
}

// ResourceEventHandlerFuncs is a ResourceEventHandler of up to three functions. A nil
// function is not called.
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

// wants reports whether there is a function for a kind of notification, for a handler of the type of.
func (h ResourceEventHandlerFuncs[T]) wants(kind processor.Kind) (of reflect.Type, wants bool) {
	switch of = reflect.TypeOf(h); kind {
	case processor.Add:
		return of, h.AddFunc != nil
	case processor.Update:
		return of, h.UpdateFunc != nil
	}
	return of, h.DeleteFunc != nil
}

// ObjectNameHandler is a ResourceEventHandler that needs only the name of each object that appears, changes or is deleted, as
// one that fills a work queue does. An informer with packed objects decodes none for it.
type ObjectNameHandler[T Object] func(name ObjectName)

// OnAdd calls the function.
func (h ObjectNameHandler[T]) OnAdd(obj T, _ bool) { h(MetaObjectToName(obj)) }

// OnUpdate calls the function, once.
func (h ObjectNameHandler[T]) OnUpdate(_, newObj T) { h(MetaObjectToName(newObj)) }

// OnDelete calls the function.
func (h ObjectNameHandler[T]) OnDelete(obj T, _ bool) { h(MetaObjectToName(obj)) }

// byName returns the function, for a handler of the type of.
func (h ObjectNameHandler[T]) byName() (of reflect.Type, handle func(ObjectName)) {
	return reflect.TypeOf(h), h
}

// FilteringResourceEventHandler calls a handler only for objects that FilterFunc
// accepts. When FilterFunc starts to accept an object, the handler gets an add. When it
// no longer accepts it, the handler gets a delete with the last accepted state.
// FilterFunc must depend on the object alone.
type FilteringResourceEventHandler[T Object] struct {
	FilterFunc func(obj T) bool
	Handler    ResourceEventHandler[T]
}

// OnAdd calls the handler if the filter accepts the object.
func (h FilteringResourceEventHandler[T]) OnAdd(obj T, isInInitialList bool) {
	if h.FilterFunc(obj) {
		h.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate calls the handler with an update, an add or a delete, depending on which of
// the two states the filter accepts.
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

// OnDelete calls the handler if the filter accepts the object. An informer calls it only
// if the filter is wrapped in a handler of another type. Otherwise the informer decides by
// the state that the handler got last: if the filter accepted that state, the handler gets
// a delete with the last accepted state.
func (h FilteringResourceEventHandler[T]) OnDelete(obj T, finalStateUnknown bool) {
	if h.FilterFunc(obj) {
		h.Handler.OnDelete(obj, finalStateUnknown)
	}
}

// HandlerOption sets a property of one handler.
type HandlerOption func(*processor.Settings)

// WithHandlerName names a handler in logs, errors, metrics and on the debug page. The default is its
// Go type, and metrics have all handlers without a name as one.
func WithHandlerName(name string) HandlerOption {
	return func(s *processor.Settings) { s.Name, s.Unnamed = name, false }
}

// WithBacklogLimit bounds the queue of a handler that is slower than its objects
// change. When more than limit events wait for it, the events of one object are merged
// into one, from the first to the last state. An object that appeared and disappeared
// meanwhile is dropped. So the queue has at most limit events, or a few for each object.
// How many events of an object are merged depends on the moment at which the handler takes the next ones.
// By default the handler gets every event.
func WithBacklogLimit(limit int) HandlerOption {
	return func(s *processor.Settings) { s.BacklogLimit = limit }
}

// WithRelistUpdates also calls OnUpdate after a relist with every object that has not changed, twice the same, as informers of
// client-go do. It is for code that depends on that. By default a relist passes only what has changed.
func WithRelistUpdates() HandlerOption {
	return func(s *processor.Settings) { s.RelistUpdates = true }
}

// WithHandlerResync calls a handler with every cached object again, as an update, each
// period; 0 for never. The default is the period of the informer.
func WithHandlerResync(period time.Duration) HandlerOption {
	return func(s *processor.Settings) { s.ResyncPeriod = period }
}

// ResourceEventHandlerRegistration is returned by AddEventHandler and passed to
// RemoveEventHandler. It is synced when the handler has returned from the last
// event of its initial list. It ends when the handler is removed or the informer stops.
type ResourceEventHandlerRegistration interface {
	Syncer
	// Backlog returns the number of events that wait for the handler, with the one in
	// progress. It is 0 after the end.
	Backlog() int
	// Gone is closed after the end, when the handler has returned from its last call.
	Gone() <-chan struct{}
}

// eventHandler is a ResourceEventHandler as the machine calls it.
type eventHandler struct {
	// name is the Go type.
	name    string
	deliver func(*processor.Notification)
}

// erasedHandler returns an eventHandler that calls the method of h that a notification is for.
func erasedHandler[T Object](h ResourceEventHandler[T]) eventHandler {
	if handle := byNameOf(h); handle != nil {
		return eventHandler{typeName(h), handle}
	}
	onDelete, needsKnown := deleteOf(h)
	wants := wantsOf(h)
	return eventHandler{typeName(h), func(n *processor.Notification) {
		if wants != nil && !wants(n.Kind) {
			return
		}
		switch obj := indexer.Open(n.Obj).(T); n.Kind {
		case processor.Add:
			h.OnAdd(obj, n.Initial)
		case processor.Update:
			h.OnUpdate(oldOf(n, obj), obj)
		case processor.Delete:
			known := obj
			if needsKnown {
				known = oldOf(n, obj)
			}
			onDelete(known, obj, n.FinalStateUnknown)
		}
	}}
}

// oldOf returns the old object of a notification, whose new one is obj.
func oldOf[T Object](n *processor.Notification, obj T) T {
	if n.Old == n.Obj { // packed objects are not decoded twice
		return obj
	}
	return indexer.Open(n.Old).(T)
}

// byNameOf returns a function that handles notifications if the handler is an ObjectNameHandler, and nil otherwise.
func byNameOf(handler any) func(*processor.Notification) {
	names, is := handler.(interface {
		byName() (reflect.Type, func(ObjectName))
	})
	if !is {
		return nil
	}
	of, handle := names.byName()
	if !isOfType(handler, of) {
		return nil
	}
	return func(n *processor.Notification) { handle(MetaObjectToName(n.Obj)) }
}

// wantsOf returns a function that reports whether a handler has a function for a kind of notification. It returns nil for a
// handler that gets all. What a handler does not want is not decoded.
func wantsOf(handler any) func(processor.Kind) bool {
	funcs, is := handler.(interface {
		wants(processor.Kind) (reflect.Type, bool)
	})
	if !is {
		return nil
	}
	if of, _ := funcs.wants(processor.Add); !isOfType(handler, of) {
		return nil
	}
	return func(kind processor.Kind) bool {
		_, wants := funcs.wants(kind)
		return wants
	}
}

// isOfType reports whether a handler is of a type, or a pointer to it. A type that embeds it has its methods, and may have
// others in front of them.
func isOfType(handler any, of reflect.Type) bool {
	is := reflect.TypeOf(handler)
	return is == of || is == reflect.PointerTo(of)
}

// typeName returns the name that a handler has without WithHandlerName.
func typeName(handler any) string {
	if wrapper, is := handler.(interface{ HandlerType() string }); is {
		return wrapper.HandlerType()
	}
	return fmt.Sprintf("%T", handler)
}

// deleteOf returns a function that calls h with the last state of an object. A filter decides by known, the
// state that h got last. needsKnown is set in that case.
func deleteOf[T Object](h ResourceEventHandler[T]) (onDelete func(known, obj T, finalStateUnknown bool), needsKnown bool) {
	if f, is := h.(filter[T]); is {
		if of, onDelete := f.deleteByKnown(); isOfType(h, of) {
			return onDelete, true
		}
	}
	return func(_, obj T, finalStateUnknown bool) { h.OnDelete(obj, finalStateUnknown) }, false
}

// filter is a FilteringResourceEventHandler. Most programs have none, and should not compile it for each kind.
type filter[T Object] interface {
	deleteByKnown() (of reflect.Type, onDelete func(known, obj T, finalStateUnknown bool))
}

func (h FilteringResourceEventHandler[T]) deleteByKnown() (of reflect.Type, onDelete func(known, obj T, finalStateUnknown bool)) {
	next, _ := deleteOf(h.Handler)
	return reflect.TypeOf(h), func(known, obj T, finalStateUnknown bool) {
		if !h.FilterFunc(known) {
			return
		}
		if !h.FilterFunc(obj) {
			obj = known
		}
		next(known, obj, finalStateUnknown)
	}
}
