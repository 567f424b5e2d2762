package reflector

import (
	"context"
	"errors"
	"sync"
)

// errRelist ends a request, because the objects have to be listed again.
var errRelist = errors.New("the objects are listed again")

// relistRequest is the request of other goroutines for another list.
type relistRequest struct {
	mu sync.Mutex // guards the fields below
	// cause is empty if there is none.
	cause string
	// interrupt ends the request to the server that is under way, and is nil if there is none.
	interrupt context.CancelCauseFunc
}

// set asks for a list, and ends the request under way. If there are several causes before a list begins, the first one counts.
func (r *relistRequest) set(cause string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cause == "" {
		r.cause = cause
	}
	if r.interrupt != nil {
		r.interrupt(errRelist)
	}
}

// take returns the cause of the list that the caller begins, or "" if there is none.
func (r *relistRequest) take() (cause string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	cause, r.cause = r.cause, ""
	return cause
}

// interruptible lets set call interrupt, until it is called with nil. It reports whether a list was asked for.
func (r *relistRequest) interruptible(interrupt context.CancelCauseFunc) (isSet bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.interrupt = interrupt
	if isSet = r.cause != ""; isSet && interrupt != nil {
		interrupt(errRelist)
	}
	return isSet
}
