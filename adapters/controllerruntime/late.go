package crcache

import (
	toolscache "k8s.io/client-go/tools/cache"
)

// lateHandler is the registration of a handler that was added before its informer was ready.
type lateHandler struct {
	informer *informer
	handler  toolscache.ResourceEventHandler
	options  toolscache.HandlerOptions
	synced   chan struct{}
	gone     chan struct{}

	// registration is nil until the informer is ready. The lock of the informer guards it.
	registration toolscache.ResourceEventHandlerRegistration
}

// await closes synced when the handler has returned from its last initial event, and gone when
// the handler was removed, or the informer has ended, and the handler has returned from its last
// call. It returns then. registration is set.
func (h *lateHandler) await() {
	defer close(h.gone)
	gone := h.registration.(interface{ ShutdownChan() <-chan struct{} }).ShutdownChan()
	select {
	case <-h.registration.HasSyncedChecker().Done():
		close(h.synced)
		<-gone
	case <-gone:
	}
}

// HasSynced reports whether the handler has returned from its last initial event.
func (h *lateHandler) HasSynced() bool { return isClosed(h.synced) }

// HasSyncedChecker returns a DoneChecker that is done when HasSynced is true.
func (h *lateHandler) HasSyncedChecker() toolscache.DoneChecker {
	return checker{h.informer.name() + " + event handler", h.synced}
}

// ShutdownChan is closed when the handler was removed and has returned from its last call.
// client-go's ShutDownEventHandler waits for it.
func (h *lateHandler) ShutdownChan() <-chan struct{} { return h.gone }
