package crcache

import (
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/typedinformers/informer-gen/internal/synced"
)

// lateHandler is the registration of a handler that was added before its informer was ready.
type lateHandler struct {
	laterRegistration
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
	case <-h.registration.(interface{ Synced() <-chan struct{} }).Synced():
		close(h.synced)
		<-gone
	case <-gone:
	}
}

// HasSynced reports whether the handler has returned from its last initial event.
func (h *lateHandler) HasSynced() bool { return isClosed(h.synced) }

// checker returns a DoneChecker that is done when HasSynced is true.
func (h *lateHandler) checker() synced.Checker {
	return synced.New(h.informer.name()+" + event handler", h.synced)
}

// own returns the handler of a versionedRegistration.
func (h *lateHandler) own() *lateHandler { return h }

// ShutdownChan is closed when the handler was removed and has returned from its last call.
// client-go's ShutDownEventHandler waits for it.
func (h *lateHandler) ShutdownChan() <-chan struct{} { return h.gone }
