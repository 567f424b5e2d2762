// Command manager is a manager of controller-runtime whose replicas share the ConfigMaps with the label shared=yes. Each replica
// watches and reconciles a part of them, and no two work on one at one time. If a replica is killed, the others take over its part.
//
//	Leases ─▶ shard.Coordinator ─scopes─▶ informer of a part ─events─▶ controller ─▶ reconciler ─writes─▶ Coordinator.Transport
//	                                                                                   └─reads──▶ crcache: all Namespaces
//
// POD_NAME names the replica. Start several with one kubeconfig to try it.
package main

import (
	"errors"
	"fmt"
	"os"

	"k8s.io/klog/v2/textlogger"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	ctrl.SetLogger(textlogger.NewLogger(textlogger.NewConfig()))
	if err := run(os.Getenv("POD_NAME")); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

// run runs a replica until the process gets a signal.
func run(replica string) error {
	if replica == "" {
		return errors.New("the replica has no name; set POD_NAME")
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	mgr, err := newManager(config, replica)
	if err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}
