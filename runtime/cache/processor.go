package cache

import "sync"

// batch is what handlers hear at one hop. It is shared between all of them and
// not changed once it is made.
type batch[T Object] struct {
	notes []notification[T]
	// distinct marks a batch of which no two notifications can be merged.
	distinct bool
	// endsInitial marks the batch after which a handler has heard all that was
	// there when it began to listen.
	endsInitial bool
}

// processor hands batches to the listener of each handler. Its caller holds the
// informer's lock, so that a batch and the change of the cache that it tells of
// are one step for a handler that joins.
type processor[T Object] struct {
	listeners map[*listener[T]]struct{}
	running   bool
	stopped   bool
	wg        sync.WaitGroup // one for each running listener
}

func newProcessor[T Object]() *processor[T] {
	return &processor[T]{listeners: map[*listener[T]]struct{}{}}
}

func (p *processor[T]) add(l *listener[T]) {
	p.listeners[l] = struct{}{}
	if p.running {
		p.serve(l)
	}
}

// serve runs l, and again in another goroutine if its handler ends the first one.
func (p *processor[T]) serve(l *listener[T]) {
	p.wg.Go(func() {
		defer func() {
			if l.exited {
				l.exited = false
				p.serve(l)
			}
		}()
		l.run()
	})
}

func (p *processor[T]) remove(l *listener[T]) {
	delete(p.listeners, l)
	l.removed.Store(true)
	l.stop()
}

func (p *processor[T]) start() {
	p.running = true
	for l := range p.listeners {
		p.serve(l)
	}
}

func (p *processor[T]) distribute(b batch[T]) {
	if len(b.notes) == 0 && !b.endsInitial {
		return
	}
	for l := range p.listeners {
		l.enqueue(b)
	}
}

// stop tells every listener to return after the call that it is in. The caller
// then waits on wg, without the informer's lock.
func (p *processor[T]) stop() {
	p.running, p.stopped = false, true
	for l := range p.listeners {
		l.stop()
	}
}
