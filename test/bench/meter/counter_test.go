package meter

import (
	"context"
	"testing"
)

func TestCounter(t *testing.T) {
	for _, test := range []struct {
		name string
		send func(*Counter)
		want Counts
		ok   bool
	}{
		{"all well", func(c *Counter) { c.Add(); c.Update(nil) }, Counts{Adds: 1, Updates: 1}, true},
		{"misses an event", func(c *Counter) { c.Add() }, Counts{Adds: 1, Updates: 1}, false},
		{"receives a delete", func(c *Counter) { c.Add(); c.Delete() }, Counts{Adds: 1, Updates: 1}, false},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		counters := NewCounters(2)
		counters.Expect(2)
		for _, c := range counters {
			test.send(c)
		}
		if test.name == "misses an event" {
			cancel() // or it would wait
		}
		_, err := counters.Await(ctx)
		if err == nil {
			err = counters.Check(test.want)
		}
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
		cancel()
	}
	defer func() {
		if recover() == nil {
			t.Error("more events than were sent are taken")
		}
	}()
	NewCounters(1)[0].Add()
}
