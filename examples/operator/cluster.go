package main

import (
	"errors"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/typedinformers/informer-gen/runtime/cache"

	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
)

// cluster has clients of a cluster.
type cluster struct {
	config *rest.Config
	// namespace is that of the pod, or of the kubeconfig's context.
	namespace string
	data      versioned.Interface
	kube      kubernetes.Interface
}

// connect finds the cluster, and makes no request.
func connect(kubeconfig string) (on cluster, err error) {
	config := clientConfig(kubeconfig)
	on.config, err = config.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return on, errors.New("no cluster is configured; use --kubeconfig or $KUBECONFIG")
	}
	if err != nil {
		return on, err
	}
	if on.namespace, _, err = config.Namespace(); err != nil {
		return on, err
	}
	if on.data, err = versioned.NewForConfig(on.config); err != nil {
		return on, err
	}
	on.kube, err = kubernetes.NewForConfig(on.config)
	return on, err
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

// lease returns the lock of the leader, with this process as a candidate.
func (on cluster) lease() (resourcelock.Interface, error) {
	hostname, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("cannot name this process in the election: %w", err)
	}
	identity := hostname + "_" + string(uuid.NewUUID()) // two processes may run on one host
	// The client of the lock has a rate limit and a timeout of its own.
	return resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, on.namespace, name, resourcelock.ResourceLockConfig{Identity: identity}, on.config, renewDeadline)
}

// namespaceInformer returns the informer of Namespaces of a factory, over client-go's
// client.
func namespaceInformer(factory *cache.SharedInformerFactory, kube kubernetes.Interface) *cache.SharedIndexInformer[*corev1.Namespace] {
	return cache.InformerFor(factory, cache.Kind[*corev1.Namespace]{
		Resource: corev1.SchemeGroupVersion.WithResource("namespaces"),
		Kind:     "Namespace",
		ListWatch: func(string) cache.ListerWatcher[*corev1.Namespace] {
			return cache.NewListWatch[*corev1.Namespace](kube.CoreV1().Namespaces())
		},
	})
}
