package e2e

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/controller"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
	"github.com/typedinformers/informer-gen/runtime/cache"
)

// TestOperator runs the example's controller, and follows what it writes with
// informers of the test's own.
func TestOperator(t *testing.T) {
	client := clientOf(t, shared)
	ctx := within(t)
	factory := informers.NewSharedInformerFactory(client, 0, informers.WithNamespace("operated"))
	c, err := controller.New(client, factory)
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	factory.Start(running)
	go func() { ended <- c.Run(running, 2) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		factory.Shutdown()
	}()

	states := make(chan *datav1.Database, 100)
	startFactory(t, client, func(f informers.SharedInformerFactory) {
		_, err := f.Data().V1().Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
			AddFunc:    func(db *datav1.Database, _ bool) { states <- db },
			UpdateFunc: func(_, db *datav1.Database) { states <- db },
		})
		if err != nil {
			t.Fatal(err)
		}
	}, informers.WithNamespace("operated"))
	await := func(phase datav1.DatabasePhase) *datav1.Database {
		t.Helper()
		for {
			select {
			case db := <-states:
				if db.Status.Phase == phase {
					return db
				}
			case <-ctx.Done():
				t.Fatalf("no database became %s", phase)
			}
		}
	}

	databases := client.DataV1().Databases("operated")
	if _, err := databases.Create(ctx, database("orders", 10), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(datav1.DatabasePending) // its class is not there yet
	class := &datav1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "small"},
		Spec: datav1.DatabaseClassSpec{MaxStorageGi: 50, Domain: "db.example.com", Port: 5432}}
	if class, err = client.DataV1().DatabaseClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	ready := await(datav1.DatabaseReady)
	if want := "orders.operated.db.example.com:5432"; ready.Status.Endpoint != want || ready.Status.ObservedGeneration != ready.Generation {
		t.Errorf("status is %+v, want endpoint %s", ready.Status, want)
	}
	class.Spec.MaxStorageGi = 5
	if _, err = client.DataV1().DatabaseClasses().Update(ctx, class, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(datav1.DatabaseFailed)
}
