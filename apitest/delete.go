package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// delete answers DELETE of one object.
func (s *Server) delete(r *request) (*reply, error) {
	if r.subresource != "" {
		return nil, methodNotAllowed(r)
	}
	options, err := r.deleteOptions()
	if err != nil {
		return nil, err
	}
	live := s.history.Get(r.key())
	if live == nil {
		return nil, r.missing()
	}
	if unsafe := options.IgnoreStoreReadErrorWithClusterBreakingPotential; unsafe != nil && *unsafe {
		return nil, apierrors.NewConflict(r.kind.groupResource(), r.name, fmt.Errorf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: unsafe deletion is not allowed because the object is decodable from storage", r.kind.storageKey(live.Key)))
	}
	return s.remove(r, live, options)
}

// deleteOptions decodes the options of a deletion, from the body or from the query.
func (r *request) deleteOptions() (*metav1.DeleteOptions, error) {
	options := &metav1.DeleteOptions{}
	if len(r.body) == 0 {
		if err := r.options(options); err != nil {
			return nil, err
		}
	} else {
		mediaType, err := r.contentType()
		if err != nil {
			return nil, err
		}
		if err := decodeDeleteOptions(r.body, mediaType, options); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	}
	if errs := metavalidation.ValidateDeleteOptions(options); len(errs) > 0 {
		return nil, invalidOptions("DeleteOptions", errs)
	}
	return options, nil
}

func decodeDeleteOptions(body []byte, mediaType string, options *metav1.DeleteOptions) error {
	switch mediaType {
	case media.Protobuf:
		return media.UnmarshalProtobuf(body, options)
	case media.YAML:
		var err error
		if body, err = yaml.YAMLToJSON(body); err != nil {
			return err
		}
	}
	if err := interpret(body); err != nil {
		return err
	}
	if err := json.Unmarshal(body, options); err != nil {
		return err
	}
	if kind := options.Kind; kind != "" && kind != "DeleteOptions" {
		return fmt.Errorf("no kind %q is registered for version %q in scheme %q", kind, options.APIVersion, "pkg/runtime/scheme.go:111")
	}
	return nil
}

// remove deletes an object, or marks it as deleting if it has finalizers or is a pod that its kubelet stops.
func (s *Server) remove(r *request, live *history.State, options *metav1.DeleteOptions) (*reply, error) {
	obj := (&unstructured.Unstructured{Object: r.kind.present(live)})
	if err := r.checkPreconditions(obj, live, options.Preconditions); err != nil {
		return nil, err
	}
	if r.kind.isNamespace() {
		if answer, done, err := s.removeNamespace(r, live, options); done {
			return answer, err
		}
	}
	obj = &unstructured.Unstructured{Object: maps.Clone(obj.Object)}
	obj.Object["metadata"] = maps.Clone(obj.Object["metadata"].(map[string]any))
	dryRun := len(options.DryRun) > 0
	// The kubelet of a pod takes part in its deletion, until the pod has no time left.
	stopping := r.kind.isPod() && !(isDeleting(obj.Object) && noGrace(obj.Object))
	if stopping && !s.stop(obj, options) {
		return &reply{code: http.StatusOK, state: live}, nil
	}
	finalizers := deletionFinalizers(obj.GetFinalizers(), options)
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
		return &reply{code: code, state: live}, nil
	}
	if err := r.kind.store(obj); err != nil {
		return nil, err
	}
	if dryRun {
		return &reply{code: code, object: r.kind.inVersion(obj.Object)}, nil
	}
	return s.put(live.Key, obj, code), nil
}

// finish deletes an object. A pod is the answer itself, and is marked before it goes, so that watches see both.
func (s *Server) finish(r *request, live *history.State, obj *unstructured.Unstructured, stopping, dryRun bool) *reply {
	answer := &reply{code: http.StatusOK, status: deleted(r, obj)}
	if r.kind.isPod() {
		answer = &reply{code: http.StatusOK, object: r.kind.inVersion(obj.Object)}
	}
	if dryRun {
		return answer
	}
	if stopping {
		live = s.put(live.Key, obj, http.StatusOK).state
		answer.object = r.kind.present(live)
	}
	s.erase(live)
	return answer
}

