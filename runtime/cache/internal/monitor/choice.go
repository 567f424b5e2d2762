package monitor

import (
	"sync"
	"sync/atomic"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/outage"
	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
)

// choice is how far the choice of the scopes is. It is Pending until the informer runs.
type choice struct {
	// tracker is nil if the scopes were never changed.
	tracker atomic.Pointer[progress.Tracker]

	mu        sync.Mutex // guards the fields below
	isRunning bool
	phase     string
	cause     progress.Failure
}

// choose records how the choice is while the informer runs.
func (c *choice) choose(phase string, cause progress.Failure, heard *subscribers) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phase, c.cause = phase, cause
	if c.tracker.Load() == nil {
		part := outage.Part{Log: &heard.outages}
		tracker := progress.New(func() {
			part.Note()
			heard.changed()
		})
		part.Reflector = tracker
		c.tracker.Store(tracker)
	}
	if c.isRunning {
		c.enter(phase, cause)
	}
}

// run enters the phase that was chosen before the informer ran.
func (c *choice) run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isRunning = true; c.tracker.Load() != nil {
		c.enter(c.phase, c.cause)
	}
}

// end enters the phase of an informer that has ended, with a cause or none.
func (c *choice) end(cause progress.Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isRunning = false; c.tracker.Load() != nil {
		c.enter(progress.Stopped, cause)
	}
}

// enter enters a phase, if that is a change.
func (c *choice) enter(phase string, cause progress.Failure) {
	tracker := c.tracker.Load()
	if now := tracker.State(); now.Phase != phase || now.Verb != cause.Verb || textOf(now.Err) != textOf(cause.Err) {
		tracker.Enter(phase, cause)
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
