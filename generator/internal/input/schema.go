package input

import "go/token"

// JSONSchema is a schema of a CRD or of an OpenAPI document, without the parts that only validate.
type JSONSchema struct {
	Pos token.Position
	// Ref is the name of the definition that replaces this schema, or "". CRDs have none.
	Ref string
	// Type is object, array, string, integer, number or boolean. It is empty for a value of any type.
	Type string
	// Format is the format of a string.
	Format string
	// HasProperties reports whether there are properties, perhaps none in a list.
	HasProperties bool
	// Properties are sorted by name.
	Properties []JSONProperty
	// Items is the schema of the elements of an array, or nil.
	Items *JSONSchema
	// Additional is the schema of other members of an object, or nil.
	Additional *JSONSchema
	// AllowsAdditional is the value of additionalProperties if that is a boolean, and nil otherwise.
	AllowsAdditional *bool
	// Default is the default as JSON, or "".
	Default string
	// ListType and MapType are x-kubernetes-list-type and x-kubernetes-map-type, and MapKeys are
	// x-kubernetes-list-map-keys.
	ListType, MapType Placed
	MapKeys           []Placed
	// PatchStrategy and PatchMergeKey are the extensions of that name. Servers ignore them in CRDs.
	PatchStrategy, PatchMergeKey string
	// PreservesUnknown and EmbeddedResource are the extensions of these names.
	PreservesUnknown, EmbeddedResource bool
}

// JSONProperty is a member of an object.
type JSONProperty struct {
	Name   Placed
	Schema *JSONSchema
}

// Property returns the schema of the property of that name, or nil.
func (s *JSONSchema) Property(name string) *JSONSchema {
	for _, p := range s.Properties {
		if p.Name.Value == name {
			return p.Schema
		}
	}
	return nil
}

// Placed is a text with its position.
type Placed struct {
	Value string
	Pos   token.Position
}
