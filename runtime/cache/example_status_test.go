package cache_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/cache/status"
)

// Wait for informers to have their objects, and for handlers to have returned from them.
func ExampleWaitForCacheSync() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	informer, err := FooKind(client).NewInformer()
	if err != nil {
		log.Fatal(err)
	}
	nodes := map[string]int{}
	handle, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs[*Foo]{
		AddFunc: func(foo *Foo, _ bool) { nodes[foo.Spec.NodeName]++ },
	})
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer, handle); err != nil {
		log.Fatal(err)
	}
	fmt.Println(nodes)
	// Output:
	// map[node-1:1]
}

// The error of a wait names each informer that is not synced, and the reason. Here the program stops waiting when the
// server forbids the list. Without that, the informer retries until the right is granted.
func ExampleNotSyncedError() {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	client := NewClient()
	client.Server.On("list", "foos").Forbidden()

	factory := cache.NewSharedInformerFactory(0, cache.WithStatusHandler(func(_ context.Context, change status.Change) {
		if change.New.Reason == status.Forbidden {
			cancel(change.New.Err)
		}
	}))
	defer factory.Shutdown()
	cache.InformerFor(factory, FooKind(client))
	factory.Start(context.Background())

	err := factory.WaitForCacheSync(ctx)
	var notSynced *cache.NotSyncedError
	if errors.As(err, &notSynced) {
		for _, waiting := range notSynced.Waiting {
			fmt.Println(waiting.Status.Resource.Resource, waiting.Status.Phase, waiting.Status.Reason)
		}
		fmt.Println(notSynced.Cause)
	}
	// Output:
	// foos Degraded Forbidden
	// list: foos.example.com is forbidden: User "apitest" cannot list resource "foos" in API group "example.com" at the cluster scope
}

// Status answers at any time where an informer is, since when and why.
func ExampleSharedIndexInformer_Status() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	watching := make(chan struct{})
	informer, err := FooKind(client).NewInformer(cache.WithStatusHandler(func(_ context.Context, change status.Change) {
		if change.New.Phase == status.Watching {
			close(watching)
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(informer.Status().Phase)

	go informer.Run(ctx)
	<-watching
	if err := cache.WaitForCacheSync(ctx, informer); err != nil { // the cache may be a batch behind
		log.Fatal(err)
	}
	status := informer.Status()
	fmt.Println(status.Phase, status.Objects, "object", status.Err)

	informer.Stop()
	fmt.Println(informer.Status().Phase)
	// Output:
	// Pending
	// Watching 1 object <nil>
	// Stopped
}

// Advice says what a person can do about an informer that fails, for a page or a command of a program.
func Example_advice() {
	ctx := context.Background()
	client := NewClient()
	client.Server.On("list", "foos").Forbidden()
	failed := make(chan struct{})
	factory := cache.NewSharedInformerFactory(0, cache.WithStatusHandler(func(_ context.Context, change status.Change) {
		if change.New.Reason == status.Forbidden && change.Old.Reason != status.Forbidden {
			close(failed)
		}
	}))
	defer factory.Shutdown()
	cache.InformerFor(factory, FooKind(client))
	factory.Start(ctx)
	<-failed

	for status := range factory.Statuses() {
		for _, advice := range status.Advice() {
			fmt.Println(advice.Text)
			fmt.Print(advice.Manifest)
			fmt.Println(advice.Check)
		}
	}
	// Output:
	// The server does not allow user apitest to list foos.example.com. Add the rule to a ClusterRole, and bind it to that user with a ClusterRoleBinding.
	// # a rule of a ClusterRole
	// - apiGroups: ["example.com"]
	//   resources: ["foos"]
	//   verbs: ["list", "watch"]
	// kubectl auth can-i list foos.example.com --all-namespaces --as apitest
}

// Another program, or a webhook, has reported a change: wait until the cache has it.
func ExampleSharedIndexInformer_WaitFor() {
	ctx := context.Background()
	client := NewClient()
	informer, err := FooKind(client).NewInformer()
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()

	created, err := client.Foos("team-a").Create(ctx, newFoo("team-a", "web", "node-1"), metav1.CreateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := informer.WaitFor(ctx, created.ResourceVersion); err != nil {
		log.Fatal(err) // has the state of the informer, with the reason
	}
	_, exists := informer.GetStore().Get(cache.MetaObjectToName(created))
	fmt.Println(exists)
	// Output:
	// true
}

// Each failed request calls a hook, for a log or a metric of the program. The waits before retries can be set, too.
func ExampleWithWatchErrorHandler() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	client.Server.On("list", "foos").Once().Unavailable(0)
	informer, err := FooKind(client).NewInformer(
		cache.WithWatchErrorHandler(func(_ context.Context, resource schema.GroupVersionResource, err error) {
			fmt.Println(resource.Resource, err)
		}),
		cache.WithBackoff(status.ServerError, cache.Backoff{Initial: 50 * time.Millisecond, Max: time.Minute}),
	)
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	informer.Stop() // returns after the last call of the hook
	// Output:
	// foos list: the server is currently unable to handle the request
}
