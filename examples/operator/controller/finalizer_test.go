package controller_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
)

func (c *cluster) expectGone(name string) {
	c.t.Helper()
	c.settle()
	if _, err := c.client.DataV1().Databases(namespace).Get(c.t.Context(), name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		c.t.Errorf("%s is still there: %v", name, err)
	}
}

func TestServersAreGoneBeforeTheirDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20), database("users", "postgres", 20))
		c.run()
		c.expectServers("orders-0", "users-0")
		if got := c.get("orders").Finalizers; !slices.Equal(got, []string{datav1.Finalizer}) {
			t.Errorf("the finalizers are %q", got)
		}
		var order []string
		for _, action := range c.client.Actions() {
			if verb := action.GetVerb(); verb == "patch" || verb == "create" && action.GetResource().Resource == "databaseservers" {
				order = append(order, verb)
			}
		}
		if order[0] != "patch" {
			t.Errorf("a server was created before the finalizer was there: %q", order)
		}

		// The agent keeps a server until it has stopped it.
		server := c.getServer("orders-0")
		server.Finalizers = []string{"example.com/agent"}
		if _, err := c.client.DataV1().DatabaseServers(namespace).Update(t.Context(), server, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		c.expectEvents("Normal ServersNotReady 0 of 1 servers are ready", "Normal ServersNotReady 0 of 1 servers are ready")
		c.delete("orders")
		c.expect("orders", datav1.DatabaseDeleting, datav1.ReasonDeleting, "")
		c.expectEvents("Normal Deleting servers left: 1")
		server = c.getServer("orders-0")
		server.Finalizers = nil
		if _, err := c.client.DataV1().DatabaseServers(namespace).Update(t.Context(), server, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		c.expectGone("orders")
		c.expectServers("users-0")
		c.expectEvents("Normal Deleted all servers are deleted")
	})
}

func TestDeletedWithoutServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, database("orders", "postgres", 20))
		c.run()
		c.settle()
		c.delete("orders")
		c.expectGone("orders")
		writes := c.writes.Load()

		// The index has forgotten it.
		c.create(class("postgres", 100))
		c.expectServers()
		if c.writes.Load() != writes {
			t.Error("the status of a deleted database was written")
		}
	})
}

// TestGarbageCollectorIsFirst has a server deleted by another program at the same time.
func TestGarbageCollectorIsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20))
		c.server.Lag = time.Second
		c.run()
		c.expectServers("orders-0")
		c.edit("orders", func(db *datav1.Database) { db.Finalizers = append(db.Finalizers, metav1.FinalizerDeleteDependents) })
		c.settle()
		c.delete("orders")
		c.deleteServer("orders-0") // the controller does not know yet
		c.settle()
		if got := c.get("orders").Finalizers; !slices.Equal(got, []string{metav1.FinalizerDeleteDependents}) {
			t.Errorf("the finalizers are %q, want those of others", got)
		}
		c.edit("orders", func(db *datav1.Database) { db.Finalizers = nil })
		c.expectGone("orders")
	})
}

// TestOrphans is kubectl delete --cascade=orphan: the garbage collector takes the owner off
// the servers, which stay.
func TestOrphans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20))
		c.run()
		c.expectServers("orders-0")
		c.edit("orders", func(db *datav1.Database) {
			db.Finalizers = append(db.Finalizers, metav1.FinalizerOrphanDependents)
		})
		c.delete("orders")
		c.expectServers("orders-0")
		server := c.getServer("orders-0")
		server.OwnerReferences = nil
		if _, err := c.client.DataV1().DatabaseServers(namespace).Update(t.Context(), server, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		c.edit("orders", func(db *datav1.Database) { db.Finalizers = []string{datav1.Finalizer} })
		c.expectGone("orders")
		c.expectServers("orders-0")
	})
}
