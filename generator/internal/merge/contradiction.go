package merge

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// comparison compares the Go type of a kind with the schema in its CRD. Where both agree, it keeps the
// types of Go, which have names. Elsewhere it takes the types of the CRD.
type comparison struct {
	// kind is the name of the kind.
	kind string
	// named are the types of Go.
	named map[string]model.SchemaAtom
	found []contradiction
	// extra are the properties that the Go type does not have.
	extra []extraProperty
}

// contradiction is a field that the Go type and the CRD describe in different ways.
type contradiction struct {
	// goPos is the field in Go.
	goPos token.Position
	// problem is the message without the fix. fix is the fix if the CRD is right.
	problem, fix string
}

// extraProperty is a property in a CRD.
type extraProperty struct {
	path string
	pos  token.Position
}

// location is where two schemas are compared.
type location struct {
	// path leads from the kind to the field, such as spec.ports[].name.
	path string
	// goPos is the field in Go.
	goPos token.Position
	// isAtomic reports whether the value has one owner together with the values around it.
	isAtomic bool
	within
}

// root compares the types of a kind.
func (c *comparison) root(name string, s *input.JSONSchema) model.SchemaType {
	converted := rootOf(name, s)
	own, ok := c.named[name]
	if !ok || own.Map == nil {
		return converted
	}
	isMeta := func(f model.SchemaField) bool { return isMetaField(f.Name) }
	fields := *own.Map
	fields.Fields = slices.DeleteFunc(slices.Clone(fields.Fields), isMeta)
	described := *s
	described.HasProperties = true // the properties of the metadata
	described.Properties = slices.DeleteFunc(slices.Clone(s.Properties),
		func(p input.JSONProperty) bool { return isMetaField(p.Name.Value) })
	merged, same := c.object(&fields, &described, location{within: within{preserves: s.PreservesUnknown}})
	if same {
		return model.SchemaType{Name: name, Atom: own}
	}
	for _, f := range own.Map.Fields {
		if isMeta(f) {
			merged.Fields = append(merged.Fields, f)
		}
	}
	slices.SortFunc(merged.Fields, func(x, y model.SchemaField) int { return strings.Compare(x.Name, y.Name) })
	return model.SchemaType{Name: name, Atom: model.SchemaAtom{Map: merged}}
}

// ref compares a type of Go with a schema of the CRD. same reports whether it returns of, because both merge
// all values of the Go type in the same way.
func (c *comparison) ref(of model.SchemaRef, s *input.JSONSchema, at location) (merged model.SchemaRef, same bool) {
	own := c.resolve(of)
	served := converter{}.ref(s, at.within)
	at.preserves = at.preserves || s.PreservesUnknown
	isScalar := own.Scalar != "" && own.List == nil && own.Map == nil
	switch {
	case served.Named != "" && served == of:
		return of, true
	case isScalar && s.Type == "":
		// A quantity, for example, which CRDs describe as an integer or a string.
		return of, true
	case isFree(own) || s.Type == "":
		return served, false // one of the two does not describe the value
	case s.EmbeddedResource, of.Named == objectMeta.OpenAPIName():
		// Servers know the metadata of an embedded resource, and of the metadata of other objects
		// controller-gen writes only some fields.
		return served, false
	case s.Type == "object" && own.Map != nil:
		m, same := c.object(own.Map, s, at)
		if same {
			return of, true
		}
		return model.SchemaRef{Inline: model.SchemaAtom{Map: m}}, false
	case s.Type == "array" && own.List != nil:
		list, same := c.array(own.List, s, at)
		if same {
			return of, true
		}
		return model.SchemaRef{Inline: model.SchemaAtom{List: list}}, false
	case isScalar && s.Type != "object" && s.Type != "array":
		// The formats of strings are not compared: they are untyped, but all values are strings.
		if scalar := scalarOf(s); own.Scalar == scalar || own.Scalar == "untyped" || scalar == "untyped" && own.Scalar == "string" {
			return of, true
		}
	}
	c.add(at.goPos, "change the type of the field", "field %s of kind %s is %s here, but has type %s in its CRD (%s)", at.path, c.kind,
		describeAtom(own), s.Type, s.Pos)
	return served, false
}

