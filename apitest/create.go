package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	validationpath "k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/typedinformers/informer-gen/apitest/internal/fields"
	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/media"
)

// write has what the options of create, update and patch have in common.
type write struct {
	manager    string
	validation string
	dryRun     bool
	// applied reports whether the object comes from a patch, so that its managedFields are up to
	// date.
	applied bool
}

// create answers POST.
func (s *Server) create(r *request) (*reply, error) {
	if _, err := r.contentType(); err != nil {
		return nil, err
	}
	var options metav1.CreateOptions
	if err := r.options(&options); err != nil {
		return nil, err
	}
	if errs := metavalidation.ValidateCreateOptions(&options); len(errs) > 0 {
		return nil, invalidOptions("CreateOptions", errs)
	}
	if r.subresource != "" {
		return s.createPart(r, len(options.DryRun) > 0)
	}
	obj, err := r.object(s, options.FieldValidation)
	if err != nil {
		return nil, err
	}
	if !r.kind.custom() && r.kind.builtIn.virtual {
		return s.review(r, obj, len(options.DryRun) > 0)
	}
	w := write{manager: r.manager(options.FieldManager), validation: options.FieldValidation, dryRun: len(options.DryRun) > 0}
	return s.insert(r, obj, w)
}

// invalidOptions is the error for options that contradict each other.
func invalidOptions(kind string, errs field.ErrorList) error {
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}

// insert stores a new object. The caller does not use obj again.
func (s *Server) insert(r *request, obj *unstructured.Unstructured, w write) (*reply, error) {
	obj.SetCreationTimestamp(metav1.Time{})
	obj.SetUID("")
	obj.SetDeletionTimestamp(nil)
	obj.SetDeletionGracePeriodSeconds(nil)
	obj.SetSelfLink("")
	if err := r.checkNamespace(obj); err != nil {
		return nil, err
	}
	if err := s.admitNamespace(r, obj); err != nil {
		return nil, err
	}
	r.dropDuplicateOwners(obj, duplicateOwners)
	if !w.applied {
		if err := s.manage(r, nil, obj, w.manager); err != nil {
			return nil, err
		}
	}
	names := s.names
	restore := func() { s.names = names }
	obj.SetCreationTimestamp(metav1.NewTime(s.now()))
	obj.SetUID(s.names.UID())
	if obj.GetName() == "" && obj.GetGenerateName() != "" {
		obj.SetName(s.names.Generate(obj.GetGenerateName(), func(name string) bool {
			return s.history.Get(history.Key{GroupResource: r.kind.groupResource(), Namespace: r.namespace, Name: name}) != nil
		}))
	}
	r.kind.prepareCreate(obj)
	err := r.validate(obj, nil, obj.GroupVersionKind().GroupKind())
	if err == nil && !w.dryRun {
		err = r.kind.store(obj) // before it is known whether there is one, as a real server does
	}
	if err != nil {
		restore()
		return nil, err
	}
	r.warnOfFinalizers(obj, nil)
	// Only a version that is a number other than 0 is refused.
	if version, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 64); err == nil && version != 0 {
		restore()
		return nil, errors.New("resourceVersion should not be set on objects to be created")
	}
	obj.SetResourceVersion("")
	key := r.key()
	key.Name = obj.GetName()
	if live := s.history.Get(key); live != nil {
		restore()
		err := apierrors.NewAlreadyExists(key.GroupResource, key.Name)
		if isDeleting(live.Object) {
			err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
		}
		return nil, err
	}
	if w.dryRun {
		if err := r.kind.store(obj); err != nil {
			return nil, err
		}
		return &reply{code: http.StatusCreated, object: r.kind.inVersion(obj.Object)}, nil
	}
	if err := r.checkSize(obj, nil); err != nil {
		restore()
		return nil, err
	}
	return s.put(key, obj, http.StatusCreated), nil
}

// store makes of an object what is stored of it.
func (k *Kind) store(obj *unstructured.Unstructured) error {
	if k.Schema == nil {
		return nil
	}
	return k.Schema.Store(obj.Object)
}

// maxObject is the size that etcd accepts, in bytes.
const maxObject = 3 << 19

