// Package smoke uses what is generated, as a program would.
package smoke

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	fleetv1 "github.com/typedinformers/informer-gen/testdata/apis/fleet/v1"
	shopv1 "github.com/typedinformers/informer-gen/testdata/apis/shop/v1"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/testdata/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/testdata/generated/informers/externalversions"
)

func order(name, customer string) *shopv1.Order {
	return &shopv1.Order{
		ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: name},
		Spec:       shopv1.OrderSpec{Customer: customer},
	}
}

// TestFakeClientset goes from the fake clientset through a factory to listers, and
// through the expansions that were written by hand.
func TestFakeClientset(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := fake.NewSimpleClientset(order("tea", "ann"), order("ink", "bob"),
		&fleetv1.Type{ObjectMeta: metav1.ObjectMeta{Namespace: "east", Name: "tug"}})

	factory := informers.NewSharedInformerFactory(client, 0)
	orders := factory.Shop().V1().Orders()
	types := factory.Vessels().V1().Types()
	orders.Informer()
	types.Informer()
	factory.Start(ctx)
	defer factory.Shutdown()
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}

	if tea, err := orders.Lister().Orders("east").Get("tea"); err != nil || tea.Spec.Customer != "ann" {
		t.Errorf("tea is %v, %v", tea, err)
	}
	if _, err := orders.Lister().Orders("west").Get("tea"); !apierrors.IsNotFound(err) {
		t.Errorf("an order that is not there gives %v", err)
	}
	if ofBob, err := orders.Lister().OfCustomer("bob"); err != nil || len(ofBob) != 1 || ofBob[0].Name != "ink" {
		t.Errorf("the orders of bob are %v, %v", ofBob, err)
	}
	if all, err := types.Lister().List(labels.Everything()); err != nil || len(all) != 1 {
		t.Errorf("the types are %v, %v", all, err)
	}
	if tea, err := client.ShopV1().Orders("east").Cancel(ctx, "tea"); err != nil || tea.Status.Phase != "Cancelled" {
		t.Errorf("tea, cancelled, is %v, %v", tea, err)
	}
}

// TestForResource asks for informers by their resources.
func TestForResource(t *testing.T) {
	factory := informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0)
	defer factory.Shutdown()
	for resource, want := range map[string]bool{"orders": true, "stock-levels": true, "stocks": false, "vouchers": false} {
		if _, err := factory.ForResource(shopv1.SchemeGroupVersion.WithResource(resource)); (err == nil) != want {
			t.Errorf("ForResource of %s says %v", resource, err)
		}
	}
}

// TestClientset makes the real one.
func TestClientset(t *testing.T) {
	var client versioned.Interface
	client, err := versioned.NewForConfig(&rest.Config{Host: "http://localhost:1"})
	if err != nil {
		t.Fatal(err)
	}
	if url := client.ShopV1().RESTClient().Get().Namespace("east").Resource("orders").URL().Path; url != "/apis/shop.example.com/v1/namespaces/east/orders" {
		t.Errorf("orders are at %s", url)
	}
	_ = client.ShopV1().Orders("east")
	_ = client.ShopV1().Shops()
}
