package shard_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/shard"
)

// TestTwoMembers is the code of docs/testing.md.
func TestTwoMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.Start(t, apitest.WithScheme(scheme.Scheme)) // has the Leases
		leases := coordinationv1client.NewForConfigOrDie(&rest.Config{Host: server.URL(), Transport: server})
		join := func(identity string) (c *shard.Coordinator, leave func()) {
			c, err := shard.New(leases, shard.Options{Namespace: "default", Name: "databases", Identity: identity})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan error)
			go func() { over <- c.Run(ctx) }()
			return c, func() {
				cancel()
				if err := <-over; err != nil {
					t.Error(err)
				}
			}
		}
		a, leaveA := join("pod-a")
		b, leaveB := join("pod-b")
		time.Sleep(time.Minute) // takes no time in a bubble
		if a, b := a.Status(), b.Status(); a.Owned != 128 || b.Owned != 128 {
			t.Errorf("pod-a has %d slots and pod-b %d, want half of 256 each", a.Owned, b.Owned)
		}
		leaveA() // as a Pod that gets SIGTERM
		time.Sleep(time.Minute)
		if b := b.Status(); b.Owned != 256 {
			t.Errorf("pod-b has %d slots after pod-a has left, want all 256", b.Owned)
		}
		leaveB()
	})
}
