package apiextensions

import (
	"context"
	"fmt"
	"math"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// Validate implements [apitest.Schema]. Its checks, and their order, are as in an API server: the schema,
// the fields of the scale, embedded objects, lists that are maps or sets, and the CEL rules. If the object is
// of another kind, which is an error in found, the schema is not its own, and the rest is checked.
//
// An update is checked as a create, but a value of the old object may stay although it is wrong.
func (v *version) Validate(ctx context.Context, object, old map[string]any, subresource string, found field.ErrorList) field.ErrorList {
	faults := found[:len(found):len(found)]
	switch {
	case old == nil:
		faults = v.validateNew(ctx, object, faults)
	case subresource == "status":
		faults = v.validateStatus(ctx, object, old, faults)
	default: // a write of the scale is an update too
		faults = v.validateUpdate(ctx, object, old, faults)
	}
	return faults[len(found):]
}

func (v *version) validateNew(ctx context.Context, object map[string]any, faults field.ErrorList) field.ErrorList {
	if v.fits(object) {
		faults = append(faults, validation.ValidateCustomResource(nil, object, v.object)...)
		faults = append(faults, v.validateScale(object, "")...)
	}
	faults = append(faults, objectmeta.Validate(ctx, nil, object, v.structural, false)...)
	faults = append(faults, listtype.ValidateListSetsAndMaps(nil, v.structural, object)...)
	return append(faults, v.validateRules(ctx, object, nil, faults)...)
}

func (v *version) validateUpdate(ctx context.Context, object, old map[string]any, faults field.ErrorList) field.ErrorList {
	correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: v.structural})
	if v.fits(object) {
		faults = append(faults, validation.ValidateCustomResourceUpdate(nil, object, old, v.object, validation.WithRatcheting(correlated))...)
		faults = append(faults, v.validateScale(object, "")...)
	}
	faults = append(faults, objectmeta.Validate(ctx, nil, object, v.structural, false)...)
	faults = append(faults, v.validateLists(object, old)...)
	return append(faults, v.validateRules(ctx, object, old, faults, cel.WithRatcheting(correlated))...)
}

func (v *version) validateStatus(ctx context.Context, object, old map[string]any, faults field.ErrorList) field.ErrorList {
	correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: v.structural})
	if status, ok := object["status"]; ok {
		path := field.NewPath("status")
		faults = append(faults, validation.ValidateCustomResourceUpdate(path, status, old["status"], v.status, validation.WithRatcheting(correlated.Key("status")))...)
	}
	faults = append(faults, v.validateScale(object, "status")...)
	faults = append(faults, v.validateLists(object, old)...)
	return append(faults, v.validateRules(ctx, object, old, faults, cel.WithRatcheting(correlated))...)
}

// validateLists checks lists that are maps or sets, unless the old object is wrong already.
func (v *version) validateLists(object, old map[string]any) field.ErrorList {
	faults := listtype.ValidateListSetsAndMaps(nil, v.structural, object)
	if len(faults) == 0 || len(listtype.ValidateListSetsAndMaps(nil, v.structural, old)) > 0 {
		return nil
	}
	return faults
}

// validateRules checks the CEL rules, unless the errors so far mean that they may read a missing field.
func (v *version) validateRules(ctx context.Context, object, old map[string]any, faults field.ErrorList, options ...cel.Option) field.ErrorList {
	rules := v.rules()
	if rules == nil {
		return nil
	}
	for _, fault := range faults {
		switch fault.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return field.ErrorList{field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")}
		}
	}
	// A nil map in an interface would be an old object that is empty.
	var before any
	if old != nil {
		before = old
	}
	broken, _ := rules.Validate(ctx, nil, v.structural, object, before, celconfig.RuntimeCELCostBudget, options...)
	return broken
}

// validateScale checks the fields behind the subresource scale. A write of the status checks only those of
// the status.
func (v *version) validateScale(object map[string]any, subresource string) field.ErrorList {
	if v.spec.Subresources == nil || v.spec.Subresources.Scale == nil {
		return nil
	}
	scale := v.spec.Subresources.Scale
	var faults field.ErrorList
	if subresource != "status" {
		faults = append(faults, validateReplicas(object, scale.SpecReplicasPath)...)
	}
	faults = append(faults, validateReplicas(object, scale.StatusReplicasPath)...)
	return append(faults, validateSelector(object, scale)...)
}

func validateReplicas(object map[string]any, path string) field.ErrorList {
	replicas, _, err := unstructured.NestedInt64(object, fields(path)...)
	var fault string
	switch {
	case err != nil:
		fault = err.Error()
	case replicas < 0:
		fault = "should be a non-negative integer"
	case replicas > math.MaxInt32:
		fault = fmt.Sprintf("should be less than or equal to %d", math.MaxInt32)
	default:
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath(path), replicas, fault)}
}

func validateSelector(object map[string]any, scale *apiextensionsv1.CustomResourceSubresourceScale) field.ErrorList {
	if scale.LabelSelectorPath == nil {
		return nil
	}
	selector, _, err := unstructured.NestedString(object, fields(*scale.LabelSelectorPath)...)
	if err != nil {
		return field.ErrorList{field.Invalid(field.NewPath(*scale.LabelSelectorPath), selector, err.Error())}
	}
	return nil
}

// fields returns the names in a path such as .spec.replicas.
func fields(path string) []string {
	return strings.Split(strings.TrimPrefix(path, "."), ".")
}
