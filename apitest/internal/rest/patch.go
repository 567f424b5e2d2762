package rest

import (
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/typedinformers/informer-gen/apitest/internal/fields"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// patched applies a patch to an object or a Scale, which does not change, and sets the managedFields
// of the result.
func (s *Store) patched(r *Request, patchType types.PatchType, patch []byte, live *unstructured.Unstructured, w Write) (*unstructured.Unstructured, error) {
	var obj *unstructured.Unstructured
	var err error
	if patchType == types.StrategicMergePatchType {
		obj, err = r.patchStrategic(patch, live.Object, w.Validation)
	} else {
		obj, err = r.patchJSON(patchType, patch, live.Object, w.Validation)
	}
	if err != nil {
		return nil, err
	}
	if err := s.manage(r, live.Object, obj, w.Manager); err != nil {
		return nil, err
	}
	if err := r.checkName(obj); err != nil {
		return nil, err
	}
	r.dropDuplicateOwners(obj, duplicateOwnersPatched)
	return obj, nil
}

// patchJSON applies a JSON patch or a merge patch.
func (r *Request) patchJSON(patchType types.PatchType, patch []byte, live map[string]any, validation string) (*unstructured.Unstructured, error) {
	doc, err := r.patchable(live)
	if err != nil {
		return nil, err
	}
	apply := fields.MergePatch
	if patchType == types.JSONPatchType {
		apply = fields.JSONPatch
	}
	text, strict, err := apply(doc, patch, validation != metav1.FieldValidationIgnore)
	if err != nil {
		return nil, err
	}
	r.Size = max(r.Size, len(text)) // copies may make it much larger than the patch
	obj, unknown, err := r.decodePatched(text)
	if err != nil {
		return nil, invalidPatch(string(text), err)
	}
	return obj, r.tellStrict(string(text), append(strict, unknown...), validation)
}

// patchable returns the JSON to which a patch is applied. It has the fields in the order of the Go
// type, if the server has that, because errors show it.
func (r *Request) patchable(live map[string]any) ([]byte, error) {
	doc, err := json.Marshal(live)
	if err != nil || r.PatchedType() == nil || r.Kind.Custom() && r.Subresource != "scale" {
		return doc, err
	}
	typed := r.PatchedType().DeepCopyObject()
	if err := json.Unmarshal(doc, typed); err != nil {
		return nil, err
	}
	return json.Marshal(typed)
}

// patchStrategic applies a strategic merge patch.
func (r *Request) patchStrategic(text []byte, live map[string]any, validation string) (*unstructured.Unstructured, error) {
	patch, err := fields.ParseStrategicPatch(text)
	if err != nil {
		return nil, err
	}
	content, err := patch.Apply(live, r.PatchedType())
	if err != nil {
		return nil, err
	}
	shown, strict, typed := fmt.Sprintf("%+v", patch.Fields), patch.Duplicates, r.PatchedType().DeepCopyObject()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, typed, true); err != nil {
		decoding, ok := runtime.AsStrictDecodingError(err)
		if !ok {
			return nil, invalidPatch(shown, err)
		}
		strict = append(strict, decoding.Errors()...)
	}
	if content, err = runtime.DefaultUnstructuredConverter.ToUnstructured(typed); err != nil {
		return nil, err
	}
	r.Kind.MoveText(content)
	if r.Subresource != "scale" {
		content["apiVersion"], content["kind"] = r.Kind.APIVersion(), r.Kind.Kind // a patch cannot change them
	}
	return &unstructured.Unstructured{Object: content}, r.tellStrict(shown, strict, validation)
}

// decodePatched decodes a patched object, and brings it into the form in which it is stored.
func (r *Request) decodePatched(text []byte) (*unstructured.Unstructured, []error, error) {
	obj := &unstructured.Unstructured{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, &obj.Object); err != nil {
		if other := kinds.Interpret(text); other != nil {
			err = other
		}
		return nil, nil, err
	}
	for _, name := range []string{"kind", "apiVersion"} {
		if _, ok := obj.Object[name].(string); !ok && obj.Object[name] != nil {
			return nil, nil, kinds.Interpret(text)
		}
	}
	if want := r.Kind.GroupVersionKind; !r.Kind.Custom() && r.Subresource != "scale" {
		if obj.GetKind() == "" || obj.GetAPIVersion() == "" {
			obj.SetGroupVersionKind(want)
		}
		if gvk := obj.GroupVersionKind(); gvk != want {
			return nil, nil, runtime.NewNotRegisteredErrForKind("pkg/runtime/scheme.go:111", gvk)
		}
	}
	switch {
	case obj.GetKind() == "":
		return nil, nil, runtime.NewMissingKindErr(string(text))
	case obj.GetAPIVersion() == "":
		return nil, nil, runtime.NewMissingVersionErr(string(text))
	}
	unknown, err := r.Normalize(obj)
	return obj, unknown, err
}

// tellStrict refuses a patch, or warns of it, if strict decoding finds errors. text is the patched
// object.
func (r *Request) tellStrict(text string, strict []error, validation string) error {
	if len(strict) == 0 {
		return nil
	}
	switch validation {
	case metav1.FieldValidationIgnore:
	case metav1.FieldValidationStrict:
		return invalidPatch(text, runtime.NewStrictDecodingError(strict))
	default:
		for _, err := range strict {
			r.Warn(err.Error())
		}
	}
	return nil
}

// invalidPatch is the error for a patched object that cannot be decoded.
func invalidPatch(text string, err error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), text, err.Error())})
}
