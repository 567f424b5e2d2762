package controller

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache"
)

// reconcile writes the status of one Database, if it is not what it should be.
func (c *Controller) reconcile(ctx context.Context, name cache.ObjectName) error {
	logger := klog.FromContext(ctx).WithValues("database", name)
	db, err := c.databases.Databases(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		logger.V(1).Info("Database is gone")
		return nil
	}
	if err != nil {
		return err
	}
	class, err := c.classes.Get(db.Spec.ClassName)
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}

	status := statusOf(db, class)
	if equality.Semantic.DeepEqual(status, db.Status) {
		return nil
	}
	db = db.DeepCopy() // the cache's own must not change
	db.Status = status
	_, err = c.client.DataV1().Databases(db.Namespace).UpdateStatus(ctx, db, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil // the cache will hear of it
	}
	if err != nil {
		return fmt.Errorf("cannot update the status: %w", err)
	}
	logger.Info("Status updated", "phase", status.Phase, "endpoint", status.Endpoint)
	return nil
}

// conclude sees to it that what failed is tried again, later each time.
func (c *Controller) conclude(ctx context.Context, name cache.ObjectName, err error) {
	logger := klog.FromContext(ctx).WithValues("database", name)
	switch {
	case err == nil:
		c.queue.Forget(name)
		return
	case ctx.Err() != nil:
		return // err is that we were stopped
	case apierrors.IsConflict(err):
		// The cache is behind the server, which happens to everyone.
		logger.V(1).Info("Database has changed meanwhile, will try again")
	default:
		logger.Error(err, "Cannot reconcile the database, will try again")
	}
	c.queue.AddRateLimited(name)
}
