package rest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
	"github.com/typedinformers/informer-gen/apitest/internal/selection"
)

// CheckDeleteOptions returns an error for options that have a value that is unknown, or contradict each other.
func CheckDeleteOptions(options *metav1.DeleteOptions) error {
	if errs := metavalidation.ValidateDeleteOptions(options); len(errs) > 0 {
		return InvalidOptions("DeleteOptions", errs)
	}
	return nil
}

// unsafeField is the option to delete an object that cannot be decoded.
const unsafeField = "ignoreStoreReadErrorWithClusterBreakingPotential"

func unsafe(options *metav1.DeleteOptions) bool {
	option := options.IgnoreStoreReadErrorWithClusterBreakingPotential
	return option != nil && *option
}

func (s *Store) delete(r *Request, options *metav1.DeleteOptions) (*Reply, error) {
	r.warnOrphans(options)
	live := s.History.Get(r.Key())
	if live == nil {
		return nil, r.Missing()
	}
	if unsafe(options) {
		return nil, apierrors.NewConflict(r.Kind.GroupResource(), r.Name, fmt.Errorf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: unsafe deletion is not allowed because the object is decodable from storage", storageKey(r.Kind, live.Key)))
	}
	return s.remove(r, live, options)
}

// remove deletes an object, or marks it as deleting if it has finalizers or is a pod that its kubelet stops.
func (s *Store) remove(r *Request, live *history.State, options *metav1.DeleteOptions) (*Reply, error) {
	obj := (&unstructured.Unstructured{Object: r.Kind.Present(live)})
	if err := r.checkPreconditions(obj, live, options.Preconditions); err != nil {
		return nil, err
	}
	if r.Kind.IsNamespace() {
		if answer, done, err := s.removeNamespace(r, live, options); done {
			return answer, err
		}
	}
	obj = &unstructured.Unstructured{Object: maps.Clone(obj.Object)}
	obj.Object["metadata"] = maps.Clone(obj.Object["metadata"].(map[string]any))
	dryRun := len(options.DryRun) > 0
	// The kubelet of a pod takes part in its deletion, until the pod has no time left.
	stopping := r.Kind.IsPod() && !(isDeleting(obj.Object) && noGrace(obj.Object))
	if stopping && !s.stop(obj, options) {
		return &Reply{Code: http.StatusOK, State: live}, nil
	}
	finalizers := deletionFinalizers(r.Kind, obj.GetFinalizers(), options)
	if len(finalizers) == 0 && (!stopping || noGrace(obj.Object)) {
		return s.finish(r, live, obj, stopping, dryRun), nil
	}
	changed := stopping
	if !slices.Equal(finalizers, obj.GetFinalizers()) {
		changed = true
		obj.SetFinalizers(finalizers)
	}
	if s.markDeleting(obj) {
		changed = true
	}
	code := http.StatusOK
	if orphan := orphans(options); orphan != nil && !*orphan {
		code = http.StatusAccepted
	}
	if !changed {
		return &Reply{Code: code, State: live}, nil
	}
	if err := r.Kind.Store(obj); err != nil {
		return nil, err
	}
	if dryRun {
		return &Reply{Code: code, Object: r.Kind.InVersion(obj.Object)}, nil
	}
	return s.put(live.Key, obj, code), nil
}

// finish deletes an object. A pod is marked before it goes, so that watches see both.
func (s *Store) finish(r *Request, live *history.State, obj *unstructured.Unstructured, stopping, dryRun bool) *Reply {
	answer := &Reply{Code: http.StatusOK, Status: deleted(r, obj)}
	if !r.Kind.Custom() && r.Kind.BuiltIn.Returned {
		answer = &Reply{Code: http.StatusOK, Object: r.Kind.InVersion(obj.Object)}
	}
	if dryRun {
		return answer
	}
	if stopping {
		live = s.put(live.Key, obj, http.StatusOK).State
		answer.Object = r.Kind.Present(live)
	}
	s.erase(live)
	return answer
}

// deleted is the answer to a deletion that is complete.
func deleted(r *Request, obj *unstructured.Unstructured) *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusSuccess,
		Details: &metav1.StatusDetails{
			Name: obj.GetName(), Group: r.Kind.Group, Kind: r.Kind.Resource, UID: obj.GetUID(),
		},
	}
}

// checkPreconditions compares the UID and the version that a deletion asks for.
func (r *Request) checkPreconditions(obj *unstructured.Unstructured, live *history.State, want *metav1.Preconditions) error {
	if want == nil {
		return nil
	}
	// The error has the kind where others have the resource, as in the API server.
	gr := schema.GroupResource{Group: r.Kind.Group, Resource: r.Kind.Kind}
	if want.UID != nil && *want.UID != obj.GetUID() {
		return apierrors.NewConflict(gr, obj.GetName(), fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *want.UID, obj.GetUID()))
	}
	if want.ResourceVersion != nil && *want.ResourceVersion != obj.GetResourceVersion() {
		return apierrors.NewConflict(gr, obj.GetName(), fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *want.ResourceVersion, obj.GetResourceVersion()))
	}
	return nil
}

