package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/podserver"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// client measures one informer, as the command line asks for it.
type client struct {
	report.Client
	report.Setting
	objects, updates int
	// Packed makes our informers keep packed objects, and Names gives them a handler of names.
	Packed, Names bool
	server        string
	// certificate is the file with that of the server, if it has one.
	certificate string
	*connection
	// profile is the prefix of CPU profiles; none are written if it is empty.
	profile string
}

// cost is that of one phase of a scenario: from its beginning until the handler has
// received the last event.
type cost struct {
	// seconds are by the clock, and cpu is the processor time of the whole process.
	seconds, cpu float64
}

// changedPart is the part of the objects that a relist finds changed: one of so many.
const changedPart = 100

func (c *client) run(ctx context.Context) (result *report.Report, err error) {
	if c.connection, err = c.connect(); err != nil {
		return nil, err
	}
	if err := c.command(ctx, http.MethodPost, "reset", nil); err != nil {
		return nil, err
	}
	switch c.Scenario {
	case report.Sync, report.Changes:
		result, err = c.follow(ctx)
	case report.Slow, report.SlowLimited:
		result, err = c.slow(ctx)
	case report.Idle:
		result, err = c.idle(ctx)
	default:
		return nil, fmt.Errorf("there is no scenario %q", c.Scenario)
	}
	if err != nil {
		return nil, err
	}
	result.Figures = withPrefix(result.Figures, c.Prefix)
	return result, nil
}

// follow measures a first list and changes.
func (c *client) follow(ctx context.Context) (*report.Report, error) {
	before := meter.LiveHeap()
	handler := meter.NewCounters(1)
	i, err := c.newInformer(handler[0])
	if err != nil {
		return nil, err
	}
	result := &report.Report{}
	sync, _, err := c.measure(ctx, handler, "sync", meter.Counts{Adds: c.objects}, func() error {
		i.start(ctx)
		return nil
	})
	if err != nil {
		return nil, err
	}
	lists := 1
	if c.Scenario == report.Sync {
		result.Figures = c.syncFigures(sync, float64(meter.LiveHeap()-before)/float64(c.objects))
	} else {
		lists = 3
		if result.Figures, err = c.changes(ctx, handler); err != nil {
			return nil, err
		}
	}
	if result.Contents, err = c.contents(i); err != nil {
		return nil, err
	}
	return result, c.checkRequests(ctx, lists)
}

// changes measures two relists and a burst of updates. Each phase ends with an update of
// the sentinel, besides the others.
func (c *client) changes(ctx context.Context, handler meter.Counters) ([]report.Figure, error) {
	unchanged, changed := 0, c.objects/changedPart
	if c.Side == report.Theirs {
		// client-go reports every object that a relist finds, changed or not.
		unchanged, changed = c.objects, c.objects
	}
	var costs []cost
	for _, phase := range []struct {
		name, control string
		updates       int
	}{
		{"relist unchanged", "relist?changed=0", unchanged},
		{"relist changed", fmt.Sprintf("relist?changed=%d", c.objects/changedPart), changed},
		{"updates", fmt.Sprintf("update?count=%d", c.updates), c.updates},
	} {
		runtime.GC() // the garbage of the last phase does not count for this one
		took, ended, err := c.measure(ctx, handler, phase.name, meter.Counts{Updates: phase.updates + 1}, func() error {
			return c.command(ctx, http.MethodPost, phase.control, nil)
		})
		if err != nil {
			return nil, err
		}
		// The server has the same clock. The time that a client waits before it lists
		// again protects the server, and does not count.
		var marks podserver.Marks
		if err := c.command(ctx, http.MethodGet, "marks", &marks); err != nil {
			return nil, err
		}
		took.seconds = ended.Sub(marks.Began).Seconds()
		costs = append(costs, took)
	}
	return c.changeFigures(costs[0], costs[1], costs[2]), nil
}

// measure begins a phase, and returns when the handler has received the wanted events. It
// fails if they are other ones.
func (c *client) measure(ctx context.Context, handler meter.Counters, name string, want meter.Counts, begin func() error) (took cost, ended time.Time, err error) {
	stop, err := meter.Profile(c.profile, name)
	if err != nil {
		return took, ended, err
	}
	defer stop()
	handler.Expect(want.Adds + want.Updates + want.Deletes)
	cpu, began := meter.CPUTime(), time.Now()
	if err := begin(); err != nil {
		return took, ended, err
	}
	if ended, err = handler.Await(ctx); err == nil {
		took = cost{ended.Sub(began).Seconds(), (meter.CPUTime() - cpu).Seconds()}
		err = handler.Check(want)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return took, ended, err
}

// checkRequests fails if the client has not sent as many lists of its mode, or others.
func (c *client) checkRequests(ctx context.Context, lists int) error {
	var marks podserver.Marks
	if err := c.command(ctx, http.MethodGet, "marks", &marks); err != nil {
		return err
	}
	got, streams := marks.Requests, 0
	if c.Mode == report.Streaming {
		lists, streams = 0, lists
	}
	if got.Lists != lists || got.Streams != streams {
		return fmt.Errorf("the client has sent %+v, not %d lists and %d streams", got, lists, streams)
	}
	sent := got.Pages + got.Streams + got.Watches
	switch {
	case c.protobuf() != (got.Protobuf == sent):
		return fmt.Errorf("the client has sent %+v, which is another encoding than its default", got)
	case c.encrypted() != (got.HTTP2 == sent), c.Gzip != (got.Gzip > 0):
		return fmt.Errorf("the client has sent %+v, which is not how it should connect", got)
	}
	return nil
}

// command sends a request for the benchmark, and decodes the answer.
func (c *client) command(ctx context.Context, method, what string, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, c.server+"/control/"+what, nil)
	if err != nil {
		return err
	}
	response, err := c.control.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", what, response.Status)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(answer)
}
