package builtin

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
)

// SystemNamespaces exist from the start, as kube-apiserver creates them. They cannot be deleted, except
// kube-node-lease.
var SystemNamespaces = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease}

// prepareNamespace sets what each Namespace has.
func prepareNamespace(object runtime.Object) {
	namespace := object.(*corev1.Namespace)
	namespace.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
	labelNamespace(namespace)
}

// keepNamespace keeps what an update does not change.
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

// namespaces is the resource of Namespaces.
type namespaces struct{ *resource }

// Delete refuses to delete the namespaces that a cluster needs.
func (n namespaces) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	switch name {
	case metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic:
		return nil, false, apierrors.NewForbidden(n.kind.groupResource(), name, fmt.Errorf("this namespace may not be deleted"))
	}
	return n.Store.Delete(ctx, name, validate, options)
}

// DeleteCollection is not among the verbs of Namespaces.
func (n namespaces) DeleteCollection(context.Context, rest.ValidateObjectFunc, *metav1.DeleteOptions, *internalversion.ListOptions) (runtime.Object, error) {
	return nil, apierrors.NewMethodNotSupported(n.kind.groupResource(), "deletecollection")
}
