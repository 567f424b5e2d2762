package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/typedinformers/informer-gen/apitest/internal/fields"
	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// patch answers PATCH.
func (s *Server) patch(r *request) (*reply, error) {
	patchType, err := r.patchType()
	if err != nil {
		return nil, err
	}
	var options metav1.PatchOptions
	if err := r.options(&options); err != nil {
		return nil, err
	}
	if errs := metavalidation.ValidatePatchOptions(&options, patchType); len(errs) > 0 {
		return nil, invalidOptions("PatchOptions", errs)
	}
	w := write{
		manager: r.manager(options.FieldManager), validation: options.FieldValidation, dryRun: len(options.DryRun) > 0,
		applied: true,
	}
	live := s.history.Get(r.key())
	switch {
	case patchType == types.ApplyYAMLPatchType:
		return s.apply(r, live, options.Force != nil && *options.Force, w)
	case !json.Valid(r.body):
		return nil, apierrors.NewBadRequest("invalid JSON patch")
	case live == nil:
		return nil, r.missing()
	}
	change := func(obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return s.patched(r, patchType, obj, w)
	}
	if r.subresource == "scale" {
		return s.updateScale(r, live, w, change)
	}
	obj, err := change(&unstructured.Unstructured{Object: r.kind.present(live)})
	if err != nil {
		return nil, err
	}
	return s.replace(r, live, obj, w)
}

// patchType returns the media type of the body, if the kind can be patched with it.
func (r *request) patchType() (types.PatchType, error) {
	header := r.http.Header.Get("Content-Type")
	mediaType, _, _ := strings.Cut(header, ";")
	accepted := []string{string(types.JSONPatchType), string(types.MergePatchType)}
	hint := ""
	switch {
	case r.kind.custom():
	case r.patchedType() != nil:
		accepted = append(accepted, string(types.StrategicMergePatchType))
	case mediaType == string(types.StrategicMergePatchType):
		hint = fmt.Sprintf("; a strategic merge patch needs the Go type of %s; give it to the server by WithScheme", r.kind.Kind)
	}
	accepted = append(accepted, string(types.ApplyYAMLPatchType))
	if slices.Contains(accepted, mediaType) {
		return types.PatchType(mediaType), nil
	}
	return "", media.Error(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
		"the body of the request was in an unknown format - accepted media types include: "+strings.Join(accepted, ", ")+hint)
}

// patchedType returns an empty object of the Go type that is patched, or nil.
func (r *request) patchedType() runtime.Object {
	if r.subresource == "scale" {
		return &scaleObject{}
	}
	return r.kind.Type
}

// patched applies a patch to an object or a Scale, which does not change, and sets the managedFields
// of the result.
func (s *Server) patched(r *request, patchType types.PatchType, live *unstructured.Unstructured, w write) (*unstructured.Unstructured, error) {
	var obj *unstructured.Unstructured
	var err error
	if patchType == types.StrategicMergePatchType {
		obj, err = r.patchStrategic(live.Object, w.validation)
	} else {
		obj, err = r.patchJSON(patchType, live.Object, w.validation)
	}
	if err != nil {
		return nil, err
	}
	if err := s.manage(r, live.Object, obj, w.manager); err != nil {
		return nil, err
	}
	if err := r.checkName(obj); err != nil {
		return nil, err
	}
	r.dropDuplicateOwners(obj, duplicateOwnersPatched)
	return obj, nil
}

// patchJSON applies a JSON patch or a merge patch.
func (r *request) patchJSON(patchType types.PatchType, live map[string]any, validation string) (*unstructured.Unstructured, error) {
	doc, err := r.patchable(live)
	if err != nil {
		return nil, err
	}
	apply := fields.MergePatch
	if patchType == types.JSONPatchType {
		apply = fields.JSONPatch
	}
	text, strict, err := apply(doc, r.body, validation != metav1.FieldValidationIgnore)
	if err != nil {
		return nil, err
	}
	obj, unknown, err := r.decodePatched(text)
	if err != nil {
		return nil, invalidPatch(string(text), err)
	}
	return obj, r.tellStrict(string(text), append(strict, unknown...), validation)
}

// patchable returns the JSON to which a patch is applied. It has the fields in the order of the Go
// type, if the server has that, because errors show it.
func (r *request) patchable(live map[string]any) ([]byte, error) {
	doc, err := json.Marshal(live)
	if err != nil || r.patchedType() == nil || r.kind.custom() && r.subresource != "scale" {
		return doc, err
	}
	typed := r.patchedType().DeepCopyObject()
	if err := json.Unmarshal(doc, typed); err != nil {
		return nil, err
	}
	return json.Marshal(typed)
}

