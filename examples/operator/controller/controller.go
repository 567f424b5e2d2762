// Package controller brings the status of each Database in line with its spec
// and its DatabaseClass:
//
//	DatabaseInformer ─────────────── its name ────────┐
//	                                                  ▼
//	DatabaseClassSummaryInformer ── index by class ─▶ queue ─▶ workers ─▶ UpdateStatus
//	                                                             │ read
//	                                                             ▼
//	                                                          listers
//
// Databases are cached whole, because their status is written. Of a DatabaseClass,
// which is only read, the cache has what api/views says.
//
//	controller.go  Controller: events to queue, queue to workers
//	reconcile.go   what a worker does with one Database
//	status.go      the status that a Database should have, as a pure function
package controller

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	viewsv1 "github.com/typedinformers/informer-gen/examples/operator/api/views/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	datalisters "github.com/typedinformers/informer-gen/examples/operator/generated/listers/api/v1"
	viewlisters "github.com/typedinformers/informer-gen/examples/operator/generated/listers/views/v1"
)

// Controller keeps the status of Databases. It reads from caches only; the one
// thing that it writes is a status that differs.
type Controller struct {
	client    versioned.Interface
	factory   informers.SharedInformerFactory
	databases datalisters.DatabaseLister
	classes   viewlisters.DatabaseClassSummaryLister
	// queue holds the names of Databases to reconcile. One name is never with two
	// workers at a time.
	queue workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

// New makes a Controller of the Databases of a factory. The caller starts the
// factory, and calls Run, which ends what New began.
func New(client versioned.Interface, factory informers.SharedInformerFactory) (*Controller, error) {
	databases, classes := factory.Data().V1().Databases(), factory.Views().V1().DatabaseClassSummaries()
	c := &Controller{
		client:    client,
		factory:   factory,
		databases: databases.Lister(),
		classes:   classes.Lister(),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName](),
			workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "databases"},
		),
	}
	if err := c.listen(databases.Informer(), classes.Informer()); err != nil {
		c.queue.ShutDown()
		return nil, err
	}
	return c, nil
}

// listen has the queue follow the informers.
func (c *Controller) listen(databases cache.SharedInformer[*datav1.Database], classes cache.SharedInformer[*viewsv1.DatabaseClassSummary]) error {
	_, err := databases.AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
		AddFunc:    func(db *datav1.Database, _ bool) { c.enqueue(db) },
		UpdateFunc: func(_, db *datav1.Database) { c.enqueue(db) },
		DeleteFunc: func(db *datav1.Database, _ bool) { c.enqueue(db) },
	})
	if err != nil {
		return fmt.Errorf("cannot listen to databases: %w", err)
	}
	_, err = classes.AddEventHandler(cache.ResourceEventHandlerFuncs[*viewsv1.DatabaseClassSummary]{
		AddFunc:    func(class *viewsv1.DatabaseClassSummary, _ bool) { c.enqueueUsersOf(class) },
		UpdateFunc: func(_, class *viewsv1.DatabaseClassSummary) { c.enqueueUsersOf(class) },
		DeleteFunc: func(class *viewsv1.DatabaseClassSummary, _ bool) { c.enqueueUsersOf(class) },
	})
	if err != nil {
		return fmt.Errorf("cannot listen to database classes: %w", err)
	}
	return nil
}

func (c *Controller) enqueue(db *datav1.Database) {
	c.queue.Add(cache.MetaObjectToName(db))
}

// enqueueUsersOf enqueues each Database that names class. Those that are not
// cached yet are enqueued when they are.
func (c *Controller) enqueueUsersOf(class *viewsv1.DatabaseClassSummary) {
	users, err := c.databases.ByClass(class.Name)
	if err != nil {
		panic(err) // the informer has the index from the marker on Database
	}
	for _, db := range users {
		c.enqueue(db)
	}
}

// Run waits until the caches are filled and the queue has what is in them, and
// reconciles with the given number of workers until ctx ends. It returns when
// the last worker has. The error, if ctx ends while it waits, says what for. A
// Controller runs once.
func (c *Controller) Run(ctx context.Context, workers int) error {
	defer c.queue.ShutDown()
	logger := klog.FromContext(ctx)
	logger.Info("Waiting for the caches")
	if err := c.factory.WaitForCacheSync(ctx); err != nil {
		return err
	}

	logger.Info("Reconciling databases", "workers", workers)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() { c.work(ctx) })
	}
	<-ctx.Done()
	c.queue.ShutDown()
	running.Wait()
	logger.Info("Stopped")
	return nil
}

// work takes names from the queue until it is shut down. What is left in it then
// is enqueued again by the first list of the next process.
func (c *Controller) work(ctx context.Context) {
	for {
		name, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		if ctx.Err() == nil {
			c.conclude(ctx, name, c.reconcile(ctx, name))
		}
		c.queue.Done(name)
	}
}
