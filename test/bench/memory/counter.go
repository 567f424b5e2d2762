package memory

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// counter is a handler that counts, and reports when it has received as many events as
// it expects. Only the handler's goroutine uses it between expect and await.
type counter struct {
	counts
	left    int
	reached chan time.Time
}

type counts struct{ adds, updates, deletes int }

func newCounters(count int) []*counter {
	counters := make([]*counter, count)
	for i := range counters {
		counters[i] = &counter{reached: make(chan time.Time, 1)}
	}
	return counters
}

func (c *counter) add() {
	c.adds++
	c.count()
}

func (c *counter) update(*corev1.Pod) {
	c.updates++
	c.count()
}

func (c *counter) delete() {
	c.deletes++
	c.count()
}

func (c *counter) count() {
	switch c.left--; {
	case c.left == 0:
		c.reached <- time.Now()
	case c.left < 0:
		panic("a handler has received more events than were sent")
	}
}

// expect is called before events are sent.
func expect(counters []*counter, events int) {
	for _, c := range counters {
		c.counts, c.left = counts{}, events
	}
}

// await returns when the last of the counters received the last event that it expects.
func await(ctx context.Context, counters []*counter) (last time.Time, err error) {
	for _, c := range counters {
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

// check fails if a handler has received anything else.
func check(counters []*counter, want counts) error {
	for _, c := range counters {
		if c.counts != want {
			return fmt.Errorf("a handler has received %+v instead of %+v", c.counts, want)
		}
	}
	return nil
}