// errTooLarge is what etcd answers to an object that is larger.
var errTooLarge = errors.New("etcdserver: request is too large")

// checkSize refuses an object that is too large for etcd. An object is encoded for that only if the
// request and the object before it may make it so large.
func (r *request) checkSize(obj *unstructured.Unstructured, live *history.State) error {
	size := 2 * len(r.body) // with managedFields
	if live != nil {
		before, err := live.JSON()
		if err != nil {
			return err
		}
		size += len(before)
	}
	if size <= maxObject {
		return nil
	}
	after, err := json.Marshal(obj.Object)
	if err == nil && len(after) > maxObject {
		err = errTooLarge
	}
	return err
}

// put stores an object as it is, and answers with it. The caller does not use it again.
func (s *Server) put(key history.Key, obj *unstructured.Unstructured, code int) *reply {
	before := s.history.Get(key)
	state := s.history.Put(key, obj.Object)
	s.noteWrite()
	s.observe(before, state)
	return &reply{code: code, state: state}
}

// erase deletes an object.
func (s *Server) erase(live *history.State) {
	s.history.Delete(live.Key)
	s.noteWrite()
	s.observe(live, nil)
}

// checkNamespace sets the namespace of an object to that of the URL.
func (r *request) checkNamespace(obj *unstructured.Unstructured) error {
	switch obj.GetNamespace() {
	case r.namespace:
		return nil
	case "":
		obj.SetNamespace(r.namespace)
		return nil
	}
	if r.namespace == "" {
		obj.SetNamespace("")
		return nil
	}
	return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
}

// The warnings of duplicate owner references, in a body and in a patched object.
const (
	duplicateOwners        = ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v"
	duplicateOwnersPatched = ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v"
)

// dropDuplicateOwners removes owner references that are there twice, and warns.
func (r *request) dropDuplicateOwners(obj *unstructured.Unstructured, warning string) {
	owners := obj.GetOwnerReferences()
	if len(owners) < 2 {
		return
	}
	var kept []metav1.OwnerReference
	var twice []string
	for _, owner := range owners {
		switch {
		case slices.ContainsFunc(kept, func(o metav1.OwnerReference) bool { return apiequality.Semantic.DeepEqual(o, owner) }):
			twice = append(twice, string(owner.UID))
		default:
			kept = append(kept, owner)
		}
	}
	if len(twice) == 0 {
		return
	}
	obj.SetOwnerReferences(kept)
	r.warn(fmt.Sprintf(warning, strings.Join(twice, ", ")))
}

// warnOfFinalizers warns of new finalizers that are not the name of a domain and a path.
func (r *request) warnOfFinalizers(obj *unstructured.Unstructured, old map[string]any) {
	names := obj.GetFinalizers()
	if !r.kind.custom() || len(names) == 0 {
		return
	}
	var had []string
	if old != nil {
		had = (&unstructured.Unstructured{Object: old}).GetFinalizers()
	}
	slices.Sort(names)
	for _, name := range names {
		if slices.Contains(had, name) || strings.Contains(name, "/") ||
			name == metav1.FinalizerOrphanDependents || name == metav1.FinalizerDeleteDependents {
			continue
		}
		form := "name"
		if strings.Contains(name, ".") {
			form = "name including a path (/)"
		}
		r.warn(fmt.Sprintf("metadata.finalizers: %q: prefer a domain-qualified finalizer %s to avoid accidental conflicts with other finalizer writers", name, form))
	}
}

// prepareCreate sets what a client does not decide.
func (k *Kind) prepareCreate(obj *unstructured.Unstructured) {
	if k.Status && (k.custom() || !k.builtIn.keepStatus) {
		delete(obj.Object, "status")
		if status, has := k.empty()["status"]; has {
			obj.Object["status"] = status // the Go type always has one
		}
	}
	if k.generations() {
		obj.SetGeneration(1)
	} else {
		unstructured.RemoveNestedField(obj.Object, "metadata", "generation")
	}
	if k.isNamespace() {
		prepareNamespace(obj)
	}
}

