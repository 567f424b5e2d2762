package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/updates"
)

// follow measures a first list, and changes if the scenario has them.
func (c *client) follow(ctx context.Context) {
	objects := 0
	for n, shard := 0, c.ourShard(); n < c.objects; n++ {
		if shard.Empty() || shard.Matches(c.kind.Object(n)) {
			objects++
		}
	}
	if c.side == "none" {
		objects = 1 // that of the end
	}
	before := meter.LiveHeap()
	counters := meter.NewCounters(1)
	i := c.newInformer(counters[0])
	took, used, stop := c.start(ctx, i, counters, objects)
	defer stop()
	// Before the heap is measured and the cache is checked, which takes memory too.
	figures := []meter.Figure{meter.Time(took), meter.CPU(used), {Value: float64(meter.PeakRSS()), Unit: "RSS-B/op"}}
	if c.side == "none" {
		c.print("Request", figures...)
		return
	}
	heap := float64(meter.LiveHeap() - before)
	figures = append(figures, meter.Figure{Value: heap / float64(objects), Unit: "B/object"})
	if c.writer.Program != "" && i.stats != nil && c.next == "" { // for the comparison of a shard with all objects
		figures = append(figures, meter.Figure{Value: heap, Unit: "heap-B/op"}, meter.Figure{Value: float64(objects), Unit: "cached/op"},
			meter.Figure{Value: float64(i.stats().BytesRead), Unit: "read-B/op"}, meter.Figure{Value: float64(i.stats().Dropped), Unit: "dropped/op"})
	}
	c.print("FirstSync", figures...)
	if c.relists() {
		c.relist(ctx, counters, "Relist", 1)
		c.relist(ctx, counters, "Relist1Percent", c.objects/100)
	}
	if c.scenario == "changes" {
		if c.writer.Program == "" {
			c.events(ctx, counters)
		} else {
			c.updates(ctx, i, counters)
		}
	}
	c.check(ctx, i)
}

// relists reports whether relists are measured. They are not for a shard, which has fewer objects.
func (c *client) relists() bool {
	return (c.scenario == "relists" || c.scenario == "changes") && c.shards == 1
}

// start starts an informer, and returns what it costs until the handlers have all objects.
func (c *client) start(ctx context.Context, i *informer, handlers meter.Counters, objects int) (took, used time.Duration, stop func()) {
	running, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	took, used = c.measure(ctx, handlers, "FirstSync", meter.Counts{Adds: objects}, func() { ended.Go(func() { i.run(running) }) })
	return took, used, func() {
		cancel()
		ended.Wait()
	}
}

// relist measures from the request for the list until the handler has received the last
// event. client-go reports each object that a relist finds, changed or not.
func (c *client) relist(ctx context.Context, handlers meter.Counters, name string, changed int) {
	meter.Check(c.link.Hold(ctx))
	c.change(ctx, changed)
	events := changed
	if c.side == "client-go" || c.side == "controller-runtime" {
		events = c.objects
	}
	took, used := c.measure(ctx, handlers, name, meter.Counts{Updates: events}, func() { c.link.Release(true) })
	c.print(name, meter.Time(took), meter.CPU(used))
}

// events measures one update of each object, as fast as the client reads.
func (c *client) events(ctx context.Context, handlers meter.Counters) {
	meter.Check(c.link.AwaitWatch(ctx)) // podserver has no history
	c.change(ctx, c.objects)
	took, used := c.measure(ctx, handlers, "Events", meter.Counts{Updates: c.objects}, func() { c.control(ctx, "send") })
	c.print("Events", meter.Figure{Value: float64(took) / float64(c.objects), Unit: "ns/event"}, meter.Figure{Value: float64(used) / float64(c.objects), Unit: "cpu-ns/event"})
}

// updates measures the CPU time of updates at a rate.
func (c *client) updates(ctx context.Context, i *informer, handlers meter.Counters) {
	total := c.rate * c.seconds
	expected := c.expected(i, total)
	var readBefore int64
	if i.stats != nil {
		readBefore = i.stats().BytesRead
	}
	took, used := c.measure(ctx, handlers, "Updates", meter.Counts{Updates: expected}, func() { c.writer.Run(ctx, total, c.rate) })
	each := func(value float64, unit string) meter.Figure {
		return meter.Figure{Value: value / float64(total), Unit: unit}
	}
	figures := []meter.Figure{each(float64(took), "ns/event"), each(float64(used), "cpu-ns/event")}
	if i.stats != nil {
		figures = append(figures, each(float64(i.stats().BytesRead-readBefore), "read-B/event"))
	}
	c.print("Updates", figures...)
}

// expected is how many of the next updates are of objects in the cache.
func (c *client) expected(i *informer, total int) (expected int) {
	cached := map[string]bool{}
	for obj := range i.stored {
		cached[obj.GetNamespace()+"/"+obj.GetName()] = true
	}
	for n := range total {
		if namespace, name := updates.Name(n, c.objects); cached[namespace+"/"+name] {
			expected++
		}
	}
	return expected
}

// measure begins a phase, and returns what it costs until the handlers have received the wanted events, which may be no other
// ones. If the informer lists again, the phase begins with the request for the list.
func (c *client) measure(ctx context.Context, handlers meter.Counters, name string, want meter.Counts, begin func()) (took, used time.Duration) {
	c.collect(ctx)
	stop := meter.Profile(c.profile, name)
	handlers.Expect(want.Adds + want.Updates + want.Deletes)
	fmt.Println(meter.Begin)
	began, cpu := time.Now(), meter.CPUTime()
	begin()
	ended := meter.Must(handlers.Await(ctx))
	used = meter.CPUTime()
	stop()
	if c.link.Expiring() {
		meter.Check(errors.New("the client has listed before the server answered 410"))
	}
	if listed, cpuThen := c.link.List(); listed.After(began) && want.Adds == 0 {
		began, cpu = listed, cpuThen
	}
	meter.Check(handlers.Check(want))
	return ended.Sub(began), used - cpu
}

// change changes objects, without events of podserver.
func (c *client) change(ctx context.Context, count int) {
	if c.writer.Program != "" {
		c.writer.Run(ctx, count, 0)
		return
	}
	c.control(ctx, fmt.Sprintf("change?count=%d", count))
}

// collect frees the garbage of this process and of a kube-apiserver, so that a phase does not pay for an earlier one. A
// collection of the server may take longer than a first sync.
func (c *client) collect(ctx context.Context) {
	runtime.GC()
	if c.writer.Program != "" {
		c.send(ctx, http.MethodGet, "/debug/pprof/heap?gc=1")
	}
}

// control sends a request for the benchmark to podserver.
func (c *client) control(ctx context.Context, what string) {
	c.send(ctx, http.MethodPost, "/control/"+what)
}

// send sends a request for the benchmark, on a connection of its own.
func (c *client) send(ctx context.Context, method, path string) {
	request := meter.Must(http.NewRequestWithContext(ctx, method, c.access.URL+path, nil))
	response := meter.Must(meter.Must(rest.HTTPClientFor(c.access.Config())).Do(request))
	if response.StatusCode != http.StatusOK {
		meter.Check(fmt.Errorf("%s: %s", path, response.Status))
	}
	meter.Check(response.Body.Close())
}
