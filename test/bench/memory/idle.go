package memory

import (
	"context"
	"fmt"
	"runtime"
	"sync"
)

const (
	// rowIdle is what an informer takes once a burst of idleBurst events is over.
	rowIdle   = "idle informer after a burst of 1,000 events"
	idleBurst = 1000
	// idleObjects are few, so that caches do not hide the rest.
	idleObjects = 10
	// idleInformers are so many, and fewer if Options.Events are fewer than 200 for each.
	idleInformers = 1000
)

// idle measures what informers take besides their objects when all events have been
// heard. They share the objects. Memory that
// is to be used again counts only if a garbage collection leaves it, so there is
// nothing to wait for.
func (m *measurement) idle(ctx context.Context) error {
	work := newWorkload(onNode)
	work.list.Items, work.pods = work.list.Items[:idleObjects], work.pods[:idleObjects]
	burst := allModified(work.next(idleBurst, idleObjects))
	count := min(idleInformers, m.Events/200)
	sources, counters := make([]*source, count), newCounters(count)
	for i := range sources {
		sources[i] = newSource(typedUnbuffered, work)
	}
	expect(counters, idleObjects)
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	before := LiveHeap()
	for i, s := range sources {
		informer, err := m.side.informer(s, usual, counters[i:i+1])
		if err != nil {
			return err
		}
		running.Go(func() { informer.run(ctx) })
	}
	if _, err := await(ctx, counters); err != nil {
		return err
	}
	expect(counters, idleBurst)
	for _, s := range sources {
		s.send(burst)()
	}
	if _, err := await(ctx, counters); err != nil {
		return err
	}
	if err := check(counters, 0, idleBurst, 0); err != nil {
		return fmt.Errorf("%s: %w", rowIdle, err)
	}
	m.add(rowIdle, "B", float64(LiveHeap()-before)/float64(count))
	runtime.KeepAlive(burst)
	runtime.KeepAlive(work)
	return nil
}
