package outage

import (
	"time"

	"k8s.io/klog/v2"
)

// Handler is a handler that has not returned from its initial list.
type Handler struct {
	// ID tells it from others.
	ID      any
	Name    string
	Backlog int
}

// handlers finds handlers that keep an informer from being synced for long.
type handlers struct {
	timer *time.Timer
	// known has those of the last check. The value is set for those that were logged.
	known map[any]bool
}

// NoteHandler is called when a handler has got the last event of its initial list. If it has not
// returned from that after some time, at most twice advice.After, the log names it once.
func (l *Log) NoteHandler() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if h := &l.outageLocked().handlers; h.timer == nil {
		l.startLocked(&h.timer, l.checkHandlers)
	}
}

// checkHandlers logs the handlers that were late in the check before too.
func (l *Log) checkHandlers(timer *time.Timer) {
	late := l.Informer.LateHandlers()
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.now
	if o == nil || o.handlers.timer != timer {
		return // the Log was closed
	}
	h := &o.handlers
	h.timer = nil
	known, again := map[any]bool{}, false
	for _, handler := range late {
		wasLogged, wasKnown := h.known[handler.ID]
		known[handler.ID] = wasKnown
		again = again || !wasKnown
		if wasKnown && !wasLogged {
			o.lines = append(o.lines, func(logger klog.Logger) { logHandler(logger, &handler) })
		}
	}
	if h.known = known; len(known) == 0 {
		h.known = nil
	}
	if again {
		l.startLocked(&h.timer, l.checkHandlers)
	}
	l.writeLocked(o)
}
