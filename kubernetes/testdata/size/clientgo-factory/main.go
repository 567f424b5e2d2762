// Command clientgo-factory is a program whose size hack/size.sh measures: with the factory of client-go.
package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"k8s.io/client-go/informers"
)

func main() {
	config, err := rest.InClusterConfig()
	if err != nil {
		panic(err)
	}
	client, ctx := kubernetes.NewForConfigOrDie(config), context.Background()
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	fmt.Println(nodes, err)
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done())
	fmt.Println(factory.WaitForCacheSync(ctx.Done()), pods.GetIndexer().List())
}
