package openapi

import (
	"encoding/json"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// Index is the list of the documents of version 3.
type Index struct {
	Paths map[string]link `json:"paths"`
}

type link struct {
	URL string `json:"serverRelativeURL"`
}

// Root is the path of the Index. A document has the path of its group and version after it.
const Root = "/openapi/v3"

// IndexOf returns the Index of some kinds.
func IndexOf(of *kinds.Registry) *Index {
	index := &Index{map[string]link{}}
	for kind := range of.All() {
		root := rootOf(kind)
		index.Paths[root[1:]] = link{Root + root}
	}
	return index
}

// Version3 is the document of a group and version.
type Version3 struct {
	OpenAPI    string             `json:"openapi"`
	Info       information        `json:"info"`
	Paths      map[string]methods `json:"paths"`
	Components components         `json:"components"`
}

type components struct {
	Schemas map[string]json.RawMessage `json:"schemas"`
}

// Version3Of returns the document at a path, such as /openapi/v3/apis/apps/v1, or nil.
func Version3Of(of *kinds.Registry, path string) *Version3 {
	document := &Version3{OpenAPI: "3.0.0", Info: about, Paths: map[string]methods{}, Components: components{map[string]json.RawMessage{}}}
	for kind := range of.All() {
		if Root+rootOf(kind) == path {
			document.add(kind)
		}
	}
	if len(document.Paths) == 0 {
		return nil
	}
	return document
}

func (d *Version3) add(kind *kinds.Kind) {
	object := reference{Ref: "#/components/schemas/" + d.addSchemas(kind)}
	collection := collectionOf(kind)
	d.Paths[collection] = methods{
		"get":  operationOf(kind, "get", "list", false).version3(),
		"post": operationOf(kind, "post", "post", false).version3().accepts(object, "application/json", "application/yaml"),
	}
	d.Paths[collection+"/{name}"] = methods{
		"get":    operationOf(kind, "get", "get", true).version3(),
		"put":    operationOf(kind, "put", "put", true).version3().accepts(object, "application/json", "application/yaml"),
		"patch":  operationOf(kind, "patch", "patch", true).version3().accepts(reference{Type: "object"}, patchTypes...),
		"delete": operationOf(kind, "delete", "delete", true).version3(),
	}
}

// addSchemas adds the schema of a kind, and those that it refers to. It returns the name of the first.
func (d *Version3) addSchemas(kind *kinds.Kind) string {
	if kind.Schema != nil {
		name, schemas := kind.Schema.OpenAPI()
		maps.Copy(d.Components.Schemas, schemas)
		return name
	}
	encoded, err := json.Marshal(open{"object", "This server has no schema of the kind.", true, []metav1.GroupVersionKind{gvkOf(kind)}})
	if err != nil {
		panic(err) // it has strings only
	}
	d.Components.Schemas[kind.Kind] = encoded
	return kind.Kind
}

// open is the schema of an object that may have any fields.
type open struct {
	Type        string                    `json:"type"`
	Description string                    `json:"description"` // which kubectl explain shows
	Open        bool                      `json:"x-kubernetes-preserve-unknown-fields"`
	Kinds       []metav1.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
}

// version3 moves the types of parameters to schemas.
func (op *operation) version3() *operation {
	for i := range op.Parameters {
		p := &op.Parameters[i]
		p.Schema, p.Type = &typed{p.Type}, ""
	}
	return op
}

// accepts gives an operation a body.
func (op *operation) accepts(schema reference, mediaTypes ...string) *operation {
	op.RequestBody = &message{map[string]content{}}
	for _, mediaType := range mediaTypes {
		op.RequestBody.Content[mediaType] = content{schema}
	}
	return op
}