// patchStrategic applies a strategic merge patch.
func (r *request) patchStrategic(live map[string]any, validation string) (*unstructured.Unstructured, error) {
	patch, err := fields.ParseStrategicPatch(r.body)
	if err != nil {
		return nil, err
	}
	content, err := patch.Apply(live, r.patchedType())
	if err != nil {
		return nil, err
	}
	text, strict, typed := fmt.Sprintf("%+v", patch.Fields), patch.Duplicates, r.patchedType().DeepCopyObject()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, typed, true); err != nil {
		decoding, ok := runtime.AsStrictDecodingError(err)
		if !ok {
			return nil, invalidPatch(text, err)
		}
		strict = append(strict, decoding.Errors()...)
	}
	if content, err = runtime.DefaultUnstructuredConverter.ToUnstructured(typed); err != nil {
		return nil, err
	}
	if r.subresource != "scale" {
		content["apiVersion"], content["kind"] = r.kind.apiVersion(), r.kind.Kind // a patch cannot change them
	}
	return &unstructured.Unstructured{Object: content}, r.tellStrict(text, strict, validation)
}

// decodePatched decodes a patched object, and brings it into the form in which it is stored.
func (r *request) decodePatched(text []byte) (*unstructured.Unstructured, []error, error) {
	obj := &unstructured.Unstructured{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, &obj.Object); err != nil {
		if other := interpret(text); other != nil {
			err = other
		}
		return nil, nil, err
	}
	for _, name := range []string{"kind", "apiVersion"} {
		if _, ok := obj.Object[name].(string); !ok && obj.Object[name] != nil {
			return nil, nil, interpret(text)
		}
	}
	if want := r.kind.GroupVersionKind; !r.kind.custom() && r.subresource != "scale" {
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
	unknown, err := r.normalize(obj)
	return obj, unknown, err
}

// tellStrict refuses a patch, or warns of it, if strict decoding finds errors. text is the patched
// object.
func (r *request) tellStrict(text string, strict []error, validation string) error {
	if len(strict) == 0 {
		return nil
	}
	switch validation {
	case metav1.FieldValidationIgnore:
	case metav1.FieldValidationStrict:
		return invalidPatch(text, runtime.NewStrictDecodingError(strict))
	default:
		for _, err := range strict {
			r.warn(err.Error())
		}
	}
	return nil
}

// invalidPatch is the error for a patched object that cannot be decoded.
func invalidPatch(text string, err error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), text, err.Error())})
}

// apply answers a server-side apply. live is nil if there is no object.
func (s *Server) apply(r *request, live *history.State, force bool, w write) (*reply, error) {
	config, err := fields.ParseConfiguration(r.body)
	if err != nil {
		return nil, err
	}
	change := func(obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return s.applied(r, obj, config, force, w)
	}
	switch {
	case live == nil && r.subresource != "":
		return nil, r.missing()
	case r.subresource == "scale":
		return s.updateScale(r, live, w, func(scale *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			if r.kind.custom() && len(scale.GetManagedFields()) == 0 {
				return nil, errUnscaled
			}
			scaled, err := change(scale)
			if err == nil && r.kind.custom() && !reflect.DeepEqual(scale.Object["spec"], scaled.Object["spec"]) {
				return nil, unscaled(config)
			}
			return scaled, err
		})
	case live != nil:
		obj, err := change(&unstructured.Unstructured{Object: r.kind.present(live)})
		if err != nil {
			return nil, err
		}
		return s.replace(r, live, obj, w)
	}
	obj, err := change(&unstructured.Unstructured{})
	if err != nil {
		return nil, err
	}
	obj.SetResourceVersion("") // a new object may be applied with one
	return s.insert(r, obj, w)
}

// errForeign is why the API server does not apply a Scale of a custom resource that would change it:
// it converts the result as it converts the custom resource. An apply that changes nothing succeeds.
var errForeign = errors.New("request to convert CR to an invalid group/version: autoscaling/v1")

// unscaled returns the error for an apply that would change a Scale of a custom resource.
func unscaled(config *fields.Configuration) error {
	applied, err := config.Fields()
	if err != nil {
		return err
	}
	named := unstructured.Unstructured{Object: applied}
	return fmt.Errorf("failed to convert new object (%s/%s; autoscaling/v1, Kind=Scale) to proper version: %w", named.GetNamespace(), named.GetName(), errForeign)
}

