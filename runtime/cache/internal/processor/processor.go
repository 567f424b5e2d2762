// Package processor passes the changes of a cache to its handlers. Each handler has a
// Listener, with a queue and a goroutine. It gets the notifications in the order in which
// they were distributed, from one goroutine at a time. It never delays another handler or
// the caller of Distribute. A backlog limit bounds its queue.
package processor

import (
	"iter"
	"maps"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Processor passes batches to the Listener of each handler. It is not safe for
// concurrent use: its caller holds a lock, so that a batch and the change of the cache
// are one step for a handler that is added. Only Wait is called without the lock.
type Processor[T metav1.Object] struct {
	listeners map[*Listener[T]]struct{}
	running   bool
	stopped   bool
	wg        sync.WaitGroup // one for each running listener
}

// New returns a Processor without listeners.
func New[T metav1.Object]() *Processor[T] {
	return &Processor[T]{listeners: map[*Listener[T]]struct{}{}}
}

// Add adds a listener. It starts with the Processor, or at once.
func (p *Processor[T]) Add(l *Listener[T]) {
	p.listeners[l] = struct{}{}
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
	delete(p.listeners, l)
	l.removed.Store(true)
	l.stop()
	l.abandon()
	if !p.running && !p.stopped { // otherwise it was served, and leaves by itself
		l.leave()
	}
}

// Listeners returns the listeners in no order.
func (p *Processor[T]) Listeners() iter.Seq[*Listener[T]] { return maps.Keys(p.listeners) }

// Start starts all listeners.
func (p *Processor[T]) Start() {
	p.running = true
	for l := range p.listeners {
		p.serve(l)
	}
}

// Distribute passes b to all listeners.
func (p *Processor[T]) Distribute(b Batch[T]) {
	if len(b.Notes) == 0 && !b.EndsInitial {
		return
	}
	b.Delivery.Begin(len(p.listeners))
	for l := range p.listeners {
		l.Enqueue(b)
	}
}

// Stop makes every listener return after its current call. Wait waits for that.
func (p *Processor[T]) Stop() {
	served := p.running
	p.running, p.stopped = false, true
	for l := range p.listeners {
		l.stop()
		l.abandon()
		if !served {
			l.leave()
		}
	}
}

// Stopped reports whether Stop was called.
func (p *Processor[T]) Stopped() bool { return p.stopped }

// Wait returns when no listener runs.
func (p *Processor[T]) Wait() { p.wg.Wait() }
