package cache_test

import (
	"context"
	"fmt"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/fieldselector"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

// newFoos returns a client of a server with Foos of three teams.
func newFoos() *Client {
	return NewClient(newFoo("team-a", "web", "node-1"), newFoo("team-b", "web", "node-1"), newFoo("team-b", "db", "node-2"), newFoo("team-c", "db", "node-2"))
}

// All objects of a namespace, and some of another one, in one cache.
func ExampleWithScopes() {
	ctx := context.Background()
	client := newFoos()
	informer, err := FooKind(client).NewInformer(cache.WithScopes(
		cache.Scope{Namespace: "team-a"},
		cache.Scope{Namespace: "team-b", LabelSelector: "app=db"},
	))
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(namesOf(informer.GetStore().List()))
	// Output:
	// [team-a/web team-b/db]
}

// An informer of some namespaces needs rights in these only. Each has a Status of its own.
func ExampleWithNamespaces() {
	ctx := context.Background()
	client := newFoos()
	informer, err := FooKind(client).NewInformer(cache.WithNamespaces("team-a", "team-b"))
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	for _, scope := range informer.Status().Scopes {
		fmt.Println(scope.Namespace, scope.Status.Err)
	}
	// Output:
	// team-a <nil>
	// team-b <nil>
}

// The scopes of an informer change while it runs. Scopes that stay are not listed again.
func ExampleSharedIndexInformer_SetScopes() {
	ctx := context.Background()
	client := newFoos()
	informer, err := FooKind(client).NewInformer(cache.WithNamespaces("team-a", "team-b"))
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(namesOf(informer.GetStore().List()))

	if err := informer.SetScopes(cache.Scope{Namespace: "team-b"}, cache.Scope{Namespace: "team-c"}); err != nil {
		log.Fatal(err)
	}
	if err := cache.WaitForCacheSync(ctx, informer); err != nil { // for the list of team-c
		log.Fatal(err)
	}
	fmt.Println(namesOf(informer.GetStore().List()))
	// Output:
	// [team-a/web team-b/db team-b/web]
	// [team-b/db team-b/web team-c/db]
}

// The scopes come from a part of the program that learns them later, such as a configuration file.
func ExampleWithScopesLater() {
	ctx := context.Background()
	client := newFoos()
	informer, err := FooKind(client).NewInformer(cache.WithScopesLater())
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()

	go func() { // the other part
		if err := informer.SetScopes(cache.Scope{Namespace: "team-c"}); err != nil {
			log.Print(err)
		}
	}()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil { // for the first scopes and their lists
		log.Fatal(err)
	}
	fmt.Println(namesOf(informer.GetStore().List()))
	// Output:
	// [team-c/db]
}

// An informer follows the namespaces that have a label, as it is set and removed.
func ExampleFollowScopes() {
	ctx := context.Background()
	client := newFoos()
	err := client.Server.Add(&metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: "team-b", Labels: map[string]string{"foos": "enabled"}},
	})
	if err != nil {
		log.Fatal(err)
	}

	resource := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	namespaces, err := DynamicKind[*metav1.PartialObjectMetadata](client, resource, false).NewInformer(cache.WithLabelSelector("foos=enabled"))
	if err != nil {
		log.Fatal(err)
	}
	informer, err := FooKind(client).NewInformer(cache.WithScopesLater())
	if err != nil {
		log.Fatal(err)
	}
	go namespaces.Run(ctx)
	defer namespaces.Stop()
	go informer.Run(ctx)
	defer informer.Stop()
	go cache.FollowScopes(ctx, informer, cache.ScopesOf(namespaces, func(n *metav1.PartialObjectMetadata) ([]cache.Scope, error) {
		return []cache.Scope{{Namespace: n.Name}}, nil
	}))
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(namesOf(informer.GetStore().List()))
	// Output:
	// [team-b/db team-b/web]
}

// The server selects by a field. The generated clientset has a constant for each selectable field of your kinds.
func ExampleWithFieldSelector() {
	const nodeName fieldselector.Field[*Foo, string] = "spec.nodeName"

	ctx := context.Background()
	client := newFoos()
	informer, err := FooKind(client).NewInformer(cache.WithFieldSelector(nodeName.Is("node-2")))
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(namesOf(informer.GetStore().List()))
	// Output:
	// [team-b/db team-c/db]
}

// Two processes divide the objects by their namespaces. Each runs one of these informers.
func ExampleWithShard() {
	ctx := context.Background()
	client := newFoos()
	for _, shard := range sharding.Split(sharding.SpreadNamespace, 2) {
		informer, err := FooKind(client).NewInformer(cache.WithShard(shard))
		if err != nil {
			log.Fatal(err)
		}
		go informer.Run(ctx)
		if err := cache.WaitForCacheSync(ctx, informer); err != nil {
			log.Fatal(err)
		}
		fmt.Println(namesOf(informer.GetStore().List()))
		informer.Stop()
	}
	// Output:
	// [team-b/db team-b/web]
	// [team-a/web team-c/db]
}
