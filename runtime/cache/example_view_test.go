package cache_test

import (
	"context"
	"fmt"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// FooSummary has some of the fields of Foo.
//
// +informer:view=Foo
type FooSummary struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		NodeName string `json:"nodeName,omitempty"`
	} `json:"spec"`
}

// DeepCopyObject is generated, too.
func (s *FooSummary) DeepCopyObject() runtime.Object {
	copied := *s
	s.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

// A view is a struct with some fields of a kind. An informer of a view never allocates the other fields, and code that
// reads them does not compile. In a program the kind is FooSummaryKind(client), which is generated.
func ExampleKind_view() {
	ctx := context.Background()
	client := NewClient(newFoo("team-a", "web", "node-1"))
	informer, err := DynamicKind[*FooSummary](client, foos, true).NewInformer()
	if err != nil {
		log.Fatal(err)
	}
	go informer.Run(ctx)
	defer informer.Stop()
	if err := cache.WaitForCacheSync(ctx, informer); err != nil {
		log.Fatal(err)
	}
	for foo := range informer.GetStore().All() {
		fmt.Println(foo.Name, "on", foo.Spec.NodeName)
	}
	// Output:
	// web on node-1
}
