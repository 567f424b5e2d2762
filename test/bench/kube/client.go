package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/test/bench/link"
	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// client measures one informer. It begins with a first sync, and prints its cost. Then it
// obeys lines of its standard input, and answers each with a line of JSON, a report.Phase:
//
//	hold             ends the watch, and holds all requests
//	release N        lets the server answer 410, and measures the relist, in which N objects
//	                 have changed
//	expect N         begins to note events, of which N updates will come
//	await FILE       waits for them, and compares them with the responses to their writes
//	digest           returns the digest of the cache
//
// It ends with its standard input.
type client struct {
	side, mode string
	profile    string

	link     link.Link
	counter  *meter.Counter
	counters meter.Counters
	objects  int
	// noting is set while notes are kept. Only the handler's goroutine uses both between
	// expect and await.
	noting bool
	notes  []meter.Response
	// cpu is the processor time of the process when it began to expect.
	cpu time.Duration
}

func (c *client) flags() {
	pflag.StringVar(&c.side, "side", report.Ours, "client: ours or theirs")
	pflag.StringVar(&c.mode, "mode", report.Streaming, "client: streaming for the default of both sides, LIST of client-go, or other of ours")
	pflag.StringVar(&c.profile, "profile", "", "client: write a CPU profile of each phase to files that begin with `PREFIX`")
}

// Add, Update and Delete make a client the handler of its informer.
func (c *client) Add() { c.counter.Add() }

func (c *client) Update(obj metav1.Object) {
	if c.noting {
		c.notes = append(c.notes, meter.Response{Version: obj.GetResourceVersion(), At: time.Now().UnixNano()})
	}
	c.counter.Update(obj)
}

func (c *client) Delete() { c.counter.Delete() }

func (c *client) run(ctx context.Context, o options) (_ any, err error) {
	c.counters, c.objects = meter.NewCounters(1), o.objects
	c.counter = c.counters[0]
	i, err := newInformer(c, o.kind, c.link.Through(o.config()), c)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	defer func() {
		stop()
		<-ended
	}()
	answers := json.NewEncoder(os.Stdout)
	phase, err := c.measure(ctx, "sync", meter.Counts{Adds: c.objects}, func() (time.Time, time.Duration) {
		began, cpu := time.Now(), meter.CPUTime()
		go func() {
			defer close(ended)
			i.run(running)
		}()
		return began, cpu
	})
	if err != nil {
		return nil, err
	}
	// Before the cache is checked, which takes memory too.
	if phase.PeakBytes, err = meter.PeakRSS(); err != nil {
		return nil, err
	}
	if err := answers.Encode(phase); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		answer, err := c.obey(ctx, i, lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if err := answers.Encode(answer); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (c *client) obey(ctx context.Context, i *informer, line string) (phase report.Phase, err error) {
	command, argument, _ := strings.Cut(line, " ")
	var count int
	if command == "release" || command == "expect" {
		if _, err := fmt.Sscan(argument, &count); err != nil {
			return phase, err
		}
	}
	switch command {
	case "hold":
		return phase, c.link.Hold(ctx)
	case "release":
		return c.relist(ctx, count)
	case "expect":
		runtime.GC()
		c.notes, c.noting = make([]meter.Response, 0, count), true
		c.counters.Expect(count)
		c.cpu = meter.CPUTime()
		return phase, nil
	case "await":
		return c.latency(ctx, argument)
	case "digest":
		phase.Digest, err = digest(i.stored)
		return phase, err
	}
	return phase, errors.New("there is no such command")
}

// relist measures from the request for the list until the handler has received the last
// event. client-go reports each object that a relist finds, changed or not.
func (c *client) relist(ctx context.Context, changed int) (report.Phase, error) {
	if c.side == report.Theirs {
		changed = c.objects
	}
	runtime.GC() // the garbage of the last phase does not count for this one
	phase, err := c.measure(ctx, "relist", meter.Counts{Updates: changed}, func() (time.Time, time.Duration) {
		c.link.Release(true)
		return time.Time{}, 0
	})
	return phase, err
}

// measure begins a phase, and returns when the handler has received the wanted events. If
// begin returns no time, the phase begins with the next list.
func (c *client) measure(ctx context.Context, name string, want meter.Counts, begin func() (time.Time, time.Duration)) (phase report.Phase, err error) {
	stop, err := meter.Profile(c.profile, name)
	if err != nil {
		return phase, err
	}
	defer stop()
	c.counters.Expect(want.Adds + want.Updates + want.Deletes)
	began, cpu := begin()
	ended, err := c.counters.Await(ctx)
	if err != nil {
		return phase, err
	}
	used := meter.CPUTime()
	if c.link.Expiring() {
		return phase, errors.New("the client has listed before the server answered 410")
	}
	listed, usedThen, contentType := c.link.List()
	if began.IsZero() {
		began, cpu = listed, usedThen
	}
	phase.ContentType = contentType
	phase.Seconds, phase.CPUSeconds = ended.Sub(began).Seconds(), (used - cpu).Seconds()
	return phase, c.counters.Check(want)
}

// latency waits for the expected updates, and returns how long each took from the response
// to the write until the handler received it.
func (c *client) latency(ctx context.Context, file string) (phase report.Phase, err error) {
	if _, err := c.counters.Await(ctx); err != nil {
		return phase, err
	}
	phase.CPUSeconds = (meter.CPUTime() - c.cpu).Seconds()
	c.noting = false
	responses, err := meter.ReadResponses(file)
	if err != nil {
		return phase, err
	}
	phase.DelayMilliseconds, err = meter.Delays(c.notes, responses, func(r meter.Response) int64 { return r.At })
	return phase, err
}