// validate checks an object before it is stored. old is the object before an update, or nil. named is the
// kind that the body named.
func (r *request) validate(obj *unstructured.Unstructured, old map[string]any, named schema.GroupKind) error {
	var errs field.ErrorList
	if kind := obj.GetKind(); kind != r.kind.Kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), kind, "must be "+r.kind.Kind))
	}
	if version := obj.GetAPIVersion(); version != r.kind.apiVersion() {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), version, "must be "+r.kind.apiVersion()))
	}
	if len(errs) == 0 {
		errs = r.kind.validateMetadata(obj, old)
	}
	if r.kind.Schema != nil {
		errs = append(errs, r.kind.Schema.Validate(r.http.Context(), obj.Object, old, r.subresource, errs)...)
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(named, obj.GetName(), errs)
	}
	return nil
}

// unmanaged is an object whose managedFields need no check, which takes most of the time.
type unmanaged struct{ *unstructured.Unstructured }

// GetManagedFields returns nil.
func (u unmanaged) GetManagedFields() []metav1.ManagedFieldsEntry { return nil }

// validateMetadata checks the metadata as the server of custom resources does.
func (k *Kind) validateMetadata(next *unstructured.Unstructured, old map[string]any) field.ErrorList {
	at := field.NewPath("metadata")
	obj := metav1.Object(next)
	metadata, _ := next.Object["metadata"].(map[string]any)
	if managers, ok := metadata["managedFields"].([]any); ok && fields.Canonical(managers) {
		obj = unmanaged{next}
	}
	name := apivalidation.NameIsDNSSubdomain
	if !k.custom() {
		name = k.builtIn.validName
	}
	if old == nil {
		return apivalidation.ValidateObjectMetaAccessor(obj, k.Namespaced, name, at)
	}
	errs := apivalidation.ValidateObjectMetaAccessor(obj, k.Namespaced, pathSegment, at)
	changes := apivalidation.ValidateObjectMetaAccessorUpdate(obj, &unstructured.Unstructured{Object: old}, at)
	errs = append(errs, changes...)
	if k.custom() {
		errs = append(errs, changes...) // the API server checks custom resources twice
	}
	return errs
}

// pathSegment checks that a name can be a part of a URL.
func pathSegment(name string, prefix bool) []string {
	if prefix {
		return validationpath.IsValidPathSegmentPrefix(name)
	}
	return validationpath.IsValidPathSegmentName(name)
}

// isDeleting reports whether an object has a deletionTimestamp.
func isDeleting(obj map[string]any) bool {
	metadata, _ := obj["metadata"].(map[string]any)
	return metadata["deletionTimestamp"] != nil
}

// createPart answers POST of a subresource of a built-in kind.
func (s *Server) createPart(r *request, dryRun bool) (*reply, error) {
	if r.kind.custom() || !slices.Contains([]string{"binding", "eviction", "token"}, r.subresource) {
		return nil, methodNotAllowed(r)
	}
	live := s.history.Get(r.key())
	if live == nil {
		return nil, r.missing()
	}
	gvk, _ := r.kind.subresource(r.subresource)
	body, err := s.decodeAs(r, gvk)
	if err != nil {
		return nil, err
	}
	switch r.subresource {
	case "binding":
		return s.bind(r, live, body, dryRun)
	case "token":
		return &reply{code: http.StatusCreated, object: s.token(live, body)}, nil
	}
	var options metav1.DeleteOptions
	if given, ok := body["deleteOptions"].(map[string]any); ok {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(given, &options); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	pod := &request{http: r.http, verb: "delete", kind: r.kind, namespace: r.namespace, name: r.name}
	if _, err := s.remove(pod, live, &options); err != nil {
		return nil, err
	}
	return done(), nil
}

// done is the answer to a request that has created nothing that could be shown.
func done() *reply {
	return &reply{code: http.StatusCreated, status: &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess, Code: http.StatusCreated,
	}}
}

