// Package released_test runs the generated code of a release with the runtime of this repository.
package released_test

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typedinformers/informer-gen/runtime/cache"
	applyv1 "github.com/typedinformers/informer-gen/testdata/released/v0.1.0-dev/generated/applyconfiguration/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/released/v0.1.0-dev/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/testdata/released/v0.1.0-dev/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/testdata/released/v0.1.0-dev/generated/informers/externalversions"
	shopv1 "github.com/typedinformers/informer-gen/testdata/released/v0.1.0-dev/shop/v1"
)

// timeout bounds the wait for something that does not happen.
const timeout = 5 * time.Minute

// TestInformers runs informers of two kinds and a view over each fake clientset.
func TestInformers(t *testing.T) {
	old := &shopv1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "tea", UID: "1", ResourceVersion: "1"},
		Spec: shopv1.OrderSpec{Customer: "ann", Items: []shopv1.Item{{Product: "cup"}, {Product: "pot"}}}, Status: shopv1.OrderStatus{Phase: "Open"}}
	clients := map[string]func() versioned.Interface{
		"NewClientset":       func() versioned.Interface { return fake.NewClientset(old.DeepCopy()) },
		"NewSimpleClientset": func() versioned.Interface { return fake.NewSimpleClientset(old.DeepCopy()) },
	}
	for name, newClient := range clients {
		t.Run(name, func(t *testing.T) { testInformers(t, newClient()) })
	}
}

func testInformers(t *testing.T, client versioned.Interface) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	factory := informers.NewSharedInformerFactory(client, 0, informers.WithNamespace("east"))
	orders, shops, summaries := factory.Shop().V1().Orders(), factory.Shop().V1().Shops(), factory.Shop().V1().OrderSummaries()
	added := make(chan string, 10)
	if _, err := orders.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*shopv1.Order]{
		AddFunc: func(order *shopv1.Order, _ bool) { added <- order.Name },
	}); err != nil {
		t.Fatal(err)
	}
	shops.Informer()
	summaries.Informer()
	factory.Start(ctx)
	defer factory.Shutdown()
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	coffee := &shopv1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "coffee"}, Spec: shopv1.OrderSpec{Customer: "bob"}}
	if _, err := client.ShopV1().Orders("east").Create(ctx, coffee, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"tea", "coffee"} {
		select {
		case name := <-added:
			if name != want {
				t.Errorf("the handler got %s, want %s", name, want)
			}
		case <-ctx.Done():
			t.Fatalf("the handler did not get %s", want)
		}
	}
	if all, err := orders.Lister().List(labels.Everything()); err != nil || len(all) != 2 {
		t.Errorf("List returned %v, %v", all, err)
	}
	if order, err := orders.Lister().Orders("east").Get("coffee"); err != nil || order.Spec.Customer != "bob" {
		t.Errorf("Get returned %v, %v", order, err)
	}
	if found, err := orders.Lister().ByProduct("pot"); err != nil || len(found) != 1 || found[0].Name != "tea" {
		t.Errorf("ByProduct returned %v, %v", found, err)
	}
	if found, err := orders.Lister().Orders("east").ByCustomer("bob"); err != nil || len(found) != 1 {
		t.Errorf("ByCustomer returned %v, %v", found, err)
	}
	if summary, err := summaries.Lister().OrderSummaries("east").Get("tea"); err != nil || summary.Status.Phase != "Open" {
		t.Errorf("the view has %v, %v", summary, err)
	}
	if found, err := summaries.Lister().ByPhase("Open"); err != nil || len(found) != 1 {
		t.Errorf("ByPhase returned %v, %v", found, err)
	}
	if all, err := shops.Lister().List(labels.Everything()); err != nil || len(all) != 0 {
		t.Errorf("List of shops returned %v, %v", all, err)
	}
	generic, err := factory.ForResource(shopv1.SchemeGroupVersion.WithResource("orders"))
	if err != nil {
		t.Fatal(err)
	}
	if object, err := generic.Lister().ByNamespace("east").Get("tea"); err != nil {
		t.Errorf("ForResource returned %v", err)
	} else if accessor, err := meta.Accessor(object); err != nil || accessor.GetName() != "tea" {
		t.Errorf("ForResource has %v, %v", object, err)
	}
}

// TestApply applies a configuration, and extracts it again.
func TestApply(t *testing.T) {
	client := fake.NewClientset()
	config := applyv1.Order("tea", "east").WithSpec(applyv1.OrderSpec().WithCustomer("ann").WithItems(applyv1.Item().WithProduct("cup").WithCount(2)))
	order, err := client.ShopV1().Orders("east").Apply(t.Context(), config, metav1.ApplyOptions{FieldManager: "me"})
	if err != nil {
		t.Fatal(err)
	}
	if len(order.Spec.Items) != 1 || order.Spec.Items[0].Count != 2 {
		t.Errorf("Apply returned %+v", order.Spec)
	}
	extracted, err := applyv1.ExtractOrder(order, "me")
	if err != nil {
		t.Fatal(err)
	}
	if extracted.Spec == nil || *extracted.Spec.Customer != "ann" {
		t.Errorf("ExtractOrder returned %+v", extracted.Spec)
	}
}
