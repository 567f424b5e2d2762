package main

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// pause is the time between two changes while the demo stays.
const pause = time.Second

// stay changes a Database until ctx ends, so that there is something to see. It needs the class of
// play.
func (s *stage) stay(ctx context.Context) error {
	if err := s.createOrders(ctx, 20); isFinal(ctx, err) {
		return err
	}
	say("stay", "%s/orders gets another size each second, and more than its class has now and then. Press Ctrl-C to end", namespace)
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for changes := 1; ; {
		select {
		case <-ctx.Done():
			say("stay", "changes: %d", changes)
			return nil
		case e := <-s.events: // an event that no one reads would stop the informers
			if e.what != "delete" && e.server != nil && !e.server.Status.Ready {
				if err := s.report(ctx, e.server.Name); isFinal(ctx, err) {
					return err
				}
			}
		case <-tick.C:
			size := int32(20 + changes%60)
			if changes%10 == 0 {
				size = 500
			}
			if err := s.resize(ctx, size); isFinal(ctx, err) {
				return err
			}
			changes++
		}
	}
}

// isFinal reports whether err ends the demo. The controller, or a user of kubectl, may have written or deleted the object
// meanwhile, or the lister may not have it yet: then the next change does what this one did not.
func isFinal(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err)
}
