package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/updates"
)

// noting is a handler that counts events, and notes updates. Only the handler's goroutine uses it between
// Expect and Await.
type noting struct {
	*meter.Counter
	notes []updates.Response
}

func (n *noting) Update(obj metav1.Object) {
	if n.notes != nil {
		n.notes = append(n.notes, updates.Response{Version: obj.GetResourceVersion(), At: time.Now().UnixNano()})
	}
	n.Counter.Update(obj)
}

// together measures how long updates take to the handlers of both sides, which follow the same server in one process. So they see
// the same events, and what else the machine does delays both.
func (c *client) together(ctx context.Context) {
	other := *c // connects as the second
	other.side, other.link = c.peer, new(link.Link)
	sides := []*client{c, &other}
	informers, handlers, counters := make([]*informer, len(sides)), make([]*noting, len(sides)), meter.NewCounters(len(sides))
	running, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	for n, side := range sides {
		handlers[n] = &noting{Counter: counters[n]}
		informers[n] = side.newInformer(handlers[n])
		only := counters[n : n+1]
		only.Expect(c.objects)
		ended.Go(func() { informers[n].run(running) })
		meter.Must(only.Await(ctx))
	}
	c.collect(ctx)
	total := c.rate * c.seconds
	for _, h := range handlers {
		h.notes = make([]updates.Response, 0, total)
	}
	counters.Expect(total)
	fmt.Println(meter.Begin)
	responses := c.writer.Run(ctx, total, c.rate)
	meter.Must(counters.Await(ctx))
	for n, h := range handlers {
		delays := meter.Must(updates.Delays(h.notes, responses, func(r updates.Response) int64 { return r.Sent }))
		sides[n].print("Updates", meter.Delays(delays)...)
		sides[n].check(ctx, informers[n])
	}
	cancel()
	ended.Wait()
}
