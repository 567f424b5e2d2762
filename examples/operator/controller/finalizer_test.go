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
	c.runAll()
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
		c.runAll()
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

// TestGarbageCollectorIsFirst is kubectl delete --cascade=foreground: the garbage collector deletes
// the servers before the controller hears of the deletion.
func TestGarbageCollectorIsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const backup = "example.com/backup" // of another program
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20))
		c.client.Server().LagWatches("*", time.Second)
		c.run()
		c.expectServers("orders-0")
		c.edit("orders", func(db *datav1.Database) { db.Finalizers = append(db.Finalizers, backup) })
		c.runAll()
		c.deleteWith("orders", metav1.DeletePropagationForeground)
		if _, err := c.client.DataV1().DatabaseServers(namespace).Get(t.Context(), "orders-0", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("the garbage collector has left the server: %v", err)
		}
		c.runAll()
		if got := c.get("orders").Finalizers; !slices.Equal(got, []string{backup}) {
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
		c.deleteWith("orders", metav1.DeletePropagationOrphan)
		c.expectGone("orders")
		c.expectServers("orders-0")
		if owners := c.getServer("orders-0").OwnerReferences; len(owners) > 0 {
			t.Errorf("the server has the owners %+v", owners)
		}
	})
}

// TestOwnerIsGone deletes a Database whose finalizer someone has removed. The garbage collector
// deletes its servers.
func TestOwnerIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100), database("orders", "postgres", 20))
		c.client.Server().HoldWatches("databases") // the controller does not put the finalizer back
		c.edit("orders", func(db *datav1.Database) { db.Labels = map[string]string{"a": "b"} })
		c.run()
		c.expectServers("orders-0")
		c.edit("orders", func(db *datav1.Database) { db.Finalizers = nil })
		c.delete("orders")
		c.expectServers()
	})
}
