package controller

import (
	"context"
	"time"

	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/typedinformers/informer-gen/test/migration/clientgo/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/test/migration/clientgo/generated/informers/externalversions"
)

// resync is how often each Foo is reconciled without a change.
const resync = 30 * time.Minute

// Options are the flags of the operator.
type Options struct {
	// Namespace is the only namespace to serve. The operator serves all if it is empty.
	Namespace string
	// Workers is the number of Foos to reconcile at a time.
	Workers int
}

// Run runs the operator until ctx ends. It returns an error if ctx ends before the caches
// are filled.
func Run(ctx context.Context, kubeClient kubernetes.Interface, fooClient versioned.Interface, options Options) error {
	ctx, stop := context.WithCancel(ctx)
	kubeFactory := kubeinformers.NewSharedInformerFactoryWithOptions(kubeClient, resync, kubeinformers.WithNamespace(options.Namespace))
	fooFactory := informers.NewSharedInformerFactoryWithOptions(fooClient, resync, informers.WithNamespace(options.Namespace))
	defer func() {
		stop()
		kubeFactory.Shutdown()
		fooFactory.Shutdown()
	}()

	c, err := New(ctx, kubeClient, fooClient,
		kubeFactory.Apps().V1().Deployments(),
		fooFactory.Samplecontroller().V1alpha1().Foos())
	if err != nil {
		return err
	}
	kubeFactory.Start(ctx.Done())
	fooFactory.Start(ctx.Done())
	return c.Run(ctx, options.Workers)
}
