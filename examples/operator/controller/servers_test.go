package controller_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/typedinformers/informer-gen/apitest"
	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	"github.com/typedinformers/informer-gen/runtime/cache"
	"github.com/typedinformers/informer-gen/runtime/sharding"
)

func TestServersFollowTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100))
		c.run()
		orders := database("orders", "postgres", 20)
		orders.Spec.Replicas = 3
		c.create(orders)
		c.expectServers("orders-0", "orders-1", "orders-2")
		server := c.getServer("orders-1")
		if want := (datav1.DatabaseServerSpec{DatabaseName: "orders", StorageGi: 20, Port: 5432}); server.Spec != want {
			t.Errorf("the server is %+v, want %+v", server.Spec, want)
		}
		if !metav1.IsControlledBy(server, c.get("orders")) {
			t.Errorf("the owners of the server are %+v", server.OwnerReferences)
		}

		// The status follows from the servers.
		c.report("orders-0", true)
		c.report("orders-1", true)
		db := c.expect("orders", datav1.DatabasePending, datav1.ReasonServersNotReady, "")
		if got := db.Status.Conditions[0].Message; db.Status.ReadyReplicas != 2 || got != "2 of 3 servers are ready" {
			t.Errorf("readyReplicas is %d, %s", db.Status.ReadyReplicas, got)
		}
		c.report("orders-2", true)
		c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, ordersAt)
		c.report("orders-0", false)
		c.expect("orders", datav1.DatabasePending, datav1.ReasonServersNotReady, "")
		c.report("orders-0", true)

		// They follow from the spec.
		c.edit("orders", func(db *datav1.Database) { db.Spec.Replicas, db.Spec.StorageGi = 1, 30 })
		db = c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, ordersAt)
		c.expectServers("orders-0")
		if got := c.getServer("orders-0").Spec.StorageGi; got != 30 || db.Status.ReadyReplicas != 1 {
			t.Errorf("the server has %d Gi, and readyReplicas is %d", got, db.Status.ReadyReplicas)
		}
	})
}

func TestServersAreRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20))
		c.run()
		c.expectServers("orders-0")
		first := c.getServer("orders-0")
		c.deleteServer("orders-0")
		c.expectServers("orders-0")
		second := c.getServer("orders-0")
		if first.UID == second.UID {
			t.Fatal("the server was not deleted")
		}
		second.Spec.Port = 1
		if _, err := c.client.DataV1().DatabaseServers(namespace).Update(t.Context(), second, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		c.runAll()
		if got := c.getServer("orders-0").Spec.Port; got != 5432 {
			t.Errorf("an edited server has port %d", got)
		}
	})
}

// TestServersOfOthers has a server in the way, which the controller must not touch. The owners do not
// exist, so the test needs a cluster in which the garbage collector has not come yet.
func TestServersOfOthers(t *testing.T) {
	isController := true
	for name, c := range map[string]struct {
		owners []metav1.OwnerReference
		says   string
	}{
		"no owner":         {nil, "controlled by nothing"},
		"another database": {[]metav1.OwnerReference{{APIVersion: "data.example.com/v1", Kind: "Database", Name: "users", UID: "other", Controller: &isController}}, "controlled by Database users"},
		"another kind":     {[]metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "orders", UID: "other", Controller: &isController}}, "controlled by StatefulSet orders"},
		"an earlier database of the name": {
			[]metav1.OwnerReference{{APIVersion: "data.example.com/v1", Kind: "Database", Name: "orders", UID: "earlier", Controller: &isController}}, "controlled by Database orders"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				foreign := &datav1.DatabaseServer{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "orders-0", OwnerReferences: c.owners}}
				server := apitest.Start(t, apitest.WithScheme(scheme.Scheme), apitest.WithoutGarbageCollection())
				cluster := newClusterOn(t, server, class("postgres", 100), foreign)
				cluster.run()
				before := cluster.getServer("orders-0")
				cluster.create(database("orders", "postgres", 20))
				db := cluster.expect("orders", datav1.DatabaseFailed, datav1.ReasonServerConflict, "")
				message := db.Status.Conditions[0].Message
				if !strings.Contains(message, "orders-0") || !strings.Contains(message, c.says) {
					t.Errorf("the message does not say %q: %s", c.says, message)
				}
				cluster.expectEvents("Warning ServerConflict " + message)
				cluster.report("orders-0", true) // which is not about orders
				before.Status.Ready = true
				cluster.expect("orders", datav1.DatabaseFailed, datav1.ReasonServerConflict, "")

				cluster.delete("orders")
				cluster.expectServers("orders-0")
				after := cluster.getServer("orders-0")
				before.ResourceVersion, before.ManagedFields = after.ResourceVersion, after.ManagedFields // of the status
				if !equality.Semantic.DeepEqual(before, after) {
					t.Errorf("the server of another owner was changed to %+v", after)
				}

				cluster.create(database("orders", "postgres", 20))
				cluster.runAll()
				cluster.deleteServer("orders-0")
				cluster.expect("orders", datav1.DatabasePending, datav1.ReasonServersNotReady, "")
				cluster.expectServers("orders-0")
			})
		})
	}
}

// TestServerOfAnotherProcess has a server in the way that is not cached: the process of its owner has it.
func TestServerOfAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		isController := true
		foreign := &datav1.DatabaseServer{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "orders-0", OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "data.example.com/v1", Kind: "Database", Name: "users", UID: "other", Controller: &isController},
		}}}
		server := apitest.Start(t, apitest.WithScheme(scheme.Scheme), apitest.WithoutGarbageCollection())
		cluster := newClusterOn(t, server, class("postgres", 100), foreign, database("orders", "postgres", 20))
		stored, err := cluster.client.DataV1().DatabaseClasses().Get(t.Context(), "postgres", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		shop, err := cluster.kube.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var ranges []sharding.Range
		for _, uid := range []types.UID{cluster.get("orders").UID, stored.UID, shop.UID} {
			hash := sharding.Hash(string(uid))
			ranges = append(ranges, sharding.Range{First: hash, Last: hash})
		}
		shard, err := sharding.New(sharding.Owner, ranges...)
		if err != nil {
			t.Fatal(err)
		}
		cluster.run(cache.WithShard(shard))
		db := cluster.expect("orders", datav1.DatabaseFailed, datav1.ReasonServerConflict, "")
		message := "server orders-0 already exists and is controlled by Database users"
		if got := db.Status.Conditions[0].Message; got != message {
			t.Errorf("the message is %q, want %q", got, message)
		}
		cluster.expectEvents("Warning ServerConflict " + message)
		cluster.deleteServer("orders-0")
		cluster.expectServers()
		time.Sleep(time.Minute)
		cluster.expect("orders", datav1.DatabasePending, datav1.ReasonServersNotReady, "")
		cluster.expectServers("orders-0")
	})
}
