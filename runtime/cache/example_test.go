package cache_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// A program makes a factory, adds handlers, starts all informers and waits for their caches. FooKind is generated, as
// is a factory in which the informer is factory.Example().V1().Foos().Informer().
func Example() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))

	factory := cache.NewSharedInformerFactory(0)
	defer factory.Shutdown() // returns when all handlers have

	informer := cache.InformerFor(factory, FooKind(client))
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*Foo]{
		AddFunc: func(foo *Foo, isInInitialList bool) { fmt.Println("added", foo.Name, "on", foo.Spec.NodeName) },
	})
	if err != nil {
		log.Fatal(err)
	}
	factory.Start(ctx)
	if err := factory.WaitForCacheSync(ctx); err != nil {
		log.Fatal(err) // names each informer that is not synced, and the reason
	}

	lister := cache.NewLister(informer.GetIndexer(), foos.GroupResource())
	foo, err := lister.Namespace("team-a").Get("web") // *Foo
	fmt.Println(foo.Spec.Replicas, err)
	_, err = lister.Namespace("team-a").Get("db")
	fmt.Println(apierrors.IsNotFound(err))
	// Output:
	// added web on node-1
	// 1 <nil>
	// true
}

// An informer without generated informers, over a typed client.
func ExampleNewSharedIndexInformer() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"), newFoo("team-b", "db", "node-2"))

	kind := cache.Kind[*Foo]{
		Resource:   foos, // for logs, errors and Status
		Namespaced: true,
		ListWatch: func(namespace string) cache.ListerWatcher[*Foo] {
			return cache.NewListWatch[*Foo](client.Foos(namespace))
		},
	}
	informer, err := cache.NewSharedIndexInformer(kind, cache.WithNamespace("team-a"))
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop() // returns when Run has
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	for foo := range informer.GetStore().All() {
		fmt.Println(foo.Namespace, foo.Name)
	}
	// Output:
	// team-a web
}

// A single informer of a generated kind, without a factory. It takes the options of factories.
func ExampleKind_NewInformer() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"), newFoo("team-b", "db", "node-2"))

	informer, err := FooKind(client).NewInformer(cache.WithNamespace("team-b"), cache.WithLabelSelector("app=db"))
	if err != nil {
		log.Fatal(err) // a mistake in the options
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	foo, exists := informer.GetIndexer().Get(cache.ObjectName{Namespace: "team-b", Name: "db"})
	fmt.Println(foo.Spec.NodeName, exists)
	// Output:
	// node-2 true
}

// Options of a factory are for all kinds, and those of For for one.
func ExampleNewSharedInformerFactory() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"), newFoo("team-a", "db", "node-2"), newFoo("team-b", "web", "node-1"))

	factory := cache.NewSharedInformerFactory(0,
		cache.WithNamespace("team-a"),
		cache.WithOptionsFor[*Foo](cache.WithLabelSelector("app=web")),
	)
	defer factory.Shutdown()
	informer := cache.InformerFor(factory, FooKind(client)) // the same informer for each caller
	factory.Start(ctx)
	if err := factory.WaitForCacheSync(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(namesOf(informer.GetStore().List()))
	// Output:
	// [team-a/web]
}

// A mistake in options is an error that says what to write instead.
func ExampleOptionError() {
	nodes := DynamicKind[*metav1.PartialObjectMetadata](NewClient(), schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, false)
	_, err := nodes.NewInformer(cache.WithNamespace("team-a"))

	var mistake *cache.OptionError
	if errors.As(err, &mistake) {
		fmt.Println(mistake.Err)
	}
	// Output:
	// nodes is cluster-scoped, so it has no namespace "team-a"; remove the option, or the namespace of the scope
}

// A part of a program that comes and goes leases an informer. Without leases, the informer stops.
func ExampleAcquire() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	factory := cache.NewSharedInformerFactory(0)
	defer factory.Shutdown()
	factory.Start(ctx)

	lease, err := cache.Acquire(factory, FooKind(client))
	if err != nil {
		log.Fatal(err)
	}
	if err := lease.WaitForCacheSync(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(lease.Informer().GetStore().Len(), "object")

	lease.Release() // removes the handlers of the lease, stops the informer, and frees its cache
	for status := range factory.Statuses() {
		fmt.Println(status.Resource, "still runs")
	}
	// Output:
	// 1 object
}

// A cache without a server, for a unit test of code that reads listers.
func ExampleNewIndexer() {
	indexer := cache.NewIndexer(cache.Indexers[*Foo]{})
	indexer.Add(newFoo("team-a", "web", "node-1"))

	lister := cache.NewLister(indexer, foos.GroupResource())
	foo, err := lister.Namespace("team-a").Get("web")
	fmt.Println(foo.Name, err)
	// Output:
	// web <nil>
}
