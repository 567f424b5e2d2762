package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/fields"
	"github.com/typedinformers/informer-gen/apitest/internal/history"
	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// validate checks an object before it is stored. old is the object before an update, or nil. named is the
// kind that the body named.
func (r *Request) validate(obj *unstructured.Unstructured, old map[string]any, named schema.GroupKind) error {
	var errs field.ErrorList
	if kind := obj.GetKind(); kind != r.Kind.Kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), kind, "must be "+r.Kind.Kind))
	}
	if version := obj.GetAPIVersion(); version != r.Kind.APIVersion() {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), version, "must be "+r.Kind.APIVersion()))
	}
	if len(errs) == 0 {
		errs = validateMetadata(r.Kind, obj, old)
	}
	if r.Kind.Schema != nil {
		errs = append(errs, r.Kind.Schema.Validate(r.Context, obj.Object, old, r.Subresource, errs)...)
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
func validateMetadata(k *kinds.Kind, next *unstructured.Unstructured, old map[string]any) field.ErrorList {
	at := field.NewPath("metadata")
	obj := metav1.Object(next)
	metadata, _ := next.Object["metadata"].(map[string]any)
	if managers, ok := metadata["managedFields"].([]any); ok && fields.Canonical(managers) {
		obj = unmanaged{next}
	}
	if old == nil {
		return apivalidation.ValidateObjectMetaAccessor(obj, k.Namespaced, k.ValidName, at)
	}
	errs := apivalidation.ValidateObjectMetaAccessor(obj, k.Namespaced, kinds.PathSegment, at)
	changes := apivalidation.ValidateObjectMetaAccessorUpdate(obj, &unstructured.Unstructured{Object: old}, at)
	errs = append(errs, changes...)
	if k.Custom() {
		errs = append(errs, changes...) // the API server checks custom resources twice
	}
	return errs
}

// The warnings of duplicate owner references, in a body and in a patched object.
const (
	duplicateOwners        = ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v"
	duplicateOwnersPatched = ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %v"
)

// dropDuplicateOwners removes owner references that are there twice, and warns.
func (r *Request) dropDuplicateOwners(obj *unstructured.Unstructured, warning string) {
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
	r.Warn(fmt.Sprintf(warning, strings.Join(twice, ", ")))
}

// warnOfFinalizers warns of new finalizers that are not the name of a domain and a path.
func (r *Request) warnOfFinalizers(obj *unstructured.Unstructured, old map[string]any) {
	names := obj.GetFinalizers()
	if !r.Kind.Custom() || len(names) == 0 {
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
		r.Warn(fmt.Sprintf("metadata.finalizers: %q: prefer a domain-qualified finalizer %s to avoid accidental conflicts with other finalizer writers", name, form))
	}
}

// maxObject is the size that etcd accepts, in bytes.
const maxObject = 3 << 19

// errTooLarge is the answer of etcd to an object that is larger.
var errTooLarge = errors.New("etcdserver: request is too large")

// checkSize refuses an object that is too large for etcd. An object is encoded for that only if the
// request and the object before it may make it so large.
func (r *Request) checkSize(obj *unstructured.Unstructured, live *history.State) error {
	size := 2 * r.Size // with managedFields
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
