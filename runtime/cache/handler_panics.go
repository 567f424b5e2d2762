package cache

import (
	"context"
	"sync"

	"k8s.io/klog/v2"
)

// handlerPanics decides what becomes of handlers that panic, or that end their
// goroutine by runtime.Goexit, and keeps the last error of each that goes on.
type handlerPanics[T Object] struct {
	// recovers is Settings.HandlerPanicRecovery.
	recovers bool
	resource string
	// ctx is that of Run, for the log. It is set before a handler is called.
	ctx context.Context

	mu   sync.Mutex // guards errs
	errs map[*listener[T]]error
}

// report ends the program, with all that is known of a panic, unless the handler is
// to go on. A handler that ended its goroutine has asked for no more than that.
func (p *handlerPanics[T]) report(l *listener[T], err *HandlerPanicError) {
	message := "A handler panicked"
	if err.Exited {
		message = "A handler called runtime.Goexit"
	}
	klog.FromContext(p.ctx).Error(err, message, "resource", p.resource, "handler", err.Handler, "object", err.Object.String(), "stack", string(err.Stack))
	if !p.recovers && !err.Exited {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.removed.Load() {
		return // removed is set before forget is called
	}
	if p.errs == nil {
		p.errs = map[*listener[T]]error{}
	}
	p.errs[l] = err
}

// forget is called when a listener has been removed.
func (p *handlerPanics[T]) forget(l *listener[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.errs, l)
}

// addTo adds one of the errors to the status of an informer that has no other.
func (p *handlerPanics[T]) addTo(status *Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, err := range p.errs {
		switch {
		case status.Phase == Watching:
			status.Phase, status.Reason, status.Err = Degraded, HandlerPanic, err
		case status.Phase == Stopped && status.Err == nil:
			status.Reason, status.Err = HandlerPanic, err
		}
		return
	}
}
