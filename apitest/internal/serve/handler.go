// Package serve answers HTTP requests: it finds their verb and kind, decodes bodies and options, and encodes the objects that the verbs
// of package rest answer.
//
//	Parse ─▶ Proceed ─▶ verbs ─▶ rest ─▶ Respond
//	(URL, verb)  │      (options, bodies)  (JSON, YAML, protobuf, metadata)
//	             └────▶ watch ─▶ Stream
package serve

import (
	"context"
	"strings"
	"time"

	"github.com/typedinformers/informer-gen/apitest/internal/discovery"
	"github.com/typedinformers/informer-gen/apitest/internal/rest"
	"github.com/typedinformers/informer-gen/apitest/internal/watch"
)

// Handler answers the requests to a Store. Its methods are safe for concurrent use.
type Handler struct {
	store     *rest.Store
	watches   *watch.Watches
	documents *discovery.Documents
}

// New returns the Handler of a Store.
func New(store *rest.Store, watches *watch.Watches) *Handler {
	return &Handler{store, watches, discovery.Of(store.Kinds)}
}

// Serves reports whether the server has a resource that a Selector selects.
func (h *Handler) Serves(selector *Selector) bool {
	if selector.Resource == "*" || strings.HasPrefix(selector.Resource, "/") {
		return true
	}
	h.store.Lock()
	defer h.store.Unlock()
	for kind := range h.store.Kinds.All() {
		if selector.MatchesKind(kind) {
			return true
		}
	}
	return false
}

// Version is the version of the last write.
func (h *Handler) Version() uint64 {
	h.store.Lock()
	defer h.store.Unlock()
	return h.store.History.Version()
}

// Closing is [rest.Store.Closing].
func (h *Handler) Closing() (closing <-chan struct{}, leave func(), err error) {
	return h.store.Closing()
}

// Wait waits for a time, or forever if it is zero. It ends with an error if the request or the server
// ends before that.
func (h *Handler) Wait(ctx context.Context, d time.Duration) error {
	closing, leave, err := h.store.Closing()
	if err != nil {
		return err
	}
	defer leave()
	var passed <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		passed = timer.C
	}
	select {
	case <-passed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-closing:
		return rest.ErrClosed
	}
}
