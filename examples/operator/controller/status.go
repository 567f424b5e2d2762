package controller

import (
	"fmt"
	"net"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	viewsv1 "github.com/typedinformers/informer-gen/examples/operator/api/views/v1"
	applydatav1 "github.com/typedinformers/informer-gen/examples/operator/generated/applyconfiguration/api/v1"
)

// observation has what the status of a Database depends on, besides the Database.
type observation struct {
	class       *viewsv1.DatabaseClassSummary // nil if it does not exist
	terminating bool                          // whether the namespace is being deleted
	servers     []*datav1.DatabaseServer      // the servers that the Database controls
	conflict    *datav1.DatabaseServer        // has the name of such a server, but another owner or none; or nil
}

// allow reports whether the servers of db may be created and changed. Servers that exist
// stay as they are if not.
func (o observation) allow(db *datav1.Database) bool {
	return o.class != nil && !o.terminating && db.Spec.StorageGi <= o.class.Spec.MaxStorageGi
}

// statusOf returns the status that db should have. If nothing has changed, it equals the
// status of db, times included.
func statusOf(db *datav1.Database, seen observation) datav1.DatabaseStatus {
	status := *db.Status.DeepCopy()
	status.ObservedGeneration = db.Generation
	status.Endpoint = ""
	status.ReadyReplicas = 0
	for _, server := range seen.servers {
		if server.Status.Ready && server.DeletionTimestamp == nil {
			status.ReadyReplicas++
		}
	}
	ready := metav1.Condition{
		Type:               datav1.ConditionReady,
		Status:             metav1.ConditionFalse,
		ObservedGeneration: db.Generation,
	}
	status.Phase, ready.Reason, ready.Message = judge(db, seen, status.ReadyReplicas)
	if status.Phase == datav1.DatabaseReady {
		ready.Status = metav1.ConditionTrue
		status.Endpoint = endpointOf(db, seen.class)
		ready.Message = "answers at " + status.Endpoint
	}
	meta.SetStatusCondition(&status.Conditions, ready)
	return status
}

// statusToApply returns what the operator applies of a status: the fields that it owns. The
// conditions of other controllers, which status has too, are theirs. The apply fails with a
// conflict if db has changed meanwhile.
func statusToApply(db *datav1.Database, status datav1.DatabaseStatus) *applydatav1.DatabaseApplyConfiguration {
	config := applydatav1.DatabaseStatus().
		WithPhase(status.Phase).
		WithEndpoint(status.Endpoint).
		WithReadyReplicas(status.ReadyReplicas).
		WithObservedGeneration(status.ObservedGeneration)
	if ready := meta.FindStatusCondition(status.Conditions, datav1.ConditionReady); ready != nil {
		config.WithConditions(applymetav1.Condition().
			WithType(ready.Type).
			WithStatus(ready.Status).
			WithObservedGeneration(ready.ObservedGeneration).
			WithLastTransitionTime(ready.LastTransitionTime).
			WithReason(ready.Reason).
			WithMessage(ready.Message))
	}
	return applydatav1.Database(db.Name, db.Namespace).WithResourceVersion(db.ResourceVersion).WithStatus(config)
}

// judge returns the phase of db, and the reason and message of its condition.
func judge(db *datav1.Database, seen observation, readyReplicas int32) (phase datav1.DatabasePhase, reason, message string) {
	class := seen.class
	switch {
	case db.DeletionTimestamp != nil:
		return datav1.DatabaseDeleting, datav1.ReasonDeleting, fmt.Sprintf("servers left: %d", len(seen.servers))
	case seen.terminating:
		return datav1.DatabasePending, datav1.ReasonNamespaceTerminating, fmt.Sprintf("namespace %s is being deleted", db.Namespace)
	case class == nil:
		return datav1.DatabasePending, datav1.ReasonClassNotFound, fmt.Sprintf("there is no DatabaseClass %q yet", db.Spec.ClassName)
	case db.Spec.StorageGi > class.Spec.MaxStorageGi:
		return datav1.DatabaseFailed, datav1.ReasonTooLarge, fmt.Sprintf("%d Gi are requested, and class %s has at most %d Gi", db.Spec.StorageGi, class.Name, class.Spec.MaxStorageGi)
	case seen.conflict != nil:
		return datav1.DatabaseFailed, datav1.ReasonServerConflict, fmt.Sprintf("server %s already exists and is controlled by %s", seen.conflict.Name, controllerOf(seen.conflict))
	case readyReplicas < db.Spec.Replicas:
		return datav1.DatabasePending, datav1.ReasonServersNotReady, fmt.Sprintf("%d of %d servers are ready", readyReplicas, db.Spec.Replicas)
	}
	return datav1.DatabaseReady, datav1.ReasonProvisioned, ""
}

func controllerOf(server *datav1.DatabaseServer) string {
	owner := metav1.GetControllerOf(server)
	if owner == nil {
		return "nothing"
	}
	return owner.Kind + " " + owner.Name
}

func endpointOf(db *datav1.Database, class *viewsv1.DatabaseClassSummary) string {
	host := db.Name + "." + db.Namespace + "." + class.Spec.Domain
	return net.JoinHostPort(host, strconv.Itoa(int(class.Spec.Port)))
}
