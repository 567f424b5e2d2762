package cache_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// A Controller calls one function with the history of a collection, and keeps no cache.
func ExampleNewController() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := NewClient(newFoo("team-a", "web", "node-1"))

	controller := cache.NewController(cache.Config[*Foo]{Open: FooKind(client).Open("team-a"), Resource: foos}, func(_ context.Context, deltas cache.Deltas[*Foo]) {
		for _, delta := range deltas {
			if delta.Type == cache.Replaced {
				fmt.Println(delta.Type, len(delta.Collection.Items), "object")
			} else {
				fmt.Println(delta.Type, delta.Object.Name)
			}
		}
		cancel() // the first batch is enough here
	})
	controller.Run(ctx)
	// Output:
	// Replaced 1 object
}

// NewInformer returns a cache and the Controller that fills it, for one handler that does not block.
func ExampleNewInformer() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := NewClient(newFoo("team-a", "web", "node-1"))

	store, controller := cache.NewInformer(cache.Config[*Foo]{Open: FooKind(client).Open("team-a"), Resource: foos}, cache.ResourceEventHandlerFuncs[*Foo]{
		AddFunc: func(foo *Foo, _ bool) {
			fmt.Println("added", foo.Name)
			cancel()
		},
	})
	controller.Run(ctx)
	fmt.Println(store.Len(), "object")
	// Output:
	// added web
	// 1 object
}

// A DeltaFIFO keeps deltas in their order.
func ExampleDeltaFIFO() {
	ctx := context.Background()
	queue := &cache.DeltaFIFO[*Foo]{}
	queue.Push(
		cache.Delta[*Foo]{Type: cache.Added, Item: cache.Item[*Foo]{Object: newFoo("team-a", "web", "node-1")}},
		cache.Delta[*Foo]{Type: cache.Deleted, Item: cache.Item[*Foo]{Object: newFoo("team-a", "web", "node-1")}},
	)
	queue.Close()

	var deltas cache.Deltas[*Foo]
	for {
		var err error
		if deltas, err = queue.Pop(ctx, deltas); err != nil {
			fmt.Println(errors.Is(err, cache.ErrClosed))
			return
		}
		for _, delta := range deltas {
			fmt.Println(delta.Type, delta.Object.Name)
		}
	}
	// Output:
	// Added web
	// Deleted web
	// true
}
