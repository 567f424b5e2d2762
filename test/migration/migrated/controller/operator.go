package controller

import (
	"context"
	"time"

	"k8s.io/client-go/kubernetes"

	appsinformers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/apps/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/test/migration/migrated/generated/clientset/versioned"
	informers "github.com/typedinformers/informer-gen/test/migration/migrated/generated/informers/externalversions"
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
	fooFactory := informers.NewSharedInformerFactory(fooClient, resync, informers.WithNamespace(options.Namespace))
	defer func() {
		stop()
		fooFactory.Shutdown()
	}()

	c, err := New(ctx, kubeClient, fooClient,
		cache.InformerFor(fooFactory.Inner(), appsinformers.DeploymentKind(kubeClient)),
		fooFactory.Samplecontroller().V1alpha1().Foos())
	if err != nil {
		return err
	}
	fooFactory.Start(ctx)
	return c.Run(ctx, options.Workers)
}
