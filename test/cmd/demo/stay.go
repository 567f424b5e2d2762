package main

import (
	"context"
	"time"

	"github.com/typedinformers/informer-gen/test/cmd/internal/demo"
)

// stay changes a Database until ctx ends, so that there is something to see. It needs the class of
// play.
func (s *stage) stay(ctx context.Context) error {
	if err := s.createOrders(ctx, 20); demo.IsFinal(ctx, err) {
		return err
	}
	demo.Say("stay", "%s/orders gets another size each second, and more than its class has now and then. Press Ctrl-C to end", namespace)
	tick := time.NewTicker(demo.Pause)
	defer tick.Stop()
	for changes := 1; ; {
		select {
		case <-ctx.Done():
			demo.Say("stay", "changes: %d", changes)
			return nil
		case e := <-s.events: // an event that no one reads would stop the informers
			if e.Waits() {
				if err := s.report(ctx, e.Server.Name); demo.IsFinal(ctx, err) {
					return err
				}
			}
		case <-tick.C:
			if err := s.resize(ctx, demo.Size(changes)); demo.IsFinal(ctx, err) {
				return err
			}
			changes++
		}
	}
}
