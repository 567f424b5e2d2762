// Package processor passes the changes of a cache to its handlers. Each handler has a
// Listener, with a queue and a goroutine. It gets the notifications in the order in which
// they were distributed, from one goroutine at a time. It never delays another handler or
// the caller of Distribute. A backlog limit bounds its queue. An Observer hears of the calls.
package processor

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Processor passes batches to the Listener of each handler. It is not safe for
// concurrent use: its caller holds a lock, so that a batch and the change of the cache
// are one step for a handler that is added. Only Listeners and Wait are called without the lock.
type Processor struct {
	// listeners are in the order of Add. Add and Remove replace the slice.
	listeners atomic.Pointer[[]*Listener]
	running   bool
	stopped   bool
	wg        sync.WaitGroup // one for each running listener
}

// New returns a Processor without listeners.
func New() *Processor {
	p := &Processor{}
	p.listeners.Store(&[]*Listener{})
	return p
}

// Add adds a listener. It starts with the Processor, or at once.
func (p *Processor) Add(l *Listener) {
	all := append(slices.Clone(p.Listeners()), l)
	p.listeners.Store(&all)
	if p.running {
		p.serve(l)
	}
}

// serve runs l. If its handler ends the goroutine, serve runs l again in another one.
func (p *Processor) serve(l *Listener) {
	p.wg.Go(func() {
		defer func() {
			if l.exited {
				l.exited = false
				p.serve(l)
				return
			}
			l.leave()
		}()
		l.run()
	})
}

// Remove stops a listener. Its handler may still run; see Gone.
func (p *Processor) Remove(l *Listener) {
	all := p.Listeners()
	i := slices.Index(all, l)
	if i < 0 {
		return // it was removed before
	}
	l.observer.Removed() // first: a caller that finds it among the listeners may ask its Observer
	all = slices.Delete(slices.Clone(all), i, i+1)
	p.listeners.Store(&all)
	l.removed.Store(true)
	l.stop()
	if !p.running && !p.stopped { // otherwise it was served, and leaves by itself
		l.leave()
	}
}

// Listeners returns the listeners in the order of Add. The caller must not change the slice.
func (p *Processor) Listeners() []*Listener { return *p.listeners.Load() }

// Start starts all listeners.
func (p *Processor) Start() {
	p.running = true
	for _, l := range p.Listeners() {
		p.serve(l)
	}
}

// Distribute passes b to all listeners.
func (p *Processor) Distribute(b Batch) {
	if len(b.Notes) == 0 && b.Lists == 0 {
		return
	}
	for _, l := range p.Listeners() {
		l.Enqueue(b)
	}
}

// DistributeUnchanged passes the notifications of a relist about objects that have not changed to the listeners with
// RelistUpdates. notes is called once if there is one.
func (p *Processor) DistributeUnchanged(notes func() Batch) {
	var b Batch
	for _, l := range p.Listeners() {
		if !l.options.RelistUpdates {
			continue
		}
		if b.Notes == nil {
			b = notes()
		}
		if len(b.Notes) > 0 {
			l.Enqueue(b)
		}
	}
}

// Stop makes every listener return after its current call. Wait waits for that.
func (p *Processor) Stop() {
	served := p.running
	p.running, p.stopped = false, true
	for _, l := range p.Listeners() {
		l.stop()
		if !served {
			l.leave()
		}
	}
}

// Stopped reports whether Stop was called.
func (p *Processor) Stopped() bool { return p.stopped }

// Wait returns when no listener runs.
func (p *Processor) Wait() { p.wg.Wait() }
