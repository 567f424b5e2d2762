package implicit // want package:"reads with clients"

import (
	"implicit/controllers"

	ctrl "sigs.k8s.io/controller-runtime"
)

func run(config any) {
	manager, err := ctrl.NewManager(config, ctrl.Options{LeaderElectionID: "shop"}) // want `the first Get of a Secret in controllers.go:27 starts a watch of all Secrets of the cluster, and keeps them in memory` `the first Get of a Node in controllers.go:42 starts`
	println(err)
	go func() { println(manager) }()
	controllers.New(manager.GetClient())
	(&controllers.Reconciler{Client: manager.GetClient()}).SetupWithManager(manager)
}
