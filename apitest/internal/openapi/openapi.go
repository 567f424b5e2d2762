// Package openapi describes the kinds of a server in OpenAPI documents, by which kubectl applies, edits and explains
// objects. Version 3 has a document for each group and version. kubectl before v1.27 reads version 2, which is one
// document. The functions are pure.
//
// A kind has the schema of its CustomResourceDefinition. Without one, version 3 has an object with any fields, and
// version 2 no schema, so kubectl uses the Go types that it has.
package openapi

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

type information struct {
	Title   string `json:"title"`
	Version string `json:"version"`
}

// about has the fields that both versions of OpenAPI require. Its version is the version of the kinds.
var about = information{Title: "apitest", Version: "v1"}

// methods of a path by their names in lower case.
type methods map[string]*operation

type operation struct {
	Description string      `json:"description"`
	Parameters  []parameter `json:"parameters"`
	// Consumes has the media types of the body in version 2, and RequestBody in version 3.
	Consumes    []string            `json:"consumes,omitempty"`
	RequestBody *message            `json:"requestBody,omitempty"`
	Responses   map[string]response `json:"responses"`
	// Action and Kind are how kubectl finds the operations of a kind.
	Action string                  `json:"x-kubernetes-action"`
	Kind   metav1.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
}

// parameter has its type in version 2, and a schema in version 3.
type parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"` // path or query
	Required bool   `json:"required,omitempty"`
	Type     string `json:"type,omitempty"`
	Schema   *typed `json:"schema,omitempty"`
}

type typed struct {
	Type string `json:"type"`
}

type response struct {
	Description string `json:"description"`
}

// message has the schema of a body by media type.
type message struct {
	Content map[string]content `json:"content"`
}

type content struct {
	Schema reference `json:"schema"`
}

type reference struct {
	Ref  string `json:"$ref,omitempty"`
	Type string `json:"type,omitempty"`
}

// patchTypes are the media types of a patch. A strategic merge patch is not among them: the schemas do not say how to
// merge lists, so kubectl makes it of its Go types.
var patchTypes = []string{"application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"}

// queries are the parameters of the actions that write.
var queries = map[string][]parameter{
	"post":  {{Name: "dryRun", Type: "string"}, {Name: "fieldManager", Type: "string"}, {Name: "fieldValidation", Type: "string"}},
	"put":   {{Name: "dryRun", Type: "string"}, {Name: "fieldManager", Type: "string"}, {Name: "fieldValidation", Type: "string"}},
	"patch": {{Name: "dryRun", Type: "string"}, {Name: "fieldManager", Type: "string"}, {Name: "fieldValidation", Type: "string"}, {Name: "force", Type: "boolean"}},
}

// gvkOf returns the kind as documents have it.
func gvkOf(kind *kinds.Kind) metav1.GroupVersionKind {
	return metav1.GroupVersionKind(kind.GroupVersionKind)
}

// collectionOf returns the path of the objects of a kind.
func collectionOf(kind *kinds.Kind) string {
	path := rootOf(kind) + "/"
	if kind.Namespaced {
		path += "namespaces/{namespace}/"
	}
	return path + kind.Resource
}

// rootOf returns the path of the group and the version.
func rootOf(kind *kinds.Kind) string {
	if kind.Group == "" {
		return "/api/" + kind.Version
	}
	return "/apis/" + kind.Group + "/" + kind.Version
}

// operationOf returns the operation of a method with a kind at a path. Parameters have types as in version 2.
func operationOf(kind *kinds.Kind, method, action string, named bool) *operation {
	op := &operation{Description: action + " " + kind.Resource, Parameters: []parameter{}, Action: action, Kind: gvkOf(kind)}
	if kind.Namespaced {
		op.Parameters = append(op.Parameters, parameter{Name: "namespace", In: "path", Required: true, Type: "string"})
	}
	if named {
		op.Parameters = append(op.Parameters, parameter{Name: "name", In: "path", Required: true, Type: "string"})
	}
	for _, query := range queries[method] {
		query.In = "query"
		op.Parameters = append(op.Parameters, query)
	}
	op.Responses = map[string]response{"200": {"OK"}}
	return op
}
