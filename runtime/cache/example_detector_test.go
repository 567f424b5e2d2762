package cache_test

import (
	"context"
	"fmt"
	"log"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// In a test, this option finds code that changes an object of the cache, and panics. If a handler did it, the message
// has the name of the handler.
func ExampleWithMutationDetector() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	informer, err := FooKind(client).NewInformer(cache.WithMutationDetector())
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		defer cancel()
		if err := cache.WaitForCacheSync(ctx, informer); err != nil {
			log.Fatal(err)
		}
		foo, _ := informer.GetStore().Get(cache.ObjectName{Namespace: "team-a", Name: "web"})
		foo.Spec.Replicas = 3 // without a DeepCopy
	}()
	defer func() { fmt.Println(recover()) }()
	informer.Run(ctx)
	// Output:
	// a reader of the cache has changed foos.example.com team-a/web, which is shared; it must change a DeepCopy instead; changed: Spec.Replicas
}
