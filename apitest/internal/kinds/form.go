package kinds

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializerjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	kjson "sigs.k8s.io/json"

	"github.com/typedinformers/informer-gen/apitest/internal/fields"
	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

// Normalize brings an object into the form in which it is stored, and returns the paths of the
// fields that were dropped. Its metadata becomes what ObjectMeta has; a field of another type is an
// error.
//
// A built-in kind with a Go type gets the fields of that type: one of another type is an error, and
// those without omitempty are always there.
func (k *Kind) Normalize(obj *unstructured.Unstructured) (unknown []string, err error) {
	if k.Type != nil && !k.Custom() {
		if obj.Object, unknown, err = throughType(obj.Object, k.Type); err == nil {
			k.MoveText(obj.Object)
		}
		return unknown, err
	}
	unknown, err = NormalizeMetadata(obj)
	if err != nil {
		return nil, err
	}
	k.MoveText(obj.Object)
	switch {
	case k.Schema != nil:
		pruned, err := k.Schema.Prune(obj.Object)
		if err != nil {
			return nil, err
		}
		unknown = append(unknown, pruned...)
		k.Schema.Default(obj.Object)
	case k.Type != nil:
		unknown = append(unknown, UnknownFields(obj.Object, k.Type)...)
	}
	return unknown, nil
}

// MoveText moves stringData, which only requests have, to data.
func (k *Kind) MoveText(obj map[string]any) {
	text, has := obj["stringData"].(map[string]any)
	if !has || k.Custom() || !k.BuiltIn.TextData {
		return
	}
	data, _ := obj["data"].(map[string]any)
	merged := maps.Clone(data)
	if merged == nil {
		merged = map[string]any{}
	}
	for key, value := range text {
		if value, isText := value.(string); isText {
			merged[key] = base64.StdEncoding.EncodeToString([]byte(value))
		}
	}
	delete(obj, "stringData")
	if len(merged) > 0 {
		obj["data"] = merged
	}
}

// NormalizeMetadata decodes the metadata of an object and encodes it again.
func NormalizeMetadata(obj *unstructured.Unstructured) (unknown []string, err error) {
	raw, present := obj.Object["metadata"]
	if raw == nil {
		if present {
			delete(obj.Object, "metadata")
		}
		return nil, nil
	}
	if fields, ok := raw.(map[string]any); ok {
		if created, has := fields["creationTimestamp"]; has && created == nil {
			delete(fields, "creationTimestamp") // clients of typed objects send it
		}
		if isPlain(fields) {
			return nil, nil
		}
	}
	data, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	var meta metav1.ObjectMeta
	strict, err := kjson.UnmarshalStrict(data, &meta)
	if err != nil {
		return nil, err
	}
	for _, err := range strict {
		if fieldErr, ok := err.(kjson.FieldError); ok && strings.HasPrefix(err.Error(), "unknown field") {
			unknown = append(unknown, "metadata."+fieldErr.FieldPath())
		}
	}
	encoded, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&meta)
	if err != nil {
		return nil, err
	}
	if meta.CreationTimestamp.IsZero() {
		delete(encoded, "creationTimestamp")
	}
	obj.Object["metadata"] = encoded
	return unknown, nil
}

