package shard

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// AddEventHandler adds a handler to an informer, after Follow. The handler gets the events of the objects
// that this member owns:
//
//   - When Begin starts to accept the objects of a slot, OnAdd for each of them in the cache, with
//     isInInitialList set.
//   - Then each change, in order.
//   - When the slot goes to another member, nothing. So OnDelete means that the object was deleted, with one
//     exception: with sharding.Owner, an object whose controller changes may move to a slot of another member.
//     Then OnDelete has its last state in this member, and an unknown final state.
//
// The calls do not overlap, but they come from several goroutines. A handler that hangs or panics is reported
// like other handlers of the informer. Other handlers, and Begin, do not wait for it.
func AddEventHandler[T cache.Object](c *Coordinator, informer cache.SharedInformer[T], handler cache.ResourceEventHandler[T], options ...cache.HandlerOption) (cache.ResourceEventHandlerRegistration, error) {
	if !c.follows(informer) {
		return nil, fmt.Errorf("shard: AddEventHandler was called with an informer (%T) that the Coordinator does not follow, so the handler would not get all objects; call Follow with it before, or AddEventHandler of the informer", informer)
	}
	h := newOwnedHandler(c, handler)
	h.informer = informer
	c.addGate(h)
	registration, err := informer.AddEventHandler(h, options...)
	if err != nil {
		c.removeGate(h)
		return nil, err
	}
	h.registered.Store(&registration)
	signal(c.changed) // so that it gets the objects of slots that are open already
	return registration, nil
}

// HandlerType returns the name of the handler that h calls.
func (h *ownedHandler[T]) HandlerType() string { return fmt.Sprintf("%T", h.next) }

func newOwnedHandler[T cache.Object](c *Coordinator, next cache.ResourceEventHandler[T]) *ownedHandler[T] {
	return &ownedHandler[T]{
		coordinator: c, next: next, wake: make(chan struct{}, 1), mu: make(chanLock, 1),
		opened: make([]uint64, len(c.holds)), waiting: map[cache.ObjectName]waitingObject[T]{},
	}
}

// ownedHandler is a handler that gets the objects that the member owns.
type ownedHandler[T cache.Object] struct {
	coordinator *Coordinator
	next        cache.ResourceEventHandler[T]
	informer    cache.SharedInformer[T] // nil in some tests
	registered  atomic.Pointer[cache.ResourceEventHandlerRegistration]
	// toOpen are the holds of the last call of open. wake tells run of them; it has room for one.
	toOpen atomic.Pointer[[]uint64]
	wake   chan struct{}

	// mu is held during the calls of next, so that they do not overlap. It guards the fields below. It is a channel because
	// a call may hang: in tests with virtual time, time advances while others wait for a channel, but not for a Mutex.
	mu chanLock
	// opened are the holds of the slots whose objects next gets.
	opened []uint64
	// waiting are the objects of slots that the member holds, but that are not opened.
	waiting map[cache.ObjectName]waitingObject[T]

	// progress guards call, the call of next that has not returned.
	progress sync.Mutex
	call     call[T]
}

// call is a call of a handler. The method is empty if there is none.
type call[T cache.Object] struct {
	method string
	obj    T
}

// chanLock is a lock with room for one element. It is full while it is held.
type chanLock chan struct{}

func (l chanLock) Lock()   { l <- struct{}{} }
func (l chanLock) Unlock() { <-l }

type waitingObject[T cache.Object] struct {
	obj  T
	slot int
	hold uint64
}

// where is the destination of the events of a slot.
type where uint8

const (
	foreign where = iota // dropped
	pending              // next gets OnAdd when the slot is opened
	owned                // next gets them
)

func (h *ownedHandler[T]) where(obj T) (where, waitingObject[T]) {
	slot := h.coordinator.slots.of(obj)
	switch hold := h.coordinator.holds[slot].Load(); hold {
	case 0:
		return foreign, waitingObject[T]{}
	case h.opened[slot]:
		return owned, waitingObject[T]{}
	default:
		return pending, waitingObject[T]{obj, slot, hold}
	}
}

func nameOf[T cache.Object](obj T) cache.ObjectName {
	return cache.ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// OnAdd passes an object on, or keeps it until its slot is opened.
func (h *ownedHandler[T]) OnAdd(obj T, isInInitialList bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch where, waiting := h.where(obj); where {
	case owned:
		h.tellAdd(obj, isInInitialList)
	case pending:
		h.waiting[nameOf(obj)] = waiting
	}
}

// OnUpdate passes a change on. If it moves the object between slots, it may be an add.
func (h *ownedHandler[T]) OnUpdate(oldObj, newObj T) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiting, nameOf(newObj))
	before, _ := h.where(oldObj)
	switch where, waiting := h.where(newObj); {
	case where == owned && before == owned:
		h.tellUpdate(oldObj, newObj)
	case where == owned:
		h.tellAdd(newObj, false)
	case where == foreign && before == owned:
		// Whether the caches still have the foreign slot makes no difference to the handler.
		h.tellDelete(oldObj, true)
	case where == pending:
		h.waiting[nameOf(newObj)] = waiting
	}
}

