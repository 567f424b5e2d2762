package shard_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/shard"
)

// Widget stands for your kind.
type Widget = metav1.PartialObjectMetadata

func newWidgetInformer(*rest.Config) *cache.SharedIndexInformer[*Widget] { return nil }

func reconcile(context.Context, *Widget) error { return nil }

// Queue is that of a controller as you have it.
type Queue = workqueue.TypedRateLimitingInterface[cache.ObjectName]

func newQueue() Queue {
	return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
}

// enqueueTo returns a handler that adds the names of objects to a queue.
func enqueueTo(queue Queue) cache.ResourceEventHandler[*Widget] {
	enqueue := func(w *Widget) { queue.Add(cache.ObjectName{Namespace: w.Namespace, Name: w.Name}) }
	return cache.ResourceEventHandlerFuncs[*Widget]{
		AddFunc:    func(w *Widget, _ bool) { enqueue(w) },
		UpdateFunc: func(_, w *Widget) { enqueue(w) },
	}
}

// A controller of which each process reconciles a part of the widgets.
func Example() {
	if err := run(context.Background(), &rest.Config{Host: "https://10.0.0.1:6443"}); err != nil {
		log.Fatal(err)
	}
}

// run works on a part of the widgets until ctx ends.
func run(ctx context.Context, config *rest.Config) error {
	leases, err := coordinationv1client.NewForConfig(config)
	if err != nil {
		return err
	}
	c, err := shard.New(leases, shard.Options{Namespace: "widgets", Name: "widget-shards", Identity: os.Getenv("POD_NAME")})
	if err != nil {
		return err
	}
	config = rest.CopyConfig(config)
	config.Wrap(c.Transport) // refuses writes to what this process has lost
	informer, queue := newWidgetInformer(config), newQueue()
	if err := c.Follow(informer); err != nil {
		return err
	}
	if _, err := shard.AddEventHandler(c, informer, enqueueTo(queue)); err != nil {
		return err
	}
	go informer.Run(ctx)
	go work(ctx, c, informer, queue)
	defer queue.ShutDown()
	return c.Run(ctx) // returns when all work has ended, and others may take over
}

// work reconciles the widgets of the queue.
func work(ctx context.Context, c *shard.Coordinator, informer *cache.SharedIndexInformer[*Widget], queue Queue) {
	for name, shutdown := queue.Get(); !shutdown; name, shutdown = queue.Get() {
		if widget, ok := informer.GetIndexer().Get(name); ok {
			if err := reconcileOwned(ctx, c, widget); err != nil {
				queue.AddRateLimited(name)
			} else {
				queue.Forget(name)
			}
		}
		queue.Done(name)
	}
}

// reconcileOwned reconciles a widget if this process owns it.
func reconcileOwned(ctx context.Context, c *shard.Coordinator, widget *Widget) error {
	ctx, done, ok := c.Begin(ctx, widget)
	if !ok {
		return nil // forget it: the handler of its next owner gets it
	}
	defer done()
	return reconcile(ctx, widget) // pass ctx to each write
}

// Metrics of a member, as Prometheus reads them.
func ExampleCoordinator_Status() {
	c, err := shard.New(noClient{}, shard.Options{Namespace: "widgets", Name: "widget-shards", Identity: "pod-a"})
	if err != nil {
		log.Fatal(err)
	}
	writeMetrics(os.Stdout, c) // or the http.ResponseWriter of /metrics
	// Output:
	// # TYPE shard_owned_slots gauge
	// shard_owned_slots 0
	// # TYPE shard_syncing_slots gauge
	// shard_syncing_slots 0
	// # TYPE shard_draining_slots gauge
	// shard_draining_slots 0
	// # TYPE shard_group_slots gauge
	// shard_group_slots 256
	// # TYPE shard_renewed_timestamp_seconds gauge
	// shard_renewed_timestamp_seconds 0
	// # TYPE shard_gained_slots_total counter
	// shard_gained_slots_total 0
	// # TYPE shard_lost_slots_total counter
	// shard_lost_slots_total 0
	// # TYPE shard_lapses_total counter
	// shard_lapses_total 0
}

func writeMetrics(w io.Writer, c *shard.Coordinator) {
	s := c.Status()
	renewed := int64(0) // not yet
	if !s.Renewed.IsZero() {
		renewed = s.Renewed.Unix()
	}
	for _, m := range []struct {
		name, kind string
		value      any
	}{
		{"shard_owned_slots", "gauge", s.Owned},
		{"shard_syncing_slots", "gauge", s.Syncing},
		{"shard_draining_slots", "gauge", s.Draining},
		{"shard_group_slots", "gauge", s.Slots},
		{"shard_renewed_timestamp_seconds", "gauge", renewed},
		{"shard_gained_slots_total", "counter", s.Gained},
		{"shard_lost_slots_total", "counter", s.Lost},
		{"shard_lapses_total", "counter", s.Lapses},
	} {
		fmt.Fprintf(w, "# TYPE %s %s\n%s %v\n", m.name, m.kind, m.name, m.value)
	}
}
