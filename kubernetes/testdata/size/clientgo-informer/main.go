// Command clientgo-informer is a program whose size hack/size.sh measures: with the informer of pods of client-go.
package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	corev1informers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func main() {
	config, err := rest.InClusterConfig()
	if err != nil {
		panic(err)
	}
	client, ctx := kubernetes.NewForConfigOrDie(config), context.Background()
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	fmt.Println(nodes, err)
	pods := corev1informers.NewPodInformer(client, "", 0, cache.Indexers{})
	go pods.Run(ctx.Done())
	fmt.Println(cache.WaitForCacheSync(ctx.Done(), pods.HasSynced), pods.GetIndexer().List())
}
