package kinds

import (
	"encoding/json"
	"errors"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
)

// ScaleKind is the kind of the subresource scale.
var ScaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// ScaleObject is a Scale.
type ScaleObject struct {
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
func (s *ScaleObject) DeepCopyObject() runtime.Object {
	out := *s
	out.ObjectMeta = *s.ObjectMeta.DeepCopy()
	return &out
}

// NormalizeScale brings a decoded Scale into the form in which it is handled, and returns the paths
// of the fields that a Scale does not have.
func NormalizeScale(obj *unstructured.Unstructured) (unknown []string, err error) {
	data, err := json.Marshal(obj.Object)
	if err != nil {
		return nil, err
	}
	typed := &ScaleObject{}
	unknown = UnknownFields(obj.Object, typed)
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, typed); err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), "ScaleObject", ScaleKind.Kind))
	}
	obj.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	return unknown, err
}

// ScaleOf returns the Scale of an object, and whether the object has a number of replicas. The
// metadata is the metadata of the object.
func (k *Kind) ScaleOf(obj map[string]any) (scale map[string]any, found bool) {
	was := obj["metadata"].(map[string]any)
	metadata := map[string]any{}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		if value, has := was[name]; has {
			metadata[name] = value
		}
	}
	spec, status := map[string]any{}, map[string]any{"replicas": int64(0)}
	replicas, found, _ := unstructured.NestedInt64(obj, PathOf(k.Scale.SpecReplicasPath)...)
	if replicas != 0 {
		spec["replicas"] = replicas
	}
	if replicas, has, _ := unstructured.NestedInt64(obj, PathOf(k.Scale.StatusReplicasPath)...); has {
		status["replicas"] = replicas
	}
	if k.Scale.SelectorPath != "" {
		if selector := selectorText(obj, PathOf(k.Scale.SelectorPath)); selector != "" {
			status["selector"] = selector
		}
	}
	return map[string]any{
		"apiVersion": ScaleKind.GroupVersion().String(), "kind": ScaleKind.Kind,
		"metadata": metadata, "spec": spec, "status": status,
	}, found
}

// selectorText returns a selector of labels as text. Custom resources have it as text already, and
// built-in kinds as a LabelSelector, or as labels in a ReplicationController.
func selectorText(obj map[string]any, path []string) string {
	value, _, _ := unstructured.NestedFieldNoCopy(obj, path...)
	fields, ok := value.(map[string]any)
	if !ok {
		text, _ := value.(string)
		return text
	}
	selector := &metav1.LabelSelector{}
	_, byLabels := fields["matchLabels"].(map[string]any)
	_, byExpressions := fields["matchExpressions"].([]any)
	if !byLabels && !byExpressions {
		fields = map[string]any{"matchLabels": fields}
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, selector); err != nil {
		return ""
	}
	converted, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return ""
	}
	return converted.String()
}
