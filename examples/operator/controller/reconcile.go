package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
)

// applyOptions takes fields that others have written, such as a user with kubectl: the operator
// decides on them, and would not know what to do about a conflict.
var applyOptions = metav1.ApplyOptions{FieldManager: "database-operator", Force: true}

// reconcile does what is missing for one Database, if it is for this process.
func (c *Controller) reconcile(ctx context.Context, name cache.ObjectName) error {
	work, done, ok := c.begin(ctx, name)
	if !ok {
		return nil
	}
	defer done()
	err := c.provide(work, name)
	if work.Err() != nil && ctx.Err() == nil {
		return nil // the next process does the rest
	}
	return err
}

// provide does what is missing for one Database: the finalizer, its servers, its status,
// in this order. It writes nothing if all of them are as they should be.
func (c *Controller) provide(ctx context.Context, name cache.ObjectName) error {
	db, err := c.databases.Databases(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if db.DeletionTimestamp != nil {
		return c.finalize(ctx, db)
	}
	seen, err := c.observe(db)
	if err != nil {
		return err
	}
	if seen.allow(db) {
		if db, err = c.addFinalizer(ctx, db); err != nil {
			return err
		}
		if seen.servers, seen.conflict, err = c.syncServers(ctx, db, seen.class); err != nil {
			return err
		}
	}
	return c.writeStatus(ctx, db, statusOf(db, seen))
}

// observe reads what the servers and the status of db depend on.
func (c *Controller) observe(db *datav1.Database) (seen observation, err error) {
	if seen.class, err = c.classes.Get(db.Spec.ClassName); err != nil && !apierrors.IsNotFound(err) {
		return seen, err
	}
	namespace, err := c.namespaces.Get(db.Namespace)
	if err != nil && !apierrors.IsNotFound(err) {
		return seen, err
	}
	seen.terminating = namespace != nil && isTerminating(namespace)
	seen.servers, err = c.serversOf(db)
	return seen, err
}

// writeStatus applies the status of db if it has changed, and writes an Event if the condition
// has.
func (c *Controller) writeStatus(ctx context.Context, db *datav1.Database, status datav1.DatabaseStatus) error {
	if equality.Semantic.DeepEqual(status, db.Status) {
		return nil
	}
	before := meta.FindStatusCondition(db.Status.Conditions, datav1.ConditionReady)
	_, err := c.client.DataV1().Databases(db.Namespace).ApplyStatus(ctx, statusToApply(db, status), applyOptions)
	if apierrors.IsNotFound(err) {
		return nil // the cache will hear of it
	}
	if err != nil {
		return fmt.Errorf("cannot update the status: %w", err)
	}
	klog.FromContext(ctx).Info("Status updated", "database", klog.KObj(db), "phase", status.Phase, "endpoint", status.Endpoint)

	// An Event follows a write, and a write of what a stale cache has is a conflict. So
	// each transition has one Event.
	after := meta.FindStatusCondition(status.Conditions, datav1.ConditionReady)
	if before == nil || before.Reason != after.Reason {
		kind := corev1.EventTypeNormal
		if status.Phase == datav1.DatabaseFailed {
			kind = corev1.EventTypeWarning
		}
		c.report(db, kind, after.Reason, after.Message)
	}
	return nil
}

// report writes an Event about db.
func (c *Controller) report(db *datav1.Database, kind, reason, note string) {
	db = db.DeepCopy()
	db.ResourceVersion = "" // so that the Events of a database that flaps are one series
	c.events.Eventf(db, nil, kind, reason, "Reconcile", "%s", note)
}

// conclude retries what failed, later each time.
func (c *Controller) conclude(ctx context.Context, name cache.ObjectName, err error) {
	logger := klog.FromContext(ctx).WithValues("database", name)
	switch {
	case err == nil:
		c.queue.Forget(name)
		return
	case ctx.Err() != nil:
		return // the request was canceled
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		logger.V(1).Info("The cache is behind the server, will try again", "err", err)
	default:
		logger.Error(err, "Cannot reconcile the database, will try again")
	}
	c.queue.AddRateLimited(name)
}
