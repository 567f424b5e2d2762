package cache_test

import (
	"context"
	"fmt"
	"log"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// NewInformer returns a cache with one handler, and the informer that fills it.
func ExampleNewInformer() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := NewClient(newFoo("team-a", "web", "node-1"))

	store, controller, err := cache.NewInformer(FooKind(client), cache.ResourceEventHandlerFuncs[*Foo]{
		AddFunc: func(foo *Foo, _ bool) {
			fmt.Println("added", foo.Name)
			cancel()
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	controller.Run(ctx)
	fmt.Println(store.Len(), "object")
	// Output:
	// added web
	// 1 object
}

// perNode counts objects, as an exporter of metrics does: it keeps a node and not an object for each name.
type perNode struct {
	nodes map[cache.ObjectName]string
	count map[string]int
}

func (p *perNode) Replace(foos []*Foo) {
	p.nodes, p.count = map[cache.ObjectName]string{}, map[string]int{}
	for _, foo := range foos {
		p.Add(foo)
	}
}

func (p *perNode) Add(foo *Foo) {
	p.nodes[cache.MetaObjectToName(foo)] = foo.Spec.NodeName
	p.count[foo.Spec.NodeName]++
}

func (p *perNode) Update(foo *Foo) {
	p.Delete(foo)
	p.Add(foo)
}

func (p *perNode) Delete(foo *Foo) {
	name := cache.MetaObjectToName(foo)
	p.count[p.nodes[name]]--
	delete(p.nodes, name)
}

// printing prints the metric after each change.
type printing struct {
	*perNode
	enough context.CancelFunc
}

func (p printing) Replace(foos []*Foo) {
	p.perNode.Replace(foos)
	fmt.Println(p.count)
	p.enough()
}

// A Reflector copies a collection to a store of the program, here to one that counts objects and keeps none.
func ExampleNewReflector() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := NewClient(newFoo("team-a", "web", "node-1"), newFoo("team-a", "db", "node-1"), newFoo("team-a", "cron", "node-2"))

	metrics := printing{&perNode{}, cancel}
	reflector, err := cache.NewReflector(FooKind(client), metrics)
	if err != nil {
		log.Fatal(err)
	}
	reflector.Run(ctx)
	fmt.Println("stopped")
	// Output:
	// map[node-1:2 node-2:1]
	// stopped
}
