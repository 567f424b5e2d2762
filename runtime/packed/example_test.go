package packed_test

import (
	"context"
	"fmt"
	"log"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/packed"
)

// The informer keeps compressed texts. A reader gets an object of its own, and may change it.
func ExampleWithPackedObjects() {
	client, err := apitest.New(apitest.WithKinds(apitest.Kind{GroupVersionKind: foos.GroupVersion().WithKind("Foo"), Resource: foos.Resource, Namespaced: true}))
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Add(newFoo(1), newFoo(2)); err != nil {
		log.Fatal(err)
	}
	informer, err := FooKind(client).NewInformer(packed.WithPackedObjects())
	if err != nil {
		log.Fatal(err)
	}
	// A handler that needs names only causes no decoding.
	queued := make(chan cache.ObjectName, 2)
	if _, err := informer.AddEventHandler(cache.ObjectNameHandler[*Foo](func(name cache.ObjectName) { queued <- name })); err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.Run(ctx)
	}()
	<-queued
	<-queued
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	name := cache.ObjectName{Namespace: "team-1", Name: "foo-1"}
	foo, _ := informer.GetIndexer().Get(name)
	foo.Spec.Count = 100 // no DeepCopy is needed
	again, _ := informer.GetIndexer().Get(name)
	fmt.Println(foo.Spec.Count, again.Spec.Count)
	cancel()
	<-done
	// Output: 100 1
}
