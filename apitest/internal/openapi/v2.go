package openapi

import (
	"encoding/json"
	"strings"

	openapiv2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"

	"github.com/typedinformers/informer-gen/apitest/internal/kinds"
)

// Version2Path is the path of the document of version 2.
const Version2Path = "/openapi/v2"

// Protobuf is the media type of the document of version 2 in protobuf, the only one that kubectl reads.
const Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// AcceptsProtobuf reports whether a client asks for Protobuf. The old name that clients still send is not a valid media
// type, because it has an @.
func AcceptsProtobuf(accept []string) bool {
	return strings.Contains(strings.Join(accept, ","), "proto-openapi.spec.v2")
}

// Version2 is the document of all kinds. It has the patches, by which kubectl sees what the server supports, and the
// schemas of CustomResourceDefinitions.
type Version2 struct {
	Swagger     string             `json:"swagger"`
	Info        information        `json:"info"`
	Paths       map[string]methods `json:"paths"`
	Definitions map[string]any     `json:"definitions"`
}

// Version2Of returns the document of some kinds.
func Version2Of(of *kinds.Registry) *Version2 {
	document := &Version2{Swagger: "2.0", Info: about, Paths: map[string]methods{}, Definitions: map[string]any{}}
	for kind := range of.All() {
		patch := operationOf(kind, "patch", "patch", true)
		patch.Consumes = patchTypes
		document.Paths[collectionOf(kind)+"/{name}"] = methods{"patch": patch}
		if kind.Schema == nil {
			continue
		}
		_, schemas := kind.Schema.OpenAPI()
		for name, schema := range schemas {
			var decoded any
			if err := json.Unmarshal(schema, &decoded); err == nil {
				document.Definitions[name] = convert(decoded)
			}
		}
	}
	return document
}

// Marshal encodes the document in protobuf.
func (d *Version2) Marshal() ([]byte, error) {
	encoded, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	document, err := openapiv2.ParseDocument(encoded)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(document)
}

// convert returns a schema of version 3 in version 2, without rules that a client need not check because the server does.
// A client of version 2 takes a null for a value of a wrong type, so a field that may be null has any type.
func convert(schema any) any {
	from, ok := schema.(map[string]any)
	if !ok {
		return schema // true or false in the place of a schema
	}
	into := map[string]any{}
	for key, value := range from {
		switch {
		case key == "description", key == "required", strings.HasPrefix(key, "x-"):
			into[key] = value
		case from["nullable"] == true:
		case key == "type", key == "format":
			into[key] = value
		case key == "$ref":
			name, _ := value.(string)
			into[key] = strings.Replace(name, "#/components/schemas/", "#/definitions/", 1)
		case key == "items", key == "additionalProperties":
			into[key] = convert(value)
		case key == "allOf": // a reference with a description next to it
			if all, _ := value.([]any); len(all) == 1 && from["type"] == nil {
				if only, _ := convert(all[0]).(map[string]any); only["$ref"] != nil {
					into["$ref"] = only["$ref"]
				}
			}
		case key == "properties":
			properties, _ := value.(map[string]any)
			converted := map[string]any{}
			for name, property := range properties {
				converted[name] = convert(property)
			}
			into[key] = converted
		}
	}
	return into
}
