package merge

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// structMap returns the fields of a struct.
func (g *goSchema) structMap(structType *types.Struct, markers topology, at site) *model.SchemaMap {
	fields, _ := gotype.JSONFields(structType)
	found := &model.SchemaMap{Relationship: cmp.Or(relationship(markers), g.inlined(fields, at), model.Separable)}
	for _, field := range fields {
		of := g.siteOf(field, at)
		own := g.topology(field.Field, of)
		var ref model.SchemaRef
		if field.Quoted {
			g.check(own, formString, types.Typ[types.String], of)
			ref = scalar("untyped") // a string in JSON, but package value of structured merge ignores the option
		} else {
			ref = g.ref(field.Field.Type(), own, of)
		}
		defaultValue := g.defaultValue(field, own, of)
		found.Fields = append(found.Fields, model.SchemaField{Name: field.Name, Type: ref, Default: defaultValue, Pos: of.pos})
	}
	slices.SortFunc(found.Fields, func(x, y model.SchemaField) int { return strings.Compare(x.Name, y.Name) })
	if markers.preserves || len(fields) == 0 { // OpenAPI has no other way to write an object without fields
		element := deduced()
		found.Element = &element
	}
	return found
}

// inlined returns model.Atomic if a struct inlines an atomic one. Controller-gen then makes it atomic, and
// kube-openapi does not.
func (g *goSchema) inlined(fields []gotype.JSONField, at site) model.Relationship {
	if g.isOpenAPI(at.pkg) {
		return ""
	}
	for _, field := range fields {
		for _, embedded := range field.Through {
			markers := g.topology(embedded, at)
			if named, ok := types.Unalias(gotype.PointedTo(embedded.Type())).(*types.Named); ok {
				markers = markers.over(g.topology(named.Obj(), at))
			}
			if relationship(markers) == model.Atomic {
				return model.Atomic
			}
		}
	}
	return ""
}
