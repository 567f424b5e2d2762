package shard_test

import (
	"context"
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

// A controller of which each process reconciles a part of the widgets.
func Example() {
	run := func(ctx context.Context, config *rest.Config) error {
		leases, err := coordinationv1client.NewForConfig(config)
		if err != nil {
			return err
		}
		c, err := shard.New(leases, shard.Options{Namespace: "widgets", Name: "widget-operator", Identity: os.Getenv("POD_NAME")})
		if err != nil {
			return err
		}
		config = rest.CopyConfig(config)
		config.Wrap(c.Transport) // for the clients that write

		informer := newWidgetInformer(config)
		if err := c.Follow(informer); err != nil {
			return err
		}
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
		enqueue := func(w *Widget) { queue.Add(cache.ObjectName{Namespace: w.Namespace, Name: w.Name}) }
		_, err = shard.AddEventHandler(c, informer, cache.ResourceEventHandlerFuncs[*Widget]{
			AddFunc:    func(w *Widget, _ bool) { enqueue(w) },
			UpdateFunc: func(_, w *Widget) { enqueue(w) },
		})
		if err != nil {
			return err
		}

		go informer.Run(ctx)
		go func() {
			for {
				name, shutdown := queue.Get()
				if shutdown {
					return
				}
				work(ctx, c, informer, queue, name)
				queue.Done(name)
			}
		}()
		defer queue.ShutDown()
		return c.Run(ctx) // returns when all work has ended, and others may take over
	}
	if err := run(context.Background(), &rest.Config{Host: "https://10.0.0.1:6443"}); err != nil {
		log.Fatal(err)
	}
}

// work reconciles one widget, if this process owns it.
func work(ctx context.Context, c *shard.Coordinator, informer *cache.SharedIndexInformer[*Widget], queue workqueue.TypedRateLimitingInterface[cache.ObjectName], name cache.ObjectName) {
	widget, ok := informer.GetIndexer().Get(name)
	if !ok {
		queue.Forget(name)
		return
	}
	ctx, done, ok := c.Begin(ctx, widget)
	if !ok {
		queue.Forget(name) // the handler of its next owner gets it
		return
	}
	defer done()
	if err := reconcile(ctx, widget); err != nil { // pass ctx to each write
		queue.AddRateLimited(name)
		return
	}
	queue.Forget(name)
}
