package rest

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// collect does the work that waits, and the work that follows from it.
func (s *Store) collect() {
	for len(s.collector.queue) > 0 {
		next := s.collector.queue[0]
		s.collector.queue = s.collector.queue[1:]
		delete(s.collector.queued, next)
		live := s.History.Get(next.key)
		if live == nil || uidOf(live.Object) != string(next.uid) {
			continue
		}
		switch next.do {
		case deleteDangling:
			s.deleteDangling(live, next.uid)
		case orphanDependents:
			for _, key := range s.collector.dependentsOf(next.uid) {
				if dependent := s.History.Get(key); dependent != nil {
					s.dropOwners(dependent, func(r metav1.OwnerReference) bool { return r.UID == next.uid })
				}
			}
			s.dropFinalizer(live, metav1.FinalizerOrphanDependents)
		case emptyNamespace:
			s.emptyNamespace(live)
		}
	}
}

// deleteDangling deletes an object if none of its owners exists. It follows attemptToDeleteItem of
// the garbage collector of Kubernetes.
func (s *Store) deleteDangling(live *history.State, uid types.UID) {
	switch {
	case waitsForDependents(live):
		s.finishForeground(live, uid)
		return
	case isDeleting(live.Object):
		return
	}
	references := ownersOf(live)
	if len(references) == 0 {
		return
	}
	var solid, waiting int
	gone := map[types.UID]bool{} // the owners that are gone or wait for this object
	for _, reference := range references {
		owner, err := s.owner(reference, live.Namespace)
		switch {
		case err != nil:
			return
		case owner == nil:
			gone[reference.UID] = true
		case waitsForDependents(owner):
			gone[reference.UID] = true
			waiting++
		default:
			solid++
		}
	}
	policy := metav1.DeletePropagationBackground
	switch dependents := s.collector.dependentsOf(uid); {
	case solid > 0:
		if len(gone) > 0 {
			s.dropOwners(live, func(r metav1.OwnerReference) bool { return gone[r.UID] })
		}
		return
	case waiting > 0 && len(dependents) > 0:
		if slices.ContainsFunc(dependents, func(key history.Key) bool { return waitsForDependents(s.History.Get(key)) }) {
			// An owner and a dependent wait for their dependents, perhaps in a circle.
			if live = s.unblockOwners(live); live == nil {
				return
			}
		}
		policy = metav1.DeletePropagationForeground
	case hasFinalizer(live, metav1.FinalizerOrphanDependents):
		policy = metav1.DeletePropagationOrphan
	case hasFinalizer(live, metav1.FinalizerDeleteDependents):
		policy = metav1.DeletePropagationForeground
	}
	s.deleteByController(live, policy)
}

// finishForeground lets an object go whose dependents are gone, as far as they block it.
func (s *Store) finishForeground(live *history.State, uid types.UID) {
	blocked := false
	for _, key := range s.collector.dependentsOf(uid) {
		dependent := s.History.Get(key)
		if slices.ContainsFunc(ownersOf(dependent), func(r metav1.OwnerReference) bool { return r.UID == uid && blocks(r) }) {
			blocked = true
			if !waitsForDependents(dependent) {
				s.enqueue(deleteDangling, dependent)
			}
		}
	}
	if !blocked {
		s.dropFinalizer(live, metav1.FinalizerDeleteDependents)
	}
}

// byController returns a request of the collector for an object. No reactor and no fault sees it.
func (s *Store) byController(live *history.State) *Request {
	object := &unstructured.Unstructured{Object: live.Object}
	kind := s.Kinds.Kind(object.GroupVersionKind())
	if kind == nil {
		kind = s.Kinds.Of(live.GroupResource)
	}
	return &Request{Context: context.Background(), Kind: kind, Namespace: live.Namespace, Name: live.Name}
}

func (s *Store) deleteByController(live *history.State, policy metav1.DeletionPropagation) {
	uid := types.UID(uidOf(live.Object))
	options := &metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid}}
	// A deletion without a precondition that could fail has no error.
	_, _ = s.remove(s.byController(live), live, options)
}

// updateByController changes an object, and returns its new state, or nil if it is gone. If the
// object has become invalid, it stays as it is, as it does in a cluster.
func (s *Store) updateByController(live *history.State, change func(*unstructured.Unstructured)) *history.State {
	r := s.byController(live)
	object := (&unstructured.Unstructured{Object: r.Kind.Present(live)}).DeepCopy()
	change(object)
	if _, err := s.replace(r, live, object, Write{Manager: controllerManager}); err != nil {
		return nil
	}
	return s.History.Get(live.Key)
}

// dropOwners removes the references that match.
func (s *Store) dropOwners(live *history.State, match func(metav1.OwnerReference) bool) {
	s.updateByController(live, func(object *unstructured.Unstructured) {
		object.SetOwnerReferences(slices.DeleteFunc(object.GetOwnerReferences(), match))
	})
}

// unblockOwners lets the owners of an object go before it.
func (s *Store) unblockOwners(live *history.State) *history.State {
	return s.updateByController(live, func(object *unstructured.Unstructured) {
		references := object.GetOwnerReferences()
		no := false
		for i := range references {
			references[i].BlockOwnerDeletion = &no
		}
		object.SetOwnerReferences(references)
	})
}

func (s *Store) dropFinalizer(live *history.State, name string) {
	s.updateByController(live, func(object *unstructured.Unstructured) {
		object.SetFinalizers(slices.DeleteFunc(object.GetFinalizers(), func(f string) bool { return f == name }))
	})
}

// controllerManager is the field manager of the collector's writes.
const controllerManager = "kube-controller-manager"

// emptyNamespace deletes the contents of a namespace that is terminating. When nothing is left, it
// removes the finalizer kubernetes. Without WithNamespaceLifecycle, it leaves the contents.
func (s *Store) emptyNamespace(namespace *history.State) {
	if !isDeleting(namespace.Object) || !slices.Contains(specFinalizers(namespace.Object), finalizerKubernetes) {
		return
	}
	if s.Namespaces && s.deleteAllContents(namespace.Name) > 0 {
		return
	}
	r := s.byController(namespace)
	r.Subresource = "finalize"
	object := (&unstructured.Unstructured{Object: r.Kind.Present(namespace)}).DeepCopy()
	setSpecFinalizers(object, slices.DeleteFunc(specFinalizers(object.Object), func(f string) bool { return f == finalizerKubernetes }))
	_, _ = s.replace(r, namespace, object, Write{Manager: controllerManager})
}

// deleteAllContents deletes the objects in a namespace, first the pods, and returns how many are left.
// It follows namespacedResourcesDeleter of Kubernetes.
func (s *Store) deleteAllContents(namespace string) int {
	pods := kinds.PodResource
	left := s.deleteContents(pods, namespace)
	if left > 0 {
		return left
	}
	for _, resource := range s.History.Resources() {
		if resource != pods {
			left += s.deleteContents(resource, namespace)
		}
	}
	return left
}

// deleteContents deletes the objects of a resource in a namespace, and returns how many are left because
// of finalizers.
func (s *Store) deleteContents(resource schema.GroupResource, namespace string) int {
	states, err := s.History.List(resource, namespace, 0)
	if err != nil {
		return 0
	}
	left := 0
	for _, state := range states {
		if !isDeleting(state.Object) {
			s.deleteByController(state, metav1.DeletePropagationBackground)
		}
		if s.History.Get(state.Key) != nil {
			left++
		}
	}
	return left
}
