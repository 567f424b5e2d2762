package limited // want package:"reads with clients"

import (
	"implicit/controllers"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

func main() {
	manager, _ := ctrl.NewManager(nil, ctrl.Options{Cache: cache.Options{DefaultNamespaces: map[string]string{"a": ""}}})
	(&controllers.Reconciler{Client: manager.GetClient()}).SetupWithManager(manager)
}
