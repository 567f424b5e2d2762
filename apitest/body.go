package apitest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializerjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/typedinformers/informer-gen/apitest/internal/fields"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// object decodes the body of create and update as an object of the request's kind, in the form in
// which it is stored: fields that the schema does not have are dropped, and defaults are set.
// validation is the option fieldValidation.
func (r *request) object(s *Server, validation string) (*unstructured.Unstructured, error) {
	mediaType, err := r.contentType()
	if err != nil {
		return nil, err
	}
	if mediaType == media.Protobuf && r.kind.custom() {
		return nil, media.Error(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
			fmt.Sprintf("%s %s: a custom resource cannot be sent as %s; send %s, which is the default of rest.Config.ContentType",
				r.verb, r.kind.groupResource(), media.Protobuf, media.JSON))
	}
	var decoded map[string]any
	var twice, strict []error
	if mediaType == media.Protobuf {
		decoded, err = s.decodeProtobuf(r)
		if err != nil {
			return nil, r.undecodable(nil, err)
		}
	} else {
		data := r.body
		if mediaType == media.YAML {
			if data, err = yaml.YAMLToJSON(data); err != nil {
				return nil, r.undecodable(nil, err)
			}
			if _, err := yaml.YAMLToJSONStrict(r.body); err != nil {
				twice = append(twice, err) // duplicate fields, which data does not have any more
			}
		}
		strict, err = kjson.UnmarshalStrict(data, &decoded)
		strict = append(twice, strict...)
		if err != nil || decoded == nil && r.kind.custom() {
			return nil, r.undecodable(nil, cmp.Or(interpret(data), err, runtime.NewMissingKindErr(string(data))))
		}
	}
	for _, name := range []string{"kind", "apiVersion"} {
		if _, ok := decoded[name].(string); !ok && decoded[name] != nil {
			return nil, r.undecodable(nil, interpret(r.body))
		}
	}
	obj := &unstructured.Unstructured{Object: decoded}
	return obj, r.complete(obj, strict, validation)
}

// interpret returns what the API server says of a body that has no kind and version to read.
func interpret(data []byte) error {
	_, err := serializerjson.DefaultMetaFactory.Interpret(data)
	return err
}

// complete checks the kind of a decoded object, and brings its fields into the form in which they
// are stored. strict has what is wrong with the body if the client asks for strict validation.
func (r *request) complete(obj *unstructured.Unstructured, strict []error, validation string) error {
	if obj.Object == nil {
		obj.Object = map[string]any{}
	}
	gvk, err := r.kindOf(obj)
	if err != nil {
		return err
	}
	unknown, err := r.normalize(obj)
	if err != nil {
		return r.undecodable(&gvk, err)
	}
	strict = append(strict, unknown...)
	if len(strict) == 0 {
		return nil
	}
	switch validation {
	case metav1.FieldValidationStrict:
		return r.undecodable(&gvk, runtime.NewStrictDecodingError(strict))
	case metav1.FieldValidationWarn, "":
		for _, err := range strict {
			r.warn(err.Error())
		}
	}
	return nil
}

// kindOf checks apiVersion and kind of a body. Built-in kinds, also Scale, need neither.
func (r *request) kindOf(obj *unstructured.Unstructured) (schema.GroupVersionKind, error) {
	want := r.bodyKind()
	apiVersion, _ := obj.Object["apiVersion"].(string)
	kind, _ := obj.Object["kind"].(string)
	if !r.kind.custom() || r.subresource == "scale" { // their decoder knows what to expect
		apiVersion, kind = cmp.Or(apiVersion, want.GroupVersion().String()), cmp.Or(kind, want.Kind)
		obj.Object["apiVersion"], obj.Object["kind"] = apiVersion, kind
	}
	if kind == "" {
		return want, r.undecodable(nil, runtime.NewMissingKindErr(string(r.body)))
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return want, r.undecodable(nil, err)
	}
	gvk := gv.WithKind(kind)
	if !r.kind.custom() && gvk != want && (gv == want.GroupVersion() || builtIns().byGVK[gvk] == nil) {
		return gvk, r.undecodable(&gvk, runtime.NewNotRegisteredErrForKind("pkg/runtime/scheme.go:111", gvk))
	}
	if r.subresource == "scale" && gvk != want {
		return gvk, r.undecodable(nil, runtime.NewNotRegisteredErrForKind("pkg/runtime/scheme.go:111", gvk))
	}
	if gv != want.GroupVersion() {
		return gvk, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", gv, want.GroupVersion()))
	}
	return gvk, nil
}

