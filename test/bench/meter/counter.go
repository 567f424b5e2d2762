package meter

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Counter is an event handler that counts, and reports when it has received as many events
// as it expects. Only the handler's goroutine uses it between Expect and Await.
type Counter struct {
	Counts
	left    int
	reached chan time.Time
}

// Counts are those of events.
type Counts struct{ Adds, Updates, Deletes int }

// Counters are handlers of one informer.
type Counters []*Counter

// NewCounters returns count handlers.
func NewCounters(count int) Counters {
	counters := make(Counters, count)
	for i := range counters {
		counters[i] = &Counter{reached: make(chan time.Time, 1)}
	}
	return counters
}

// Add, Update and Delete are called for each event.
func (c *Counter) Add() {
	c.Adds++
	c.count()
}

func (c *Counter) Update(metav1.Object) {
	c.Updates++
	c.count()
}

func (c *Counter) Delete() {
	c.Deletes++
	c.count()
}

func (c *Counter) count() {
	switch c.left--; {
	case c.left == 0:
		c.reached <- time.Now()
	case c.left < 0:
		panic("a handler has received more events than were sent")
	}
}

// Expect is called before events are sent.
func (all Counters) Expect(events int) {
	for _, c := range all {
		c.Counts, c.left = Counts{}, events
	}
}

// Await returns when the last of the handlers received the last event that it expects.
func (all Counters) Await(ctx context.Context) (last time.Time, err error) {
	for _, c := range all {
		select {
		case at := <-c.reached:
			if at.After(last) {
				last = at
			}
		case <-ctx.Done():
			return last, fmt.Errorf("waiting for the last event: %w", context.Cause(ctx))
		}
	}
	return last, nil
}

// Check fails if a handler has received other events.
func (all Counters) Check(want Counts) error {
	for _, c := range all {
		if c.Counts != want {
			return fmt.Errorf("a handler has received %+v instead of %+v", c.Counts, want)
		}
	}
	return nil
}
