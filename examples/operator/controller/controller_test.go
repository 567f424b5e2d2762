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

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/typedinformers/informer-gen/runtime/cache"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	informers "github.com/typedinformers/informer-gen/examples/operator/generated/informers/externalversions"
)

const ordersAt = "orders.shop.db.example.com:5432"

func TestReadyAndThenQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100))
		c.run()
		c.create(database("orders", "postgres", 20))
		c.expect("orders", datav1.DatabasePending, datav1.ReasonServersNotReady, "")
		c.report("orders-0", true)
		c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, ordersAt)
		c.expectEvents("Normal ServersNotReady 0 of 1 servers are ready", "Normal Provisioned answers at "+ordersAt)

		before := len(c.client.Actions())
		time.Sleep(time.Hour) // of the bubble: handlers get each object again every ten minutes
		for _, action := range c.client.Actions()[before:] {
			if verb := action.GetVerb(); verb != "list" && verb != "watch" {
				t.Errorf("%s %s, although nothing has changed", verb, action.GetResource().Resource)
			}
		}
		c.expectEvents()
	})
}

func TestThereBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20))
		c.run()
		c.expect("orders", datav1.DatabasePending, datav1.ReasonServersNotReady, "")
	})
}

func TestTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100))
		c.run()
		c.create(database("orders", "postgres", 101))
		db := c.expect("orders", datav1.DatabaseFailed, datav1.ReasonTooLarge, "")
		if got := db.Status.Conditions[0].Message; !strings.Contains(got, "101 Gi") || !strings.Contains(got, "100 Gi") {
			t.Errorf("the message does not say what was requested and what there is: %s", got)
		}
		c.expectServers()
		if len(db.Finalizers) > 0 {
			t.Errorf("a database without servers has finalizers %q", db.Finalizers)
		}
		c.expectEvents("Warning TooLarge " + db.Status.Conditions[0].Message)

		c.edit("orders", func(db *datav1.Database) { db.Spec.StorageGi = 100 })
		c.expect("orders", datav1.DatabasePending, datav1.ReasonServersNotReady, "")
		c.expectServers("orders-0")
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
		c.expect("orders", datav1.DatabasePending, datav1.ReasonServersNotReady, "")
	})
}

func TestClassChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), class("mysql", 100),
			database("orders", "postgres", 20), database("users", "postgres", 80), database("logs", "mysql", 80))
		c.run()
		c.runAll()
		for _, server := range []string{"orders-0", "users-0", "logs-0"} {
			c.report(server, true)
		}
		c.runAll()
		before := c.writes.Load()

		c.editClass("postgres", func(class *datav1.DatabaseClassSpec) { class.MaxStorageGi, class.Port = 50, 6432 })
		c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, "orders.shop.db.example.com:6432")
		c.expect("users", datav1.DatabaseFailed, datav1.ReasonTooLarge, "")
		if writes := c.writes.Load() - before; writes != 2 {
			t.Errorf("the status was written %d times for the two databases of the class", writes)
		}
		if changed, kept := c.getServer("orders-0").Spec.Port, c.getServer("users-0").Spec.Port; changed != 6432 || kept != 5432 {
			t.Errorf("the servers have the ports %d and %d, want the new one, and the old one where the class is too small", changed, kept)
		}
		c.editClass("postgres", func(class *datav1.DatabaseClassSpec) { class.Description = "new" })
		c.runAll()
		if writes := c.writes.Load() - before; writes != 2 {
			t.Error("a description changed the status of a database")
		}

		if err := c.client.DataV1().DatabaseClasses().Delete(t.Context(), "postgres", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		c.expect("orders", datav1.DatabasePending, datav1.ReasonClassNotFound, "")
		c.expect("users", datav1.DatabasePending, datav1.ReasonClassNotFound, "")
		c.expect("logs", datav1.DatabaseReady, datav1.ReasonProvisioned, "logs.shop.db.example.com:5432")
		c.expectServers("logs-0", "orders-0", "users-0") // no data are lost
	})
}

func TestNamespaceIsTerminating(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20))
		c.run()
		c.runAll()
		c.report("orders-0", true)
		c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, ordersAt)
		terminating := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Status: corev1.NamespaceStatus{Phase: corev1.NamespaceTerminating}}
		if _, err := c.kube.CoreV1().Namespaces().UpdateStatus(t.Context(), terminating, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		c.expect("orders", datav1.DatabasePending, datav1.ReasonNamespaceTerminating, "")
		c.create(database("users", "postgres", 20))
		c.expect("users", datav1.DatabasePending, datav1.ReasonNamespaceTerminating, "")
		c.expectServers("orders-0")

		c.delete("orders") // as the namespace controller does
		c.expectServers()
	})
}

