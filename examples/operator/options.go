package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache"

	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
)

type options struct {
	kubeconfig    string
	namespace     string
	workers       int
	leaderElect   bool
	healthAddress string
	debugAddress  string
	syncTimeout   time.Duration
}

// errUsage is returned after parse has printed the reason.
var errUsage = errors.New("wrong usage")

func parse(args []string) (o options, err error) {
	set := flag.NewFlagSet("operator", flag.ContinueOnError)
	set.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig `file` of the cluster (default: $KUBECONFIG, the cluster that the operator runs in, or ~/.kube/config)")
	set.StringVar(&o.namespace, "namespace", "", "the only `namespace` to serve (default all)")
	set.IntVar(&o.workers, "workers", 2, "`number` of databases to reconcile at a time")
	set.BoolVar(&o.leaderElect, "leader-elect", inCluster(), "wait for a Lease before reconciling, so that one of several processes does; true by default in a cluster")
	set.StringVar(&o.healthAddress, "health-address", ":8081", "`address` of /livez, /readyz and /metrics; nothing is served if it is empty")
	set.StringVar(&o.debugAddress, "debug-address", "localhost:8082", "`address` of /debug/informers, a page that shows what the informers do, with names of objects; nothing is served if it is empty")
	set.DurationVar(&o.syncTimeout, "sync-timeout", time.Minute, "exit if the caches are not filled after this `time`")
	var ofKlog flag.FlagSet
	klog.InitFlags(&ofKlog)
	set.Var(ofKlog.Lookup("v").Value, "v", "`level` of detail of the log")
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, errUsage
	}
	switch {
	case set.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case o.workers < 1:
		return o, fmt.Errorf("--workers=%d is less than 1", o.workers)
	case o.syncTimeout <= 0:
		return o, fmt.Errorf("--sync-timeout=%v is not positive", o.syncTimeout)
	}
	return o, nil
}

// informers returns the options of the factory.
func (o options) informers() []informers.SharedInformerOption {
	all := []informers.SharedInformerOption{cache.WithInformerName(name)}
	if o.namespace != "" {
		all = append(all,
			informers.WithNamespace(o.namespace),
			cache.WithFieldSelector(cache.Field[*corev1.Namespace, string]("metadata.name").Is(o.namespace)))
	}
	return all
}
