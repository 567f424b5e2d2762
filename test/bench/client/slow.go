package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// slowRounds is how often each object is updated while a handler does not return.
const slowRounds = 5

// gated is a handler that does not return from its first update until it is released.
type gated struct {
	*meter.Counter
	released chan struct{}
}

func (g gated) Update(after metav1.Object) {
	<-g.released
	g.Counter.Update(after)
}

// slow measures what waits for a slow handler, next to one that has all events. The figure
// includes the states of objects that only the waiting events still have.
func (c *client) slow(ctx context.Context) {
	fast, slow := meter.NewCounters(1), meter.NewCounters(1)
	gate := gated{slow[0], make(chan struct{})}
	i := c.newInformer(fast[0], gate)
	slow.Expect(c.objects)
	_, _, stop := c.start(ctx, i, fast, c.objects)
	defer stop()
	meter.Must(slow.Await(ctx))
	before := meter.LiveHeap()
	slow.Expect(slowRounds * c.objects)
	for range slowRounds {
		c.change(ctx, c.objects)
		c.measure(ctx, fast, "Backlog", meter.Counts{Updates: c.objects}, func() { c.control(ctx, "send") })
	}
	peak := meter.Figure{Value: float64(meter.PeakRSS()), Unit: "RSS-B/op"}
	c.print("Backlog", meter.Figure{Value: float64(meter.LiveHeap()-before) / float64(slowRounds*c.objects), Unit: "B/event"}, peak)
	close(gate.released)
	if c.scenario == "slow" { // with a limit, it does not get all
		meter.Must(slow.Await(ctx))
		meter.Check(slow.Check(meter.Counts{Updates: slowRounds * c.objects}))
	}
	c.check(ctx, i)
}