// deleted is the answer to a deletion that is complete.
func deleted(r *request, obj *unstructured.Unstructured) *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusSuccess,
		Details: &metav1.StatusDetails{
			Name: obj.GetName(), Group: r.kind.Group, Kind: r.kind.Resource, UID: obj.GetUID(),
		},
	}
}

// checkPreconditions compares the UID and the version that a deletion asks for.
func (r *request) checkPreconditions(obj *unstructured.Unstructured, live *history.State, want *metav1.Preconditions) error {
	if want == nil {
		return nil
	}
	// The error has the kind where others have the resource, as in the API server.
	gr := schema.GroupResource{Group: r.kind.Group, Resource: r.kind.Kind}
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

// deletionFinalizers adds or removes the finalizers of the garbage collector, as the propagation
// policy asks. Without a policy those of the object stay.
func deletionFinalizers(has []string, options *metav1.DeleteOptions) []string {
	orphan := slices.Contains(has, metav1.FinalizerOrphanDependents)
	foreground := slices.Contains(has, metav1.FinalizerDeleteDependents) && !orphan
	switch policy, old := options.PropagationPolicy, orphans(options); {
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

// markDeleting sets the deletionTimestamp, and reports whether it was not set before.
func (s *Server) markDeleting(obj *unstructured.Unstructured) bool {
	if isDeleting(obj.Object) {
		return false
	}
	if generation := obj.GetGeneration(); generation > 0 {
		obj.SetGeneration(generation + 1)
	}
	now, none := metav1.NewTime(s.now()), int64(0)
	obj.SetDeletionTimestamp(&now)
	obj.SetDeletionGracePeriodSeconds(&none)
	return true
}

// defaultGracePeriod is the time in seconds that a pod has to stop, unless its spec has another one.
const defaultGracePeriod = 30

// podResource is that of pods.
var podResource = schema.GroupResource{Resource: "pods"}

// isPod reports whether objects of the kind are pods.
func (k *Kind) isPod() bool { return !k.custom() && k.groupResource() == podResource }

// gracePeriod returns the time in seconds that a pod has to stop. As in a cluster, a pod without a node, and one
// that has ended, need none.
func gracePeriod(pod map[string]any, options *metav1.DeleteOptions) int64 {
	period := int64(defaultGracePeriod)
	if own, has, _ := unstructured.NestedInt64(pod, "spec", "terminationGracePeriodSeconds"); has {
		period = own
	}
	if asked := options.GracePeriodSeconds; asked != nil {
		period = *asked
	}
	node, _, _ := unstructured.NestedString(pod, "spec", "nodeName")
	phase, _, _ := unstructured.NestedString(pod, "status", "phase")
	switch {
	case node == "", phase == "Failed", phase == "Succeeded":
		return 0
	case period < 0:
		return 1
	}
	return period
}

// stop marks a pod as deleting, or shortens the time that it has to stop. It reports false if the deletion changes
// nothing, because the pod has no more time than that. It follows BeforeDelete of the API server.
func (s *Server) stop(pod *unstructured.Unstructured, options *metav1.DeleteOptions) bool {
	start, period := s.now(), gracePeriod(pod.Object, options)
	if isDeleting(pod.Object) {
		left := *pod.GetDeletionGracePeriodSeconds()
		if options.GracePeriodSeconds == nil {
			return false
		}
		if period = *options.GracePeriodSeconds; period < 0 {
			period = 1
		}
		if period >= left {
			return false
		}
		start = pod.GetDeletionTimestamp().Add(-time.Duration(left) * time.Second)
		if now := s.now(); start.Add(time.Duration(period) * time.Second).Before(now) {
			period = min(period, 1) // the kubelet still has to delete the pod, unless it does so now
			start = now.Add(-time.Duration(period) * time.Second)
		}
	}
	s.markDeleting(pod)
	end := metav1.NewTime(start.Add(time.Duration(period) * time.Second))
	pod.SetDeletionTimestamp(&end)
	pod.SetDeletionGracePeriodSeconds(&period)
	return true
}