func TestFailedWritesAreRepeated(t *testing.T) {
	databases, servers := datav1.Resource("databases"), datav1.Resource("databaseservers")
	for name, c := range map[string]struct {
		verb, resource string
		failure        error
	}{
		"conflict":     {"patch", "databases/status", apierrors.NewConflict(databases, "orders", errors.New("it has changed"))},
		"server error": {"patch", "databases/status", apierrors.NewInternalError(errors.New("etcd is away"))},
		"finalizer":    {"patch", "databases", apierrors.NewConflict(databases, "orders", errors.New("it has changed"))},
		"quota":        {"create", "databaseservers", apierrors.NewForbidden(servers, "orders-0", errors.New("exceeded quota"))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cluster := newCluster(t, class("postgres", 100))
				var attempts atomic.Int32
				cluster.client.PrependReactor(c.verb, c.resource, func(clienttesting.Action) (bool, runtime.Object, error) {
					return attempts.Add(1) <= 3, nil, c.failure
				})
				cluster.run()
				cluster.create(database("orders", "postgres", 20))
				cluster.expect("orders", datav1.DatabasePending, datav1.ReasonServersNotReady, "")
				// One more may come from a cache that has not heard of the success.
				if got := attempts.Load(); got < 4 {
					t.Errorf("there were %d attempts, want 3 in vain and 1 more", got)
				}
			})
		})
	}
}

// TestCacheIsBehind finds nothing done twice when the cache has each change a second later.
func TestCacheIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100))
		c.client.Server().LagWatches("*", time.Second)
		c.run()
		c.create(database("orders", "postgres", 20))
		c.expectServers("orders-0")
		c.report("orders-0", true)
		c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, ordersAt)
		c.delete("orders")
		c.expectServers()
		c.expectEvents("Normal ServersNotReady 0 of 1 servers are ready", "Normal Provisioned answers at "+ordersAt,
			"Normal Deleting servers left: 1", "Normal Deleted all servers are deleted")
	})
}

func TestOtherNamespacesAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20))
		c.run(informers.WithNamespace("another"))
		c.runAll()
		if writes := c.writes.Load(); writes != 0 {
			t.Errorf("%d statuses were written in a namespace that is not served", writes)
		}
		c.expectServers()
	})
}

func TestRunSaysWhatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.client.PrependReactor("list", "databaseclasses", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(datav1.Resource("databaseclasses"), "", errors.New("no role allows it"))
		})
		operator, start := c.controller()
		start(t.Context())
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		err := operator.Run(ctx, 1)
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

// TestManyAtOnce runs outside a bubble, on real threads and with real time.
func TestManyAtOnce(t *testing.T) {
	const count = 200
	const stall = 3 * time.Minute // without a database that becomes ready
	ctx := t.Context()
	c := newCluster(t, class("postgres", 100))
	operator, start := c.controller()
	ready, created := make(chan string, 3*count), make(chan string, 3*count)
	factory := informers.NewSharedInformerFactory(c.client, 0)
	defer factory.Shutdown()
	databases, err := factory.Data().V1().Databases().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.Database]{
		UpdateFunc: func(oldDB, newDB *datav1.Database) {
			if oldDB.Status.Phase != newDB.Status.Phase && newDB.Status.Phase == datav1.DatabaseReady {
				ready <- newDB.Name
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	servers, err := factory.Data().V1().DatabaseServers().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs[*datav1.DatabaseServer]{
		AddFunc: func(server *datav1.DatabaseServer, _ bool) { created <- server.Name },
	})
	if err != nil {
		t.Fatal(err)
	}
	runCtx, stop := context.WithCancel(ctx)
	factory.Start(runCtx)
	start(runCtx)
	ended := make(chan error, 1)
	go func() { ended <- operator.Run(runCtx, 4) }()
	syncing, cancel := context.WithTimeout(ctx, stall)
	defer cancel()
	if err := cache.WaitForCacheSync(syncing, databases, servers); err != nil {
		t.Fatal(err)
	}

	for i := range count {
		c.create(database(fmt.Sprintf("db-%d", i), "postgres", 1))
	}
	seen := map[string]bool{}
	for len(seen) < count {
		select {
		case server := <-created:
			c.report(server, true)
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
