package cache

import "errors"

// ResourceEventHandlerRegistration is what AddEventHandler returns: it tells how
// far the handler is, and RemoveEventHandler takes it.
type ResourceEventHandlerRegistration interface {
	// HasSynced says whether the handler has returned from its last event of the
	// initial list.
	HasSynced() bool
	// Synced is closed when HasSynced becomes true.
	Synced() <-chan struct{}
	// Ended is closed when the handler is removed or the informer stops.
	Ended() <-chan struct{}
	// NotSyncedReason says what the handler is waiting for; it is empty once it
	// is synced or removed.
	NotSyncedReason() string
	// Backlog is how many events wait for the handler, with the one it is in; 0
	// when it has ended.
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
	_, reason := r.waitsFor()
	return reason
}

func (r *registration[T]) waitsFor() (subject, string) {
	if r.HasSynced() || r.listener.removed.Load() {
		return subject{}, ""
	}
	if about, reason := r.informer.waitsFor(); reason != "" {
		return about, reason
	}
	return subject{r.informer, r.listener}, "a handler of " + r.informer.name() + " has not returned from its initial list: " +
		plural(r.Backlog(), "event") + " to go"
}

func (r *registration[T]) Backlog() int { return int(r.listener.backlog.Load()) }

// errForeignRegistration is returned for a registration of another informer.
var errForeignRegistration = errors.New("the registration is not one of this informer")
