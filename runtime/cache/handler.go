package cache

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
