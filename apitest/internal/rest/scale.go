package rest

import (
	"fmt"
	"math"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// noReplicas stands for the number of replicas of an object that has none, in a Scale that is
// changed.
const noReplicas = math.MinInt32

// getScale answers GET of a Scale.
func getScale(k *kinds.Kind, obj map[string]any) (*Reply, error) {
	scale, found := k.ScaleOf(obj)
	if !found && k.Custom() {
		return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", k.Scale.SpecReplicasPath))
	}
	return &Reply{Code: http.StatusOK, Object: scale}, nil
}

// updateScale changes the Scale of an object, and writes its number of replicas into the object.
// change returns the new Scale, with its managedFields.
func (s *Store) updateScale(r *Request, live *history.State, w Write, change func(*unstructured.Unstructured) (*unstructured.Unstructured, error)) (*Reply, error) {
	main := (&unstructured.Unstructured{Object: r.Kind.Present(live)}).DeepCopy()
	content, found := r.Kind.ScaleOf(main.Object)
	scale := &unstructured.Unstructured{Object: content}
	if !found {
		content["spec"] = map[string]any{"replicas": int64(noReplicas)}
	}
	// The managers of the replicas are the managers of the field in the object.
	managers := managedfields.NewScaleHandler(main.GetManagedFields(), r.Kind.GroupVersion(), s.Kinds.ReplicasPaths(r.Kind))
	entries, err := managers.ToSubresource()
	if err != nil {
		return nil, err
	}
	scale.SetManagedFields(entries)
	next, err := change(scale)
	if err != nil {
		return nil, err
	}
	replicas, _, err := unstructured.NestedInt64(next.Object, "spec", "replicas")
	switch {
	case err != nil:
		return nil, apierrors.NewBadRequest(err.Error())
	case replicas == noReplicas:
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", r.Kind.Scale.SpecReplicasPath))
	case replicas < 0:
		return nil, r.negativeReplicas(next.GetName(), replicas)
	}
	if err := unstructured.SetNestedField(main.Object, replicas, kinds.PathOf(r.Kind.Scale.SpecReplicasPath)...); err != nil {
		return nil, err
	}
	if version := next.GetResourceVersion(); version != "" {
		main.SetResourceVersion(version)
	}
	if entries, err = managers.ToParent(next.GetManagedFields()); err != nil {
		return nil, err
	}
	main.SetManagedFields(entries)
	w.applied = true
	answer, err := s.replace(r, live, main, w)
	if err != nil {
		return nil, err
	}
	stored := answer.Object
	if answer.State != nil {
		stored = answer.State.Object
	}
	result, _ := r.Kind.ScaleOf(r.Kind.InVersion(stored))
	return &Reply{Code: http.StatusOK, Object: result}, nil
}

func (r *Request) negativeReplicas(name string, replicas int64) error {
	if r.Kind.Custom() {
		return apierrors.NewInvalid(r.Kind.GroupKind(), name, field.ErrorList{
			field.Invalid(field.NewPath(r.Kind.Scale.SpecReplicasPath), replicas, "should be a non-negative integer"),
		})
	}
	return apierrors.NewInvalid(kinds.ScaleKind.GroupKind(), name, field.ErrorList{
		field.Invalid(field.NewPath("spec", "replicas"), replicas, "must be greater than or equal to 0"),
	})
}
