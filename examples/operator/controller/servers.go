package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/typedinformers/informer-gen/runtime/cache"

	datav1 "github.com/typedinformers/informer-gen/examples/operator/api/v1"
	viewsv1 "github.com/typedinformers/informer-gen/examples/operator/api/views/v1"
	applydatav1 "github.com/typedinformers/informer-gen/examples/operator/generated/applyconfiguration/api/v1"
)

// serversOf returns the cached servers that db controls.
func (c *Controller) serversOf(db *datav1.Database) ([]*datav1.DatabaseServer, error) {
	owned, err := c.servers.ByOwner(db.UID)
	return slices.DeleteFunc(owned, func(server *datav1.DatabaseServer) bool {
		return !metav1.IsControlledBy(server, db) // an owner need not be the controller
	}), err
}

// newServer returns the server number n of db, as it should be.
func newServer(db *datav1.Database, class *viewsv1.DatabaseClassSummary, n int32) *datav1.DatabaseServer {
	return &datav1.DatabaseServer{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       db.Namespace,
			Name:            fmt.Sprintf("%s-%d", db.Name, n),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(db, datav1.SchemeGroupVersion.WithKind("Database"))},
		},
		Spec: datav1.DatabaseServerSpec{DatabaseName: db.Name, StorageGi: db.Spec.StorageGi, Port: class.Spec.Port},
	}
}

// syncServers creates, updates and deletes servers, so that db has the ones that it should
// have. It returns those that db keeps. It never writes to a server that db does not
// control: it returns one of these, whose name db needs, as conflict.
func (c *Controller) syncServers(ctx context.Context, db *datav1.Database, class *viewsv1.DatabaseClassSummary) (kept []*datav1.DatabaseServer, conflict *datav1.DatabaseServer, err error) {
	var errs []error
	wanted := map[string]bool{}
	for n := range db.Spec.Replicas {
		want := newServer(db, class, n)
		wanted[want.Name] = true
		have, err := c.servers.DatabaseServers(db.Namespace).Get(want.Name)
		switch {
		case apierrors.IsNotFound(err):
			other, err := c.createServer(ctx, db, want)
			if other != nil {
				conflict = other
			}
			errs = append(errs, err)
		case err != nil:
			errs = append(errs, err)
		case !metav1.IsControlledBy(have, db):
			conflict = have
		default:
			kept = append(kept, have)
			errs = append(errs, c.updateServer(ctx, have, want))
		}
	}
	owned, err := c.serversOf(db)
	errs = append(errs, err)
	for _, server := range owned {
		if !wanted[server.Name] {
			errs = append(errs, c.deleteServer(ctx, server))
		}
	}
	return kept, conflict, errors.Join(errs...)
}

// lookAgain is how often a server that is not cached is looked at while db needs its name. No event
// tells that it is gone.
const lookAgain = time.Minute

// createServer creates a server of db. If there is one of that name that db does not control, it
// returns that one.
func (c *Controller) createServer(ctx context.Context, db *datav1.Database, server *datav1.DatabaseServer) (conflict *datav1.DatabaseServer, err error) {
	client := c.client.DataV1().DatabaseServers(server.Namespace)
	_, err = client.Create(ctx, server, metav1.CreateOptions{FieldManager: applyOptions.FieldManager})
	if apierrors.IsAlreadyExists(err) {
		// The cache is late, or never has the server: with shards by owner, it is in the cache of the
		// process that has its owner.
		if have, getErr := client.Get(ctx, server.Name, metav1.GetOptions{}); getErr == nil && !metav1.IsControlledBy(have, db) {
			c.queue.AddAfter(cache.MetaObjectToName(db), lookAgain)
			return have, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot create server %s: %w", server.Name, err)
	}
	klog.FromContext(ctx).Info("Server created", "server", klog.KObj(server))
	return nil, nil
}

// updateServer applies the spec of a server if it differs. What others have written, such as
// labels, stays as it is, and their writes are no conflict.
func (c *Controller) updateServer(ctx context.Context, have, want *datav1.DatabaseServer) error {
	if have.Spec == want.Spec || have.DeletionTimestamp != nil {
		return nil
	}
	server := applydatav1.DatabaseServer(have.Name, have.Namespace).
		WithUID(have.UID). // not another server of the same name, which was created meanwhile
		WithSpec(applydatav1.DatabaseServerSpec().
			WithDatabaseName(want.Spec.DatabaseName).
			WithStorageGi(want.Spec.StorageGi).
			WithPort(want.Spec.Port))
	if _, err := c.client.DataV1().DatabaseServers(have.Namespace).Apply(ctx, server, applyOptions); err != nil {
		return fmt.Errorf("cannot update server %s: %w", have.Name, err)
	}
	klog.FromContext(ctx).Info("Server updated", "server", klog.KObj(have))
	return nil
}

// deleteServer deletes a server, unless it is already being deleted.
func (c *Controller) deleteServer(ctx context.Context, server *datav1.DatabaseServer) error {
	if server.DeletionTimestamp != nil {
		return nil
	}
	// Not another server of the same name, which was created meanwhile.
	options := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(server.UID))}
	err := c.client.DataV1().DatabaseServers(server.Namespace).Delete(ctx, server.Name, options)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot delete server %s: %w", server.Name, err)
	}
	klog.FromContext(ctx).Info("Server deleted", "server", klog.KObj(server))
	return nil
}
