package main

import (
	"context"
	"fmt"
	"slices"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
)

// event is what a handler heard of an object, or what happened to an informer.
type event struct {
	demo.Event
	status *status.Change
}

func (e event) String() string {
	if e.status != nil {
		return e.status.String()
	}
	return e.Event.String()
}

// hearStatus sends what happens to an informer: that it fails, and that it follows the server again.
func (s *stage) hearStatus(_ context.Context, change status.Change) {
	if change.New.Phase == status.Degraded || change.Old.Phase == status.Degraded {
		s.events <- event{status: &change}
	}
}

// await prints events until each of those that are expected has come.
func (s *stage) await(ctx context.Context, expected ...func(event) bool) error {
	for len(expected) > 0 {
		select {
		case e := <-s.events:
			topic := "event"
			if e.status != nil {
				topic = "informer"
			}
			demo.Say(topic, "%v", e)
			expected = slices.DeleteFunc(expected, func(is func(event) bool) bool { return is(e) })
		case <-ctx.Done():
			return fmt.Errorf("an event that was expected did not come: %w", ctx.Err())
		}
	}
	return nil
}

// isOrders expects team-a/orders in a phase.
func isOrders(phase datav1.DatabasePhase) func(event) bool {
	return func(e event) bool { return e.IsOrders(phase) }
}

// isInformer expects the informer of Databases in a phase.
func isInformer(phase status.Phase) func(event) bool {
	return func(e event) bool {
		return e.status != nil && e.status.New.Resource.Resource == "databases" && e.status.New.Phase == phase
	}
}
