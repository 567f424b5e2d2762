package builtin

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	storeerr "k8s.io/apiserver/pkg/storage/errors"
	"k8s.io/apiserver/pkg/util/dryrun"
)

// SystemNamespaces exist from the start, as kube-apiserver creates them. They cannot be deleted, except
// kube-node-lease.
var SystemNamespaces = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease}

// prepareNamespace sets the fields that each Namespace has.
func prepareNamespace(object runtime.Object) {
	namespace := object.(*corev1.Namespace)
	namespace.Spec = corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}}
	namespace.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
	labelNamespace(namespace)
}

// keepNamespace keeps the fields that an update does not change.
func keepNamespace(object, old runtime.Object) {
	namespace := object.(*corev1.Namespace)
	namespace.Spec = old.(*corev1.Namespace).Spec
	labelNamespace(namespace)
}

// labelNamespace sets the label by which selectors find a Namespace by its name.
func labelNamespace(namespace *corev1.Namespace) {
	if namespace.Labels == nil {
		namespace.Labels = map[string]string{}
	}
	namespace.Labels[corev1.LabelMetadataName] = namespace.Name
}

func namespaceAttributes(object runtime.Object) (labels.Set, fields.Set, error) {
	namespace, ok := object.(*corev1.Namespace)
	if !ok {
		return nil, nil, fmt.Errorf("%T is not a Namespace", object)
	}
	return namespace.Labels, fields.Set{"metadata.name": namespace.Name, "status.phase": string(namespace.Status.Phase)}, nil
}

// selectNamespaces returns the field that a field selector names.
func selectNamespaces(label, value string) (string, string, error) {
	if label == "status.phase" {
		return label, value, nil
	}
	return runtime.DefaultMetaV1FieldSelectorConversion(label, value)
}

// Namespaces is the storage of Namespaces in one run of a server.
type Namespaces struct {
	*resource
	presence *Presence
}

func newNamespaces(r *resource, presence *Presence) *Namespaces {
	r.ReturnDeletedObject = true
	r.ShouldDeleteDuringUpdate = func(_ context.Context, _ string, object, _ runtime.Object) bool {
		return len(object.(*corev1.Namespace).Spec.Finalizers) == 0
	}
	r.AfterCreate = func(object runtime.Object, options *metav1.CreateOptions) {
		if !dryrun.IsDryRun(options.DryRun) {
			presence.set(asMeta(object).GetName(), false)
		}
	}
	r.AfterDelete = func(object runtime.Object, _ *metav1.DeleteOptions) { presence.remove(asMeta(object).GetName()) }
	return &Namespaces{resource: r, presence: presence}
}

// Observe notes the namespaces that an earlier run has left in the store.
func (n *Namespaces) Observe(ctx context.Context) error {
	list, err := n.List(clusterContext(ctx), &internalversion.ListOptions{})
	if err != nil {
		return fmt.Errorf("list namespaces: %w", err)
	}
	for _, namespace := range list.(*corev1.NamespaceList).Items {
		n.presence.set(namespace.Name, namespace.DeletionTimestamp != nil)
	}
	n.presence.Complete()
	return nil
}

// clusterContext is for calls that come from no request, about objects without a namespace.
func clusterContext(ctx context.Context) context.Context {
	return request.WithNamespace(ctx, metav1.NamespaceNone)
}

// Delete begins the deletion of a namespace, which Finish ends when its contents are gone. It refuses to delete
// the namespaces that a cluster needs.
func (n *Namespaces) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	switch name {
	case metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic:
		return nil, false, apierrors.NewForbidden(n.kind.groupResource(), name, errors.New("this namespace may not be deleted"))
	}
	key, err := n.KeyFunc(ctx, name)
	if err != nil {
		return nil, false, err
	}
	var preconditions storage.Preconditions
	if options != nil && options.Preconditions != nil {
		preconditions = storage.Preconditions{UID: options.Preconditions.UID, ResourceVersion: options.Preconditions.ResourceVersion}
	}
	dry := options != nil && dryrun.IsDryRun(options.DryRun)
	terminate := func(object runtime.Object) (runtime.Object, error) {
		if err := validate(ctx, object.DeepCopyObject()); err != nil {
			return nil, err
		}
		namespace := object.(*corev1.Namespace)
		if namespace.DeletionTimestamp == nil {
			now, noGrace := metav1.Now(), int64(0)
			namespace.DeletionTimestamp, namespace.DeletionGracePeriodSeconds = &now, &noGrace
		}
		namespace.Status.Phase = corev1.NamespaceTerminating
		return namespace, nil
	}
	namespace := &corev1.Namespace{}
	err = n.Storage.GuaranteedUpdate(ctx, key, namespace, false, &preconditions, storage.SimpleUpdate(terminate), dry, nil)
	if err != nil {
		return nil, false, storeerr.InterpretDeleteError(err, n.kind.groupResource(), name)
	}
	if !dry {
		n.presence.set(name, true)
	}
	return namespace, false, nil
}

// Finish deletes a namespace whose contents are gone. If it has finalizers in its metadata, their owners delete
// it by removing the last one.
func (n *Namespaces) Finish(ctx context.Context, name string) error {
	store := *n.Store
	store.UpdateStrategy = finishStrategy{n.UpdateStrategy.(strategy)}
	empty := rest.DefaultUpdatedObjectInfo(nil, func(_ context.Context, _, old runtime.Object) (runtime.Object, error) {
		namespace := old.DeepCopyObject().(*corev1.Namespace)
		namespace.Spec.Finalizers = nil
		return namespace, nil
	})
	_, _, err := store.Update(clusterContext(ctx), name, empty, rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		n.presence.remove(name) // a second request to delete it may have come last
		return nil
	}
	return err
}

// finishStrategy lets an update remove the finalizer.
type finishStrategy struct{ strategy }

func (finishStrategy) PrepareForUpdate(_ context.Context, _, _ runtime.Object) {}

// DeleteCollection is not among the verbs of Namespaces.
func (n *Namespaces) DeleteCollection(context.Context, rest.ValidateObjectFunc, *metav1.DeleteOptions, *internalversion.ListOptions) (runtime.Object, error) {
	return nil, apierrors.NewMethodNotSupported(n.kind.groupResource(), "deletecollection")
}