// errUnscaled is what the API server answers if a Scale of a custom resource is applied, and no
// manager has the replicas. It cannot find out their manager then.
var errUnscaled = fmt.Errorf("failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: %w", errForeign)

// applied merges a configuration into an object or a Scale, which does not change. live is empty if
// there is no object.
func (s *Server) applied(r *request, live *unstructured.Unstructured, config *fields.Configuration, force bool, w write) (*unstructured.Unstructured, error) {
	m, err := s.kinds.manager(r.kind, r.subresource)
	if err != nil {
		return nil, err
	}
	applied, err := config.Fields()
	if err != nil {
		return nil, err
	}
	if typed := r.patchedType(); typed != nil && (r.subresource == "scale" || !r.kind.custom()) {
		// The Go type of a custom resource may be older than its schema, but this is the type itself.
		if unknown := unknownFields(applied, typed); len(unknown) > 0 {
			return nil, fmt.Errorf("failed to create typed patch object (/%s; %v): .%s: field not declared in schema", r.name, r.bodyKind(), unknown[0])
		}
	}
	content, err := m.Apply(live.Object, applied, w.manager, force, s.now())
	if err != nil {
		return nil, err
	}
	if w.validation != metav1.FieldValidationIgnore {
		warnings, err := config.Duplicates()
		if err != nil && w.validation == metav1.FieldValidationStrict {
			return nil, err
		}
		for _, warning := range warnings {
			r.warn(warning)
		}
	}
	obj := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}
	if live.Object == nil && obj.GetUID() != "" {
		return nil, apierrors.NewConflict(r.kind.groupResource(), r.name,
			fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", obj.GetUID()))
	}
	if err := r.checkName(obj); err != nil {
		return nil, err
	}
	if r.subresource == "scale" {
		return obj, nil
	}
	if r.kind.Type != nil && !r.kind.custom() {
		_, err = r.kind.normalize(obj)
		return obj, err
	}
	_, err = normalizeMetadata(obj)
	return obj, err
}

// endpoint is where objects of a kind are written.
type endpoint struct {
	kind        *Kind
	subresource string
}

// manager returns what keeps the managed fields of writes through an endpoint.
func (g *registry) manager(kind *Kind, subresource string) (*fields.Manager, error) {
	e := endpoint{kind, subresource}
	if m := g.managers[e]; m != nil {
		return m, nil
	}
	config := kind.managed()
	if subresource == "scale" {
		config = fields.Config{GVK: scaleKind, Type: &scaleObject{}}
	} else {
		for _, other := range g.versions(kind) {
			config.Others = append(config.Others, other.managed())
		}
	}
	config.Subresource = subresource
	m, err := fields.New(config)
	if err != nil {
		return nil, err
	}
	if g.managers == nil {
		g.managers = map[endpoint]*fields.Manager{}
	}
	g.managers[e] = m
	return m, nil
}

// managed returns what a manager has to know of a kind.
func (k *Kind) managed() fields.Config {
	config := fields.Config{GVK: k.GroupVersionKind, Type: k.Type, HasStatus: k.Status}
	switch {
	case k.Schema != nil:
		config.Converter = k.Schema.TypeConverter()
		config.Default = k.Schema.Default
	case k.TypeConverter != nil:
		config.Converter = fields.Open(k.TypeConverter, k.GroupVersionKind)
	}
	return config
}

// versions returns the other versions of a kind.
func (g *registry) versions(kind *Kind) []*Kind {
	var others []*Kind
	for other := range g.all() {
		if other.GroupKind() == kind.GroupKind() && other.Version != kind.Version {
			others = append(others, other)
		}
	}
	return others
}

// manage sets the managedFields of obj, which manager writes in place of old. old is nil if obj is
// new.
func (s *Server) manage(r *request, old map[string]any, obj *unstructured.Unstructured, manager string) error {
	m, err := s.kinds.manager(r.kind, r.subresource)
	if err != nil {
		return err
	}
	if _, ok := obj.Object["metadata"].(map[string]any); !ok {
		obj.Object["metadata"] = map[string]any{}
	}
	if old == nil && r.kind.Type != nil && !r.kind.custom() {
		old = r.kind.empty() // the fields that its Go type always has are written by no one
	}
	obj.Object, err = m.Update(old, obj.Object, manager, s.now())
	return err
}

// keepTimes gives obj the managedFields of old if the two objects differ in the times of these only.
// So a write that changes nothing makes no new version.
func (s *Server) keepTimes(obj *unstructured.Unstructured, old map[string]any) {
	obj.Object = fields.KeepTimes(old, obj.Object)
}
