package clientgo

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// ResourceEventHandler returns a handler of client-go as one of an informer. OnDelete gets a
// DeletedFinalStateUnknown, with the key and the last known object, if the final state is
// unknown, and otherwise the object. A panic is handled as by client-go: see
// k8s.io/apimachinery/pkg/util/runtime. Pass cache.WithHandlerName to name the handler in logs.
func ResourceEventHandler[T cache.Object](handler toolscache.ResourceEventHandler) cache.ResourceEventHandler[T] {
	return typedHandler[T]{&eventHandler{handler: handler, logger: klog.Background()}}
}

// typedHandler is an eventHandler of an informer of one type.
type typedHandler[T cache.Object] struct{ any *eventHandler }

func (h typedHandler[T]) HandlerType() string { return h.any.HandlerType() }

func (h typedHandler[T]) OnAdd(obj T, isInInitialList bool) { h.any.OnAdd(obj, isInInitialList) }

func (h typedHandler[T]) OnUpdate(oldObj, newObj T) { h.any.OnUpdate(oldObj, newObj) }

func (h typedHandler[T]) OnDelete(obj T, finalStateUnknown bool) {
	h.any.OnDelete(obj, finalStateUnknown)
}

// WatchErrorHandler returns a handler of client-go as one of an informer. The Reflector that it
// gets never runs. It has the name and the description of the type of the objects, which handlers
// such as client-go's DefaultWatchErrorHandler log.
func WatchErrorHandler(name, typeDescription string, handler toolscache.WatchErrorHandlerWithContext) cache.WatchErrorHandler {
	reflector := toolscache.NewReflectorWithOptions(nil, nil, nil, toolscache.ReflectorOptions{Name: name, TypeDescription: typeDescription})
	return func(ctx context.Context, _ schema.GroupVersionResource, err error) { handler(ctx, reflector, err) }
}

// eventHandler passes events to a handler of client-go.
type eventHandler struct {
	handler toolscache.ResourceEventHandler
	view    View
	logger  klog.Logger
	ended   <-chan struct{} // closed when the informer has ended; may be nil
	// crashed is set during a call, and stays set if the call did not return. Only the goroutine
	// of the handler uses it.
	crashed bool
}

// HandlerType returns the name that the handler has in logs.
func (h *eventHandler) HandlerType() string { return nameOf(h.handler) }

// crashPause is the pause after a panic of a handler. It is client-go's.
const crashPause = time.Second

// begin waits after a panic. utilruntime.ReallyCrash is false then: otherwise the program
// has ended.
func (h *eventHandler) begin() {
	if h.crashed {
		timer := time.NewTimer(crashPause)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-h.ended:
		}
	}
	h.crashed = true
}

func (h *eventHandler) OnAdd(obj cache.Object, isInInitialList bool) {
	h.begin()
	defer utilruntime.HandleCrashWithLogger(h.logger)
	h.add(h.view.shown(obj), isInInitialList)
	h.crashed = false
}

func (h *eventHandler) OnUpdate(oldObj, newObj cache.Object) {
	h.begin()
	defer utilruntime.HandleCrashWithLogger(h.logger)
	shown := h.view.shown(newObj)
	before := shown
	if oldObj != newObj { // as they are on a resync
		before = h.view.shown(oldObj)
	}
	switch {
	case before == nil:
		h.add(shown, false)
	case shown == nil:
		h.handler.OnDelete(before)
	default:
		h.handler.OnUpdate(before, shown)
	}
	h.crashed = false
}

// add passes an object, unless it is nil because the view does not have it.
func (h *eventHandler) add(shown any, isInInitialList bool) {
	if shown != nil {
		h.handler.OnAdd(shown, isInInitialList)
	}
}

func (h *eventHandler) OnDelete(obj cache.Object, finalStateUnknown bool) {
	h.begin()
	defer utilruntime.HandleCrashWithLogger(h.logger)
	switch shown := h.view.shown(obj); {
	case shown == nil: // the view does not have it
	case finalStateUnknown:
		h.handler.OnDelete(toolscache.DeletedFinalStateUnknown{Key: cache.MetaNamespaceKeyFunc(obj), Obj: shown})
	default:
		h.handler.OnDelete(shown)
	}
	h.crashed = false
}

// nameOf returns the name of a handler for logs: of its first function, or else its type.
func nameOf(handler toolscache.ResourceEventHandler) string {
	switch h := handler.(type) {
	case toolscache.ResourceEventHandlerFuncs:
		return firstName(handler, h.AddFunc, h.UpdateFunc, h.DeleteFunc)
	case *toolscache.ResourceEventHandlerFuncs:
		return nameOf(*h)
	case toolscache.ResourceEventHandlerDetailedFuncs:
		return firstName(handler, h.AddFunc, h.UpdateFunc, h.DeleteFunc)
	case *toolscache.ResourceEventHandlerDetailedFuncs:
		return nameOf(*h)
	case toolscache.FilteringResourceEventHandler:
		return nameOf(h.Handler)
	case *toolscache.FilteringResourceEventHandler:
		return nameOf(h.Handler)
	}
	return fmt.Sprintf("%T", handler)
}

func firstName(handler toolscache.ResourceEventHandler, functions ...any) string {
	for _, function := range functions {
		if value := reflect.ValueOf(function); !value.IsNil() {
			return runtime.FuncForPC(value.Pointer()).Name()
		}
	}
	return fmt.Sprintf("%T", handler)
}
