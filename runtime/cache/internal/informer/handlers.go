package informer

import (
	"context"
	"errors"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/clock"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/processor"
	"github.com/typedinformers/informer-gen/runtime/wire"
)

// AddHandler adds the listener of a handler, which first gets the cached objects. It returns false if the informer has ended.
func (c *Informer) AddHandler(l *processor.Listener) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Processor.Stopped() {
		return false
	}
	listed := c.lists.Reached()
	if listed > 0 || c.Indexer.Len() > 0 {
		l.Enqueue(processor.Batch{Received: clock.Now(), Lists: listed, Distinct: true, Notes: c.cached(func(obj wire.Object) processor.Notification {
			return processor.Notification{Kind: processor.Add, Initial: true, Obj: obj}
		})})
	}
	c.Processor.Add(l)
	if c.HasSynced() {
		c.observer.Listed()
	}
	return true
}

// RemoveHandler removes a listener. Its handler may still run.
func (c *Informer) RemoveHandler(l *processor.Listener) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Processor.Remove(l)
}

// Resync enqueues every cached object for a listener, unless that has a backlog.
func (c *Informer) Resync(l *processor.Listener) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Indexer.Len() > 0 && l.Backlog() == 0 {
		l.Enqueue(processor.Batch{Received: clock.Now(), Distinct: true, Notes: c.cached(func(obj wire.Object) processor.Notification {
			return processor.Notification{Kind: processor.Update, Old: obj, Obj: obj}
		})})
	}
}

// cached returns a notification for each cached object.
func (c *Informer) cached(note func(wire.Object) processor.Notification) []processor.Notification {
	notes := make([]processor.Notification, 0, c.Indexer.Len())
	for obj := range c.Indexer.All().Each() {
		notes = append(notes, note(obj))
	}
	return notes
}

// ErrEnded is returned by Wait if the informer has ended.
var ErrEnded = errors.New("the informer has ended")

// Wait waits until the cache has all changes up to a version. It returns the cause of ctx, or ErrEnded, if one of them ends
// first.
func (c *Informer) Wait(ctx context.Context, version uint64) error {
	w := c.addWait(version)
	if w == nil {
		return nil
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waits, w)
	}()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.ended:
	}
	select {
	case <-w.done:
		return nil
	default:
		return ErrEnded
	}
}

// addWait adds a call of Wait. It returns nil if there is nothing to wait for.
func (c *Informer) addWait(version uint64) *wait {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reachedVersion() >= version && !c.Processor.Stopped() { // Stop has emptied the cache
		return nil
	}
	return c.waits.add(version)
}

// Waits returns the number of calls of Wait that have not returned.
func (c *Informer) Waits() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waits)
}
