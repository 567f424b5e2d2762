// Package controller brings the servers and the status of each Database in line with its
// spec, its DatabaseClass and its Namespace:
//
//	DatabaseInformer ─────────────── its name ─────────┐
//	DatabaseServerInformer ───────── its owner ────────┤
//	DatabaseClassSummaryInformer ─── index by class ───┼─▶ queue ─▶ workers ─▶ finalizer, servers,
//	NamespaceInformer ────────────── its databases ────┘              │ read   status, Events
//	                                                                  ▼
//	                                                               listers
//
// Databases and servers are cached whole, because they are written. Of a DatabaseClass,
// which is only read, the cache has what api/views says.
//
//	controller.go  Controller: queue to workers
//	handlers.go    events of the informers to the queue
//	reconcile.go   what a worker does with one Database
//	servers.go     the children: create, update, delete
//	finalizer.go   what happens before a Database is gone
//	status.go      the status that a Database should have, as a pure function
//	shards.go      which Databases are for this process
package controller

import (
	"context"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	coreinformers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/core/v1"
	corelisters "github.com/typedinformers/informer-gen/kubernetes/listers/core/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/shard"

	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	datalisters "github.com/typedinformers/informer-gen/examples/operator/generated/listers/api/v1"
	viewlisters "github.com/typedinformers/informer-gen/examples/operator/generated/listers/views/v1"
)

// Controller reconciles Databases. It reads from caches, with two exceptions. Before it lets a
// Database go, it asks the server for what is left. If it cannot create a server because the name is
// taken, it asks by whom.
type Controller struct {
	client     versioned.Interface
	factory    informers.SharedInformerFactory
	databases  datalisters.DatabaseLister
	servers    datalisters.DatabaseServerLister
	classes    viewlisters.DatabaseClassSummaryLister
	namespaces corelisters.NamespaceLister
	events     events.EventRecorder
	shard      *shard.Coordinator // or nil
	// queue holds the names of Databases to reconcile. One name is never with two
	// workers at a time.
	queue workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

// Cluster has what a Controller reads and writes.
type Cluster struct {
	Data versioned.Interface
	Kube kubernetes.Interface
	// Factory has the informers of Data. New adds the Namespaces of Kube.
	Factory informers.SharedInformerFactory
	// Events receives a report of each transition.
	Events events.EventRecorder
	// Shard decides which Databases are for this process. It follows the informers of Databases and
	// DatabaseServers, and its Transport is in the clients. Nil if all Databases are.
	Shard *shard.Coordinator
}

// New returns a Controller of the Databases of a cluster. The caller starts the factory, and then
// calls Run.
func New(on Cluster) (*Controller, error) {
	factory, data := on.Factory, on.Factory.Data().V1()
	// With many built-in kinds, join their whole factory instead: kubeinformers.Join.
	namespaces := cache.InformerFor(factory.Inner(), coreinformers.NamespaceKind(on.Kube))
	c := &Controller{
		client:     on.Data,
		factory:    factory,
		databases:  data.Databases().Lister(),
		servers:    data.DatabaseServers().Lister(),
		classes:    factory.Views().V1().DatabaseClassSummaries().Lister(),
		namespaces: corelisters.NewNamespaceLister(namespaces.GetIndexer()),
		events:     on.Events,
		shard:      on.Shard,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName](),
			workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "databases"},
		),
	}
	if err := c.addHandlers(namespaces); err != nil {
		c.queue.ShutDown()
		return nil, err
	}
	return c, nil
}

// Run waits until the caches are filled and the queue has what is in them. Then it
// reconciles with the given number of workers until ctx ends. It returns when the last
// worker has returned, so nothing is written afterwards. If ctx ends during the wait, the
// error names what is missing. A Controller runs once.
func (c *Controller) Run(ctx context.Context, workers int) error {
	defer c.queue.ShutDown()
	if err := c.factory.WaitForCacheSync(ctx); err != nil {
		return err
	}

	logger := klog.FromContext(ctx)
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

// work takes names from the queue until it is shut down. The first list of the next
// process enqueues again what is left in it.
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
