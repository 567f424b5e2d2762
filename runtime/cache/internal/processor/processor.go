// Package processor passes the changes of a cache to its handlers. Each handler has a
// Listener, with a queue and a goroutine. It gets the notifications in the order in which
// they were distributed, from one goroutine at a time. It never delays another handler or
// the caller of Distribute. A backlog limit bounds its queue. calls.go counts and times the calls
// of each handler.
package processor

import (
	"slices"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Processor passes batches to the Listener of each handler. It is not safe for
// concurrent use: its caller holds a lock, so that a batch and the change of the cache
// are one step for a handler that is added. Only Listeners and Wait are called without the lock.
type Processor[T metav1.Object] struct {
	// listeners are in the order of Add. Add and Remove replace the slice.
	listeners atomic.Pointer[[]*Listener[T]]
	running   bool
	stopped   bool
	wg        sync.WaitGroup // one for each running listener

	removing sync.Mutex  // guards removed, and that a Listener is either there or in listeners
	removed  *removed[T] // nil until the first Remove
}

// New returns a Processor without listeners.
func New[T metav1.Object]() *Processor[T] {
	p := &Processor[T]{}
	p.listeners.Store(&[]*Listener[T]{})
	return p
}

// Add adds a listener. It starts with the Processor, or at once.
func (p *Processor[T]) Add(l *Listener[T]) {
	all := append(slices.Clone(p.Listeners()), l)
	p.listeners.Store(&all)
	if p.running {
		p.serve(l)
	}
}

// serve runs l. If its handler ends the goroutine, serve runs l again in another one.
func (p *Processor[T]) serve(l *Listener[T]) {
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
func (p *Processor[T]) Remove(l *Listener[T]) {
	if !slices.Contains(p.Listeners(), l) {
		return // it was removed before
	}
	p.retire(l)
	l.removed.Store(true)
	l.stop()
	if !p.running && !p.stopped { // otherwise it was served, and leaves by itself
		l.leave()
	}
}

// Listeners returns the listeners in the order of Add. The caller must not change the slice.
func (p *Processor[T]) Listeners() []*Listener[T] { return *p.listeners.Load() }

// Start starts all listeners.
func (p *Processor[T]) Start() {
	p.running = true
	for _, l := range p.Listeners() {
		p.serve(l)
	}
}

// Distribute passes b to all listeners.
func (p *Processor[T]) Distribute(b Batch[T]) {
	if len(b.Notes) == 0 && b.Lists == 0 {
		return
	}
	for _, l := range p.Listeners() {
		l.Enqueue(b)
	}
}

// Stop makes every listener return after its current call. Wait waits for that.
func (p *Processor[T]) Stop() {
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
func (p *Processor[T]) Stopped() bool { return p.stopped }

// Wait returns when no listener runs.
func (p *Processor[T]) Wait() { p.wg.Wait() }
