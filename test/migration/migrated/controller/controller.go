package controller

import (
	"context"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	appslisters "github.com/typedinformers/informer-gen/kubernetes/listers/apps/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/migration/apis/samplecontroller/v1alpha1"
	"github.com/typedinformers/informer-gen/test/migration/migrated/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/test/migration/migrated/generated/clientset/versioned/scheme"
	fooinformers "github.com/typedinformers/informer-gen/test/migration/migrated/generated/informers/externalversions/samplecontroller/v1alpha1"
	foolisters "github.com/typedinformers/informer-gen/test/migration/migrated/generated/listers/samplecontroller/v1alpha1"
)

// name is how the operator calls itself in Events and in managed fields.
const name = "foo-operator"

// Controller gives each Foo its Deployment.
type Controller struct {
	kubeClient kubernetes.Interface
	fooClient  versioned.Interface

	deployments       appslisters.DeploymentLister
	deploymentsSynced cache.Syncer
	foos              foolisters.FooLister
	foosSynced        cache.Syncer

	// queue holds the names of Foos to reconcile. One name is never with two workers
	// at a time.
	queue    workqueue.TypedRateLimitingInterface[cache.ObjectName]
	recorder record.EventRecorder
}

// New returns a Controller that receives the events of two informers. The caller starts
// the informers, and calls Run. Events are recorded until ctx ends.
func New(
	ctx context.Context,
	kubeClient kubernetes.Interface,
	fooClient versioned.Interface,
	deployments *cache.SharedIndexInformer[*appsv1.Deployment],
	foos fooinformers.FooInformer,
) (*Controller, error) {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartStructuredLogging(0)
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: kubeClient.CoreV1().Events("")})
	c := &Controller{
		kubeClient:        kubeClient,
		fooClient:         fooClient,
		deployments:       appslisters.NewDeploymentLister(deployments.GetIndexer()),
		deploymentsSynced: deployments,
		foos:              foos.Lister(),
		foosSynced:        foos.Informer(),
		queue:             workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
		recorder:          broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: name}),
	}
	_, err := foos.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*v1alpha1.Foo]{
		AddFunc:    func(foo *v1alpha1.Foo, _ bool) { c.enqueue(foo) },
		UpdateFunc: func(_, newFoo *v1alpha1.Foo) { c.enqueue(newFoo) },
	})
	if err != nil {
		return nil, fmt.Errorf("cannot listen to foos: %w", err)
	}
	_, err = deployments.AddEventHandler(cache.ResourceEventHandlerFuncs[*appsv1.Deployment]{
		AddFunc: func(deployment *appsv1.Deployment, _ bool) { c.handleDeployment(deployment) },
		UpdateFunc: func(oldDeployment, newDeployment *appsv1.Deployment) {
			if oldDeployment.ResourceVersion == newDeployment.ResourceVersion {
				return // a resync, which the Foos have too
			}
			c.handleDeployment(newDeployment)
		},
		DeleteFunc: func(deployment *appsv1.Deployment, _ bool) { c.handleDeployment(deployment) },
	})
	if err != nil {
		return nil, fmt.Errorf("cannot listen to deployments: %w", err)
	}
	return c, nil
}

// enqueue enqueues a Foo.
func (c *Controller) enqueue(foo *v1alpha1.Foo) {
	c.queue.Add(cache.MetaObjectToName(foo))
}

// handleDeployment enqueues the Foo that owns a Deployment.
func (c *Controller) handleDeployment(deployment *appsv1.Deployment) {
	owner := metav1.GetControllerOf(deployment)
	if owner == nil || owner.Kind != "Foo" {
		return
	}
	foo, err := c.foos.Foos(deployment.Namespace).Get(owner.Name)
	if err != nil {
		return // the Foo is gone, or its own event is still to come
	}
	c.enqueue(foo)
}

// Run waits for the caches, and reconciles with the given number of workers until ctx
// ends. It returns when the last worker has returned.
func (c *Controller) Run(ctx context.Context, workers int) error {
	defer utilruntime.HandleCrashWithContext(ctx)
	defer c.queue.ShutDown()
	logger := klog.FromContext(ctx)
	logger.Info("Waiting for the caches")
	if err := cache.WaitForCacheSync(ctx, c.deploymentsSynced, c.foosSynced); err != nil {
		return err
	}

	logger.Info("Reconciling foos", "workers", workers)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for c.next(ctx) {
			}
		})
	}
	<-ctx.Done()
	c.queue.ShutDown()
	running.Wait()
	return nil
}

// next reconciles the next Foo. It reports whether the queue is still open.
func (c *Controller) next(ctx context.Context) bool {
	name, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(name)
	if err := c.reconcile(ctx, name); err != nil {
		utilruntime.HandleErrorWithContext(ctx, err, "Cannot reconcile the foo, will try again", "foo", name)
		c.queue.AddRateLimited(name)
		return true
	}
	c.queue.Forget(name)
	return true
}
