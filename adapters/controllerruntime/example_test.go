package crcache_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

var (
	config     *rest.Config
	mgr        ctrl.Manager
	pods       *cache.SharedIndexInformer[*corev1.Pod]
	reconciler reconcile.Reconciler
)

// One line switches the cache of a manager.
func ExampleNew() {
	mgr, err := ctrl.NewManager(config, ctrl.Options{NewCache: crcache.New})
	if err != nil {
		panic(err)
	}
	_ = mgr
}

// Two more lines let the cache have what the manager's client has written.
func ExampleReadYourWrites() {
	own := &writes.Observer{}
	config.Wrap(own.Transport)
	mgr, err := ctrl.NewManager(config, ctrl.Options{NewCache: crcache.ReadYourWrites(own)})
	if err != nil {
		panic(err)
	}
	_ = mgr
}

// The readiness probe fails with the reason until all informers are synced.
func ExampleReadyChecker() {
	if err := mgr.AddReadyzCheck("cache", crcache.ReadyChecker(mgr.GetCache())); err != nil {
		panic(err)
	}
}

func ExampleCache_Kinds() {
	for status := range mgr.GetCache().(*crcache.Cache).Kinds() {
		fmt.Println(status.GroupVersionKind.Kind, status.Forms, status.Status)
	}
}

// A controller gets the events of an informer that the manager's cache does not have.
func ExampleNewSource() {
	err := ctrl.NewControllerManagedBy(mgr).
		Named("pod").
		WatchesRawSource(crcache.NewSource(pods, &handler.TypedEnqueueRequestForObject[*corev1.Pod]{})).
		Complete(reconciler)
	if err != nil {
		panic(err)
	}
}
