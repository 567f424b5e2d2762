package main

import (
	"context"
	"fmt"
	"net/http"
	"runtime"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// slowRounds is how often each object is updated while a handler does not return.
const slowRounds = 5

// backlogLimit is how many events may wait for a handler that has a limit.
const backlogLimit = 1000

// gated is a handler that does not return from its first update until it is released.
type gated struct {
	*meter.Counter
	released chan struct{}
}

func (g gated) Update(after any) {
	<-g.released
	g.Counter.Update(after)
}

// slow measures what waits for a slow handler, next to one that has all events. The figure
// includes the states of objects that only the waiting events still have.
func (c *client) slow(ctx context.Context) (*report.Report, error) {
	fast, slow := meter.NewCounters(1), meter.NewCounters(1)
	gate := gated{slow[0], make(chan struct{})}
	i, err := c.newInformer(fast[0], gate)
	if err != nil {
		return nil, err
	}
	slow.Expect(c.objects)
	adds := meter.Counts{Adds: c.objects}
	if _, _, err := c.measure(ctx, fast, "sync", adds, func() error {
		i.start(ctx)
		return nil
	}); err != nil {
		return nil, err
	}
	if _, err := slow.Await(ctx); err != nil {
		return nil, err
	}
	before := meter.LiveHeap()
	slow.Expect(slowRounds * c.objects)
	for range slowRounds {
		if _, _, err := c.measure(ctx, fast, "updates", meter.Counts{Updates: c.objects}, func() error {
			return c.command(ctx, http.MethodPost, fmt.Sprintf("update?count=%d", c.objects-1), nil)
		}); err != nil {
			return nil, err
		}
	}
	result := &report.Report{Figures: c.slowFigures(float64(meter.LiveHeap()-before), slowRounds*c.objects)}
	close(gate.released)
	if c.Scenario == report.Slow { // with a limit, it does not get all
		if _, err := slow.Await(ctx); err != nil {
			return nil, err
		}
		if err := slow.Check(meter.Counts{Updates: slowRounds * c.objects}); err != nil {
			return nil, err
		}
	}
	if result.Contents, err = c.contents(i); err != nil {
		return nil, err
	}
	return result, c.checkRequests(ctx, 1)
}

// idle measures informers that have nothing to do.
func (c *client) idle(ctx context.Context) (*report.Report, error) {
	counters := meter.NewCounters(report.IdleInformers)
	goroutines, bytes := runtime.NumGoroutine(), inUse()
	all := make([]*informer, len(counters))
	for n, counter := range counters {
		var err error
		if all[n], err = c.newInformer(counter); err != nil {
			return nil, err
		}
	}
	if _, _, err := c.measure(ctx, counters, "sync", meter.Counts{Adds: c.objects}, func() error {
		for _, i := range all {
			i.start(ctx)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	bytes = inUse() - bytes
	goroutines = runtime.NumGoroutine() - goroutines
	result := &report.Report{Figures: c.idleFigures(float64(goroutines)/report.IdleInformers, float64(bytes)/report.IdleInformers)}
	var err error
	if result.Contents, err = c.contents(all[len(all)-1]); err != nil {
		return nil, err
	}
	return result, c.checkRequests(ctx, report.IdleInformers)
}

// inUse is the live heap, and the stacks.
func inUse() int64 {
	heap := meter.LiveHeap()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return heap + int64(stats.StackInuse)
}
