package testserver

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc/stats"
)

// connections counts the clients that are connected to etcd, which is how a stop learns when the API server
// has really let go of its storage: its shutdown does not wait for the storage of a CRD that was updated or
// deleted in the last second. If etcd went first, those clients would go on dialling, and complain to standard
// error through a logger that nobody can replace.
type connections struct {
	mu   sync.Mutex    // guards open
	open int           // connections
	none chan struct{} // has an element when open may have become 0; holds one
}

func newConnections() *connections { return &connections{none: make(chan struct{}, 1)} }

// drain returns when no connection is open, or when timeout has passed.
func (c *connections) drain(timeout time.Duration) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for !c.idle() {
		select {
		case <-c.none:
		case <-timer.C:
			return
		}
	}
}

func (c *connections) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open == 0
}

// HandleConn is called by gRPC when a connection begins and when it ends.
func (c *connections) HandleConn(_ context.Context, event stats.ConnStats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch event.(type) {
	case *stats.ConnBegin:
		c.open++
	case *stats.ConnEnd:
		c.open--
	}
	if c.open == 0 {
		select {
		case c.none <- struct{}{}:
		default: // it is told already
		}
	}
}

// TagConn, TagRPC and HandleRPC complete the interface; they have nothing to add.

func (c *connections) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (c *connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (c *connections) HandleRPC(context.Context, stats.RPCStats)                         {}
