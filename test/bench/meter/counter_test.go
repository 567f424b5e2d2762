package meter

import (
	"context"
	"testing"
)

func TestCounter(t *testing.T) {
	for want, name := range map[Counts]string{{Adds: 1, Deletes: 1}: "", {Adds: 1, Updates: 1}: "a delete for an update", {Adds: 2, Deletes: 1}: "one less"} {
		counters := NewCounters(2)
		counters.Expect(want.Adds + want.Updates + want.Deletes)
		for _, c := range counters {
			c.Add()
			c.Delete()
		}
		ctx, cancel := context.WithCancel(t.Context())
		if name == "one less" {
			cancel() // or it would wait
		}
		_, err := counters.Await(ctx)
		if err == nil {
			err = counters.Check(want)
		}
		if (err == nil) != (name == "") {
			t.Errorf("%s: %v", name, err)
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