// decodeAs decodes a body of another kind than that of the resource. It has defaults for its kind.
func (s *Server) decodeAs(r *request, gvk schema.GroupVersionKind) (map[string]any, error) {
	body := map[string]any{}
	mediaType, err := r.contentType()
	if err != nil {
		return nil, err
	}
	data := r.body
	switch mediaType {
	case media.Protobuf:
		typed, err := s.scheme.New(gvk)
		if err == nil {
			err = media.UnmarshalProtobuf(data, typed)
		}
		if err != nil {
			return nil, r.undecodable(nil, err)
		}
		typed.GetObjectKind().SetGroupVersionKind(gvk)
		return runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	case media.YAML:
		if data, err = yaml.ToJSON(data); err != nil {
			return nil, r.undecodable(nil, err)
		}
	}
	if len(data) > 0 {
		if err := utiljson.Unmarshal(data, &body); err != nil {
			return nil, r.undecodable(nil, err)
		}
	}
	object := &unstructured.Unstructured{Object: body}
	if object.GetKind() == "" {
		object.SetGroupVersionKind(gvk)
	}
	return body, nil
}

// bind assigns a pod to a node, as the scheduler asks.
func (s *Server) bind(r *request, live *history.State, binding map[string]any, dryRun bool) (*reply, error) {
	node, _, _ := unstructured.NestedString(binding, "target", "name")
	if node == "" {
		return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "Binding"}, r.name, field.ErrorList{field.Required(field.NewPath("target", "name"), "")})
	}
	if has, _, _ := unstructured.NestedString(live.Object, "spec", "nodeName"); has != "" {
		return nil, apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, r.name, fmt.Errorf("pod %s is already assigned to node %q", r.name, has))
	}
	pod := (&unstructured.Unstructured{Object: r.kind.present(live)}).DeepCopy()
	if err := unstructured.SetNestedField(pod.Object, node, "spec", "nodeName"); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	part := &request{http: r.http, verb: "update", kind: r.kind, namespace: r.namespace, name: r.name}
	if _, err := s.replace(part, live, pod, write{manager: r.manager(""), dryRun: dryRun}); err != nil {
		return nil, err
	}
	return done(), nil
}

// token is the answer to a TokenRequest for a service account. Nothing checks the token.
func (s *Server) token(live *history.State, body map[string]any) map[string]any {
	seconds, has, _ := unstructured.NestedInt64(body, "spec", "expirationSeconds")
	if !has {
		seconds = 3600
	}
	body["status"] = map[string]any{
		"token":               fmt.Sprintf("apitest.%s.%s.%d", live.Namespace, live.Name, s.names.Number()),
		"expirationTimestamp": s.now().Add(time.Duration(seconds) * time.Second).UTC().Format(time.RFC3339),
	}
	return body
}

// review answers a create of a kind that stores nothing. The server knows no users: everything is
// allowed, and any token is valid.
func (s *Server) review(r *request, obj *unstructured.Unstructured, dryRun bool) (*reply, error) {
	user := map[string]any{"username": "apitest"}
	switch r.kind.Kind {
	case "Binding":
		pods := s.kinds.of(schema.GroupResource{Resource: "pods"})
		part := &request{http: r.http, verb: "create", kind: pods, namespace: r.namespace, name: obj.GetName()}
		live := s.history.Get(part.key())
		if live == nil {
			return nil, part.missing()
		}
		return s.bind(part, live, obj.Object, dryRun)
	case "TokenReview":
		token, _, _ := unstructured.NestedString(obj.Object, "spec", "token")
		obj.Object["status"] = map[string]any{"authenticated": token != ""}
		if token != "" {
			obj.Object["status"].(map[string]any)["user"] = user
		}
	case "SelfSubjectReview":
		obj.Object["status"] = map[string]any{"userInfo": user}
	case "SelfSubjectRulesReview":
		all := []any{"*"}
		obj.Object["status"] = map[string]any{
			"incomplete":       false,
			"resourceRules":    []any{map[string]any{"verbs": all, "apiGroups": all, "resources": all}},
			"nonResourceRules": []any{map[string]any{"verbs": all, "nonResourceURLs": all}},
		}
	default:
		obj.Object["status"] = map[string]any{"allowed": true}
	}
	return &reply{code: http.StatusCreated, object: obj.Object}, nil
}