// OnDelete passes a deletion on, if next got OnAdd.
func (h *ownedHandler[T]) OnDelete(obj T, finalStateUnknown bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiting, nameOf(obj))
	if where, _ := h.where(obj); where == owned {
		h.tellDelete(obj, finalStateUnknown)
	}
}

func (h *ownedHandler[T]) tellAdd(obj T, isInInitialList bool) {
	h.begins("OnAdd", obj)
	defer h.returns()
	h.next.OnAdd(obj, isInInitialList)
}

func (h *ownedHandler[T]) tellUpdate(oldObj, newObj T) {
	h.begins("OnUpdate", newObj)
	defer h.returns()
	h.next.OnUpdate(oldObj, newObj)
}

func (h *ownedHandler[T]) tellDelete(obj T, finalStateUnknown bool) {
	h.begins("OnDelete", obj)
	defer h.returns()
	h.next.OnDelete(obj, finalStateUnknown)
}

func (h *ownedHandler[T]) begins(method string, obj T) {
	h.progress.Lock()
	defer h.progress.Unlock()
	h.call = call[T]{method, obj}
}

func (h *ownedHandler[T]) returns() {
	h.progress.Lock()
	defer h.progress.Unlock()
	h.call = call[T]{}
}

// hangs returns the call that has not returned, for errors. It is empty if there is none.
func (h *ownedHandler[T]) hangs() string {
	h.progress.Lock()
	now := h.call
	h.progress.Unlock()
	if now.method == "" {
		return ""
	}
	name := fmt.Sprintf("%T", h.next)
	if r, ok := h.registration().(interface{ Name() string }); ok {
		name = r.Name() // also one of WithHandlerName
	}
	of := fmt.Sprintf("%T", now.obj)
	if i, ok := h.informer.(interface {
		Resource() schema.GroupVersionResource
	}); ok {
		of = i.Resource().GroupResource().String()
	}
	return fmt.Sprintf("%s of the informer of %s has not returned from %s of %s", name, of, now.method, nameOf(now.obj))
}

// open lets run open the slots of some holds.
func (h *ownedHandler[T]) open(holds []uint64) {
	holds = slices.Clone(holds)
	h.toOpen.Store(&holds)
	signal(h.wake)
}

// run opens slots until ctx ends or the handler is removed.
func (h *ownedHandler[T]) run(ctx context.Context, running *sync.WaitGroup) {
	returned := false
	defer func() {
		if !returned { // the handler called runtime.Goexit
			signal(h.wake)
			running.Go(func() { h.run(ctx, running) })
		}
	}()
	for h.await(ctx) {
		h.openNow(*h.toOpen.Load())
	}
	returned = true
}

// await waits until there are slots to open, and the handler has got all earlier events of the informer: an
// OnDelete of an earlier hold of a slot must not come after the slot was opened. It returns false if ctx ended or
// the handler was removed.
func (h *ownedHandler[T]) await(ctx context.Context) bool {
	var synced, gone <-chan struct{}
	for {
		if r := h.registration(); r != nil {
			gone = r.Gone()
		}
		select {
		case <-ctx.Done():
			return false
		case <-gone:
			return false
		case <-h.wake:
			if synced = closed; h.registration() != nil {
				synced = h.registration().Synced()
			}
		case <-synced:
			return true
		}
	}
}

// closed is a channel that is closed.
var closed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// openNow opens slots, and calls OnAdd for their waiting objects.
func (h *ownedHandler[T]) openNow(holds []uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	copy(h.opened, holds)
	for name, w := range h.waiting {
		switch {
		case w.hold == h.opened[w.slot]:
			delete(h.waiting, name)
			h.add(w.obj)
		case w.hold != h.coordinator.holds[w.slot].Load():
			delete(h.waiting, name)
		}
	}
}

// add calls OnAdd. It reports a panic to the informer.
func (h *ownedHandler[T]) add(obj T) {
	returned := false
	defer func() {
		if !returned {
			h.failed(obj, recover())
		}
	}()
	h.tellAdd(obj, true)
	returned = true
}

// failed reports a panic to the informer. The value is nil after runtime.Goexit.
func (h *ownedHandler[T]) failed(obj T, value any) {
	if r, ok := h.registration().(interface {
		HandlerPanicked(obj cache.Object, value any)
	}); ok {
		r.HandlerPanicked(obj, value)
	} else if value != nil {
		panic(value)
	}
}

func (h *ownedHandler[T]) registration() cache.ResourceEventHandlerRegistration {
	if r := h.registered.Load(); r != nil {
		return *r
	}
	return nil
}
