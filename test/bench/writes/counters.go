package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typedinformers/informer-gen/test/bench/report"
)

// counters increments the number of ready replicas in the status of each database, up to
// steps. After a conflict it reads the database from the server, as many controllers do.
type counters struct {
	program program
	steps   int32

	reads                        delays
	written, conflicts, liveGets atomic.Int64
}

func newCounters(program program, steps int) workload {
	return &counters{program: program, steps: int32(steps)}
}

func (c *counters) reconcile(ctx context.Context, name string) (done bool, err error) {
	began := time.Now()
	db, err := c.program.database(ctx, name)
	c.reads.add(time.Since(began))
	for err == nil {
		if db.Status.ReadyReplicas >= c.steps {
			return true, nil
		}
		db.Status.ReadyReplicas++
		if err = c.program.updateStatus(ctx, db); err == nil {
			c.written.Add(1)
			return false, nil
		}
		if !apierrors.IsConflict(err) {
			break
		}
		c.conflicts.Add(1)
		c.liveGets.Add(1)
		db, err = c.program.liveDatabase(ctx, name)
	}
	return false, err
}

// check fails if an increment was lost, or made twice.
func (c *counters) check(ctx context.Context, server *server, objects int) ([]report.Figure, error) {
	databases, err := server.databases(ctx)
	if err != nil {
		return nil, err
	}
	if want := int64(objects) * int64(c.steps); len(databases) != objects || c.written.Load() != want {
		return nil, fmt.Errorf("%d objects were written %d times, and not %d objects %d times", len(databases), c.written.Load(), objects, want)
	}
	for _, db := range databases {
		if db.Status.ReadyReplicas != c.steps {
			return nil, fmt.Errorf("%s counts %d, and not %d", db.Name, db.Status.ReadyReplicas, c.steps)
		}
	}
	return append([]report.Figure{
		{Row: "conflicts", Unit: report.Count, Value: float64(c.conflicts.Load())},
		{Row: "live GETs", Unit: report.Count, Value: float64(c.liveGets.Load())},
	}, c.reads.figures("Get from the cache")...), nil
}
