package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/typedinformers/informer-gen/test/bench/meter"
	"github.com/typedinformers/informer-gen/test/bench/report"
)

// newManager makes a manager whose cache is that of the side.
func (m *measurement) newManager() (ctrl.Manager, error) {
	options := ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}}
	switch m.side {
	case report.Ours:
		options.NewCache = ourCache
	case report.Theirs:
	default:
		return nil, fmt.Errorf("there is no side %q", m.side)
	}
	if m.static {
		mapper := meta.NewDefaultRESTMapper(nil)
		mapper.Add(m.kind.GroupVersionKind, meta.RESTScopeNamespace)
		options.MapperProvider = func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return mapper, nil }
	}
	return ctrl.NewManager(m.link.Through(m.config()), options)
}

// start starts a manager. stop returns when it has ended.
func start(ctx context.Context, manager ctrl.Manager) (stop func() error) {
	running, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(running) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// synced waits until the cache of a manager has synced.
func synced(ctx context.Context, manager ctrl.Manager) error {
	if !manager.GetCache().WaitForCacheSync(ctx) {
		return fmt.Errorf("the cache has not synced: %w", errors.Join(errors.New("it ended"), context.Cause(ctx)))
	}
	return nil
}

// handle makes a counter the handler of an informer.
func handle(informer cache.Informer, counter *meter.Counter) error {
	_, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { counter.Add() },
		UpdateFunc: func(_, after any) { counter.Update(after) },
		DeleteFunc: func(any) { counter.Delete() },
	})
	return err
}

// cost is what a phase of the process has cost.
type cost struct {
	began          time.Time
	cpu            time.Duration
	allocated      int64
	stopProfile    func()
	seconds        float64
	cpuSeconds     float64
	allocatedBytes float64
}

// begin begins a phase.
func (m *measurement) begin(phase string) (c cost, err error) {
	if c.stopProfile, err = meter.Profile(m.profile, phase); err != nil {
		return c, err
	}
	c.allocated, c.cpu, c.began = meter.Allocated(), meter.CPUTime(), time.Now()
	return c, nil
}

// end ends it at a time that has passed.
func (c *cost) end(at time.Time) {
	c.seconds = at.Sub(c.began).Seconds()
	c.cpuSeconds = (meter.CPUTime() - c.cpu).Seconds()
	c.allocatedBytes = float64(meter.Allocated() - c.allocated)
	c.stopProfile()
}
