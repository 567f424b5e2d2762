package controller

import (
	"fmt"
	"net"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	viewsv1 "github.com/typedinformers/informer-gen/examples/operator/api/views/v1"
)

// statusOf returns the status that db should have. class is nil if there is none
// of that name. Where nothing has changed, the status equals the one of db, times
// included.
func statusOf(db *datav1.Database, class *viewsv1.DatabaseClassSummary) datav1.DatabaseStatus {
	status := *db.Status.DeepCopy()
	status.ObservedGeneration = db.Generation
	status.Endpoint = ""
	ready := metav1.Condition{
		Type:               datav1.ConditionReady,
		Status:             metav1.ConditionFalse,
		ObservedGeneration: db.Generation,
	}
	switch {
	case class == nil:
		status.Phase = datav1.DatabasePending
		ready.Reason = datav1.ReasonClassNotFound
		ready.Message = fmt.Sprintf("there is no DatabaseClass %q yet", db.Spec.ClassName)
	case db.Spec.StorageGi > class.Spec.MaxStorageGi:
		status.Phase = datav1.DatabaseFailed
		ready.Reason = datav1.ReasonTooLarge
		ready.Message = fmt.Sprintf("%d Gi are asked for, and class %s has at most %d Gi", db.Spec.StorageGi, class.Name, class.Spec.MaxStorageGi)
	default:
		status.Phase = datav1.DatabaseReady
		status.Endpoint = endpointOf(db, class)
		ready.Status = metav1.ConditionTrue
		ready.Reason = datav1.ReasonProvisioned
		ready.Message = "answers at " + status.Endpoint
	}
	meta.SetStatusCondition(&status.Conditions, ready)
	return status
}

func endpointOf(db *datav1.Database, class *viewsv1.DatabaseClassSummary) string {
	host := db.Name + "." + db.Namespace + "." + class.Spec.Domain
	return net.JoinHostPort(host, strconv.Itoa(int(class.Spec.Port)))
}
