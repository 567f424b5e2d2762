package guide

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	v1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	apiv1 "github.com/typedinformers/informer-gen/examples/operator/generated/applyconfiguration/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// request applies what this program wants of a database: its class and its size.
func request(ctx context.Context, client versioned.Interface, size int32) (*v1.Database, error) {
	orders := apiv1.Database("orders", "default").
		WithLabels(map[string]string{"team": "orders"}).
		WithSpec(apiv1.DatabaseSpec().WithClassName("small").WithStorageGi(size))
	return client.DataV1().Databases("default").Apply(ctx, orders, metav1.ApplyOptions{FieldManager: "orders-deployer"})
}

// resize changes one field of what the program has applied, and keeps the others.
func resize(ctx context.Context, client versioned.Interface, size int32) error {
	databases := client.DataV1().Databases("default")
	db, err := databases.Get(ctx, "orders", metav1.GetOptions{})
	if err != nil {
		return err
	}
	mine, err := apiv1.ExtractDatabase(db, "orders-deployer")
	if err != nil {
		return err
	}
	mine.Spec.WithStorageGi(size)
	_, err = databases.Apply(ctx, mine, metav1.ApplyOptions{FieldManager: "orders-deployer"})
	return err
}

// report applies a condition, and leaves the conditions of other controllers.
func report(ctx context.Context, client versioned.Interface, db *v1.Database, ready metav1.Condition) error {
	status := apiv1.DatabaseStatus().
		WithObservedGeneration(db.Generation).
		WithConditions(applymetav1.Condition().
			WithType(ready.Type).
			WithStatus(ready.Status).
			WithReason(ready.Reason).
			WithMessage(ready.Message).
			WithLastTransitionTime(ready.LastTransitionTime))
	_, err := client.DataV1().Databases(db.Namespace).ApplyStatus(ctx,
		apiv1.Database(db.Name, db.Namespace).WithStatus(status),
		metav1.ApplyOptions{FieldManager: "prober", Force: true})
	return err
}

func TestApply(t *testing.T) {
	client := fake.NewClientset()
	db, err := request(t.Context(), client, 20)
	if err != nil || db.Spec.StorageGi != 20 || db.Labels["team"] != "orders" {
		t.Fatalf("%+v, %v", db, err)
	}
	label(t, client, "tier", "gold") // another client writes meanwhile
	if err := resize(t.Context(), client, 50); err != nil {
		t.Fatal(err)
	}
	ready := metav1.Condition{Type: "Reachable", Status: metav1.ConditionTrue, Reason: "Probed", Message: "port 5432 answers", LastTransitionTime: metav1.Now()}
	if err := report(t.Context(), client, db, ready); err != nil {
		t.Fatal(err)
	}
	db, err = client.DataV1().Databases("default").Get(t.Context(), "orders", metav1.GetOptions{})
	if err != nil || db.Spec != (v1.DatabaseSpec{ClassName: "small", StorageGi: 50}) || db.Labels["team"] != "orders" || db.Labels["tier"] != "gold" ||
		len(db.Status.Conditions) != 1 || db.Status.Conditions[0].Message != ready.Message {
		t.Errorf("%+v, %v", db, err)
	}
}

func TestApplyConflict(t *testing.T) {
	client := fake.NewClientset()
	if _, err := request(t.Context(), client, 20); err != nil {
		t.Fatal(err)
	}
	// An autoscaler takes the field.
	bigger := apiv1.Database("orders", "default").WithSpec(apiv1.DatabaseSpec().WithStorageGi(50))
	databases := client.DataV1().Databases("default")
	_, err := databases.Apply(t.Context(), bigger, metav1.ApplyOptions{FieldManager: "autoscaler"})
	if !apierrors.IsConflict(err) {
		t.Fatalf("%v, want a conflict with orders-deployer", err)
	}
	if _, err := databases.Apply(t.Context(), bigger, metav1.ApplyOptions{FieldManager: "autoscaler", Force: true}); err != nil {
		t.Fatal(err)
	}
	// So the deployer has to leave it out, or to take it back by force.
	if _, err := request(t.Context(), client, 20); !apierrors.IsConflict(err) {
		t.Errorf("%v, want a conflict with autoscaler", err)
	}
}

func TestExtractFromLister(t *testing.T) {
	client := fake.NewClientset()
	if _, err := request(t.Context(), client, 20); err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string][]informers.SharedInformerOption{
		"with managedFields": nil, "without": {cache.WithoutFields("metadata.managedFields")},
	} {
		factory := informers.NewSharedInformerFactory(client, 0, options...)
		databases := factory.Data().V1().Databases()
		databases.Informer()
		factory.Start(t.Context())
		defer factory.Shutdown()
		if err := factory.WaitForCacheSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		db, err := databases.Lister().Databases("default").Get("orders")
		if err != nil {
			t.Fatal(err)
		}
		mine, err := apiv1.ExtractDatabase(db, "orders-deployer")
		if options == nil {
			if err != nil || *mine.Spec.StorageGi != 20 || mine.Labels["team"] != "orders" {
				t.Errorf("%s: %+v, %v", name, mine, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), "managedFields") {
			t.Errorf("%s: %+v, %v; want an error", name, mine, err)
		}
	}
}