// bodyKind is the kind that a body has to have.
func (r *request) bodyKind() schema.GroupVersionKind {
	if r.subresource == "scale" {
		return scaleKind
	}
	return r.kind.GroupVersionKind
}

// normalize brings a decoded object of the request's kind into the form in which it is stored.
// unknown has an error for each field that was dropped.
func (r *request) normalize(obj *unstructured.Unstructured) (unknown []error, err error) {
	var paths []string
	// An empty list asks for a reset of the managers of a built-in kind. ObjectMeta drops it, as it does
	// in the API server for a custom resource.
	managers, found, _ := unstructured.NestedFieldNoCopy(obj.Object, "metadata", "managedFields")
	list, isList := managers.([]any)
	reset := found && isList && len(list) == 0 && !r.kind.custom()
	if r.subresource == "scale" {
		paths, err = normalizeScale(obj)
	} else {
		paths, err = r.kind.normalize(obj)
	}
	if metadata, ok := obj.Object["metadata"].(map[string]any); ok && reset && err == nil {
		metadata["managedFields"] = []any{}
	}
	for _, path := range paths {
		unknown = append(unknown, fmt.Errorf("unknown field %q", path))
	}
	return unknown, err
}

// undecodable is the error for a body that cannot be decoded. gvk is nil if its kind is not known.
func (r *request) undecodable(gvk *schema.GroupVersionKind, err error) error {
	if r.subresource == "scale" && r.kind.custom() {
		return apierrors.NewBadRequest(`no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"`)
	}
	if gvk != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, r.bodyKind().Kind, err))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", r.bodyKind().Kind, err, summary(r.body)))
}

// summary is the beginning of a body, for errors.
func summary(body []byte) string {
	const most = 30
	switch {
	case len(body) == 0:
		return "<empty>"
	case bytes.HasPrefix(body, []byte("{")):
		if len(body) > most {
			return string(body[:most]) + " ..."
		}
		return string(body)
	}
	if len(body) > most {
		return fmt.Sprintf("%x ...", body[:most])
	}
	return fmt.Sprintf("%x", body)
}

// contentType returns the media type of the body. An empty header means JSON.
func (r *request) contentType() (string, error) {
	header := r.http.Header.Get("Content-Type")
	if header == "" {
		return media.JSON, nil
	}
	mediaType, _, err := mime.ParseMediaType(header)
	accepted := []string{media.JSON, media.YAML, media.Protobuf}
	if err != nil || !slices.Contains(accepted, mediaType) {
		return "", media.Error(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
			"the body of the request was in an unknown format - accepted media types include: "+strings.Join(accepted, ", "))
	}
	return mediaType, nil
}

// normalize brings an object into the form in which it is stored, and returns the paths of the
// fields that were dropped. Its metadata becomes what ObjectMeta has; a field of another type is an
// error.
//
// A built-in kind with a Go type gets the fields of that type: one of another type is an error, and
// those without omitempty are always there.
func (k *Kind) normalize(obj *unstructured.Unstructured) (unknown []string, err error) {
	if k.Type != nil && !k.custom() {
		obj.Object, unknown, err = throughType(obj.Object, k.Type)
		return unknown, err
	}
	unknown, err = normalizeMetadata(obj)
	if err != nil {
		return nil, err
	}
	switch {
	case k.Schema != nil:
		pruned, err := k.Schema.Prune(obj.Object)
		if err != nil {
			return nil, err
		}
		unknown = append(unknown, pruned...)
		k.Schema.Default(obj.Object)
	case k.Type != nil:
		unknown = append(unknown, unknownFields(obj.Object, k.Type)...)
	}
	return unknown, nil
}

// normalizeMetadata decodes the metadata of an object and encodes it again.
func normalizeMetadata(obj *unstructured.Unstructured) (unknown []string, err error) {
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

// unknownFields returns the paths of the fields that a Go type does not have.
func unknownFields(obj map[string]any, empty runtime.Object) []string {
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