// isPlain reports whether metadata has nothing but the fields that most objects have, in the form in
// which they are stored. Such metadata is normal already.
func isPlain(metadata map[string]any) bool {
	for name, value := range metadata {
		switch name {
		case "name", "namespace", "generateName", "uid", "resourceVersion":
			if text, ok := value.(string); !ok || text == "" {
				return false
			}
		case "labels", "annotations":
			texts, ok := value.(map[string]any)
			if !ok || len(texts) == 0 {
				return false
			}
			for _, value := range texts {
				if _, ok := value.(string); !ok {
					return false
				}
			}
		case "finalizers":
			texts, ok := value.([]any)
			if !ok || len(texts) == 0 {
				return false
			}
			for _, value := range texts {
				if _, ok := value.(string); !ok {
					return false
				}
			}
		case "generation":
			if number, ok := value.(int64); !ok || number == 0 {
				return false
			}
		case "creationTimestamp":
			if text, ok := value.(string); !ok || !fields.IsTime(text) {
				return false
			}
		case "managedFields":
			if list, ok := value.([]any); !ok || len(list) == 0 || !fields.Canonical(list) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// throughType decodes an object as a Go type and encodes it again. It returns the paths of the
// fields that the type does not have.
func throughType(obj map[string]any, empty runtime.Object) (typed map[string]any, unknown []string, err error) {
	into, unknown, err := decodeStrict(obj, empty)
	if err != nil {
		return nil, nil, err
	}
	typed, err = runtime.DefaultUnstructuredConverter.ToUnstructured(into)
	return typed, unknown, err
}

// UnknownFields returns the paths of the fields that a Go type does not have.
func UnknownFields(obj map[string]any, empty runtime.Object) []string {
	if fields.Known(reflect.TypeOf(empty), obj) {
		return nil
	}
	_, unknown, err := decodeStrict(obj, empty)
	if err != nil {
		return nil // a custom resource may have values that its Go type does not
	}
	return unknown
}

// decodeStrict decodes an object as the type of empty, and returns the paths of the fields that the type
// does not have.
func decodeStrict(obj map[string]any, empty runtime.Object) (into runtime.Object, unknown []string, err error) {
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, nil, err
	}
	into = empty.DeepCopyObject()
	strict, err := kjson.UnmarshalStrict(data, into)
	if err != nil {
		return nil, nil, err
	}
	for _, err := range strict {
		if fieldErr, ok := err.(kjson.FieldError); ok && strings.HasPrefix(err.Error(), "unknown field") {
			unknown = append(unknown, fieldErr.FieldPath())
		}
	}
	return into, unknown, nil
}

// Interpret returns the error of the API server for a body that has no kind and version to read.
func Interpret(data []byte) error {
	_, err := serializerjson.DefaultMetaFactory.Interpret(data)
	return err
}

// Empty returns an object without content, which has what the Go type of a built-in kind encodes of
// Empty fields.
func (k *Kind) Empty() map[string]any {
	object := map[string]any{}
	if k.Type != nil && !k.Custom() {
		if fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(k.Type.DeepCopyObject()); err == nil {
			object = fields
		}
	}
	object["apiVersion"], object["kind"] = k.APIVersion(), k.Kind
	return object
}

// Present returns a state in the version of the kind. It is not written to.
func (k *Kind) Present(state *history.State) map[string]any {
	return k.InVersion(state.Object)
}

// InVersion returns an object with the apiVersion of the kind, as a CustomResourceDefinition
// without a conversion webhook converts.
func (k *Kind) InVersion(obj map[string]any) map[string]any {
	if obj["apiVersion"] == k.APIVersion() {
		return obj
	}
	converted := maps.Clone(obj)
	converted["apiVersion"] = k.APIVersion()
	if k.Schema != nil {
		converted = (&unstructured.Unstructured{Object: converted}).DeepCopy().Object
		if _, err := k.Schema.Prune(converted); err != nil {
			return obj // it was stored, so it is well-formed
		}
	}
	return converted
}

// Store makes of an object the one that is stored.
func (k *Kind) Store(obj *unstructured.Unstructured) error {
	if k.Schema == nil {
		return nil
	}
	return k.Schema.Store(obj.Object)
}

// Content converts an object, which may be of any Go type, by its JSON. The content names kind, unless that
// is empty. Only an object of a generic type may name another one.
func Content(obj runtime.Object, kind schema.GroupVersionKind) (map[string]any, error) {
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	var content map[string]any
	if err := utiljson.Unmarshal(data, &content); err != nil {
		return nil, fmt.Errorf("the JSON of a %T is no object: %w", obj, err)
	}
	if kind.Empty() {
		return content, nil
	}
	_, generic := obj.(runtime.Unstructured)
	for name, value := range map[string]string{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind} {
		if has, _ := content[name].(string); has == "" || !generic {
			content[name] = value
		}
	}
	return content, nil
}

// Convert decodes the JSON of one value into another.
func Convert(from, into any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// SameContent reports whether two objects differ only in fields that the generation does not count: metadata, and a status that is a
// subresource. A built-in kind counts certain fields.
func (k *Kind) SameContent(a, b map[string]any) bool {
	if !k.Custom() {
		return k.sameCounted(a, b)
	}
	counts := func(name string) bool { return name != "metadata" && (name != "status" || !k.Status) }
	for name, value := range a {
		before, has := b[name]
		if counts(name) && (!has || !reflect.DeepEqual(value, before)) {
			return false
		}
	}
	for name := range b {
		if _, has := a[name]; !has && counts(name) {
			return false
		}
	}
	return true
}
