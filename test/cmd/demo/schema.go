package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	openapierrors "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/typedinformers/informer-gen/apitest"
	"github.com/typedinformers/informer-gen/examples/operator/generated/applyconfiguration"
	"github.com/typedinformers/informer-gen/examples/operator/generated/clientset/versioned/scheme"
	"github.com/typedinformers/informer-gen/internal/crdfile"
)

// crd is what the CRDs of the demo say. They have one version, and no rules in CEL. Module apiextensions has all that a CRD can
// say, and compiles 250 packages more for it.
type crd struct {
	Metadata struct{ Name string }
	Spec     struct {
		Group, Scope string
		Names        struct {
			Kind, ListKind, Plural, Singular string
			ShortNames                       []string
		}
		Versions []struct {
			Name             string
			Schema           struct{ OpenAPIV3Schema spec.Schema }
			SelectableFields []struct{ JSONPath string }
			Subresources     struct{ Status *struct{} }
		}
	}
}

// kindsOf returns the kinds of the CRDs in a folder, and the names of the CRDs.
func kindsOf(folder string) (kinds []apitest.Kind, names []string, err error) {
	files, err := crdfile.Files(folder)
	if err != nil {
		return nil, nil, err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		if err := crdfile.Read(file, content, func(text []byte) error {
			var decoded crd
			if err := json.Unmarshal(text, &decoded); err != nil {
				return err
			}
			if len(decoded.Spec.Versions) != 1 || strings.Contains(string(text), "x-kubernetes-validations") {
				return errors.New("the demo needs CRDs with one version, without rules in CEL")
			}
			kinds, names = append(kinds, decoded.kind()), append(names, decoded.Metadata.Name)
			return nil
		}); err != nil {
			return nil, nil, err
		}
	}
	return kinds, names, nil
}

func (c *crd) kind() apitest.Kind {
	names, version := &c.Spec.Names, &c.Spec.Versions[0]
	kind := apitest.Kind{
		GroupVersionKind: runtimeschema.GroupVersionKind{Group: c.Spec.Group, Version: version.Name, Kind: names.Kind},
		Resource:         names.Plural, Singular: names.Singular, List: names.ListKind, ShortNames: names.ShortNames,
		Namespaced: c.Spec.Scope == "Namespaced", Status: version.Subresources.Status != nil,
	}
	for _, selectable := range version.SelectableFields {
		kind.SelectableFields = append(kind.SelectableFields, strings.TrimPrefix(selectable.JSONPath, "."))
	}
	root := &version.Schema.OpenAPIV3Schema
	root.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind}})
	kind.Schema = &schema{kind.Kind, root, validate.NewSchemaValidator(root, nil, "", strfmt.Default)}
	return kind
}

// schema is that of a CRD, as the server calls it.
type schema struct {
	kind      string
	root      *spec.Schema
	validator *validate.SchemaValidator
}

// Prune implements [apitest.Schema].
func (s *schema) Prune(obj map[string]any) (unknown []string, err error) {
	prune(obj, s.root, "", &unknown)
	return unknown, nil
}

func prune(value any, of *spec.Schema, path string, unknown *[]string) {
	switch value := value.(type) {
	case map[string]any:
		for name := range value {
			property, known := of.Properties[name]
			switch {
			case path == "" && name == "metadata": // which the server prunes
			case known:
				prune(value[name], &property, path+name+".", unknown)
			case len(of.Properties) > 0:
				delete(value, name)
				*unknown = append(*unknown, path+name)
			}
		}
	case []any:
		for i := range value {
			if of.Items != nil {
				prune(value[i], of.Items.Schema, fmt.Sprintf("%s[%d].", strings.TrimSuffix(path, "."), i), unknown)
			}
		}
	}
}

// Default implements [apitest.Schema].
func (s *schema) Default(obj map[string]any) { setDefaults(obj, s.root) }

func setDefaults(value any, of *spec.Schema) {
	switch value := value.(type) {
	case map[string]any:
		for name, property := range of.Properties {
			if _, has := value[name]; !has && property.Default != nil {
				value[name] = runtime.DeepCopyJSONValue(property.Default)
			}
			setDefaults(value[name], &property)
		}
	case []any:
		for i := range value {
			if of.Items != nil {
				setDefaults(value[i], of.Items.Schema)
			}
		}
	}
}

// Validate implements [apitest.Schema].
func (s *schema) Validate(_ context.Context, obj, _ map[string]any, _ string, _ field.ErrorList) (faults field.ErrorList) {
	for _, fault := range s.validator.Validate(obj).Errors {
		var at *openapierrors.Validation
		if errors.As(fault, &at) {
			faults = append(faults, field.Invalid(field.NewPath(at.Name), at.Value, at.Error()))
		} else {
			faults = append(faults, field.Invalid(field.NewPath(""), "", fault.Error()))
		}
	}
	return faults
}

// Store implements [apitest.Schema].
func (s *schema) Store(map[string]any) error { return nil }

// TypeConverter implements [apitest.Schema]. The apply configurations that are generated have it.
func (s *schema) TypeConverter() managedfields.TypeConverter {
	return applyconfiguration.NewTypeConverter(scheme.Scheme)
}

// OpenAPI implements [apitest.Schema].
func (s *schema) OpenAPI() (name string, schemas map[string]json.RawMessage) {
	encoded, err := json.Marshal(s.root)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return s.kind, map[string]json.RawMessage{s.kind: encoded}
}