// object compares a struct or a map with a schema of type object.
func (c *comparison) object(own *model.SchemaMap, s *input.JSONSchema, at location) (merged *model.SchemaMap, same bool) {
	merged, same = &model.SchemaMap{Relationship: mapRelationship(s, model.Separable)}, true
	if isAtomic := own.Relationship == model.Atomic; isAtomic != (merged.Relationship == model.Atomic) {
		same = false
		if !at.isAtomic {
			c.addMapType(isAtomic, own, s, at)
		}
	}
	at.isAtomic = at.isAtomic || merged.Relationship == model.Atomic
	merged.Element = converter{}.element(s, len(s.Properties) > 0 || at.path == "", at.within)
	properties := s.Properties
	for _, field := range own.Fields {
		for len(properties) > 0 && properties[0].Name.Value < field.Name {
			c.addExtra(properties[0], merged, at)
			properties, same = properties[1:], false
		}
		var isSame bool
		if len(properties) > 0 && properties[0].Name.Value == field.Name {
			isSame = c.field(field, properties[0].Schema, merged, at)
			properties = properties[1:]
		} else {
			isSame = c.otherField(field, s, merged, at)
		}
		same = same && isSame
	}
	for _, property := range properties {
		same = false
		if own.Element == nil {
			c.addExtra(property, merged, at)
			continue
		}
		c.field(model.SchemaField{Name: property.Name.Value, Type: *own.Element, Pos: at.goPos}, property.Schema, merged, at)
	}
	isSame := c.element(own, s, merged, at)
	return merged, same && isSame
}

// field compares a field with its property, and adds it to merged.
func (c *comparison) field(field model.SchemaField, s *input.JSONSchema, merged *model.SchemaMap, at location) (same bool) {
	below := at.below(field)
	t, same := c.ref(field.Type, s, below)
	if slices.Contains(at.keys, field.Name) && field.Default != s.Default && (s.Default != "" || !isZero(field.Default)) {
		same = false
		if !at.isAtomic {
			c.add(field.Pos, "correct the default of the field", "field %s of kind %s is a key of a list and has %s here, but %s in its CRD (%s)",
				below.path, c.kind, describeDefault(field.Default), describeDefault(s.Default), s.Pos)
		}
		field.Default = s.Default
	}
	field.Type = t
	merged.Fields = append(merged.Fields, field)
	return same
}

// isZero reports whether a default is the zero value. JSON of the Go type has the value, so it needs no default.
func isZero(text string) bool { return text == `""` || text == "0" || text == "false" }

// otherField compares a field without a property with the schema of other members.
func (c *comparison) otherField(field model.SchemaField, s *input.JSONSchema, merged *model.SchemaMap, at location) (same bool) {
	below := at.below(field)
	switch {
	case merged.Element != nil && s.Additional != nil:
		return c.field(field, s.Additional, merged, at)
	case merged.Element != nil && (at.preserves || s.AllowsAdditional != nil):
		own := c.resolve(field.Type)
		if own.List == nil && own.Map == nil {
			merged.Fields = append(merged.Fields, field)
			return true
		}
		return false
	}
	c.add(field.Pos, "remove the field", "field %s of kind %s is not in its CRD (%s), so servers drop its value", below.path, c.kind, s.Pos)
	return false
}

// element compares the members of a map that are no fields.
func (c *comparison) element(own *model.SchemaMap, s *input.JSONSchema, merged *model.SchemaMap, at location) (same bool) {
	switch {
	case own.Element == nil:
		return merged.Element == nil || !at.preserves && s.Additional == nil && s.AllowsAdditional == nil && len(own.Fields) == 0
	case merged.Element == nil:
		c.add(at.goPos, "change the type of the field",
			"field %s of kind %s is a map here, but its CRD has only some of its keys (%s), so servers drop others", at.path,
			c.kind, s.Pos)
		return false
	case s.Additional != nil:
		below := at
		below.path, below.keys = at.path+".*", nil
		element, same := c.ref(*own.Element, s.Additional, below)
		merged.Element = &element
		return same
	}
	if own := c.resolve(*own.Element); own.List == nil && own.Map == nil {
		merged.Element = nil
	}
	same = merged.Element == nil
	element := deduced()
	merged.Element = &element
	return same || *own.Element == *merged.Element
}

