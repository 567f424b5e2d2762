package apitest

import (
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/runtime/apitest/internal/history"
)

// scaleKind is the kind of the subresource scale.
var scaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// pathOf splits a JSON path of names, such as .spec.replicas.
func pathOf(jsonPath string) []string {
	return strings.Split(strings.TrimPrefix(jsonPath, "."), ".")
}

// scaleOf returns the Scale of an object. Its metadata is that of the object.
func (k *Kind) scaleOf(obj map[string]any) (map[string]any, error) {
	was := obj["metadata"].(map[string]any)
	metadata := map[string]any{}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		if value, has := was[name]; has {
			metadata[name] = value
		}
	}
	scale := map[string]any{
		"apiVersion": scaleKind.GroupVersion().String(),
		"kind":       scaleKind.Kind,
		"metadata":   metadata,
	}
	spec, status := map[string]any{}, map[string]any{"replicas": int64(0)}
	if replicas, has, _ := unstructured.NestedInt64(obj, pathOf(k.Scale.SpecReplicasPath)...); has && replicas != 0 {
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
	scale["spec"], scale["status"] = spec, status
	return scale, nil
}

// updateScale writes the number of replicas of a Scale into the object.
func (s *Server) updateScale(r *request, live *history.State, scale *unstructured.Unstructured, w write) (*reply, error) {
	if live == nil {
		return nil, r.missing()
	}
	replicas, _, err := unstructured.NestedInt64(scale.Object, "spec", "replicas")
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if replicas < 0 {
		return nil, apierrors.NewInvalid(scaleKind.GroupKind(), scale.GetName(), field.ErrorList{
			field.Invalid(field.NewPath("spec", "replicas"), replicas, "should be a non-negative integer"),
		})
	}
	if version := scale.GetResourceVersion(); version == "" {
		scale.SetResourceVersion(versionOf(live.Object))
	}
	obj := (&unstructured.Unstructured{Object: r.kind.present(live)}).DeepCopy()
	obj.SetResourceVersion(scale.GetResourceVersion())
	if uid := scale.GetUID(); uid != "" {
		obj.SetUID(uid)
	}
	if err := unstructured.SetNestedField(obj.Object, replicas, pathOf(r.kind.Scale.SpecReplicasPath)...); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	answer, err := s.replace(r, live, obj, w)
	if err != nil {
		return nil, err
	}
	stored := answer.object
	if answer.state != nil {
		stored = answer.state.Object
	}
	result, err := r.kind.scaleOf(r.kind.inVersion(stored))
	return &reply{code: http.StatusOK, object: result}, err
}
