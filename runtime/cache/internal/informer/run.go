package informer

import (
	"context"

	"github.com/typedinformers/informer-gen/runtime/cache/internal/progress"
)

// Run runs the Reflectors and the handlers until ctx ends, or Halt is called. It does nothing, and returns false, if the
// informer was started or retired before.
func (c *Informer) Run(ctx context.Context) bool {
	given := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.mu.Lock() // a setting that has to precede Run comes before, or fails
	isFirst := c.started == neverRun
	if isFirst {
		c.started, c.cancel = hasRun, cancel
	}
	features := c.features
	c.mu.Unlock()
	if !isFirst {
		return false
	}
	for _, f := range features {
		f.Start(given)
	}
	c.observer.Started(given)
	defer Finally(func() {
		defer close(c.done)
		c.mu.Lock()
		c.Processor.Stop()
		for _, f := range c.features {
			f.End()
		}
		c.mu.Unlock()
		c.Processor.Wait()
		c.observer.Stopped()
	})
	c.mu.Lock()
	c.Processor.Start()
	c.mu.Unlock()
	c.read(ctx, cancel)
	return true
}

// read runs the Reflectors, and processes their batches. Then it calls cancel, which ends ctx.
func (c *Informer) read(ctx context.Context, cancel context.CancelFunc) {
	defer Finally(func() {
		cancel()
		c.mu.Lock()
		c.ctx, c.started = nil, hasRead
		c.mu.Unlock()
		c.reading.Wait()
		c.observer.Ended()
		close(c.ended)
	})
	c.mu.Lock()
	c.ctx = ctx
	c.began.Store(c.opened.Load())
	for _, s := range c.Scopes() {
		c.Start(s)
	}
	c.mu.Unlock()
	c.processAll(ctx)
}

// Finally is deferred, and calls end after a return or runtime.Goexit. After a panic it does not, because end may block, and the
// panic has to end the program.
func Finally(end func()) {
	if value := recover(); value != nil {
		panic(value)
	}
	end()
}

// Start runs the Reflector of a scope that is new, if the informer runs. Otherwise Run does. It does nothing to one that was
// started. It is called within a step.
//
// If the Reflector ends its goroutine before ctx ends, because a transform called runtime.Goexit, Run ends too: the other
// Reflectors would hide that.
func (c *Informer) Start(s *Scope) {
	switch {
	case s.stop != nil:
		return
	case c.started == hasRead:
		s.retire(progress.Failure{})
		return
	case c.ctx == nil:
		return
	}
	ctx, stop := context.WithCancel(c.ctx)
	s.stop = stop
	c.reading.Go(func() {
		returned := false
		defer func() {
			if !returned {
				c.Queue.Close()
			}
		}()
		s.Run(ctx)
		returned = true
	})
}

// Close ends the Reflector of a scope that is no longer needed. It is called within a step.
func (c *Informer) Close(s *Scope) {
	s.Frontier.End()
	if s.stop != nil {
		s.stop()
	} else { // it will never run
		s.retire(progress.Failure{})
	}
}

// Halt ends Run, for which it does not wait. An informer that was not run can no longer be.
func (c *Informer) Halt() {
	c.Retire(progress.Failure{})
	c.mu.Lock()
	cancel := c.cancel
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// Retire ends an informer that was not started, with a cause or none. It returns false, and does nothing, if the informer
// was started or retired before.
func (c *Informer) Retire(cause progress.Failure) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started != neverRun {
		return false
	}
	c.started = isRetired
	for _, s := range c.Scopes() {
		s.retire(cause)
	}
	close(c.ended)
	c.Processor.Stop()
	close(c.done)
	return true
}

// BeforeRun calls set in one step, and returns true, unless the informer was started or retired.
func (c *Informer) BeforeRun(set func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started != neverRun {
		return false
	}
	set()
	return true
}

// WasRun reports whether Run was called before Retire.
func (c *Informer) WasRun() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.started >= hasRun
}

// Ended is closed when no batch is processed any more.
func (c *Informer) Ended() <-chan struct{} { return c.ended }

// Done is closed when no goroutine of the informer is left.
func (c *Informer) Done() <-chan struct{} { return c.done }
