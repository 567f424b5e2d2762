package apitest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/history"
)

// scaleKind is the kind of the subresource scale.
var scaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// scaleObject is a Scale.
type scaleObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Replicas int32 `json:"replicas,omitempty"`
	} `json:"spec,omitempty"`
	Status struct {
		Replicas int32  `json:"replicas"`
		Selector string `json:"selector,omitempty"`
	} `json:"status,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (s *scaleObject) DeepCopyObject() runtime.Object {
	out := *s
	out.ObjectMeta = *s.ObjectMeta.DeepCopy()
	return &out
}

// normalizeScale brings a decoded Scale into the form in which it is handled, and returns the paths
// of the fields that a Scale does not have.
func normalizeScale(obj *unstructured.Unstructured) (unknown []string, err error) {
	data, err := json.Marshal(obj.Object)
	if err != nil {
		return nil, err
	}
	typed := &scaleObject{}
	unknown = unknownFields(obj.Object, typed)
	if err := json.Unmarshal(data, typed); err != nil {
		return nil, err
	}
	obj.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	return unknown, err
}

// pathOf splits a JSON path of names, such as .spec.replicas.
func pathOf(jsonPath string) []string {
	return strings.Split(strings.TrimPrefix(jsonPath, "."), ".")
}

// noReplicas stands for the number of replicas of an object that has none, in a Scale that is
// changed.
const noReplicas = math.MinInt32

// scaleOf returns the Scale of an object, and whether the object has a number of replicas. The
// metadata is that of the object.
func (k *Kind) scaleOf(obj map[string]any) (scale map[string]any, found bool) {
	was := obj["metadata"].(map[string]any)
	metadata := map[string]any{}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		if value, has := was[name]; has {
			metadata[name] = value
		}
	}
	spec, status := map[string]any{}, map[string]any{"replicas": int64(0)}
	replicas, found, _ := unstructured.NestedInt64(obj, pathOf(k.Scale.SpecReplicasPath)...)
	if replicas != 0 {
		spec["replicas"] = replicas
	}
	if replicas, has, _ := unstructured.NestedInt64(obj, pathOf(k.Scale.StatusReplicasPath)...); has {
		status["replicas"] = replicas
	}
	if k.Scale.SelectorPath != "" {
		if selector, has, _ := unstructured.NestedString(obj, pathOf(k.Scale.SelectorPath)...); has && selector != "" {
			status["selector"] = selector
		}
	}
	return map[string]any{
		"apiVersion": scaleKind.GroupVersion().String(), "kind": scaleKind.Kind,
		"metadata": metadata, "spec": spec, "status": status,
	}, found
}

// getScale answers GET of a Scale.
func (k *Kind) getScale(obj map[string]any) (*reply, error) {
	scale, found := k.scaleOf(obj)
	if !found && k.custom() {
		return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", k.Scale.SpecReplicasPath))
	}
	return &reply{code: http.StatusOK, object: scale}, nil
}

// updateScale changes the Scale of an object, and writes its number of replicas into the object.
// change returns the new Scale, with its managedFields.
func (s *Server) updateScale(r *request, live *history.State, w write, change func(*unstructured.Unstructured) (*unstructured.Unstructured, error)) (*reply, error) {
	main := (&unstructured.Unstructured{Object: r.kind.present(live)}).DeepCopy()
	content, found := r.kind.scaleOf(main.Object)
	scale := &unstructured.Unstructured{Object: content}
	if !found {
		content["spec"] = map[string]any{"replicas": int64(noReplicas)}
	}
	// The managers of the replicas are those of the field in the object.
	managers := managedfields.NewScaleHandler(main.GetManagedFields(), r.kind.GroupVersion(), s.kinds.replicasPaths(r.kind))
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
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", r.kind.Scale.SpecReplicasPath))
	case replicas < 0:
		return nil, r.negativeReplicas(next.GetName(), replicas)
	}
	if err := unstructured.SetNestedField(main.Object, replicas, pathOf(r.kind.Scale.SpecReplicasPath)...); err != nil {
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
	stored := answer.object
	if answer.state != nil {
		stored = answer.state.Object
	}
	result, _ := r.kind.scaleOf(r.kind.inVersion(stored))
	return &reply{code: http.StatusOK, object: result}, nil
}

func (r *request) negativeReplicas(name string, replicas int64) error {
	if r.kind.custom() {
		return apierrors.NewInvalid(r.kind.GroupKind(), name, field.ErrorList{
			field.Invalid(field.NewPath(r.kind.Scale.SpecReplicasPath), replicas, "should be a non-negative integer"),
		})
	}
	return apierrors.NewInvalid(scaleKind.GroupKind(), name, field.ErrorList{
		field.Invalid(field.NewPath("spec", "replicas"), replicas, "must be greater than or equal to 0"),
	})
}

// replicasPaths returns where each version of a kind has the number of replicas. The path is nil in
// a version without the subresource.
func (g *registry) replicasPaths(kind *Kind) managedfields.ResourcePathMappings {
	paths := managedfields.ResourcePathMappings{}
	for _, k := range append(g.versions(kind), kind) {
		var path fieldpath.Path
		if k.Scale != nil {
			for _, name := range pathOf(k.Scale.SpecReplicasPath) {
				path = append(path, fieldpath.PathElement{FieldName: &name})
			}
		}
		paths[k.apiVersion()] = path
	}
	return paths
}
