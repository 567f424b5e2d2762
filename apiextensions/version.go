package apiextensions

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilversion "k8s.io/apimachinery/pkg/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/typedinformers/informer-gen/apitest"
)

var _ apitest.Schema = (*version)(nil)

// version is a version of a CRD, as the [apitest.Schema] of its objects.
type version struct {
	definition *definition
	spec       *apiextensionsv1.CustomResourceDefinitionVersion
	apiVersion string
	structural *schema.Structural
	// hasDefaults reports whether a field in the schema has a default.
	hasDefaults bool

	// object and status check values by OpenAPI. The second is nil unless the status is a subresource
	// that has a schema.
	object, status validation.SchemaValidator
	// rules returns the validator of the CEL rules, or nil if there are none. To compile them takes a
	// millisecond or so for each, so the first validation does.
	rules func() *cel.Validator
}

func newVersion(d *definition, spec *apiextensionsv1.CustomResourceDefinitionVersion) (*version, error) {
	internal := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(spec.Schema, internal, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	// It shares the defaults with the CRD, and PruneDefaults changes them.
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, err
	}
	v := &version{definition: d, spec: spec, apiVersion: d.spec.Group + "/" + spec.Name, structural: structural, hasDefaults: hasDefaults(structural)}
	if v.object, _, err = validation.NewSchemaValidator(internal.OpenAPIV3Schema); err != nil {
		return nil, err
	}
	if spec.Subresources != nil && spec.Subresources.Status != nil {
		if status, ok := internal.OpenAPIV3Schema.Properties["status"]; ok {
			if v.status, _, err = validation.NewSchemaValidator(&status); err != nil {
				return nil, err
			}
		}
	}
	v.rules = sync.OnceValue(func() *cel.Validator {
		return cel.NewValidator(structural, true, celconfig.PerCallLimit)
	})
	return v, nil
}

// hasDefaults reports whether a field in the schema has a default.
func hasDefaults(s *schema.Structural) bool {
	found := false
	(&schema.Visitor{Structural: func(s *schema.Structural) bool {
		found = found || s.Default.Object != nil
		return false
	}}).Visit(s)
	return found
}

// gvk returns the group, version and kind of the objects.
func (v *version) gvk() runtimeschema.GroupVersionKind {
	return runtimeschema.GroupVersionKind{Group: v.definition.spec.Group, Version: v.spec.Name, Kind: v.definition.spec.Names.Kind}
}

// replacement returns the version that a client of this deprecated one should use, or an empty string.
func (v *version) replacement() string {
	newest := v.spec.Name
	for _, other := range v.definition.versions {
		if other.spec.Served && !other.spec.Deprecated && utilversion.CompareKubeAwareVersionStrings(newest, other.spec.Name) < 0 {
			newest = other.spec.Name
		}
	}
	if newest == v.spec.Name {
		return ""
	}
	return newest
}

// fits reports whether an object says that it is of this kind and version. A server neither prunes nor defaults
// others, and refuses them in the end.
func (v *version) fits(object map[string]any) bool {
	return object["kind"] == v.definition.spec.Names.Kind && object["apiVersion"] == v.apiVersion
}

// Prune implements [apitest.Schema].
func (v *version) Prune(object map[string]any) ([]string, error) {
	if !v.fits(object) {
		return nil, nil
	}
	unknown := pruning.PruneWithOptions(object, v.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(object, v.structural)
	fault, more := objectmeta.CoerceWithOptions(nil, object, v.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if fault != nil {
		return nil, fault
	}
	return append(unknown, more...), nil
}

// Default implements [apitest.Schema].
func (v *version) Default(object map[string]any) {
	if v.fits(object) {
		defaulting.Default(object, v.structural)
	}
}

// Store implements [apitest.Schema]. An API server prunes and sets defaults once more when it reads an object
// from its storage. So an object has the defaults of its status, which a create does not write, and the nulls
// of an applied configuration are dropped.
func (v *version) Store(object map[string]any) error {
	storage := v.definition.storage
	prunes := storage != v || hasNull(object)
	if !prunes && !v.hasDefaults {
		return nil
	}
	stored := runtime.DeepCopyJSON(object) // object may share its parts with the state before
	stored["apiVersion"] = storage.apiVersion
	if prunes {
		// The error is an object that is embedded in the storage version, and not in this one.
		if _, err := storage.Prune(stored); err != nil {
			return err
		}
	}
	storage.Default(stored)
	clear(object)
	maps.Copy(object, stored)
	return nil
}

// hasNull reports whether there is a null anywhere in a value.
func hasNull(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		for _, field := range value {
			if hasNull(field) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, hasNull)
	}
	return false
}

// TypeConverter implements [apitest.Schema].
func (v *version) TypeConverter() managedfields.TypeConverter {
	return v.definition.converter()
}
