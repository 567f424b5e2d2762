package main

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// children creates servers of each database, one for each ordinal below steps. A server has a
// generated name. So if the cache does not have it yet, another one is created.
type children struct {
	program program
	steps   int

	reads   delays
	created atomic.Int64
}

func newChildren(program program, steps int) workload {
	return &children{program: program, steps: steps}
}

func (c *children) reconcile(ctx context.Context, name string) (done bool, err error) {
	began := time.Now()
	servers, err := c.program.servers(ctx, name)
	c.reads.add(time.Since(began))
	if err != nil {
		return false, err
	}
	exists := make([]bool, c.steps)
	for _, server := range servers {
		ordinal, err := ordinalOf(server, c.steps)
		if err != nil {
			return false, err
		}
		exists[ordinal] = true
	}
	for ordinal, exists := range exists {
		if exists {
			continue
		}
		c.created.Add(1)
		return false, c.program.create(ctx, &datav1.DatabaseServer{
			ObjectMeta: metav1.ObjectMeta{
				GenerateName: name + "-", Namespace: namespace,
				Labels: map[string]string{ownerLabel: name, ordinalLabel: strconv.Itoa(ordinal)},
			},
			Spec: datav1.DatabaseServerSpec{DatabaseName: name, StorageGi: 1, Port: 5432},
		})
	}
	return true, nil
}

func ordinalOf(server *datav1.DatabaseServer, limit int) (int, error) {
	ordinal, err := strconv.Atoi(server.Labels[ordinalLabel])
	if err != nil || ordinal < 0 || ordinal >= limit {
		return 0, fmt.Errorf("the labels of %s are %v", server.Name, server.Labels)
	}
	return ordinal, nil
}

// check fails if a server is missing, and counts those that are too many.
func (c *children) check(ctx context.Context, server *server, objects int) ([]report.Figure, error) {
	servers, err := server.servers(ctx)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for i := range servers {
		ordinal, err := ordinalOf(&servers[i], c.steps)
		if err != nil {
			return nil, err
		}
		wanted[fmt.Sprintf("%s %d", servers[i].Labels[ownerLabel], ordinal)] = true
	}
	if len(wanted) != objects*c.steps || int64(len(servers)) != c.created.Load() {
		return nil, fmt.Errorf("%d servers are there for %d ordinals, and not %d for %d", len(servers), len(wanted), c.created.Load(), objects*c.steps)
	}
	return append([]report.Figure{
		{Row: "duplicates", Unit: report.Count, Value: float64(len(servers) - len(wanted))},
	}, c.reads.figures("List from the cache")...), nil
}
