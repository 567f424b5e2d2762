package rest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// initialNamespaces exist in each cluster. The first three cannot be deleted.
var initialNamespaces = []string{"default", "kube-system", "kube-public", "kube-node-lease"}

// The values of namespaces that the server sets.
const (
	// finalizerKubernetes in spec.finalizers keeps a namespace until its contents are deleted.
	finalizerKubernetes = "kubernetes"
	// nameLabel is the label of a namespace with its name.
	nameLabel        = "kubernetes.io/metadata.name"
	phaseActive      = "Active"
	phaseTerminating = "Terminating"
)

// prepareNamespace sets the fields that a new namespace has.
func prepareNamespace(namespace *unstructured.Unstructured) {
	namespace.Object["status"] = map[string]any{"phase": phaseActive}
	setNameLabel(namespace)
	if finalizers := specFinalizers(namespace.Object); !slices.Contains(finalizers, finalizerKubernetes) {
		setSpecFinalizers(namespace, append(finalizers, finalizerKubernetes))
	}
}

// completeNamespace sets the fields that a namespace lacks which was there before the test.
func completeNamespace(namespace *unstructured.Unstructured) {
	if namespace.GetDeletionTimestamp() != nil {
		return
	}
	status := namespace.Object["status"]
	prepareNamespace(namespace)
	if phase, _, _ := unstructured.NestedString(map[string]any{"status": status}, "status", "phase"); phase != "" {
		namespace.Object["status"] = status
	}
}

// setNameLabel sets the label with the name of a namespace.
func setNameLabel(namespace *unstructured.Unstructured) {
	labels := namespace.GetLabels()
	if labels[nameLabel] == namespace.GetName() || len(namespace.GetName()) > validation.LabelValueMaxLength {
		return
	}
	if labels == nil {
		labels = map[string]string{}
	}
	labels[nameLabel] = namespace.GetName()
	namespace.SetLabels(labels)
}

// specFinalizers are the finalizers of a namespace besides those in its metadata.
func specFinalizers(namespace map[string]any) []string {
	finalizers, _, _ := unstructured.NestedStringSlice(namespace, "spec", "finalizers")
	return finalizers
}

// setSpecFinalizers shares no map with the object before.
func setSpecFinalizers(namespace *unstructured.Unstructured, finalizers []string) {
	spec, _ := namespace.Object["spec"].(map[string]any)
	spec = maps.Clone(spec)
	if spec == nil {
		spec = map[string]any{}
	}
	delete(spec, "finalizers")
	if len(finalizers) > 0 {
		values := make([]any, len(finalizers))
		for i, name := range finalizers {
			values[i] = name
		}
		spec["finalizers"] = values
	}
	namespace.Object["spec"] = spec
}

// prepareNamespaceUpdate keeps the fields that only the subresource finalize changes, and the label.
func (r *Request) prepareNamespaceUpdate(namespace *unstructured.Unstructured, old map[string]any) {
	if r.Subresource == "" {
		setSpecFinalizers(namespace, specFinalizers(old))
	}
	setNameLabel(namespace)
}

// admitNamespace refuses to create an object in a namespace that does not exist, or that is being
// deleted.
func (s *Store) admitNamespace(r *Request, obj *unstructured.Unstructured) error {
	if !s.Namespaces || r.Namespace == "" || r.Kind.Resource == "localsubjectaccessreviews" {
		return nil
	}
	namespace := s.History.Get(history.Key{GroupResource: kinds.NamespaceResource, Name: r.Namespace})
	if namespace == nil {
		return apierrors.NewNotFound(kinds.NamespaceResource, r.Namespace)
	}
	if phase, _, _ := unstructured.NestedString(namespace.Object, "status", "phase"); phase != phaseTerminating {
		return nil
	}
	err := apierrors.NewForbidden(r.Kind.GroupResource(), cmp.Or(obj.GetName(), obj.GetGenerateName(), "Unknown"),
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", r.Namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type:    "NamespaceTerminating",
		Message: fmt.Sprintf("namespace %s is being terminated", r.Namespace),
		Field:   "metadata.namespace",
	})
	return err
}

// holdsContents reports whether an object is a namespace whose contents are not deleted yet.
func (s *Store) holdsContents(kind *kinds.Kind, obj *unstructured.Unstructured) bool {
	return kind.IsNamespace() && len(specFinalizers(obj.Object)) > 0
}
