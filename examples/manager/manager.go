package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	corev1informers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/core/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/shard"
)

// newManager returns the manager of a replica.
func newManager(config *rest.Config, replica string) (manager.Manager, error) {
	shards, err := join(config, replica)
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.Wrap(shards.Transport) // refuses writes to what this replica has lost
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		NewCache: crcache.New, // of all other kinds
		Metrics:  server.Options{BindAddress: "0"},
	})
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	configMaps, err := corev1informers.ConfigMapKind(client).NewInformer(cache.WithLabelSelector("shared=yes"))
	if err != nil {
		return nil, err
	}
	if err := shards.Follow(configMaps); err != nil { // a part of them
		return nil, err
	}
	// A source of crcache.NewSource would have the events of objects that the replica does not own yet, and none when it does.
	owned := source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		_, err := shard.AddEventHandler(shards, configMaps, cache.ObjectNameHandler[*corev1.ConfigMap](func(name cache.ObjectName) {
			queue.Add(reconcile.Request{NamespacedName: types.NamespacedName(name)})
		}))
		return err
	})
	err = ctrl.NewControllerManagedBy(mgr).Named("configmap").WatchesRawSource(owned).
		Complete(&reconciler{replica: replica, shards: shards, configMaps: configMaps, client: mgr.GetClient()})
	if err != nil {
		return nil, err
	}
	for _, runnable := range []manager.RunnableFunc{
		func(ctx context.Context) error {
			configMaps.Run(ctx)
			return nil
		},
		shards.Run, // returns when all work has ended, and other replicas may take over
	} {
		if err := mgr.Add(runnable); err != nil {
			return nil, err
		}
	}
	return mgr, nil
}

// join makes this replica a member of the group that shares the ConfigMaps.
func join(config *rest.Config, replica string) (*shard.Coordinator, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1 // a renewal must not wait for the requests of workers
	leases, err := coordinationv1client.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return shard.New(leases, shard.Options{Namespace: "default", Name: "manager-shards", Identity: replica})
}
