package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"

	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/fieldselector"
)

type options struct {
	kubeconfig    string
	namespace     string
	workers       int
	leaderElect   bool
	shards        bool
	shardKey      sharding.Key
	identity      string
	leaseDuration time.Duration
	qps           float64
	healthAddress string
	debugAddress  string
	syncTimeout   time.Duration
}

// shardKeys are the values of --shard-key.
var shardKeys = map[string]sharding.Key{"owner": sharding.Owner, "namespace": sharding.SpreadNamespace, "namespace-on-server": sharding.Namespace}

// errUsage is returned after parse has printed the reason.
var errUsage = errors.New("wrong usage")

func parse(args []string) (o options, err error) {
	set := flag.NewFlagSet("operator", flag.ContinueOnError)
	set.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig `file` of the cluster (default: $KUBECONFIG, the cluster that the operator runs in, or ~/.kube/config)")
	set.StringVar(&o.namespace, "namespace", "", "the only `namespace` to serve (default all)")
	set.IntVar(&o.workers, "workers", 2, "`number` of databases to reconcile at a time")
	set.BoolVar(&o.leaderElect, "leader-elect", inCluster(), "wait for a Lease before reconciling, so that one of several processes does; true by default in a cluster")
	set.BoolVar(&o.shards, "shards", false, "share the databases with the other processes that have this flag, instead of waiting for a Lease as a whole")
	shardKey := set.String("shard-key", "owner", "with --shards, what decides about the process of a database: owner spreads them evenly; namespace keeps a namespace in one process; namespace-on-server does that too, and a server that knows shards sends each process its part only, but namespaces whose names differ only at the end are in one process")
	set.StringVar(&o.identity, "identity", "", "with --shards, the `name` of this process among the others (default: the name of the host and a random suffix)")
	set.DurationVar(&o.leaseDuration, "lease-duration", leaseDuration, "with --shards, the `time` after which others take the databases of a process that does not answer; in whole seconds")
	set.Float64Var(&o.qps, "qps", 0, "`number` of requests per second, besides watches; negative for no limit (default: that of client-go)")
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
	given := map[string]bool{}
	set.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var known bool
	o.shardKey, known = shardKeys[*shardKey]
	switch {
	case set.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case !known:
		return o, fmt.Errorf("--shard-key=%s is not owner, namespace or namespace-on-server", *shardKey)
	case o.shards && o.leaderElect && given["leader-elect"]:
		return o, errors.New("--shards and --leader-elect exclude each other: with shards all processes reconcile")
	case !o.shards && (given["shard-key"] || given["identity"] || given["lease-duration"]):
		return o, errors.New("--shard-key, --identity and --lease-duration need --shards")
	case o.leaseDuration < time.Second || o.leaseDuration%time.Second != 0:
		return o, fmt.Errorf("--lease-duration=%v is not a number of seconds", o.leaseDuration)
	case o.workers < 1:
		return o, fmt.Errorf("--workers=%d is less than 1", o.workers)
	case o.syncTimeout <= 0:
		return o, fmt.Errorf("--sync-timeout=%v is not positive", o.syncTimeout)
	}
	return o, nil
}

// scopes returns what the processes share with --shards.
func (o options) scopes() []cache.Scope {
	if o.namespace == "" {
		return nil
	}
	return []cache.Scope{{Namespace: o.namespace}}
}

// informers returns the options of the factory.
func (o options) informers() []informers.SharedInformerOption {
	all := []informers.SharedInformerOption{cache.WithInformerName(name)}
	if o.namespace != "" {
		all = append(all,
			informers.WithNamespace(o.namespace),
			cache.WithFieldSelector(fieldselector.Field[*corev1.Namespace, string]("metadata.name").Is(o.namespace)))
	}
	return all
}
