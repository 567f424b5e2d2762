package smoke

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	depotv1 "github.com/typedinformers/informer-gen/testdata/split/api/depot/v1"
	fleetv1 "github.com/typedinformers/informer-gen/testdata/split/api/fleet/v1"
	routev1 "github.com/typedinformers/informer-gen/testdata/split/exp/depot/v1"
	"github.com/typedinformers/informer-gen/testdata/split/generated/applyconfiguration"
	applydepotv1 "github.com/typedinformers/informer-gen/testdata/split/generated/applyconfiguration/api/depot/v1"
	applyroutev1 "github.com/typedinformers/informer-gen/testdata/split/generated/applyconfiguration/exp/depot/v1"
	applyfleetv1 "github.com/typedinformers/informer-gen/testdata/split/generated/applyconfiguration/fleet/v1"
	"github.com/typedinformers/informer-gen/testdata/split/generated/clientset/versioned/fake"
	"github.com/typedinformers/informer-gen/testdata/split/generated/clientset/versioned/scheme"
	splitv1 "github.com/typedinformers/informer-gen/testdata/split/generated/clientset/versioned/typed/split/v1"
	informers "github.com/typedinformers/informer-gen/testdata/split/generated/informers/externalversions"
)

// TestSplit uses the kinds of one group version that are in three packages, with both fake clientsets.
func TestSplit(t *testing.T) {
	t.Run("NewClientset", func(t *testing.T) { testSplit(t, fake.NewClientset(depot()), true) })
	t.Run("NewSimpleClientset", func(t *testing.T) { testSplit(t, fake.NewSimpleClientset(depot()), false) })
}

func depot() *depotv1.Depot {
	return &depotv1.Depot{ObjectMeta: metav1.ObjectMeta{Name: "north"}, Spec: depotv1.DepotSpec{Address: depotv1.Address{City: "Oslo"}}}
}

func testSplit(t *testing.T, clientset *fake.Clientset, applies bool) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var client splitv1.SplitV1Interface = clientset.SplitV1()
	meta := metav1.ObjectMeta{Namespace: "east", Name: "a"}
	if _, err := client.Trucks("east").Create(ctx, &fleetv1.Truck{ObjectMeta: meta, Spec: fleetv1.TruckSpec{Depot: "north"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Routes("east").Create(ctx, &routev1.Route{ObjectMeta: meta}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if applies {
		applySplit(ctx, t, client)
	}

	factory := informers.NewSharedInformerFactory(clientset, 0)
	v1 := factory.Split().V1()
	for _, resource := range []string{"depots", "trucks", "routes"} {
		if _, err := factory.ForResource(schema.GroupVersionResource{Group: "split.example.com", Version: "v1", Resource: resource}); err != nil {
			t.Error(err)
		}
	}
	v1.ParkedTrucks().Informer()
	factory.Start(ctx)
	defer factory.Shutdown()
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	if trucks, err := v1.Trucks().Lister().ByDepot("north"); err != nil || len(trucks) != 1 {
		t.Errorf("the trucks of the depot are %v, %v", trucks, err)
	}
	if parked, err := v1.ParkedTrucks().Lister().ParkedTrucks("east").Get("a"); err != nil || parked.Spec.Depot != "north" {
		t.Errorf("the parked truck is %v, %v", parked, err)
	}
	if found, err := v1.Depots().Lister().Get("north"); err != nil || found.Spec.Address.City != "Oslo" {
		t.Errorf("the depot is %v, %v", found, err)
	}
	if routes, err := v1.Routes().Lister().List(labels.Everything()); err != nil || len(routes) != 1 {
		t.Errorf("the routes are %v, %v", routes, err)
	}
}

// applySplit applies a field of each kind.
func applySplit(ctx context.Context, t *testing.T, client splitv1.SplitV1Interface) {
	t.Helper()
	opts := metav1.ApplyOptions{FieldManager: "test", Force: true}
	position := applyfleetv1.Position().WithLatitude("60 N").WithLongitude("11 E")
	truck, err := client.Trucks("east").ApplyStatus(ctx, applyfleetv1.Truck("a", "east").WithStatus(applyfleetv1.TruckStatus().WithPosition(position)), opts)
	if err != nil || truck.Status.Position == nil || truck.Status.Position.Latitude != "60 N" {
		t.Errorf("the truck with a status is %v, %v", truck, err)
	}
	north, err := client.Depots().Apply(ctx, applydepotv1.Depot("north").WithSpec(applydepotv1.DepotSpec().WithRamps(applydepotv1.Position().WithFloor(2))), opts)
	if err != nil || len(north.Spec.Ramps) != 1 || north.Spec.Address.City != "Oslo" {
		t.Errorf("the depot with a ramp is %v, %v", north, err)
	}
	route, err := client.Routes("east").Apply(ctx, applyroutev1.Route("a", "east").WithSpec(applyroutev1.RouteSpec().WithDepots("north")), opts)
	if err != nil || len(route.Spec.Depots) != 1 {
		t.Errorf("the route with a depot is %v, %v", route, err)
	}
}

// TestSplitScheme looks for the kinds of all packages.
func TestSplitScheme(t *testing.T) {
	for _, kind := range []string{"Depot", "DepotList", "Route", "RouteList", "Truck", "TruckList"} {
		gvk := schema.GroupVersionKind{Group: "split.example.com", Version: "v1", Kind: kind}
		if !scheme.Scheme.Recognizes(gvk) {
			t.Errorf("the scheme does not have %v", gvk)
		}
	}
	for kind, want := range map[string]bool{"Depot": true, "Route": true, "Truck": true, "TruckStatus": true, "DepotSpec": true, "Train": false} {
		gvk := schema.GroupVersionKind{Group: "split.example.com", Version: "v1", Kind: kind}
		if found := applyconfiguration.ForKind(gvk) != nil; found != want {
			t.Errorf("ForKind(%v) finds an apply configuration: %v", gvk, found)
		}
	}
}
