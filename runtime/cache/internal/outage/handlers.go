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
	// late returns those that have not returned from their initial list. It is called without a
	// lock.
	late  func() []Handler
	timer *time.Timer
	// known has those of the last check. The value is set for those that were logged.
	known map[any]bool
}

// CheckHandlers sets the function that returns the handlers that are late. It is called before
// Start.
func (l *Log) CheckHandlers(late func() []Handler) { l.handlers.late = late }

// NoteHandler is called when a handler has got the last event of its initial list. If it has not
// returned from that after some time, at most twice After, the log names it once.
func (l *Log) NoteHandler() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h := &l.handlers; h.timer == nil && !l.closed {
		l.startTimerLocked(&h.timer, l.checkHandlers)
	}
}

// checkHandlers logs the handlers that were late in the check before too.
func (l *Log) checkHandlers(timer *time.Timer) {
	late := l.handlers.late()
	l.mu.Lock()
	defer l.mu.Unlock()
	h := &l.handlers
	if h.timer != timer {
		return // the Log was closed
	}
	h.timer = nil
	var lines []func(klog.Logger)
	known, again := map[any]bool{}, false
	for _, handler := range late {
		wasLogged, wasKnown := h.known[handler.ID]
		known[handler.ID] = wasKnown
		again = again || !wasKnown
		if wasKnown && !wasLogged {
			lines = append(lines, func(logger klog.Logger) {
				logger.Info("A handler has not returned from its initial list", "handler", handler.Name, "events", handler.Backlog,
					"advice", "A handler should only add to a queue: look for a lock, a request, or a wait for another informer.")
			})
		}
	}
	if h.known = known; len(known) == 0 {
		h.known = nil
	}
	if again {
		l.startTimerLocked(&h.timer, l.checkHandlers)
	}
	l.writeLocked(lines...)
}
