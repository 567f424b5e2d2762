package controller_test

import (
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	applydatav1 "github.com/typedinformers/informer-gen/examples/operator/generated/applyconfiguration/api/v1"
)

// TestWritesOfOthersStay has a second controller, with a condition in the status of a Database and
// a label on a server. The operator owns neither, and leaves both when it writes.
func TestWritesOfOthersStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, class("postgres", 100))
		c.run()
		c.create(database("orders", "postgres", 20))
		c.expect("orders", datav1.DatabasePending, datav1.ReasonServersNotReady, "")

		backup := metav1.ApplyOptions{FieldManager: "backup"}
		condition := applymetav1.Condition().WithType("BackedUp").WithStatus(metav1.ConditionTrue).
			WithReason("Finished").WithMessage("").WithLastTransitionTime(metav1.Now())
		status := applydatav1.Database("orders", namespace).WithStatus(applydatav1.DatabaseStatus().WithConditions(condition))
		if _, err := c.client.DataV1().Databases(namespace).ApplyStatus(t.Context(), status, backup); err != nil {
			t.Fatal(err)
		}
		label := applydatav1.DatabaseServer("orders-0", namespace).WithLabels(map[string]string{"backup": "nightly"})
		if _, err := c.client.DataV1().DatabaseServers(namespace).Apply(t.Context(), label, backup); err != nil {
			t.Fatal(err)
		}

		c.edit("orders", func(db *datav1.Database) { db.Spec.StorageGi = 30 })
		c.report("orders-0", true)
		db := c.expect("orders", datav1.DatabaseReady, datav1.ReasonProvisioned, ordersAt)
		if !meta.IsStatusConditionTrue(db.Status.Conditions, "BackedUp") {
			t.Errorf("the conditions are %+v", db.Status.Conditions)
		}
		server := c.getServer("orders-0")
		if server.Labels["backup"] != "nightly" || server.Spec.StorageGi != 30 {
			t.Errorf("the server has the labels %v and %d Gi", server.Labels, server.Spec.StorageGi)
		}
		applied, err := applydatav1.ExtractDatabaseStatus(db, "database-operator")
		if err != nil {
			t.Fatal(err)
		}
		if conditions := applied.Status.Conditions; len(conditions) != 1 || *conditions[0].Type != datav1.ConditionReady {
			t.Errorf("the operator owns %d conditions", len(conditions))
		}
	})
}
