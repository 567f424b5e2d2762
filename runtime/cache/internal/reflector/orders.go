package reflector

import (
	"context"
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
)

// errOrdered ends a request, because the objects have to be listed again.
var errOrdered = errors.New("the objects are listed again, or get another form")

// orders are what other goroutines want of a Reflector: another list, and perhaps another form of the objects.
type orders struct {
	mu sync.Mutex // guards what follows
	// next is nil if there is none.
	next *order
	// interrupt ends the request under way, and is nil if there is none.
	interrupt context.CancelCauseFunc
}

// order is one list, for all who have asked for it.
type order struct {
	cause string
	form  *form // nil for the present one
	// applied are called when the list is in the cache.
	applied []func()
}

// form is that of objects whose Go type is not fixed.
type form struct {
	object       runtime.Object
	unstructured bool
}

// add orders a list, and ends the request under way. If several are ordered before one begins, the first
// cause counts, or a change of the form.
func (o *orders) add(cause string, to *form, applied []func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.next == nil {
		o.next = &order{cause: cause}
	}
	if to != nil {
		o.next.cause, o.next.form = cause, to
	}
	o.next.applied = append(o.next.applied, applied...)
	if o.interrupt != nil {
		o.interrupt(errOrdered)
	}
}

// take returns the next order, which becomes that of the caller, or nil.
func (o *orders) take() *order {
	o.mu.Lock()
	defer o.mu.Unlock()
	next := o.next
	o.next = nil
	return next
}

// interruptible lets add call interrupt, until it is called with nil. It reports whether there is an order.
func (o *orders) interruptible(interrupt context.CancelCauseFunc) (isOrdered bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.interrupt = interrupt
	if isOrdered = o.next != nil; isOrdered && interrupt != nil {
		interrupt(errOrdered)
	}
	return isOrdered
}
