package memory

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// counter is a handler that counts, and tells when it has heard as many events as
// are expected.
type counter struct {
	// Only the goroutine of the handler touches these while events are expected.
	adds, updates, deletes, left int
	reached                      chan time.Time
}

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
		panic("a handler heard of more events than were sent")
	}
}

// expect is called before anything is sent.
func expect(counters []*counter, events int) {
	for _, c := range counters {
		*c = counter{left: events, reached: c.reached}
	}
}

// await returns when the last of the counters heard the last event that it expected.
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

// check fails if a handler has heard anything else.
func check(counters []*counter, adds, updates, deletes int) error {
	for _, c := range counters {
		if c.adds != adds || c.updates != updates || c.deletes != deletes {
			return fmt.Errorf("a handler heard %d adds, %d updates and %d deletes instead of %d, %d and %d", c.adds, c.updates, c.deletes, adds, updates, deletes)
		}
	}
	return nil
}
