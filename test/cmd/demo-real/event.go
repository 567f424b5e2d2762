package main

import (
	"context"
	"fmt"
	"slices"

	eventsv1 "k8s.io/api/events/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	eventsinformers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/events/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
)

// event is what a typed handler heard of an object of the operator, or of an Event that it wrote.
type event struct {
	demo.Event
	note *eventsv1.Event
}

func (e event) String() string {
	if note := e.note; note != nil {
		return fmt.Sprintf("%-6s %T %s: %s, %s/%s: %s", e.What, note, note.Type, note.Reason, note.Regarding.Namespace, note.Regarding.Name, note.Note)
	}
	return e.Event.String()
}

// startInformers listens to all kinds through one factory: the generated ones, and Events.
func (s *stage) startInformers(ctx context.Context) error {
	s.factory = informers.NewSharedInformerFactory(s.client, 0)
	if err := demo.ListenToAll(s.factory, func(e demo.Event) { s.events <- event{Event: e} }); err != nil {
		return err
	}
	notes := cache.InformerFor(s.factory.Inner(), eventsinformers.EventKind(s.kube))
	if err := demo.Listen(notes, func(what string, note *eventsv1.Event) {
		s.events <- event{Event: demo.Event{What: what}, note: note}
	}); err != nil {
		return err
	}
	s.factory.Start(context.WithoutCancel(ctx)) // until close
	return s.factory.WaitForCacheSync(ctx)
}

// await prints events until each of those that are expected has come.
func (s *stage) await(ctx context.Context, expected ...func(event) bool) error {
	for len(expected) > 0 {
		select {
		case e := <-s.events:
			demo.Say("event", "%v", e)
			expected = slices.DeleteFunc(expected, func(is func(event) bool) bool { return is(e) })
		case <-s.ended:
			return s.endedByItself()
		case <-ctx.Done():
			return fmt.Errorf("an event that was expected did not come: %w", ctx.Err())
		}
	}
	return nil
}

// isOrders expects the operator to have brought team-a/orders to a phase.
func isOrders(phase datav1.DatabasePhase) func(event) bool {
	return func(e event) bool { return e.IsOrders(phase) }
}

// isNote expects an Event of the operator.
func isNote(reason string) func(event) bool {
	return func(e event) bool { return e.note != nil && e.note.Reason == reason }
}
