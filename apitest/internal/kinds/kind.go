// Package kinds describes the kinds that a server serves, and brings objects into the form in
// which they are stored. It knows no requests.
package kinds

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/builtin"
)

// Kind is a kind in one version. It does not change once a Registry has it.
type Kind struct {
	schema.GroupVersionKind
	Resource, Singular, List string
	ShortNames, Categories   []string
	Namespaced, Status       bool
	Scale                    *Scale
	SelectableFields         []string
	Type                     runtime.Object
	TypeConverter            managedfields.TypeConverter
	Schema                   Schema
	Warning                  string

	// BuiltIn is the line of the table of a kind of Kubernetes, and nil for a custom resource.
	BuiltIn *builtin.Kind
}

// Scale has the JSON paths of the fields behind the subresource scale. SelectorPath may be empty.
type Scale struct {
	SpecReplicasPath, StatusReplicasPath, SelectorPath string
}

// Schema is the interface of the same name of package apitest, which says what its methods do.
type Schema interface {
	Prune(obj map[string]any) (unknown []string, err error)
	Default(obj map[string]any)
	Validate(ctx context.Context, obj, old map[string]any, subresource string, found field.ErrorList) field.ErrorList
	Store(obj map[string]any) error
	TypeConverter() managedfields.TypeConverter
	OpenAPI() (name string, schemas map[string]json.RawMessage)
}

// SubresourceVerbs are the verbs of status and scale.
var SubresourceVerbs = []string{"get", "patch", "update"}

func (k *Kind) validate() error {
	switch {
	case k.Kind == "" || k.Version == "" || k.Resource == "":
		return fmt.Errorf("apitest: kind %q with resource %q needs a kind, a version and a resource", k.GroupVersionKind, k.Resource)
	case strings.ContainsAny(k.Resource, "/ ") || k.Resource != strings.ToLower(k.Resource):
		return fmt.Errorf("apitest: kind %s: %q is not the name of a resource; use the lower case plural", k.Kind, k.Resource)
	}
	return nil
}

// complete fills in names that follow from others.
func (k *Kind) complete() {
	k.Singular = cmp.Or(k.Singular, strings.ToLower(k.Kind))
	k.List = cmp.Or(k.List, k.Kind+"List")
}

// GVR returns the resource in the version of the kind.
func (k *Kind) GVR() schema.GroupVersionResource {
	return k.GroupVersion().WithResource(k.Resource)
}

// GroupResource returns the resource.
func (k *Kind) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.Group, Resource: k.Resource}
}

// APIVersion returns the group and the version, as objects name them.
func (k *Kind) APIVersion() string { return k.GroupVersion().String() }

// Custom reports whether the kind is a custom resource.
func (k *Kind) Custom() bool { return k.BuiltIn == nil }

// Generations reports whether objects of the kind have a generation.
func (k *Kind) Generations() bool { return k.Custom() || len(k.BuiltIn.Counted) > 0 }

// Selectable returns the fields that field selectors may name, besides the name and the namespace.
func (k *Kind) Selectable() []builtin.Field {
	if !k.Custom() {
		return k.BuiltIn.Fields
	}
	fields := make([]builtin.Field, len(k.SelectableFields))
	for i, path := range k.SelectableFields {
		names := PathOf(path)
		fields[i] = builtin.Field{Name: strings.Join(names, "."), Path: names}
	}
	return fields
}

// HasSubresource reports whether the kind has a subresource besides status and scale.
func (k *Kind) HasSubresource(name string) bool {
	return !k.Custom() && slices.Contains(k.BuiltIn.Subresources, name)
}

// Subresource returns the kind and the verbs of a subresource besides status and scale.
func (k *Kind) Subresource(name string) (schema.GroupVersionKind, []string) {
	switch name {
	case "binding":
		return k.GroupVersion().WithKind("Binding"), []string{"create"}
	case "eviction":
		return schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "Eviction"}, []string{"create"}
	case "token":
		return schema.GroupVersionKind{Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest"}, []string{"create"}
	case "finalize":
		return k.GroupVersionKind, []string{"update"}
	}
	return k.GroupVersionKind, SubresourceVerbs
}

// IsPod reports whether objects of the kind are pods.
func (k *Kind) IsPod() bool { return !k.Custom() && k.GroupResource() == PodResource }

// PodResource is the resource of pods.
var PodResource = schema.GroupResource{Resource: "pods"}

// IsNamespace reports whether objects of the kind are namespaces.
func (k *Kind) IsNamespace() bool { return k.GroupResource() == NamespaceResource }

// NamespaceResource is the resource of namespaces.
var NamespaceResource = schema.GroupResource{Resource: "namespaces"}

// Protobuf reports whether the kind has a Go type that protobuf can be made of.
func (k *Kind) Protobuf() bool {
	_, ok := k.Type.(interface{ Marshal() ([]byte, error) })
	return ok
}

// NewObject returns an empty object of the Go type in a scheme, which may be nil, or else of the type
// that the server knows. It returns nil if there is no type.
func (k *Kind) NewObject(scheme *runtime.Scheme) runtime.Object {
	if scheme != nil {
		if obj, err := scheme.New(k.GroupVersionKind); err == nil {
			return obj
		}
	}
	if k.Type != nil {
		return k.Type.DeepCopyObject()
	}
	return nil
}

// IsOf reports whether an object may be of the kind.
func (k *Kind) IsOf(obj runtime.Object, scheme *runtime.Scheme) bool {
	if _, generic := obj.(runtime.Unstructured); generic {
		return true
	}
	empty := k.NewObject(scheme)
	return empty == nil || reflect.TypeOf(obj) == reflect.TypeOf(empty)
}

// ListType is the name that the API server has for the Go type of a list.
func (k *Kind) ListType() string {
	if k.Custom() {
		return "*unstructured.UnstructuredList"
	}
	return "*" + k.Version + "." + k.List
}

// PathOf splits a JSON path of names, such as .spec.replicas.
func PathOf(jsonPath string) []string {
	return strings.Split(strings.TrimPrefix(jsonPath, "."), ".")
}
