package guide

import (
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	crcache "github.com/typedinformers/informer-gen/adapters/controllerruntime"
	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// These functions are the code of docs/controller-runtime.md. They are only compiled: the tests of adapters/controllerruntime and
// test/kubebuilder check what they do.
var _ = []any{newManager, newManagerOfMain, readyCheck, kindsOf, ownWrites, ownInformer, referenced, namespacesLabeled}

func newManager(config *rest.Config) (manager.Manager, error) {
	mgr, err := ctrl.NewManager(config, ctrl.Options{NewCache: crcache.New})
	return mgr, err
}

func newManagerOfMain() (manager.Manager, error) {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		NewCache: crcache.New,
	})
	return mgr, err
}

func readyCheck(mgr manager.Manager) {
	setupLog := ctrl.Log.WithName("setup")
	if err := mgr.AddReadyzCheck("cache", crcache.ReadyChecker(mgr.GetCache())); err != nil {
		setupLog.Error(err, "unable to set up the check of the cache")
		os.Exit(1)
	}
}

func kindsOf(mgr manager.Manager) {
	if c, ok := mgr.GetCache().(*crcache.Cache); ok { // not if Options.NewInformer is set
		for status := range c.Kinds() {
			fmt.Println(status.GroupVersionKind.Kind, status.Forms, status.Status)
		}
	}
	// Pod [typed metadata] Watching for 5m: 312 objects at version 4711
}

func ownWrites() (manager.Manager, error) {
	config := ctrl.GetConfigOrDie()
	own := &writes.Observer{} // github.com/typedinformers/informer-gen/runtime/writes
	config.Wrap(own.Transport)
	mgr, err := ctrl.NewManager(config, ctrl.Options{NewCache: crcache.NewFunc(crcache.WithReadYourWrites(own))})
	return mgr, err
}

func ownInformer(mgr manager.Manager, factory informers.SharedInformerFactory, reconciler reconcile.Reconciler) error {
	databases := factory.Data().V1().Databases().Informer() // *cache.SharedIndexInformer[*datav1.Database]
	err := ctrl.NewControllerManagedBy(mgr).
		Named("database").
		WatchesRawSource(crcache.NewSource(databases, &handler.TypedEnqueueRequestForObject[*datav1.Database]{})).
		Complete(reconciler)
	return err
}

func secretsOf(ingress *networkingv1.Ingress) (names []types.NamespacedName) {
	for _, tls := range ingress.Spec.TLS {
		names = append(names, types.NamespacedName{Name: tls.SecretName}) // in the namespace of the Ingress
	}
	return names
}

func referenced() ctrl.Options {
	return ctrl.Options{
		NewCache: crcache.NewFunc(crcache.WithReferenced(&corev1.Secret{}, crcache.By(&networkingv1.Ingress{}, secretsOf))),
	}
}

func namespacesLabeled() ctrl.Options {
	return ctrl.Options{
		NewCache: crcache.NewFunc(crcache.WithNamespacesLabeled("team=web")),
	}
}
