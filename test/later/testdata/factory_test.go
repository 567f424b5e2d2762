package generated

import (
	"context"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"

	"example.com/generated/clientset/versioned/fake"
	"example.com/generated/informers/externalversions"
)

// TestFactory runs an informer of a factory, and reads its objects in each way that client-go has.
func TestFactory(t *testing.T) {
	order := &shopv1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "tea"}}
	client := fake.NewClientset(order)
	factory := externalversions.NewSharedInformerFactory(client, time.Hour)
	orders := factory.Shop().V1().Orders()
	added := make(chan string, 2)
	registration, err := orders.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		added <- obj.(*shopv1.Order).Name
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer factory.Shutdown()
	defer cancel()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), registration.HasSynced, orders.Informer().GetController().HasSynced) {
		t.Fatal("it does not sync")
	}
	if name := <-added; name != "tea" {
		t.Errorf("the handler got %s", name)
	}
	order.Name = "ink"
	if err := client.Tracker().Add(order); err != nil {
		t.Fatal(err)
	}
	if name := <-added; name != "ink" {
		t.Errorf("the handler got %s", name)
	}
	generic, err := factory.ForResource(shopv1.SchemeGroupVersion.WithResource("orders"))
	if err != nil {
		t.Fatal(err)
	}
	if list, err := orders.Lister().Orders("east").List(labels.Everything()); err != nil || len(list) != 2 {
		t.Errorf("the lister has %v, %v", list, err)
	}
	if list, err := generic.Lister().ByNamespace("east").List(labels.Everything()); err != nil || len(list) != 2 {
		t.Errorf("the generic lister has %v, %v", list, err)
	}
	if list, err := orders.Informer().GetIndexer().ByIndex(cache.NamespaceIndex, "east"); err != nil || len(list) != 2 {
		t.Errorf("the indexer has %v, %v", list, err)
	}
	if list := orders.Informer().GetStore().List(); len(list) != 2 {
		t.Errorf("the store has %v", list)
	}
}

// TestUnknownMethod calls the method that the test has added to client-go.
func TestUnknownMethod(t *testing.T) {
	factory := externalversions.NewSharedInformerFactory(fake.NewClientset(), time.Hour)
	informer := factory.Shop().V1().Orders().Informer()
	defer func() {
		if cause, stack := recover(), string(debug.Stack()); cause == nil || !strings.Contains(stack, "LaterSharedIndexInformer") {
			t.Errorf("it panicked with %v, and the stack does not name the method:\n%s", cause, stack)
		}
	}()
	informer.LaterSharedIndexInformer()
}
