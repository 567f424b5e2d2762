package apitest

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// Kind describes one version of a resource that a server serves. Kinds with the same group and
// resource show the same objects, each in its own version.
type Kind struct {
	schema.GroupVersionKind

	// Resource is the plural name in URLs, such as databases.
	Resource string
	// Singular is the name of one object in discovery. Empty means the kind in lower case.
	Singular string
	// List is the kind of lists. Empty means the kind with the suffix List.
	List string
	// ShortNames and Categories are the names that kubectl accepts in place of the resource.
	ShortNames, Categories []string
	// Namespaced reports whether the objects are in namespaces.
	Namespaced bool
	// Status reports whether the status is a subresource: a write of the object leaves it, and a
	// write of the status leaves all else.
	Status bool
	// Scale, if not nil, makes scale a subresource.
	Scale *Scale
	// SelectableFields are the JSON paths that field selectors may name besides metadata.name and
	// metadata.namespace, such as spec.color.
	SelectableFields []string

	// Type, if not nil, is an empty object of the Go type. With it, server-side apply knows lists
	// that are merged by a key, strategic merge patches and protobuf work if the type has what they
	// need, and a request for strict validation refuses fields that the type does not have.
	Type runtime.Object
	// TypeConverter, if not nil, is what server-side apply has to know of the kind. It takes the place
	// of Type for that, and knows markers such as +listType=map, which a Go type does not have. The
	// apply configurations of informer-gen have one. A field that it does not have is merged as its
	// value suggests.
	TypeConverter managedfields.TypeConverter
	// Schema, if not nil, defaults, prunes and validates objects, as a CustomResourceDefinition
	// says. It takes the place of TypeConverter.
	Schema Schema

	// Warning, if not empty, is sent with each answer, as for a deprecated version.
	Warning string
}

// Scale has the JSON paths of the fields behind the subresource scale, such as .spec.replicas.
// SelectorPath may be empty.
type Scale struct {
	SpecReplicasPath, StatusReplicasPath, SelectorPath string
}

// Schema checks the objects of a kind in one version. Module apiextensions has an implementation
// over a CustomResourceDefinition. Its methods are called by several goroutines at once.
type Schema interface {
	// Prune removes from obj the fields that the schema does not have, and returns their paths. It
	// also removes a null that is no value. The metadata of obj itself is left to the server. An
	// error means that obj is malformed, such as a number as name of an object within it; the
	// server answers 400.
	Prune(obj map[string]any) (unknown []string, err error)
	// Default sets the defaults of fields that obj does not have.
	Default(obj map[string]any)
	// Validate returns the errors of obj besides found, the errors of its metadata. old is
	// the object before an update, or nil if obj is new. subresource is status, scale or empty.
	Validate(ctx context.Context, obj, old map[string]any, subresource string, found field.ErrorList) field.ErrorList
	// Store makes of obj the object that the server stores: obj in the version in which the kind is stored,
	// with the defaults of that version. It writes to the map obj, and not to the values in it. In
	// another version, the object is what Prune of that version leaves. If obj is malformed in the
	// version in which the kind is stored, the server answers 500.
	Store(obj map[string]any) error
	// TypeConverter returns what server-side apply has to know of all versions of the kind.
	TypeConverter() managedfields.TypeConverter
	// OpenAPI returns the schemas of OpenAPI version 3 of the kind in this version, and of what it
	// refers to, by name, and the name of its own. That one has the extension
	// x-kubernetes-group-version-kind. The server has them in its documents.
	OpenAPI() (name string, schemas map[string]json.RawMessage)
}

// internal returns the kind as the rooms of the server know it.
func (k Kind) internal() kinds.Kind {
	return kinds.Kind{
		GroupVersionKind: k.GroupVersionKind, Resource: k.Resource, Singular: k.Singular, List: k.List, ShortNames: k.ShortNames, Categories: k.Categories,
		Namespaced: k.Namespaced, Status: k.Status, Scale: (*kinds.Scale)(k.Scale), SelectableFields: k.SelectableFields,
		Type: k.Type, TypeConverter: k.TypeConverter, Schema: k.Schema, Warning: k.Warning,
	}
}
