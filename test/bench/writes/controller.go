package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"

	"github.com/typedinformers/informer-gen/test/bench/meter"
)

// controller increments the number of ready replicas in the status of each database, up to steps.
type controller struct {
	side  side
	queue workqueue.TypedInterface[string]
	steps int32
	// keeps is set if a worker reconciles an object again and again until it is done. Otherwise
	// the object goes to the end of the queue, in which most objects wait for long enough that
	// the cache catches up.
	keeps bool

	written, conflicts atomic.Int64

	mu sync.Mutex // guards the fields below
	// left are the databases that have something left to do.
	left map[string]bool
	// err is the first error.
	err   error
	reads []time.Duration
}

func newController(side side, objects int, steps int32, keeps bool) *controller {
	c := &controller{side: side, queue: workqueue.NewTyped[string](), steps: steps, keeps: keeps, left: map[string]bool{}}
	for i := range objects {
		c.left[databaseName(i)] = true
	}
	return c
}

// run returns when there is nothing left to do.
func (c *controller) run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { c.end(fmt.Errorf("some objects are not done: %w", context.Cause(ctx))) })
	defer stop()
	var group sync.WaitGroup
	for range 20 { // workers
		group.Go(func() {
			for c.step(ctx) {
			}
		})
	}
	group.Wait()
	return c.err
}

// step reconciles the next object of the queue. It returns false when the queue has ended.
func (c *controller) step(ctx context.Context) bool {
	name, ended := c.queue.Get()
	if ended {
		return false
	}
	defer c.queue.Done(name)
	done, err := c.reconcile(ctx, name)
	for c.keeps && !done && err == nil {
		done, err = c.reconcile(ctx, name)
	}
	switch {
	case err != nil:
		c.end(fmt.Errorf("reconcile %s: %w", name, err))
	case done:
		c.mu.Lock()
		delete(c.left, name)
		last := len(c.left) == 0
		c.mu.Unlock()
		if last {
			c.end(nil)
		}
	default:
		c.queue.Add(name)
	}
	return true
}

// end ends the queue.
func (c *controller) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	c.queue.ShutDown()
}

// reconcile makes one step for a database. done reports that there was nothing left to do.
func (c *controller) reconcile(ctx context.Context, name string) (done bool, err error) {
	began := time.Now()
	db, err := c.side.get(ctx, name)
	took := time.Since(began)
	c.mu.Lock()
	c.reads = append(c.reads, took)
	c.mu.Unlock()
	for err == nil {
		if db.Status.ReadyReplicas >= c.steps {
			return true, nil
		}
		db.Status.ReadyReplicas++
		if err = c.side.updateStatus(ctx, db); err == nil {
			c.written.Add(1)
			return false, nil
		}
		if !apierrors.IsConflict(err) {
			break
		}
		c.conflicts.Add(1)
		db, err = c.side.liveGet(ctx, name)
	}
	return false, err
}

// figures are those of the conflicts, each of which costs a live GET, and of the reads.
func (c *controller) figures() []meter.Figure {
	slices.Sort(c.reads)
	figures := meter.Delays(c.reads)
	for i := range figures {
		figures[i].Unit = strings.Replace(figures[i].Unit, "/op", "/read", 1)
	}
	return append(figures, meter.Figure{Value: float64(c.conflicts.Load()), Unit: "conflicts/op"})
}
