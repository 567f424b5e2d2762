// Command kind is a program whose size hack/size.sh measures: with our informer of pods.
package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	corev1informers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions/core/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

func main() {
	config, err := rest.InClusterConfig()
	if err != nil {
		panic(err)
	}
	client, ctx := kubernetes.NewForConfigOrDie(config), context.Background()
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	fmt.Println(nodes, err)
	factory := cache.NewSharedInformerFactory(0)
	pods := cache.InformerFor(factory, corev1informers.PodKind(client))
	factory.Start(ctx)
	fmt.Println(factory.WaitForCacheSync(ctx), pods.GetIndexer().List())
}
