package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/history"
)

// update answers PUT.
func (s *Server) update(r *request) (*reply, error) {
	var options metav1.UpdateOptions
	if err := r.options(&options); err != nil {
		return nil, err
	}
	if errs := metavalidation.ValidateUpdateOptions(&options); len(errs) > 0 {
		return nil, invalidOptions("UpdateOptions", errs)
	}
	obj, err := r.object(s, options.FieldValidation)
	if err != nil {
		return nil, err
	}
	if err := r.checkName(obj); err != nil {
		return nil, err
	}
	w := write{manager: r.manager(options.FieldManager), validation: options.FieldValidation, dryRun: len(options.DryRun) > 0}
	live := s.history.Get(r.key())
	if live != nil {
		if err := r.checkUID(live, obj); err != nil {
			return nil, err
		}
	}
	switch {
	case live == nil && r.subresource == "" && !r.kind.custom() && r.kind.builtIn.createOnUpdate:
		if uid := obj.GetUID(); uid != "" {
			return nil, r.otherUID(r.key(), uid, "")
		}
		obj.SetResourceVersion("")
		return s.insert(r, obj, w)
	case live == nil:
		return nil, r.missing()
	case r.subresource == "scale":
		return s.updateScale(r, live, w, func(scale *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			return obj, s.manage(r, scale.Object, obj, w.manager)
		})
	}
	return s.replace(r, live, obj, w)
}

// missing is the error for an object that does not exist.
func (r *request) missing() error {
	return apierrors.NewNotFound(r.kind.groupResource(), r.name)
}

// checkName compares the name and the namespace of a body with those of the URL.
func (r *request) checkName(obj *unstructured.Unstructured) error {
	if err := r.checkNamespace(obj); err != nil {
		return err
	}
	switch name := obj.GetName(); name {
	case r.name:
		return nil
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", r.name))
	default:
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, r.name))
	}
}

// storageKey is where etcd has an object. That of a built-in kind does not have the group.
func (k *Kind) storageKey(key history.Key) string {
	path := "/registry/" + key.Resource + "/"
	if k.custom() {
		path = "/registry/apiextensions.kubernetes.io/" + key.Group + "/" + key.Resource + "/"
	}
	if key.Namespace != "" {
		path += key.Namespace + "/"
	}
	return path + key.Name
}

// errModified is the cause of a conflict.
var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// replace stores a new state of an object. The caller does not use obj again. Where a subresource
// is written, all else comes from live.
func (s *Server) replace(r *request, live *history.State, obj *unstructured.Unstructured, w write) (*reply, error) {
	old := r.kind.present(live)
	if err := r.checkVersion(live, obj); err != nil {
		return nil, err
	}
	if !w.applied {
		r.dropDuplicateOwners(obj, duplicateOwners)
		if err := s.manage(r, old, obj, w.manager); err != nil {
			return nil, err
		}
	}
	named := obj.GroupVersionKind().GroupKind()
	r.prepareUpdate(obj, old)
	if err := r.validate(obj, old, named); err != nil {
		return nil, err
	}
	r.warnOfFinalizers(obj, old)
	s.keepTimes(obj, old)
	if isDeleting(old) && len(obj.GetFinalizers()) == 0 && noGrace(old) && !s.holdsContents(r.kind, obj) {
		if !w.dryRun {
			s.erase(live)
		}
		return &reply{code: http.StatusOK, object: obj.Object}, nil
	}
	if err := r.kind.store(obj); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(obj.Object, live.Object) || r.kind.Schema == nil && reflect.DeepEqual(obj.Object, old) {
		return &reply{code: http.StatusOK, state: live}, nil
	}
	if w.dryRun {
		return &reply{code: http.StatusOK, object: r.kind.inVersion(obj.Object)}, nil
	}
	if err := r.checkSize(obj, live); err != nil {
		return nil, err
	}
	return s.put(live.Key, obj, http.StatusOK), nil
}

// checkUID compares the UID of a body with that of the live object.
func (r *request) checkUID(live *history.State, obj *unstructured.Unstructured) error {
	if uid := obj.GetUID(); uid != "" {
		if have := uidOf(live.Object); string(uid) != have {
			return r.otherUID(live.Key, uid, have)
		}
	}
	return nil
}

