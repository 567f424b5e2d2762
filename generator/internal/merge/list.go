package merge

import (
	"go/types"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

// list returns a list type. A list whose markers are wrong is atomic.
func (g *goSchema) list(t, element types.Type, markers topology, at site) model.SchemaRef {
	g.check(markers, formArray, t, at)
	of := topology{}
	if markers.items != nil {
		of = *markers.items
	}
	found := &model.SchemaList{Element: g.ref(element, of, at), Relationship: model.Atomic}
	kind := markers.listType
	switch kind.Value {
	case "map":
		found.Keys = g.keys(element, found.Element, markers, at)
		if len(found.Keys) > 0 {
			found.Relationship = model.Associative
		}
	case "set":
		if g.isScalar(found.Element) {
			found.Relationship = model.Associative
		} else {
			g.report(at, kind, "%s of %s needs elements that are scalars, but they are %s",
				"write +listType=map with a +listMapKey, or +listType=atomic", kind, at.name, describe(element))
		}
	case "atomic", "":
	default:
		markers.listMapKeys = nil // which belong to it
		g.report(at, kind, "%s of %s is unknown", spelling.Suggest(kind.Value, []string{"atomic", "map", "set"}, "+"+kind.Name+"="),
			kind, at.name)
	}
	if len(markers.listMapKeys) > 0 && kind.Value != "map" && !markers.contradictory {
		switch key := markers.listMapKeys[0]; {
		case kind.isSet():
			g.report(at, key, "%s of %s contradicts %s (%s)", "write +listType=map, or remove the marker", key, at.name, kind, kind.Pos)
		default:
			g.report(at, key, "%s of %s has no effect without +listType=map", "add +listType=map, or remove the marker", key, at.name)
		}
	}
	return model.SchemaRef{Inline: model.SchemaAtom{List: found}}
}

// keys returns the names of the fields that identify an element. It returns nil if one of them cannot.
func (g *goSchema) keys(element types.Type, ref model.SchemaRef, markers topology, at site) []string {
	kind := markers.listType
	structType, isStruct := gotype.StructOf(gotype.PointedTo(element))
	isObject := ref.Named != "" && ref.Named != untypedDeduced && ref.Named != untypedAtomic || ref.Inline.Map != nil
	if !isStruct || !isObject {
		fix := "write +listType=atomic"
		if g.isScalar(ref) {
			fix = "write +listType=set or +listType=atomic"
		}
		g.report(at, kind, "%s of %s needs elements that are structs, but they are %s", fix, kind, at.name, describe(element))
		return nil
	}
	fields, sure := gotype.JSONFields(structType)
	if len(markers.listMapKeys) == 0 {
		g.report(at, kind, "%s of %s names no field that identifies an element", "add "+suggestKey(fields), kind, at.name)
		return nil
	}
	var keys []string
	for _, key := range markers.listMapKeys {
		i := slices.IndexFunc(fields, func(f gotype.JSONField) bool { return f.Name == key.Value })
		switch {
		case i < 0 && sure:
			g.report(at, key, "%s of %s is no JSON name of a field of %s (%s)",
				spelling.Suggest(key.Value, namesOf(fields), "+"+key.Name+"="),
				key, at.name, describe(element), g.positionOf(element, at))
			return nil
		case i >= 0 && !g.isScalarField(fields[i], at):
			g.report(at, key, "%s of %s needs a field that is a scalar, but %s (%s) is %s",
				"name a field that is a string, a number or a boolean", key, at.name,
				g.siteOf(fields[i], site{name: describe(element)}).name, g.types.Position(fields[i].Field), describe(fields[i].Field.Type()))
			return nil
		}
		keys = append(keys, key.Value)
	}
	return keys
}

// suggestKey returns the marker for the field that identifies an element in most lists.
func suggestKey(fields []gotype.JSONField) string {
	for _, f := range fields {
		if f.Name == "name" || f.Name == "type" || f.Name == "key" || f.Name == "id" {
			return "+listMapKey=" + f.Name
		}
	}
	return "+listMapKey with the JSON name of that field"
}

func namesOf(fields []gotype.JSONField) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

func (g *goSchema) isScalarField(field gotype.JSONField, at site) bool {
	return field.Quoted || g.isScalar(g.ref(field.Field.Type(), g.topology(field.Field, at), at))
}

// isScalar reports whether a value of a type may be a scalar.
func (g *goSchema) isScalar(ref model.SchemaRef) bool {
	return ref.Inline.Scalar != "" || ref.Named == untypedDeduced
}

// positionOf returns where an element's type is declared, or the site if it has no name.
func (g *goSchema) positionOf(element types.Type, at site) string {
	if named, ok := types.Unalias(gotype.PointedTo(element)).(*types.Named); ok {
		return g.types.Position(named.Obj()).String()
	}
	return at.pos.String()
}
