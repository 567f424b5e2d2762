package testserver_test

import (
	"context"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/typedinformers/informer-gen/testserver"
)

// Outside of tests a server is started with a context, and errors are returned.
func ExampleNew() {
	ctx := context.Background()
	server, err := testserver.New(ctx, testserver.WithCRDs("testdata"))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Stop()

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
