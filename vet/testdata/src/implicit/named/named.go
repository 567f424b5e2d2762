package named // want package:"reads with clients"

import (
	"implicit/controllers"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func main() {
	manager, _ := ctrl.NewManager(nil, ctrl.Options{
		Cache:  cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Secret{}: {}}},
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.ConfigMap{}}}},
	})
	(&controllers.Reconciler{Client: manager.GetClient()}).SetupWithManager(manager)
}

func direct(config any) {
	manager, err := ctrl.NewManager(config, ctrl.Options{Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}}})
	println(err)
	(&controllers.Reconciler{Client: manager.GetClient()}).SetupWithManager(manager)
}
