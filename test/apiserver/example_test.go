package apiserver_test

import (
	"context"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/typedinformers/informer-gen/test/apiserver"
)

func Example() {
	ctx := context.Background()
	server, err := apiserver.Start(ctx, apiserver.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Stop()

	crds, err := apiserver.LoadCRDs("testdata")
	if err != nil {
		log.Fatal(err)
	}
	if err := server.InstallCRDs(ctx, crds...); err != nil {
		log.Fatal(err)
	}
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		log.Fatal(err)
	}
	widgets := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	list, err := client.Resource(widgets).List(ctx, metav1.ListOptions{})
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("%d widgets", len(list.Items))
}
