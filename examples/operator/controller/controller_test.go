package controller_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/typedinformers/informer-gen/runtime/cache"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/examples/operator/controller"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/fake"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
)

const namespace = "shop"

func database(name, class string, storageGi int32) *datav1.Database {
	return &datav1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Generation: 1},
		Spec:       datav1.DatabaseSpec{ClassName: class, StorageGi: storageGi, Replicas: 1},
	}
}

func class(name string, maxStorageGi int32) *datav1.DatabaseClass {
	return &datav1.DatabaseClass{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       datav1.DatabaseClassSpec{MaxStorageGi: maxStorageGi, Domain: "db.example.com", Port: 5432},
	}
}

// cluster is a fake API server with a Controller on it.
type cluster struct {
	t      *testing.T
	client *fake.Clientset
	writes atomic.Int32 // how often a status was written
}

func newCluster(t *testing.T, objects ...runtime.Object) *cluster {
	t.Helper()
	c := &cluster{t: t, client: fake.NewSimpleClientset(objects...)}
	c.client.PrependReactor("update", "databases", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() == "status" && c.writes.Add(1) > 100 {
			t.Error("the status is written over and over")
			return true, nil, errors.New("enough") // ends the loop, and so the test
		}
		return false, nil, nil
	})
	return c
}

// run starts a Controller, which ends with the test.
func (c *cluster) run(options ...informers.SharedInformerOption) {
	c.t.Helper()
	factory := informers.NewSharedInformerFactory(c.client, 0, options...)
	operator, err := controller.New(c.client, factory)
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(c.t.Context())
	factory.Start(ctx)
	ended := make(chan error, 1)
	go func() { ended <- operator.Run(ctx, 2) }()
	c.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			c.t.Errorf("Run: %v", err)
		}
		factory.Shutdown()
	})
}

// settle returns when nothing is left to do for anyone, without a clock: each
// test is a synctest bubble.
func (c *cluster) settle() { synctest.Wait() }

func (c *cluster) create(obj any) {
	c.t.Helper()
	var err error
	switch obj := obj.(type) {
	case *datav1.Database:
		_, err = c.client.DataV1().Databases(obj.Namespace).Create(c.t.Context(), obj, metav1.CreateOptions{})
	case *datav1.DatabaseClass:
		_, err = c.client.DataV1().DatabaseClasses().Create(c.t.Context(), obj, metav1.CreateOptions{})
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// expect fails the test unless a Database has settled with this status.
func (c *cluster) expect(name string, phase datav1.DatabasePhase, reason, endpoint string) *datav1.Database {
	c.t.Helper()
	c.settle()
	db, err := c.client.DataV1().Databases(namespace).Get(c.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	if db.Status.Phase != phase || db.Status.Endpoint != endpoint {
		c.t.Errorf("%s is %q at %q, want %q at %q", name, db.Status.Phase, db.Status.Endpoint, phase, endpoint)
	}
	if db.Status.ObservedGeneration != db.Generation {
		c.t.Errorf("%s: observedGeneration is %d, want %d", name, db.Status.ObservedGeneration, db.Generation)
	}
	ready := meta.FindStatusCondition(db.Status.Conditions, datav1.ConditionReady)
	if ready == nil {
		c.t.Fatalf("%s has no condition Ready", name)
	}
	if isTrue := ready.Status == metav1.ConditionTrue; ready.Reason != reason || isTrue != (phase == datav1.DatabaseReady) {
		c.t.Errorf("%s: Ready is %s with reason %s, want reason %s", name, ready.Status, ready.Reason, reason)
	}
	return db
}

const ordersAt = "orders.shop.db.example.com:5432"

func TestReadyAndThenQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100))
		c.run()
		c.create(database("orders", "postgres", 20))
		c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, ordersAt)

		time.Sleep(time.Hour) // of the bubble: watches end and begin meanwhile
		if writes := c.writes.Load(); writes != 1 {
			t.Errorf("the status was written %d times, want once", writes)
		}
	})
}

func TestThereBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20))
		c.run()
		c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, ordersAt)
	})
}

func TestTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100))
		c.run()
		c.create(database("orders", "postgres", 101))
		db := c.expect("orders", datav1.DatabaseFailed, datav1.ReasonTooLarge, "")
		if got := db.Status.Conditions[0].Message; !strings.Contains(got, "101 Gi") || !strings.Contains(got, "100 Gi") {
			t.Errorf("the message does not say what was asked for and what there is: %s", got)
		}

		db.Spec.StorageGi, db.Generation = 100, 2
		if _, err := c.client.DataV1().Databases(namespace).Update(t.Context(), db, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, ordersAt)
	})
}

func TestClassComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.run()
		c.create(database("orders", "postgres", 20))
		c.expect("orders", datav1.DatabasePending, datav1.ReasonClassNotFound, "")
		c.create(class("mysql", 100))
		c.expect("orders", datav1.DatabasePending, datav1.ReasonClassNotFound, "")
		c.create(class("postgres", 100))
		c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, ordersAt)
	})
}

func TestClassChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), class("mysql", 100),
			database("orders", "postgres", 20), database("users", "postgres", 80), database("logs", "mysql", 80))
		c.run()
		c.settle()
		before := c.writes.Load()

		smaller := class("postgres", 50)
		smaller.Spec.Port = 6432
		if _, err := c.client.DataV1().DatabaseClasses().Update(t.Context(), smaller, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, "orders.shop.db.example.com:6432")
		c.expect("users", datav1.DatabaseFailed, datav1.ReasonTooLarge, "")
		if writes := c.writes.Load() - before; writes != 2 {
			t.Errorf("the status was written %d times for the two databases of the class", writes)
		}

		if err := c.client.DataV1().DatabaseClasses().Delete(t.Context(), "postgres", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		c.expect("orders", datav1.DatabasePending, datav1.ReasonClassNotFound, "")
		c.expect("users", datav1.DatabasePending, datav1.ReasonClassNotFound, "")
		c.expect("logs", datav1.DatabaseReady, datav1.ReasonProvisioned, "logs.shop.db.example.com:5432")
	})
}

func TestDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20), database("users", "postgres", 20))
		c.run()
		c.settle()
		before := c.writes.Load()
		if err := c.client.DataV1().Databases(namespace).Delete(t.Context(), "orders", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		c.settle()
		if writes := c.writes.Load() - before; writes != 0 {
			t.Errorf("%d statuses were written because of a delete", writes)
		}

		// The index has forgotten it: a change of its class concerns the other only.
		if err := c.client.DataV1().DatabaseClasses().Delete(t.Context(), "postgres", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		c.expect("users", datav1.DatabasePending, datav1.ReasonClassNotFound, "")
		if writes := c.writes.Load() - before; writes != 1 {
			t.Errorf("%d statuses were written, want 1", writes)
		}
	})
}

func TestFailedWritesAreRepeated(t *testing.T) {
	resource := datav1.Resource("databases")
	for name, failure := range map[string]error{
		"conflict":     apierrors.NewConflict(resource, "orders", errors.New("it has changed")),
		"server error": apierrors.NewInternalError(errors.New("etcd is away")),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t, class("postgres", 100))
				var attempts atomic.Int32
				c.client.PrependReactor("update", "databases", func(clienttesting.Action) (bool, runtime.Object, error) {
					return attempts.Add(1) <= 3, nil, failure
				})
				c.run()
				c.create(database("orders", "postgres", 20))
				time.Sleep(time.Minute) // of the bubble
				c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, ordersAt)
				if got := attempts.Load(); got != 4 {
					t.Errorf("the status was written %d times, want 3 in vain and 1 more", got)
				}
			})
		})
	}
}

func TestOtherNamespacesAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20))
		c.run(informers.WithNamespace("another"))
		c.settle()
		if writes := c.writes.Load(); writes != 0 {
			t.Errorf("%d statuses were written in a namespace that is not served", writes)
		}
	})
}

func TestRunSaysWhatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewSimpleClientset()
		client.PrependReactor("list", "databaseclasses", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(datav1.Resource("databaseclasses"), "", errors.New("no role allows it"))
		})
		factory := informers.NewSharedInformerFactory(client, 0)
		defer factory.Shutdown()
		operator, err := controller.New(client, factory)
		if err != nil {
			t.Fatal(err)
		}
		factory.Start(t.Context())
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		err = operator.Run(ctx, 1)
		var notSynced *cache.NotSyncedError
		if !errors.As(err, &notSynced) || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Run returned %v, want a NotSyncedError because of the deadline", err)
		}
		for _, want := range []string{"databaseclasses.data.example.com", "Forbidden", "no role allows it"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the error does not say %q:\n%v", want, err)
			}
		}
	})
}

// TestManyAtOnce runs outside a bubble, on real threads and with real time, and
// hears of the statuses through a handler of its own.
func TestManyAtOnce(t *testing.T) {
	const count = 60
	const stall = 3 * time.Minute // without a database that becomes ready
	ctx := t.Context()
	client := fake.NewSimpleClientset(class("postgres", 100))
	factory := informers.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	operator, err := controller.New(client, factory)
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan string, 3*count)
	registration, err := factory.Data().V1().Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
		UpdateFunc: func(oldDB, newDB *datav1.Database) {
			if oldDB.Status.Phase != newDB.Status.Phase && newDB.Status.Phase == datav1.DatabaseReady {
				ready <- newDB.Name
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	runCtx, stop := context.WithCancel(ctx)
	factory.Start(runCtx)
	ended := make(chan error, 1)
	go func() { ended <- operator.Run(runCtx, 4) }()
	syncing, cancel := context.WithTimeout(ctx, stall)
	defer cancel()
	if err := cache.WaitForCacheSync(syncing, registration); err != nil {
		t.Fatal(err)
	}

	for i := range count {
		db := database(fmt.Sprintf("db-%d", i), "postgres", 1)
		if _, err := client.DataV1().Databases(namespace).Create(ctx, db, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for len(seen) < count {
		select {
		case name := <-ready:
			if seen[name] {
				t.Errorf("%s became ready twice", name)
			}
			seen[name] = true
		case <-time.After(stall):
			t.Fatalf("%d of %d databases are ready", len(seen), count)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
}
