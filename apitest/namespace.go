package apitest

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

// namespaceResource is that of the objects which are namespaces.
var namespaceResource = schema.GroupResource{Resource: "namespaces"}

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

// addInitialNamespaces creates the namespaces that a cluster begins with.
func (s *Server) addInitialNamespaces() error {
	for _, name := range initialNamespaces {
		namespace := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
		}}
		prepareNamespace(namespace)
		if err := s.Add(namespace); err != nil {
			return err
		}
	}
	return nil
}

// isNamespace reports whether objects of the kind are namespaces.
func (k *Kind) isNamespace() bool { return k.groupResource() == namespaceResource }

// prepareNamespace sets what a new namespace has.
func prepareNamespace(namespace *unstructured.Unstructured) {
	namespace.Object["status"] = map[string]any{"phase": phaseActive}
	setNameLabel(namespace)
	if finalizers := specFinalizers(namespace.Object); !slices.Contains(finalizers, finalizerKubernetes) {
		setSpecFinalizers(namespace, append(finalizers, finalizerKubernetes))
	}
}

// completeNamespace sets what a namespace that was there before the test lacks.
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

// prepareNamespaceUpdate keeps what only the subresource finalize changes, and the label.
func (r *request) prepareNamespaceUpdate(namespace *unstructured.Unstructured, old map[string]any) {
	if r.subresource == "" {
		setSpecFinalizers(namespace, specFinalizers(old))
	}
	setNameLabel(namespace)
}

// admitNamespace refuses to create an object in a namespace that does not exist, or that is being
// deleted.
func (s *Server) admitNamespace(r *request, obj *unstructured.Unstructured) error {
	if !s.namespaces || r.namespace == "" || r.kind.Resource == "localsubjectaccessreviews" {
		return nil
	}
	namespace := s.history.Get(history.Key{GroupResource: namespaceResource, Name: r.namespace})
	if namespace == nil {
		return apierrors.NewNotFound(namespaceResource, r.namespace)
	}
	if phase, _, _ := unstructured.NestedString(namespace.Object, "status", "phase"); phase != phaseTerminating {
		return nil
	}
	err := apierrors.NewForbidden(r.kind.groupResource(), cmp.Or(obj.GetName(), obj.GetGenerateName(), "Unknown"),
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", r.namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type:    "NamespaceTerminating",
		Message: fmt.Sprintf("namespace %s is being terminated", r.namespace),
		Field:   "metadata.namespace",
	})
	return err
}

// removeNamespace marks a namespace as terminating. It is deleted when its contents are gone and no
// finalizer is left. done reports whether that is the answer to a deletion.
func (s *Server) removeNamespace(r *request, live *history.State, options *metav1.DeleteOptions) (answer *reply, done bool, err error) {
	if s.namespaces && slices.Contains(initialNamespaces[:3], live.Name) {
		return nil, true, apierrors.NewForbidden(namespaceResource, live.Name, fmt.Errorf("this namespace may not be deleted"))
	}
	namespace := &unstructured.Unstructured{Object: maps.Clone(r.kind.present(live))}
	if isDeleting(namespace.Object) {
		waits := len(specFinalizers(namespace.Object)) > 0
		return &reply{code: http.StatusOK, state: live}, waits, nil
	}
	namespace.Object["metadata"] = maps.Clone(namespace.Object["metadata"].(map[string]any))
	now := metav1.NewTime(s.now())
	namespace.SetDeletionTimestamp(&now)
	namespace.SetFinalizers(deletionFinalizers(namespace.GetFinalizers(), options))
	status, _ := namespace.Object["status"].(map[string]any)
	status = maps.Clone(status)
	if status == nil {
		status = map[string]any{}
	}
	status["phase"] = phaseTerminating
	namespace.Object["status"] = status
	if len(options.DryRun) > 0 {
		return &reply{code: http.StatusOK, object: namespace.Object}, true, nil
	}
	return s.put(live.Key, namespace, http.StatusOK), true, nil
}

// holdsContents reports whether an object is a namespace whose contents are not deleted yet.
func (s *Server) holdsContents(kind *Kind, obj *unstructured.Unstructured) bool {
	return kind.isNamespace() && len(specFinalizers(obj.Object)) > 0
}

// observeNamespace looks at a namespace that begins to terminate, and at one whose contents become
// fewer.
func (s *Server) observeNamespace(before, after *history.State) {
	switch {
	case after != nil && after.GroupResource == namespaceResource:
		if isDeleting(after.Object) && (before == nil || !isDeleting(before.Object)) {
			s.enqueue(emptyNamespace, after)
		}
	case after == nil && before.Namespace != "":
		namespace := s.history.Get(history.Key{GroupResource: namespaceResource, Name: before.Namespace})
		if namespace != nil && isDeleting(namespace.Object) {
			s.enqueue(emptyNamespace, namespace)
		}
	}
}

// emptyNamespace deletes the contents of a namespace that is terminating. When nothing is left, it
// removes the finalizer kubernetes. Without WithNamespaceLifecycle, it leaves the contents.
func (s *Server) emptyNamespace(namespace *history.State) {
	if !isDeleting(namespace.Object) || !slices.Contains(specFinalizers(namespace.Object), finalizerKubernetes) {
		return
	}
	if s.namespaces && s.deleteAllContents(namespace.Name) > 0 {
		return
	}
	r := s.byController(namespace, "update")
	r.subresource = "finalize"
	object := (&unstructured.Unstructured{Object: r.kind.present(namespace)}).DeepCopy()
	setSpecFinalizers(object, slices.DeleteFunc(specFinalizers(object.Object), func(f string) bool { return f == finalizerKubernetes }))
	_, _ = s.replace(r, namespace, object, write{manager: controllerManager})
}

// deleteAllContents deletes the objects in a namespace, first the pods, and returns how many are left.
// It follows namespacedResourcesDeleter of Kubernetes.
func (s *Server) deleteAllContents(namespace string) int {
	pods := schema.GroupResource{Resource: "pods"}
	left := s.deleteContents(pods, namespace)
	if left > 0 {
		return left
	}
	for _, resource := range s.history.Resources() {
		if resource != pods {
			left += s.deleteContents(resource, namespace)
		}
	}
	return left
}

// deleteContents deletes the objects of a resource in a namespace, and returns how many are left because
// of finalizers.
func (s *Server) deleteContents(resource schema.GroupResource, namespace string) int {
	states, err := s.history.List(resource, namespace, 0)
	if err != nil {
		return 0
	}
	left := 0
	for _, state := range states {
		if !isDeleting(state.Object) {
			s.deleteByController(state, metav1.DeletePropagationBackground)
		}
		if s.history.Get(state.Key) != nil {
			left++
		}
	}
	return left
}
