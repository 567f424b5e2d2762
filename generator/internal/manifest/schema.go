package manifest

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/typedinformers/informer-gen/generator/internal/input"
)

// maxSchemaDepth is how deep schemas may be nested. An alias in YAML may stand for a value that contains it.
const maxSchemaDepth = 200

// types are the types of values that a schema of a CRD may name.
var types = []string{"array", "boolean", "integer", "number", "object", "string"}

// describeSchema reads a schema and the schemas in it. It returns nil if there is none.
func describeSchema(node manifestNode, depth int) *input.JSONSchema {
	if !node.isMapping() {
		return nil
	}
	s := &input.JSONSchema{Pos: node.pos()}
	if depth > maxSchemaDepth {
		node.file.addError(s.Pos, "the schemas of this %s are nested too deeply, perhaps because a YAML alias is within its own "+
			"anchor; regenerate it with controller-gen", definition)
		return s
	}
	var listType, mapType, keys, kind manifestNode
	for name, value := range node.members() {
		switch name.text() {
		case "type":
			s.Type, kind = value.text(), value
		case "format":
			s.Format = value.text()
		case "default":
			s.Default = value.scalarJSON()
		case "properties":
			s.HasProperties = true
			for property, schema := range value.members() {
				if described := describeSchema(schema, depth+1); described != nil {
					s.Properties = append(s.Properties, input.JSONProperty{Name: property.placed(), Schema: described})
				}
			}
		case "items":
			s.Items = describeSchema(value, depth+1)
		case "additionalProperties":
			if s.Additional = describeSchema(value, depth+1); s.Additional == nil {
				allows := value.text() == "true"
				s.AllowsAdditional = &allows
			}
		case "x-kubernetes-preserve-unknown-fields":
			s.PreservesUnknown = value.text() == "true"
		case "x-kubernetes-embedded-resource":
			s.EmbeddedResource = value.text() == "true"
		case "x-kubernetes-list-type":
			s.ListType, listType = value.placed(), value
		case "x-kubernetes-map-type":
			s.MapType, mapType = value.placed(), value
		case "x-kubernetes-list-map-keys":
			keys = value
			for _, key := range value.elements() {
				s.MapKeys = append(s.MapKeys, key.placed())
			}
		}
	}
	slices.SortFunc(s.Properties, func(x, y input.JSONProperty) int { return strings.Compare(x.Name.Value, y.Name.Value) })
	if s.Type != "" && !slices.Contains(types, s.Type) {
		node.file.addError(kind.pos(), "type %q is unknown; write one of %s, or regenerate this %s with controller-gen", s.Type,
			strings.Join(types, ", "), definition)
	}
	checkMapType(s, mapType)
	checkListType(s, listType, keys)
	return s
}

func checkMapType(s *input.JSONSchema, at manifestNode) {
	switch {
	case at.node == nil:
	case s.MapType.Value != "atomic" && s.MapType.Value != "granular":
		at.file.addError(at.pos(), "x-kubernetes-map-type is %q; write atomic or granular", s.MapType.Value)
	case s.Type != "object":
		at.file.addError(at.pos(), "x-kubernetes-map-type is only for type object, and this is of type %q; remove it", s.Type)
	}
}

// checkListType adds an error about an array that no server can merge. keys is x-kubernetes-list-map-keys.
func checkListType(s *input.JSONSchema, at, keys manifestNode) {
	isMap := s.ListType.Value == "map"
	switch {
	case at.node == nil && keys.node == nil:
	case at.node == nil || !isMap && keys.node != nil:
		keys.file.addError(keys.pos(), "x-kubernetes-list-map-keys has no effect without x-kubernetes-list-type: map; "+
			"add that, or remove the keys")
	case !isMap && s.ListType.Value != "set" && s.ListType.Value != "atomic":
		at.file.addError(at.pos(), "x-kubernetes-list-type is %q; write atomic, set or map", s.ListType.Value)
	case s.Type != "array":
		at.file.addError(at.pos(), "x-kubernetes-list-type is only for type array, and this is of type %q; remove it", s.Type)
	case isMap && len(s.MapKeys) == 0:
		at.file.addError(at.pos(), "x-kubernetes-list-type: map needs x-kubernetes-list-map-keys with the names of the fields that "+
			"identify an element; add them")
	case isMap:
		for _, key := range s.MapKeys {
			if s.Items == nil || s.Items.Property(key.Value) == nil {
				at.file.addError(key.Pos, "the key %q of this list is not a property of its items; name a property, or add it", key.Value)
			}
		}
	}
}

// scalarJSON returns a scalar as JSON. It returns "" for other values, and for null.
func (n manifestNode) scalarJSON() string {
	node := n.resolved()
	if node == nil || node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return ""
	}
	var value any
	if node.Decode(&value) != nil {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}
