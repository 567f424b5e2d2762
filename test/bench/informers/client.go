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
	objects, updates int
	server           string
	// profile is the prefix of CPU profiles; none are written if it is empty.
	profile string
}

// phase is one part of a scenario: from its beginning until the handler has received the
// last event.
type phase struct {
	mark
	// seconds are by the clock, and cpu is the processor time of the whole process.
	seconds, cpu float64
}

// result is what a client has measured.
type result struct {
	phases map[string]phase
	// heap is the live heap with the cache less that without it, in bytes an object.
	heap float64
	// marks are those of the server in the end.
	marks podserver.Marks
}

// Phases. The last three are those of the scenario report.Changes.
const (
	syncing   = "sync"
	unchanged = "relist unchanged"
	changed   = "relist changed"
	updating  = "updates"
)

func (c *client) run(ctx context.Context) (*report.Report, error) {
	if err := c.control(ctx, http.MethodPost, "reset", nil); err != nil {
		return nil, err
	}
	clients, err := newClients(c.server)
	if err != nil {
		return nil, err
	}
	before := meter.LiveHeap()
	events := newObserver(c.objects)
	i, err := newInformer(c.Client, clients, events)
	if err != nil {
		return nil, err
	}
	r := &result{phases: map[string]phase{}}
	r.phases[syncing], err = c.measure(ctx, events, syncing, func() error {
		i.start(ctx)
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch c.Scenario {
	case report.Sync:
		r.heap = float64(meter.LiveHeap()-before) / float64(c.objects)
	case report.Changes:
		err = c.runChanges(ctx, events, r)
	default:
		err = fmt.Errorf("there is no scenario %q", c.Scenario)
	}
	if err != nil {
		return nil, err
	}
	contents, err := c.contents(i)
	if err != nil {
		return nil, err
	}
	if err := c.control(ctx, http.MethodGet, "marks", &r.marks); err != nil {
		return nil, err
	}
	return &report.Report{Figures: c.figures(r), Contents: contents}, c.check(r)
}

func (c *client) runChanges(ctx context.Context, events *observer, r *result) error {
	for _, change := range []struct{ phase, control string }{
		{unchanged, "relist?changed=0"},
		{changed, fmt.Sprintf("relist?changed=%d", c.objects/changedPart)},
		{updating, fmt.Sprintf("update?count=%d", c.updates)},
	} {
		runtime.GC() // the garbage of the last phase does not count for this one
		p, err := c.measure(ctx, events, change.phase, func() error {
			return c.control(ctx, http.MethodPost, change.control, nil)
		})
		if err != nil {
			return err
		}
		// The server has the same clock. The time that a client waits before it lists
		// again protects the server, and does not count.
		var marks podserver.Marks
		if err := c.control(ctx, http.MethodGet, "marks", &marks); err != nil {
			return err
		}
		p.seconds = p.at.Sub(marks.Began).Seconds()
		r.phases[change.phase] = p
	}
	return nil
}

// measure begins a phase, and returns when the handler has received its last event.
func (c *client) measure(ctx context.Context, events *observer, name string, begin func() error) (p phase, err error) {
	stop, err := meter.Profile(c.profile, name)
	if err != nil {
		return p, err
	}
	defer stop()
	cpu, began := meter.CPUTime(), time.Now()
	if err := begin(); err != nil {
		return p, err
	}
	select {
	case <-ctx.Done():
		return p, fmt.Errorf("waiting for the last event: %w", ctx.Err())
	case p.mark = <-events.marks:
	}
	p.seconds, p.cpu = p.at.Sub(began).Seconds(), (meter.CPUTime() - cpu).Seconds()
	return p, nil
}

// control sends a request to the server, and decodes the answer.
func (c *client) control(ctx context.Context, method, what string, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, c.server+"/control/"+what, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
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
