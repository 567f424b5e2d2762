package builtin

import (
	"context"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// strategy has the steps of a kind on create and update. The generic registry does the rest, such as the checks of
// the metadata.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
	kind kind
}

func (s strategy) NamespaceScoped() bool                    { return !s.kind.clusterScoped }
func (s strategy) AllowCreateOnUpdate(context.Context) bool { return s.kind.createOnUpdate() }
func (s strategy) AllowUnconditionalUpdate(context.Context) bool {
	return s.kind.GroupKind() != leaseKind
}
func (strategy) Canonicalize(runtime.Object)                                      {}
func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string        { return nil }
func (strategy) WarningsOnUpdate(_ context.Context, _, _ runtime.Object) []string { return nil }

// PrepareForCreate drops the status, because only the subresource writes it. A new Node keeps its status, as in kube-apiserver.
func (s strategy) PrepareForCreate(_ context.Context, object runtime.Object) {
	value := reflect.ValueOf(object).Elem()
	if s.kind.hasStatus && s.kind.GroupKind() != nodeKind {
		value.FieldByName("Status").SetZero()
	}
	if s.kind.pending {
		value.FieldByName("Status").FieldByName("Phase").SetString("Pending")
	}
	if s.kind.hasGeneration {
		asMeta(object).SetGeneration(1)
	}
	switch s.kind.GroupKind() {
	case namespaceKind:
		prepareNamespace(object)
	case nodeKind:
		prepareNode(object)
	}
}

// PrepareForUpdate keeps the status, and counts changes of the rest in metadata.generation.
func (s strategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	value, oldValue := reflect.ValueOf(object).Elem(), reflect.ValueOf(old).Elem()
	if s.kind.hasStatus {
		value.FieldByName("Status").Set(oldValue.FieldByName("Status"))
	}
	if s.kind.GroupKind() == namespaceKind {
		keepNamespace(object, old)
	}
	if !s.kind.hasGeneration {
		return
	}
	before := specFields(oldValue)
	for i, after := range specFields(value) {
		if !equality.Semantic.DeepEqual(after.Interface(), before[i].Interface()) {
			asMeta(object).SetGeneration(asMeta(old).GetGeneration() + 1)
			return
		}
	}
}

func (s strategy) Validate(_ context.Context, object runtime.Object) field.ErrorList {
	return s.kind.validateName(asMeta(object).GetName())
}

func (strategy) ValidateUpdate(_ context.Context, _, _ runtime.Object) field.ErrorList { return nil }

// GetResetFields names the fields that a request cannot set, for the owners in managedFields.
func (s strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	if !s.kind.hasStatus {
		return nil
	}
	return s.kind.reset("status")
}

// statusStrategy is the strategy of the subresource status: an update changes the status and the metadata.
type statusStrategy struct{ strategy }

func (s statusStrategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	before := specFields(reflect.ValueOf(old).Elem())
	for i, after := range specFields(reflect.ValueOf(object).Elem()) {
		after.Set(before[i])
	}
}

func (s statusStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return s.kind.reset("spec")
}

// createOnUpdate reports whether PUT creates an object that does not exist.
func (k kind) createOnUpdate() bool {
	return slices.Contains([]schema.GroupKind{eventKind, leaseKind, {Kind: "Service"}}, k.GroupKind())
}

// validateName checks the names of the kinds that each server has. The registry has checked that a name is fit
// for a URL.
func (k kind) validateName(name string) field.ErrorList {
	var faults []string
	switch k.GroupKind() {
	case namespaceKind:
		faults = validation.IsDNS1123Label(name)
	case eventKind, leaseKind:
		faults = validation.IsDNS1123Subdomain(name)
	}
	var errs field.ErrorList
	for _, fault := range faults {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), name, fault))
	}
	return errs
}

func (k kind) reset(name string) map[fieldpath.APIVersion]*fieldpath.Set {
	set := fieldpath.NewSet(fieldpath.MakePathOrDie(name))
	return map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(k.GroupVersion().String()): set}
}

// asMeta returns the metadata of an object of a kind, which has some.
func asMeta(object runtime.Object) metav1.Object {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(err) // kindOf has checked it
	}
	return accessor
}
