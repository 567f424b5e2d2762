package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/typedinformers/informer-gen/test/bench/memory"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// client is what the command line asks for.
type client struct {
	objects, updates                     int
	server, side, mode, scenario, fields string
	// profile is how the names of CPU profiles begin; none are written if it is empty.
	profile string
	phases  int
}

// changedPart is the part of the objects that a relist finds changed.
const changedPart = 100

func (c *client) run(ctx context.Context) (*report.Client, error) {
	clients, err := newClients(c.server)
	if err != nil {
		return nil, err
	}
	before := memory.LiveHeap()
	heard := newObserver(c.objects)
	i, err := newInformer(c.side, c.mode, c.fields, clients, heard)
	if err != nil {
		return nil, err
	}
	result := &report.Client{}
	var began time.Time
	heardAt, err := c.measure(ctx, heard, &result.Sync, func() error {
		began = time.Now()
		i.start(ctx)
		return nil
	})
	if err != nil {
		return nil, err
	}
	result.Sync.Seconds = heardAt.Sub(began).Seconds()
	switch c.scenario {
	case report.Sync:
		result.HeapPerObject = float64(memory.LiveHeap()-before) / float64(c.objects)
	case report.Changes:
		err = c.runChanges(ctx, heard, result)
	default:
		err = fmt.Errorf("there is no scenario %q", c.scenario)
	}
	if err != nil {
		return nil, err
	}
	result.State = stateOf(i)
	if result.Contents, err = contentsOf(i, c.objects); err != nil {
		return nil, err
	}
	marks, err := c.marks(ctx)
	result.Requests = marks.Requests
	return result, err
}

func (c *client) runChanges(ctx context.Context, heard *observer, result *report.Client) error {
	for _, phase := range []struct {
		result  *report.Phase
		control string
		began   func(report.Marks) int64
	}{
		{&result.Unchanged, "relist?changed=0", func(m report.Marks) int64 { return m.Relisted }},
		{&result.Changed, fmt.Sprintf("relist?changed=%d", c.objects/changedPart), func(m report.Marks) int64 { return m.Relisted }},
		{&result.Updates, fmt.Sprintf("update?count=%d", c.updates), func(m report.Marks) int64 { return m.Started }},
	} {
		runtime.GC() // what the phase before has left is not of this one
		heardAt, err := c.measure(ctx, heard, phase.result, func() error {
			return c.control(ctx, http.MethodPost, phase.control, nil)
		})
		if err != nil {
			return err
		}
		marks, err := c.marks(ctx)
		if err != nil {
			return err
		}
		// The clock is that of the same machine. What a client waits before it lists
		// again is to protect the server, and not counted.
		phase.result.Seconds = heardAt.Sub(time.Unix(0, phase.began(marks))).Seconds()
	}
	return nil
}

// measure begins something, waits until the handler has heard the last of it, and
// returns when it did. It fills in phase but for the time.
func (c *client) measure(ctx context.Context, heard *observer, phase *report.Phase, begin func() error) (time.Time, error) {
	if c.profile != "" {
		c.phases++
		file, err := os.Create(fmt.Sprintf("%s%d.pprof", c.profile, c.phases))
		if err != nil {
			return time.Time{}, err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return time.Time{}, err
		}
		defer pprof.StopCPUProfile()
	}
	cpu, err := cpuTime()
	if err != nil {
		return time.Time{}, err
	}
	if err := begin(); err != nil {
		return time.Time{}, err
	}
	select {
	case <-ctx.Done():
		return time.Time{}, fmt.Errorf("waiting for the last event: %w", ctx.Err())
	case m := <-heard.marks:
		after, err := cpuTime()
		*phase = report.Phase{CPUSeconds: (after - cpu).Seconds(), Adds: m.adds, Updates: m.updates, Deletes: m.deletes}
		return m.at, err
	}
}

func cpuTime() (time.Duration, error) {
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), err
}

func (c *client) marks(ctx context.Context) (marks report.Marks, err error) {
	err = c.control(ctx, http.MethodGet, "marks", &marks)
	return marks, err
}

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
