package merge

import (
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// objectMeta is the type of the metadata of each object.
var objectMeta = model.TypeRef{Path: gotype.MetaV1, Name: "ObjectMeta"}

// converter turns schemas of OpenAPI into schemas of structured merge, as API servers do.
type converter struct {
	// isDocument reports whether the schemas are from an OpenAPI document, and not from a CRD.
	isDocument bool
}

// within has the properties that a schema takes from the schemas around it.
type within struct {
	// preserves reports whether objects keep unknown fields.
	preserves bool
	// keys are the fields that identify the schema as an element of a list.
	keys []string
}

func (c converter) ref(s *input.JSONSchema, in within) model.SchemaRef {
	switch {
	case s.Ref == rawExtension.OpenAPIName():
		return model.SchemaRef{Named: untypedAtomic}
	case s.Ref != "":
		return model.SchemaRef{Named: s.Ref, Relationship: mapRelationship(s, "")}
	case c.isFree(s):
		return deduced()
	}
	return model.SchemaRef{Inline: c.atom(s, in)}
}

// isFree reports whether a schema allows any value, and describes none.
func (c converter) isFree(s *input.JSONSchema) bool {
	if c.isDocument {
		return s.Type == "" && !s.HasProperties
	}
	return s.Type == "" && len(s.Properties) == 0 && !s.EmbeddedResource && s.Items == nil && s.Additional == nil &&
		s.AllowsAdditional == nil && s.MapType.Value == ""
}

func (c converter) atom(s *input.JSONSchema, in within) model.SchemaAtom {
	in.preserves = in.preserves || s.PreservesUnknown
	switch {
	case s.Type == "object" || s.Type == "" && c.isDocument:
		return model.SchemaAtom{Map: c.object(s, in)}
	case s.Type == "":
		return model.SchemaAtom{Scalar: "untyped", List: c.array(s, in), Map: c.object(s, in)}
	case s.Type == "array":
		return model.SchemaAtom{List: c.array(s, in)}
	}
	return model.SchemaAtom{Scalar: scalarOf(s)}
}

func scalarOf(s *input.JSONSchema) string {
	switch {
	case s.Type == "integer" || s.Type == "number":
		return "numeric"
	case s.Type == "boolean":
		return "boolean"
	case s.Type == "string" && (s.Format == "" || s.Format == "byte"):
		return "string"
	}
	return "untyped"
}

func (c converter) array(s *input.JSONSchema, in within) *model.SchemaList {
	list := &model.SchemaList{Element: model.SchemaRef{Named: untypedAtomic}}
	list.Relationship, list.Keys = listRelationship(s)
	if s.Items != nil {
		list.Element = c.ref(s.Items, within{in.preserves, list.Keys})
	}
	return list
}

func (c converter) object(s *input.JSONSchema, in within) *model.SchemaMap {
	m := &model.SchemaMap{Relationship: mapRelationship(s, model.Separable)}
	for _, property := range s.Properties {
		m.Fields = append(m.Fields, c.field(property, in))
	}
	if s.EmbeddedResource {
		m.Fields = withMeta(m.Fields)
	}
	m.Element = c.element(s, len(m.Fields) > 0, in)
	return m
}

func (c converter) field(property input.JSONProperty, in within) model.SchemaField {
	t := c.ref(property.Schema, within{preserves: in.preserves})
	field := model.SchemaField{Name: property.Name.Value, Type: t, Pos: property.Name.Pos}
	// Other defaults have no effect on merges. The keys of a definition are unknown here.
	if c.isDocument || slices.Contains(in.keys, field.Name) {
		field.Default = property.Schema.Default
	}
	return field
}

// element returns the type of the members that an object has besides its fields, or nil.
func (c converter) element(s *input.JSONSchema, hasFields bool, in within) *model.SchemaRef {
	free := deduced()
	switch {
	case c.isDocument && s.HasProperties: // servers ignore additionalProperties next to properties here
		if in.preserves {
			return &free
		}
		return nil
	case s.Additional != nil:
		element := c.ref(s.Additional, within{preserves: in.preserves})
		return &element
	case s.AllowsAdditional != nil && (*s.AllowsAdditional || c.isDocument),
		s.AllowsAdditional == nil && (in.preserves || !hasFields):
		return &free
	}
	return nil
}

// withMeta returns the fields of an object of Kubernetes: the fields that every object has replace the
// ones in the schema.
func withMeta(fields []model.SchemaField) []model.SchemaField {
	fields = slices.DeleteFunc(fields, func(f model.SchemaField) bool { return isMetaField(f.Name) })
	fields = append(fields,
		model.SchemaField{Name: "apiVersion", Type: scalar("string")},
		model.SchemaField{Name: "kind", Type: scalar("string")},
		model.SchemaField{Name: "metadata", Type: model.SchemaRef{Named: objectMeta.OpenAPIName()}})
	slices.SortFunc(fields, func(x, y model.SchemaField) int { return strings.Compare(x.Name, y.Name) })
	return fields
}

func isMetaField(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}

// mapRelationship returns how the members of an object belong together, or otherwise if the schema does not
// define it.
func mapRelationship(s *input.JSONSchema, otherwise model.Relationship) model.Relationship {
	switch s.MapType.Value {
	case "atomic":
		return model.Atomic
	case "granular":
		return model.Separable
	}
	return otherwise
}

func listRelationship(s *input.JSONSchema) (relationship model.Relationship, keys []string) {
	switch s.ListType.Value {
	case "atomic":
		return model.Atomic, nil
	case "set":
		return model.Associative, nil
	case "map":
		for _, key := range s.MapKeys {
			keys = append(keys, key.Value)
		}
		return model.Associative, keys
	}
	if strategy, _, _ := strings.Cut(s.PatchStrategy, ","); strategy == "merge" {
		if s.PatchMergeKey != "" {
			keys = []string{s.PatchMergeKey}
		}
		return model.Associative, keys
	}
	return model.Atomic, nil
}

// rootOf returns the type of a kind of a CRD.
func rootOf(name string, s *input.JSONSchema) model.SchemaType {
	atom := converter{}.atom(s, within{})
	if atom.Map == nil { // no server accepts it
		atom = model.SchemaAtom{Map: &model.SchemaMap{Relationship: model.Separable}}
	}
	atom.Scalar, atom.List = "", nil
	atom.Map.Fields = withMeta(atom.Map.Fields)
	if !s.PreservesUnknown && s.Additional == nil && (s.AllowsAdditional == nil || !*s.AllowsAdditional) {
		atom.Map.Element = nil
	}
	return model.SchemaType{Name: name, Atom: atom}
}
