package cache_test

import (
	"context"
	"fmt"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/writes"
)

// A kind that is known only at run time, as unstructured objects. DynamicKind is generated.
func ExampleKind_unstructured() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	informer, err := DynamicKind[*unstructured.Unstructured](client, foos, true).NewInformer()
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	for foo := range informer.GetStore().All() {
		node, _, err := unstructured.NestedString(foo.Object, "spec", "nodeName")
		fmt.Println(foo.GetKind(), foo.GetName(), node, err)
	}
	// Output:
	// Foo web node-1 <nil>
}

// Metadata only: the server sends nothing else.
func ExampleKind_metadata() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	informer, err := DynamicKind[*metav1.PartialObjectMetadata](client, foos, true).NewInformer()
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	for foo := range informer.GetStore().All() {
		fmt.Println(foo.Name, foo.Labels)
	}
	// Output:
	// web map[app:web]
}

// Code for any kind takes a GenericInformer, such as those of ForResource of a generated factory.
func ExampleNewGenericInformer() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"), newFoo("team-b", "db", "node-2"))
	informer, err := FooKind(client).NewInformer()
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()

	generic := cache.NewGenericInformer(informer)
	if err := cache.WaitForCacheSync(ctx, generic.Informer()); err != nil {
		log.Fatal(err)
	}
	objects, err := generic.Lister().ByNamespace("team-a").List(labels.Everything())
	fmt.Println(namesOf(objects), err)
	// Output:
	// [team-a/web] <nil>
}

// A transform drops what the program does not read before an object is stored.
func ExampleWithTransform() {
	ctx := context.Background()
	web := newFoo("team-a", "web", "node-1")
	web.Spec.Notes = "a long text"
	informer, err := FooKind(NewClient(web)).NewInformer(cache.WithTransform(func(foo *Foo) (*Foo, error) {
		foo.Spec.Notes = ""
		return foo, nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	foo, _ := informer.GetStore().Get(cache.ObjectName{Namespace: "team-a", Name: "web"})
	fmt.Printf("%q\n", foo.Spec.Notes)
	// Output:
	// ""
}

// What is left out is never allocated, unlike what a transform drops.
func ExampleWithoutFields() {
	const applied = "kubectl.kubernetes.io/last-applied-configuration"
	ctx := context.Background()
	web := newFoo("team-a", "web", "node-1")
	web.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl", Operation: metav1.ManagedFieldsOperationApply}}
	web.Annotations = map[string]string{applied: "the whole object", "example.com/owner": "ada"}

	factory := cache.NewSharedInformerFactory(0, cache.WithoutUpdateGuard(), cache.WithoutFields("metadata.managedFields", "metadata.annotations["+applied+"]"))
	defer factory.Shutdown()
	informer := cache.InformerFor(factory, FooKind(NewClient(web)))
	factory.Start(ctx)
	if err := factory.WaitForCacheSync(ctx); err != nil {
		log.Fatal(err)
	}
	foo, _ := informer.GetStore().Get(cache.ObjectName{Namespace: "team-a", Name: "web"})
	fmt.Println(foo.ManagedFields, foo.Annotations)
	// Output:
	// [] map[example.com/owner:ada]
}

// A controller that reads few fields keeps no others.
func ExampleWithFields() {
	ctx := context.Background()
	web := newFoo("team-a", "web", "node-1")
	web.Labels, web.Spec.Notes = map[string]string{"app": "web", "tier": "front"}, "a long text"

	factory := cache.NewSharedInformerFactory(0, cache.WithoutUpdateGuard(),
		cache.WithOptionsFor[*Foo](cache.WithFields("metadata.labels[app]", "spec.nodeName")))
	defer factory.Shutdown()
	informer := cache.InformerFor(factory, FooKind(NewClient(web)))
	factory.Start(ctx)
	if err := factory.WaitForCacheSync(ctx); err != nil {
		log.Fatal(err)
	}
	foo, _ := informer.GetStore().Get(cache.ObjectName{Namespace: "team-a", Name: "web"})
	fmt.Printf("%v %s %q\n", foo.Labels, foo.Spec.NodeName, foo.Spec.Notes)
	// Output:
	// map[app:web] node-1 ""
}

// By default one object that cannot be decoded fails the list. With this option, Status lists it.
func ExampleWithSkipUndecodable() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	err := client.Server.Add(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Foo",
		"metadata": map[string]any{"namespace": "team-a", "name": "db"},
		"spec":     map[string]any{"replicas": "many"},
	}})
	if err != nil {
		log.Fatal(err)
	}

	informer, err := FooKind(client).NewInformer(cache.WithSkipUndecodable())
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	status := informer.Status()
	fmt.Println(status.Objects, "object")
	for _, bad := range status.Undecodable {
		fmt.Println(bad.Namespace, bad.Name, bad.Path) // bad.Err is the reason
	}
	// Output:
	// 1 object
	// team-a db /spec/replicas
}

// Listers have the result of a write when the call returns. This server shows it to watches later.
func ExampleWithReadYourWrites() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	own := &writes.Observer{}
	client.Wrap(own.Transport) // config.Wrap(own.Transport), before clients are made of a rest.Config

	factory := cache.NewSharedInformerFactory(0, cache.WithReadYourWrites(own))
	defer factory.Shutdown()
	informer := cache.InformerFor(factory, FooKind(client))
	factory.Start(ctx)
	if err := factory.WaitForCacheSync(ctx); err != nil {
		log.Fatal(err)
	}

	client.Server.HoldWatches("foos")
	lister := cache.NewLister(informer.GetIndexer(), foos.GroupResource()).Namespace("team-a")
	foo, err := lister.Get("web")
	if err != nil {
		log.Fatal(err)
	}
	foo = foo.DeepCopy()
	foo.Spec.Replicas = 3
	if _, err := client.Foos("team-a").Update(ctx, foo, metav1.UpdateOptions{}); err != nil {
		log.Fatal(err)
	}
	foo, err = lister.Get("web")
	fmt.Println(foo.Spec.Replicas, err)
	// Output:
	// 3 <nil>
}