// orphans returns the option that was there before PropagationPolicy.
func orphans(options *metav1.DeleteOptions) *bool {
	//lint:ignore SA1019 API servers still have it.
	return options.OrphanDependents
}

// warnOrphans warns of pods that stay because a deletion of Jobs does not say what becomes of them.
func (r *Request) warnOrphans(options *metav1.DeleteOptions) {
	if !r.Kind.Custom() && r.Kind.BuiltIn.Orphans && r.Kind.Group == "batch" && options.PropagationPolicy == nil && orphans(options) == nil {
		r.Warn("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning")
	}
}

// deletionFinalizers adds or removes the finalizers of the garbage collector, as the propagation
// policy asks. Without a policy those of the object stay, or the kind decides.
func deletionFinalizers(kind *kinds.Kind, has []string, options *metav1.DeleteOptions) []string {
	orphan := slices.Contains(has, metav1.FinalizerOrphanDependents)
	foreground := slices.Contains(has, metav1.FinalizerDeleteDependents) && !orphan
	orphan = orphan || !foreground && !kind.Custom() && kind.BuiltIn.Orphans
	switch policy, old := options.PropagationPolicy, orphans(options); {
	case !kind.Custom() && kind.BuiltIn.NoDependents:
		orphan, foreground = false, false
	case old != nil:
		orphan, foreground = *old, false
	case policy != nil:
		orphan = *policy == metav1.DeletePropagationOrphan
		foreground = *policy == metav1.DeletePropagationForeground
	}
	var finalizers []string
	for _, name := range has {
		if name != metav1.FinalizerOrphanDependents && name != metav1.FinalizerDeleteDependents {
			finalizers = append(finalizers, name)
		}
	}
	if orphan {
		finalizers = append(finalizers, metav1.FinalizerOrphanDependents)
	}
	if foreground {
		finalizers = append(finalizers, metav1.FinalizerDeleteDependents)
	}
	if len(finalizers) == len(has) && !slices.ContainsFunc(finalizers, func(name string) bool { return !slices.Contains(has, name) }) {
		return has // in another order at most
	}
	return finalizers
}

func (s *Store) deleteCollection(r *Request, selected *selection.Selection, options *internalversion.ListOptions, deletion *metav1.DeleteOptions) (*Reply, error) {
	r.warnOrphans(deletion)
	answer, err := s.page(selected, options)
	if err != nil {
		return nil, err
	}
	if err := s.deleteAll(r, answer.List.Items, deletion); err != nil {
		return nil, err
	}
	return answer, nil
}

// deleteAll deletes objects that are still there.
func (s *Store) deleteAll(r *Request, items []*history.State, options *metav1.DeleteOptions) error {
	for _, item := range items {
		live := s.History.Get(item.Key)
		if live == nil {
			continue
		}
		if _, err := s.remove(r, live, options); err != nil {
			return err
		}
	}
	return nil
}

// removeNamespace marks a namespace as terminating. It is deleted when its contents are gone and no
// finalizer is left. done reports whether that is the answer to a deletion.
func (s *Store) removeNamespace(r *Request, live *history.State, options *metav1.DeleteOptions) (answer *Reply, done bool, err error) {
	if s.Namespaces && slices.Contains(initialNamespaces[:3], live.Name) {
		return nil, true, apierrors.NewForbidden(kinds.NamespaceResource, live.Name, fmt.Errorf("this namespace may not be deleted"))
	}
	namespace := &unstructured.Unstructured{Object: maps.Clone(r.Kind.Present(live))}
	if isDeleting(namespace.Object) {
		waits := len(specFinalizers(namespace.Object)) > 0
		return &Reply{Code: http.StatusOK, State: live}, waits, nil
	}
	namespace.Object["metadata"] = maps.Clone(namespace.Object["metadata"].(map[string]any))
	now := metav1.NewTime(s.Now())
	namespace.SetDeletionTimestamp(&now)
	namespace.SetFinalizers(deletionFinalizers(r.Kind, namespace.GetFinalizers(), options))
	status, _ := namespace.Object["status"].(map[string]any)
	status = maps.Clone(status)
	if status == nil {
		status = map[string]any{}
	}
	status["phase"] = phaseTerminating
	namespace.Object["status"] = status
	if len(options.DryRun) > 0 {
		return &Reply{Code: http.StatusOK, Object: namespace.Object}, true, nil
	}
	return s.put(live.Key, namespace, http.StatusOK), true, nil
}
