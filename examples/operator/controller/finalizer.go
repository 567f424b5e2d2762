package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	typeddatav1 "github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/typed/api/v1"
)

// addFinalizer returns db with the finalizer. It has to be there before the first server
// is: a Database without it may go at any time, and leave its servers behind.
func (c *Controller) addFinalizer(ctx context.Context, db *datav1.Database) (*datav1.Database, error) {
	if slices.Contains(db.Finalizers, datav1.Finalizer) {
		return db, nil
	}
	return c.setFinalizers(ctx, db, append(slices.Clone(db.Finalizers), datav1.Finalizer))
}

// finalize deletes the servers of a Database that is being deleted, and takes the finalizer
// off when they are gone. A garbage collector in the cluster may delete them first.
func (c *Controller) finalize(ctx context.Context, db *datav1.Database) error {
	if !slices.Contains(db.Finalizers, datav1.Finalizer) {
		return nil
	}
	if slices.Contains(db.Finalizers, metav1.FinalizerOrphanDependents) {
		return nil // kubectl delete --cascade=orphan; the garbage collector first takes the owner off the servers
	}
	// The cache may not have the last servers yet. Nothing would delete these later.
	left, err := c.client.DataV1().DatabaseServers(db.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: typeddatav1.DatabaseServerFieldSpecDatabaseName.Is(db.Name).String(),
	})
	if err != nil {
		return fmt.Errorf("cannot list the servers: %w", err)
	}
	var errs []error
	var servers []*datav1.DatabaseServer
	for i := range left.Items {
		if server := &left.Items[i]; metav1.IsControlledBy(server, db) {
			servers = append(servers, server)
			errs = append(errs, c.deleteServer(ctx, server))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if len(servers) > 0 { // the events of their deletion enqueue db again
		return c.writeStatus(ctx, db, statusOf(db, observation{servers: servers}))
	}
	others := slices.DeleteFunc(slices.Clone(db.Finalizers), func(f string) bool { return f == datav1.Finalizer })
	_, err = c.setFinalizers(ctx, db, others)
	if apierrors.IsNotFound(err) {
		return nil // an earlier call did it, and the cache will hear of it
	}
	if err != nil {
		return err
	}
	c.report(db, corev1.EventTypeNormal, datav1.ReasonDeleted, "all servers are deleted")
	return nil
}

// setFinalizers fails with a conflict if db has changed meanwhile. It is a patch, and no
// update, because an update drops fields that this version of the operator does not know.
func (c *Controller) setFinalizers(ctx context.Context, db *datav1.Database, finalizers []string) (*datav1.Database, error) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"resourceVersion": db.ResourceVersion,
		"finalizers":      finalizers,
	}})
	if err != nil {
		return nil, err
	}
	patched, err := c.client.DataV1().Databases(db.Namespace).Patch(ctx, db.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return nil, fmt.Errorf("cannot set the finalizers: %w", err)
	}
	return patched, nil
}
