package shard

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// work is the work of one call of Begin.
type work struct {
	coordinator *Coordinator
	slot        int
	hold        uint64
	cancel      context.CancelCauseFunc
	// outer is the work that this one is a part of, or nil.
	outer *work
}

// workKey is the key of the innermost work in a context.
type workKey struct{}

func workOf(ctx context.Context) *work {
	w, _ := ctx.Value(workKey{}).(*work)
	return w
}

// LostError is the cause of a canceled context of Begin, and the error of the writes with it, when this member
// has lost the object.
type LostError struct {
	// Identity is the identity of the member.
	Identity string
}

// Error returns the message.
func (e *LostError) Error() string {
	return "shard: another member may own the object that " + e.Identity + " worked on; end the work without a write"
}

// Begin reports whether this member may work on an object. If so, the caller passes the returned context
// to its writes, and calls done when the work has ended, even after an error. If the member loses the object,
// the context is canceled with a *LostError as its cause. If Begin returns false, the caller can forget
// the object: the handlers of AddEventHandler get OnAdd at the next owner.
func (c *Coordinator) Begin(ctx context.Context, obj metav1.Object) (working context.Context, done func(), ok bool) {
	slot := c.slots.of(obj)
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	hold := c.member.Begin(now, slot)
	if hold == 0 {
		c.publish(now) // the session may have ended
		return ctx, func() {}, false
	}
	w := &work{coordinator: c, slot: slot, hold: hold, outer: workOf(ctx)}
	working, w.cancel = context.WithCancelCause(context.WithValue(ctx, workKey{}, w))
	c.works[w] = struct{}{}
	return working, sync.OnceFunc(w.done), true
}

func (w *work) done() {
	c := w.coordinator
	c.mu.Lock()
	delete(c.works, w)
	if c.member.Done(w.slot) {
		signal(c.wake)
	}
	c.mu.Unlock()
	w.cancel(context.Canceled)
}

// valid reports whether the work may continue.
func (w *work) valid() bool {
	for ; w != nil; w = w.outer {
		c := w.coordinator
		c.mu.Lock()
		_, ok := c.works[w] // after done, another member may have the slot before this one knows that it is free
		ok = ok && c.member.Valid(c.now(), w.slot, w.hold)
		c.mu.Unlock()
		if !ok {
			return false
		}
	}
	return true
}

// Owns reports whether Begin would accept an object.
func (c *Coordinator) Owns(obj metav1.Object) bool {
	slot := c.slots.of(obj)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.member.Active(c.now(), slot)
}
