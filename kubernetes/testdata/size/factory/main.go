// Command factory is a program whose size hack/size.sh measures: with our factory of all kinds.
package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	kubeinformers "github.com/typedinformers/informer-gen/kubernetes/informers/externalversions"
)

func main() {
	config, err := rest.InClusterConfig()
	if err != nil {
		panic(err)
	}
	client, ctx := kubernetes.NewForConfigOrDie(config), context.Background()
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	fmt.Println(nodes, err)
	factory := kubeinformers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	factory.Start(ctx)
	fmt.Println(factory.WaitForCacheSync(ctx), pods.GetIndexer().List())
}
