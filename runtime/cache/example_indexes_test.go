package cache_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// An index by a field. Generated listers have a method for it if the type has the marker +informer:index.
func ExampleIndexers() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"), newFoo("team-a", "db", "node-2"), newFoo("team-b", "web", "node-1"))
	informer, err := FooKind(client).NewInformer(cache.WithIndexers(cache.Indexers[*Foo]{
		"byNode": func(foo *Foo) []string { return []string{foo.Spec.NodeName} },
	}))
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}

	onNode, err := informer.GetIndexer().ByIndex("byNode", "node-1") // []*Foo
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(namesOf(onNode))
	// Output:
	// [team-a/web team-b/web]
}

// The index by namespace is always there.
func ExampleIndexer_ByIndex() {
	indexer := cache.NewIndexer[*Foo](nil)
	indexer.Replace([]*Foo{newFoo("team-a", "web", "node-1"), newFoo("team-a", "db", "node-2"), newFoo("team-b", "web", "node-1")})

	inTeamA, err := indexer.ByIndex(cache.NamespaceIndex, "team-a")
	fmt.Println(namesOf(inTeamA), err)
	_, err = indexer.ByIndex("byNode", "node-1")
	fmt.Println(errors.Is(err, cache.ErrNoIndex))
	// Output:
	// [team-a/db team-a/web] <nil>
	// true
}

// An index that is added to an informer at any time, and whose reads have no error and no name to mistype.
func ExampleAddIndex() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"), newFoo("team-a", "db", "node-2"))
	informer, err := FooKind(client).NewInformer()
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}

	byNode, err := cache.AddIndex(informer, "byNode", func(foo *Foo) []string { return []string{foo.Spec.NodeName} })
	if err != nil {
		log.Fatal(err)
	}
	for foo := range byNode.All("node-2") {
		fmt.Println(foo.Name)
	}
	// Output:
	// db
}

// All ranges over the objects of one moment and allocates nothing. The order is not defined.
func ExampleIndexer_All() {
	indexer := cache.NewIndexer[*Foo](nil)
	indexer.Replace([]*Foo{newFoo("team-a", "web", "node-1"), newFoo("team-a", "db", "node-2")})

	var replicas int32
	for foo := range indexer.All() {
		replicas += foo.Spec.Replicas
	}
	fmt.Println(replicas, "replicas")
	// Output:
	// 2 replicas
}

// AllByIndex is ByIndex without the slice.
func ExampleIndexer_AllByIndex() {
	indexer := cache.NewIndexer(cache.Indexers[*Foo]{
		"byNode": func(foo *Foo) []string { return []string{foo.Spec.NodeName} },
	})
	indexer.Replace([]*Foo{newFoo("team-a", "web", "node-1"), newFoo("team-a", "db", "node-2")})

	for foo := range indexer.AllByIndex("byNode", "node-1") {
		fmt.Println(foo.Name)
	}
	// Output:
	// web
}

// A lister reads a cache by labels, namespace and name. Generated listers do the same with the names of their kind.
func ExampleLister() {
	indexer := cache.NewIndexer[*Foo](nil)
	indexer.Replace([]*Foo{newFoo("team-a", "web", "node-1"), newFoo("team-a", "db", "node-2"), newFoo("team-b", "web", "node-1")})
	lister := cache.NewLister(indexer, foos.GroupResource())

	web, err := lister.List(labels.SelectorFromSet(labels.Set{"app": "web"}))
	fmt.Println(namesOf(web), err)
	_, err = lister.Namespace("team-b").Get("db")
	fmt.Println(err)
	// Output:
	// [team-a/web team-b/web] <nil>
	// foos.example.com "db" not found
}

// The keys of a work queue.
func ExampleObjectName() {
	name := cache.MetaObjectToName(newFoo("team-a", "web", "node-1"))
	key := name.String()
	fmt.Println(key)

	name, err := cache.ParseObjectName(key)
	fmt.Println(name.Namespace, name.Name, err)
	// Output:
	// team-a/web
	// team-a web <nil>
}
