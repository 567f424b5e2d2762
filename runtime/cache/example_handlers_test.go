package cache_test

import (
	"context"
	"fmt"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Handlers of an informer get each change in the order of the server. OnDelete always has the last known object.
func ExampleResourceEventHandlerFuncs() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	informer, err := FooKind(client).NewInformer()
	if err != nil {
		log.Fatal(err)
	}

	deleted := make(chan struct{})
	handle, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*Foo]{
		AddFunc: func(foo *Foo, isInInitialList bool) { fmt.Println("added:", foo.Name, isInInitialList) },
		UpdateFunc: func(oldFoo, newFoo *Foo) {
			fmt.Println("updated:", oldFoo.Spec.Replicas, "to", newFoo.Spec.Replicas)
		},
		DeleteFunc: func(foo *Foo, finalStateUnknown bool) {
			fmt.Println("deleted:", foo.Name, finalStateUnknown)
			close(deleted)
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, handle); err != nil { // the handler has returned from its last initial event
		log.Fatal(err)
	}

	foo, _ := informer.GetStore().Get(cache.ObjectName{Namespace: "team-a", Name: "web"})
	foo = foo.DeepCopy() // the cached object is shared
	foo.Spec.Replicas = 3
	if _, err := client.Foos("team-a").Update(ctx, foo, metav1.UpdateOptions{}); err != nil {
		log.Fatal(err)
	}
	if err := client.Foos("team-a").Delete(ctx, "web", metav1.DeleteOptions{}); err != nil {
		log.Fatal(err)
	}
	<-deleted
	// Output:
	// added: web true
	// updated: 1 to 3
	// deleted: web false
}

// The handler gets an add when an object begins to match, and a delete when it no longer does.
func ExampleFilteringResourceEventHandler() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"), newFoo("team-a", "db", "node-2"))
	informer, err := FooKind(client).NewInformer()
	if err != nil {
		log.Fatal(err)
	}

	left := make(chan struct{})
	handle, err := informer.AddEventHandler(cache.FilteringResourceEventHandler[*Foo]{
		FilterFunc: func(foo *Foo) bool { return foo.Spec.NodeName == "node-1" },
		Handler: cache.ResourceEventHandlerFuncs[*Foo]{
			AddFunc: func(foo *Foo, _ bool) { fmt.Println(foo.Name, "is on node-1") },
			DeleteFunc: func(foo *Foo, _ bool) {
				fmt.Println(foo.Name, "was on", foo.Spec.NodeName)
				close(left)
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, handle); err != nil {
		log.Fatal(err)
	}
	web, _ := informer.GetStore().Get(cache.ObjectName{Namespace: "team-a", Name: "web"})
	web = web.DeepCopy()
	web.Spec.NodeName = "node-3"
	if _, err := client.Foos("team-a").Update(ctx, web, metav1.UpdateOptions{}); err != nil {
		log.Fatal(err)
	}
	<-left
	// Output:
	// web is on node-1
	// web was on node-1
}

// If more events wait for a slow handler than the limit, those of one object are merged, from the first to the last
// state.
func ExampleWithBacklogLimit() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	informer, err := FooKind(client).NewInformer()
	if err != nil {
		log.Fatal(err)
	}
	updates, deployed, free := 0, make(chan struct{}), make(chan struct{})
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*Foo]{
		AddFunc: func(*Foo, bool) { <-free }, // takes long
		UpdateFunc: func(_, newFoo *Foo) {
			updates++
			if newFoo.Spec.Replicas == 10 {
				close(deployed)
			}
		},
	}, cache.WithBacklogLimit(1), cache.WithHandlerName("deployer"))
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}

	for range 9 {
		foo, _ := informer.GetStore().Get(cache.ObjectName{Namespace: "team-a", Name: "web"})
		foo = foo.DeepCopy()
		foo.Spec.Replicas++
		if foo, err = client.Foos("team-a").Update(ctx, foo, metav1.UpdateOptions{}); err != nil {
			log.Fatal(err)
		}
		if err := informer.WaitFor(ctx, foo.ResourceVersion); err != nil { // the cache has the update
			log.Fatal(err)
		}
	}
	close(free)
	<-deployed
	fmt.Println("fewer than 9 updates:", updates < 9)
	// Output:
	// fewer than 9 updates: true
}

// A handler that is added to an informer that runs gets all cached objects first, and then each change.
func ExampleSharedIndexInformer_AddEventHandler() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	informer, err := FooKind(client).NewInformer()
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}

	added := make(chan string, 10)
	handle, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*Foo]{
		AddFunc: func(foo *Foo, isInInitialList bool) { added <- fmt.Sprint(foo.Name, " ", isInInitialList) },
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Foos("team-a").Create(ctx, newFoo("team-a", "db", "node-2"), metav1.CreateOptions{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-added)
	fmt.Println(<-added)

	if err := informer.RemoveEventHandler(handle); err != nil {
		log.Fatal(err)
	}
	<-handle.Gone() // it is not running, and is not called again
	// Output:
	// web true
	// db false
}

// A handler that panics ends the program by default. With this option, the handler continues with the next event, and
// the informer reports the panic.
func ExampleWithHandlerPanicRecovery() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	reported := make(chan struct{})
	informer, err := FooKind(client).NewInformer(
		cache.WithHandlerPanicRecovery(),
		cache.WithStatusHandler(func(_ context.Context, change status.Change) {
			if change.New.Reason == status.HandlerPanic && change.Old.Reason != status.HandlerPanic {
				fmt.Println(change.New.Phase, change.New.Err)
				close(reported)
			}
		}),
	)
	if err != nil {
		log.Fatal(err)
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*Foo]{
		AddFunc: func(foo *Foo, _ bool) { panic("no such node: " + foo.Spec.NodeName) },
	}, cache.WithHandlerName("scheduler"))
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	<-reported
	informer.Stop()
	// Output:
	// Degraded handler scheduler panicked on team-a/web: no such node: node-1
}