func (c *comparison) array(own *model.SchemaList, s *input.JSONSchema, at location) (merged *model.SchemaList, same bool) {
	merged, same = &model.SchemaList{Element: model.SchemaRef{Named: untypedAtomic}}, true
	merged.Relationship, merged.Keys = listRelationship(s)
	ownKeys, keys := slices.Sorted(slices.Values(own.Keys)), slices.Sorted(slices.Values(merged.Keys))
	if own.Relationship != merged.Relationship || !slices.Equal(ownKeys, keys) {
		same = false
		if !at.isAtomic {
			c.addListType(own, merged, s, at)
		}
	}
	if s.Items == nil {
		return merged, false
	}
	below := location{
		path: at.path + "[]", goPos: at.goPos, isAtomic: at.isAtomic || merged.Relationship == model.Atomic,
		within: within{at.preserves, merged.Keys},
	}
	element, isSame := c.ref(own.Element, s.Items, below)
	merged.Element = element
	return merged, same && isSame
}

// below returns the location of a field.
func (at location) below(field model.SchemaField) location {
	at.path = strings.TrimPrefix(at.path+"."+field.Name, ".")
	at.goPos, at.keys = field.Pos, nil
	return at
}

// resolve returns the type of Go that ref names.
func (c *comparison) resolve(ref model.SchemaRef) model.SchemaAtom {
	if ref.Named == "" {
		return ref.Inline
	}
	atom := c.named[ref.Named]
	if ref.Relationship != "" && atom.Map != nil {
		replaced := *atom.Map
		replaced.Relationship = ref.Relationship
		atom.Map = &replaced
	}
	return atom
}

// isFree reports whether the values of a type of Go have any type, or are maps with values of any
// type.
func isFree(atom model.SchemaAtom) bool {
	switch {
	case atom.Map == nil:
		return false
	case atom.List != nil:
		return true
	}
	element := atom.Map.Element
	return len(atom.Map.Fields) == 0 && element != nil && (element.Named == untypedDeduced || element.Named == untypedAtomic)
}

// addExtra adds a property without a field in Go.
func (c *comparison) addExtra(property input.JSONProperty, merged *model.SchemaMap, at location) {
	merged.Fields = append(merged.Fields, converter{}.field(property, at.within))
	c.extra = append(c.extra, extraProperty{strings.TrimPrefix(at.path+"."+property.Name.Value, "."), property.Name.Pos})
}

func (c *comparison) addMapType(isAtomic bool, own *model.SchemaMap, s *input.JSONSchema, at location) {
	marker, parts := "mapType", "key by key"
	if len(own.Fields) > 0 {
		marker, parts = "structType", "field by field"
	}
	here, there, fix := parts, "as a whole", "atomic"
	if isAtomic {
		here, there, fix = there, here, "granular"
	}
	pos := s.MapType.Pos
	if !pos.IsValid() {
		pos = s.Pos
	}
	c.add(at.goPos, "write // +"+marker+"="+fix, "field %s of kind %s is merged %s here, but %s in its CRD (%s)", at.path, c.kind, here,
		there, pos)
}

func (c *comparison) addListType(own, served *model.SchemaList, s *input.JSONSchema, at location) {
	pos := s.ListType.Pos
	if !pos.IsValid() {
		pos = s.Pos
	}
	fix := "write // +listType="
	switch {
	case served.Relationship != model.Associative:
		fix += "atomic"
	case len(served.Keys) == 0:
		fix += "set"
	default:
		fix += "map"
		for _, key := range served.Keys {
			fix += " and // +listMapKey=" + key
		}
	}
	c.add(at.goPos, fix, "the list %s of kind %s is merged %s here, but %s in its CRD (%s)", at.path, c.kind, describeList(own),
		describeList(served), pos)
}

// add adds a contradiction, unless the field has one already: another field may be of the same Go type.
func (c *comparison) add(goPos token.Position, fix, format string, args ...any) {
	if !slices.ContainsFunc(c.found, func(other contradiction) bool { return goPos.IsValid() && other.goPos == goPos }) {
		c.found = append(c.found, contradiction{goPos, fmt.Sprintf(format, args...), fix})
	}
}

func describeAtom(atom model.SchemaAtom) string {
	switch {
	case atom.List != nil:
		return "a list"
	case atom.Map != nil && len(atom.Map.Fields) > 0:
		return "a struct"
	case atom.Map != nil:
		return "a map"
	}
	return map[string]string{"string": "a string", "numeric": "a number", "boolean": "a boolean"}[atom.Scalar]
}

func describeList(list *model.SchemaList) string {
	switch {
	case list.Relationship != model.Associative:
		return "as a whole"
	case len(list.Keys) == 0:
		return "as a set"
	}
	return "by " + strings.Join(list.Keys, " and ")
}

func describeDefault(text string) string {
	if text == "" {
		return "no default"
	}
	return "the default " + text
}
