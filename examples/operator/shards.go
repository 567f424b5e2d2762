package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/rand"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"

	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/shard"
)

// join makes this process a member of those that share the databases. It makes no request.
func join(config *rest.Config, namespace string, o options) (*shard.Coordinator, error) {
	identity := o.identity
	if identity == "" {
		hostname, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("cannot name this process: %w; use --identity", err)
		}
		identity = strings.ToLower(hostname) + "-" + rand.String(5) // two processes may run on one host
	}
	// Renewals neither wait behind the requests of workers nor are they refused as these are.
	config = rest.CopyConfig(config)
	config.QPS = -1
	leases, err := coordinationv1client.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	c, err := shard.New(leases, shard.Options{
		Namespace:     namespace,
		Name:          name + "-shards", // name is the Lease of the leader
		Identity:      identity,
		Key:           o.shardKey,
		LeaseDuration: o.leaseDuration,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot share the databases: %w", err)
	}
	return c, nil
}

// divide limits the informers of databases and their servers to what this process reconciles. All
// processes cache all classes and namespaces.
func divide(c *shard.Coordinator, factory informers.SharedInformerFactory, scopes []cache.Scope) error {
	data := factory.Data().V1()
	if err := c.Follow(data.Databases().Informer(), scopes...); err != nil {
		return fmt.Errorf("cannot share the databases: %w", err)
	}
	if err := c.Follow(data.DatabaseServers().Informer(), scopes...); err != nil {
		return fmt.Errorf("cannot share the database servers: %w", err)
	}
	return nil
}

// shardMetrics tell how much of the databases this process has. There are none without a Coordinator.
func shardMetrics(c *shard.Coordinator, factory informers.SharedInformerFactory) []prometheus.Collector {
	if c == nil {
		return nil
	}
	databases := factory.Data().V1().Databases().Lister()
	owned := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "operator_owned_databases",
		Help: "Number of databases that this process reconciles.",
	}, func() float64 {
		all, err := databases.List(labels.Everything())
		if err != nil {
			panic(err) // no selector and no index is wrong
		}
		n := 0
		for _, db := range all {
			if c.Owns(db) {
				n++
			}
		}
		return float64(n)
	})
	slots := func(state string, count func(shard.Status) int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name:        "operator_shard_slots",
			Help:        "Number of parts of the databases that this process owns, fills its caches with, or gives to another process.",
			ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 { return float64(count(c.Status())) })
	}
	gauge := func(name, help string, value func(shard.Status) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return value(c.Status()) })
	}
	count := func(name, help string, value func(shard.Status) uint64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value(c.Status())) })
	}
	return []prometheus.Collector{
		owned,
		slots("owned", func(s shard.Status) int { return s.Owned }),
		slots("syncing", func(s shard.Status) int { return s.Syncing }),
		slots("draining", func(s shard.Status) int { return s.Draining }),
		gauge("operator_shard_group_slots", "Number of parts that the databases are divided into.",
			func(s shard.Status) float64 { return float64(s.Slots) }),
		gauge("operator_shard_renewed_timestamp_seconds", "Unix time of the last renewal of the Lease of this process, or 0.", func(s shard.Status) float64 {
			if s.Renewed.IsZero() {
				return 0
			}
			return float64(s.Renewed.UnixMilli()) / 1000
		}),
		count("operator_shard_gained_slots_total", "Number of parts that this process began to own.", func(s shard.Status) uint64 { return s.Gained }),
		count("operator_shard_lost_slots_total", "Number of parts that this process ceased to own.", func(s shard.Status) uint64 { return s.Lost }),
		count("operator_shard_lapses_total", "How often this process lost all its parts, because it did not renew its Lease in time.", func(s shard.Status) uint64 { return s.Lapses }),
	}
}

// share calls reconcile while this process is a member. If ctx ends, it gives its databases to the
// others after the last write.
func share(ctx context.Context, c *shard.Coordinator, reconcile func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	reconciled := make(chan error, 1)
	go func() {
		defer stop()
		reconciled <- reconcile(ctx)
	}()
	err := c.Run(ctx)
	stop()
	return errors.Join(err, <-reconciled)
}