// otherUID is the error for a body with another UID than the object has.
func (r *request) otherUID(key history.Key, uid types.UID, have string) error {
	return apierrors.NewConflict(r.kind.groupResource(), r.name, fmt.Errorf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %v, UID in object meta: %v", r.kind.storageKey(key), uid, have))
}

// checkVersion compares the resourceVersion of a body with that of the live object.
func (r *request) checkVersion(live *history.State, obj *unstructured.Unstructured) error {
	version := obj.GetResourceVersion()
	if version == "" || version == "0" {
		if r.whole || !r.kind.custom() && r.kind.builtIn.unconditional {
			obj.SetResourceVersion(strconv.FormatUint(live.Version, 10))
			return nil
		}
		gr := r.kind.groupResource()
		return apierrors.NewInvalid(schema.GroupKind{Group: gr.Group, Kind: gr.Resource}, r.name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update"),
		})
	}
	number, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return err
	}
	if number != live.Version {
		return apierrors.NewConflict(r.kind.groupResource(), r.name, errModified)
	}
	return nil
}

// prepareUpdate sets what a client does not decide, from the state before.
func (r *request) prepareUpdate(obj *unstructured.Unstructured, old map[string]any) {
	was := &unstructured.Unstructured{Object: old}
	if r.subresource == "status" || r.subresource == "approval" {
		status, has := obj.Object["status"]
		managed, hasManaged, _ := unstructured.NestedFieldNoCopy(obj.Object, "metadata", "managedFields")
		obj.Object = maps.Clone(old)
		delete(obj.Object, "status")
		if has {
			obj.Object["status"] = status
		}
		metadata := maps.Clone(old["metadata"].(map[string]any))
		delete(metadata, "managedFields")
		if hasManaged {
			metadata["managedFields"] = managed
		}
		obj.Object["metadata"] = metadata
		return
	}
	if r.kind.Status && (r.subresource == "" || r.subresource == "finalize") && !r.whole {
		delete(obj.Object, "status")
		if status, has := old["status"]; has {
			obj.Object["status"] = status
		}
	}
	if r.kind.isNamespace() {
		r.prepareNamespaceUpdate(obj, old)
	}
	metadata := obj.Object["metadata"].(map[string]any)
	before := old["metadata"].(map[string]any)
	keep := func(name string) {
		if value, has := before[name]; has {
			metadata[name] = value
		}
	}
	delete(metadata, "generation")
	keep("generation")
	if r.kind.generations() && !r.sameContent(obj.Object, old) {
		obj.SetGeneration(was.GetGeneration() + 1)
	}
	if metadata["uid"] == nil {
		keep("uid")
	}
	keep("creationTimestamp")
	keep("deletionTimestamp")
	if metadata["deletionGracePeriodSeconds"] == nil {
		keep("deletionGracePeriodSeconds")
	}
	delete(metadata, "selfLink")
}

// sameContent reports whether two objects differ in metadata only. A built-in kind counts changes
// of certain fields.
func (r *request) sameContent(a, b map[string]any) bool {
	if !r.kind.custom() {
		return r.kind.builtIn.sameContent(a, b)
	}
	counts := func(name string) bool { return name != "metadata" && (name != "status" || !r.kind.Status) }
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

// noGrace reports whether an object with a deletionTimestamp may go at once.
func noGrace(obj map[string]any) bool {
	seconds := (&unstructured.Unstructured{Object: obj}).GetDeletionGracePeriodSeconds()
	return seconds == nil || *seconds == 0
}

func uidOf(obj map[string]any) string {
	metadata, _ := obj["metadata"].(map[string]any)
	uid, _ := metadata["uid"].(string)
	return uid
}

// present returns a state in the version of the kind. It is not written to.
func (k *Kind) present(state *history.State) map[string]any {
	return k.inVersion(state.Object)
}

// inVersion returns an object with the apiVersion of the kind, as a CustomResourceDefinition
// without a conversion webhook converts.
func (k *Kind) inVersion(obj map[string]any) map[string]any {
	if obj["apiVersion"] == k.apiVersion() {
		return obj
	}
	converted := maps.Clone(obj)
	converted["apiVersion"] = k.apiVersion()
	if k.Schema != nil {
		converted = (&unstructured.Unstructured{Object: converted}).DeepCopy().Object
		if _, err := k.Schema.Prune(converted); err != nil {
			return obj // it was stored, so it is well-formed
		}
	}
	return converted
}

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
		return nil, errors.New(strings.ReplaceAll(err.Error(), "scaleObject", scaleKind.Kind))
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
		if selector := selectorText(obj, pathOf(k.Scale.SelectorPath)); selector != "" {
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
		path := paths[""] // nil
		if k.Scale != nil {
			for _, name := range pathOf(k.Scale.SpecReplicasPath) {
				// The compiler knows the type of an element, whose package has another path in each major version.
				element := managedfields.ResourcePathMappings{"": {{FieldName: &name}}}
				path = append(path, element[""]...)
			}
		}
		paths[k.apiVersion()] = path
	}
	return paths
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
