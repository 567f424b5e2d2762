package shard

import (
	"context"
	"errors"
	"fmt"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

// errMismatch is a table that this member cannot use. No request will change that.
type errMismatch struct{ error }

// errForeign is a Lease that has a name of the group, but does not belong to it.
type errForeign struct{ error }

// errCrowded is the error of a group with too many members.
type errCrowded struct{ error }

// needsPerson reports whether an error stays until someone fixes its cause.
func needsPerson(err error) bool {
	return errors.As(err, new(errForeign)) || errors.As(err, new(errCrowded)) || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err)
}

// wrap adds the request that failed to its error. If the verb is not allowed, it adds the missing rule.
func (l *leases) wrap(err error, verb, what string) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsForbidden(err):
		return fmt.Errorf(`%s: %w; %s of leases is not allowed: add the rule to a Role in namespace %s, and bind it to the service account of the program with a RoleBinding there. `+
			`The rule: {apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["list", "create", "update", "delete"]}`, what, err, verb, l.namespace)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// remove deletes a table that someone has broken, unless it has changed meanwhile. A new one is safe then: no one
// takes a slot of it before the sessions that act by an earlier one have ended.
func (l *leases) remove(ctx context.Context, broken error) error {
	if errors.As(broken, new(errMismatch)) {
		return broken
	}
	klog.FromContext(ctx).Error(broken, "Someone has broken the table of slots; deleting it, so that the members of the group make a new one")
	err := l.client.Delete(ctx, l.table.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &l.table.UID, ResourceVersion: &l.table.ResourceVersion},
	})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("%w; it cannot be deleted: %w", broken, l.wrap(err, "delete", "cannot delete the table of slots"))
	}
	return fmt.Errorf("%w; this member has deleted it, and the members make a new one", broken)
}

// find explains why a Lease exists already, although the last list did not have it. Another member may have been
// faster. If someone has removed the label of the group, find adds it again. That is safe: nothing else of the Lease
// has changed, and no update based on an earlier version can succeed.
func (l *leases) find(ctx context.Context, name string, isOurs func(*coordinationv1.Lease) bool, option string) error {
	// Members have the right to list, and need no other one.
	list, err := l.client.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return l.wrap(err, "list", "cannot list the Lease "+name)
	}
	if len(list.Items) == 0 || list.Items[0].Labels[groupLabel] == l.group {
		return nil
	}
	lease := &list.Items[0]
	if !isOurs(lease) {
		holder := "no one"
		if lease.Spec.HolderIdentity != nil {
			holder = fmt.Sprintf("%q", *lease.Spec.HolderIdentity)
		}
		return errForeign{fmt.Errorf("the Lease %s/%s, held by %s, does not belong to the group: it has no label %s=%s; use another %s, or delete the Lease if no one needs it",
			l.namespace, name, holder, groupLabel, l.group, option)}
	}
	klog.FromContext(ctx).Info("Someone has removed the label of the group from a Lease; adding it again", "lease", klog.KObj(lease), "label", groupLabel)
	if lease.Labels == nil {
		lease.Labels = map[string]string{}
	}
	lease.Labels[groupLabel] = l.group
	_, err = l.client.Update(ctx, lease, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return l.wrap(err, "update", "cannot add the label "+groupLabel+" to the Lease "+name)
}

// isTable reports whether a Lease was made as a table.
func isTable(lease *coordinationv1.Lease) bool { return lease.Annotations[ownersAnnotation] != "" }

// isMember reports whether a Lease was made by a member with the identity of this one.
func (l *leases) isMember(lease *coordinationv1.Lease) bool {
	return lease.Spec.HolderIdentity != nil && strings.HasPrefix(*lease.Spec.HolderIdentity, l.identity+"/")
}
