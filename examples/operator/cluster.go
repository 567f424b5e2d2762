package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/runtime/writes"
	"github.com/typedinformers/informer-gen/shard"
)

// cluster has clients of a cluster.
type cluster struct {
	data versioned.Interface
	kube kubernetes.Interface
	// own sees what data and kube write.
	own *writes.Observer
	// lock is the Lease of the leader, with this process as a candidate. Nil with --shards.
	lock resourcelock.Interface
	// shard decides with --shards which databases this process reconciles. Otherwise it is nil.
	shard *shard.Coordinator
}

// connect finds the cluster, and makes no request.
func connect(ctx context.Context, o options) (on cluster, err error) {
	loader := clientConfig(o.kubeconfig)
	config, err := loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return on, errors.New("no cluster is configured; use --kubeconfig or $KUBECONFIG")
	}
	if err != nil {
		return on, err
	}
	namespace, _, err := loader.Namespace() // of the pod, or of the context in the file
	if err != nil {
		return on, err
	}
	klog.FromContext(ctx).Info("Found the cluster", "server", config.Host, "namespace", namespace)
	return connectTo(config, namespace, o)
}

// connectTo returns the clients of a cluster. The Leases are in namespace.
func connectTo(config *rest.Config, namespace string, o options) (on cluster, err error) {
	if o.shards {
		on.shard, err = join(config, namespace, o)
	} else {
		on.lock, err = lease(config, namespace)
	}
	if err != nil {
		return on, err
	}
	if on.shard != nil {
		config.Wrap(on.shard.Transport) // next to the network: it refuses writes to what this process has lost
	}
	config.QPS = float32(o.qps)
	on.own = &writes.Observer{}
	config.Wrap(on.own.Transport)
	if on.data, err = versioned.NewForConfig(config); err != nil {
		return on, err
	}
	on.kube, err = kubernetes.NewForConfig(config)
	return on, err
}

func lease(config *rest.Config, namespace string) (resourcelock.Interface, error) {
	hostname, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("cannot name this process in the election: %w", err)
	}
	identity := hostname + "_" + string(uuid.NewUUID()) // two processes may run on one host
	// The client of the lock has a rate limit and a timeout of its own.
	return resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, namespace, name, resourcelock.ResourceLockConfig{Identity: identity}, config, renewDeadline)
}

// clientConfig follows the rules of kubectl, with one difference: in a pod, its service
// account comes before ~/.kube/config.
func clientConfig(kubeconfig string) clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules() // $KUBECONFIG, or else ~/.kube/config
	rules.ExplicitPath = kubeconfig
	if os.Getenv(clientcmd.RecommendedConfigPathEnvVar) == "" && inCluster() {
		rules.Precedence = nil
	}
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
}

// inCluster reports whether this process runs in a pod.
func inCluster() bool {
	_, err := rest.InClusterConfig()
	return !errors.Is(err, rest.ErrNotInCluster)
}
