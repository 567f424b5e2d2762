package merge

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// ref returns the type of a field or an element with a Go type.
func (g *goSchema) ref(t types.Type, markers topology, at site) model.SchemaRef {
	switch t := t.(type) {
	case *types.Pointer:
		return g.ref(t.Elem(), markers, at)
	case *types.Alias:
		if t.Obj().Pkg() == nil { // any
			return g.underlying(t, markers, at)
		}
		return g.ref(t.Rhs(), markers.over(g.topology(t.Obj(), at)), at)
	case *types.Named:
		return g.named(t, markers, at)
	}
	return g.underlying(t, markers, at)
}

// named returns the type of a field or an element whose Go type has a name.
func (g *goSchema) named(t *types.Named, markers topology, at site) model.SchemaRef {
	if gotype.NameOf(t) == rawExtension {
		return g.rawExtension(markers, at)
	}
	structType, isStruct := gotype.StructOf(t)
	if isStruct {
		// The type's own markers for structs are in its definition.
		markers.form = markers.over(g.topology(t.Obj(), at)).form
	} else {
		markers = markers.over(g.topology(t.Obj(), at))
	}
	if known := known[gotype.NameOf(t)]; known != nil && (markers.form == "" || known().Inline.Scalar != "") {
		return g.opaque(known(), markers, t, at)
	}
	if markers.form == "" || markers.form == formOf(t) {
		of, ok := g.encodings[t]
		if !ok {
			of.ref, of.isOpaque = encodesAs(t)
			g.encodings[t] = of
		}
		if of.isOpaque {
			return g.opaque(of.ref, markers, t, at)
		}
	}
	switch {
	case markers.form != "" && markers.form != formOf(t):
		return g.underlying(t, markers, at)
	case !isStruct && isRecursive(t, nil):
		return model.SchemaRef{Named: g.need(t)}
	case !isStruct:
		return g.underlying(t, markers, at)
	}
	g.check(markers, formObject, t, at)
	if (markers.preserves || markers.embeds) && !slices.Contains(g.copying, t) {
		g.copying = append(g.copying, t)
		defer func() { g.copying = g.copying[:len(g.copying)-1] }()
		copied := g.structMap(structType, g.topology(t.Obj(), at), site{pkg: pathOf(t.Obj()), name: t.Obj().Name()})
		copied.Relationship = cmp.Or(relationship(markers), copied.Relationship)
		g.open(copied, markers)
		return model.SchemaRef{Inline: model.SchemaAtom{Map: copied}}
	}
	ref := model.SchemaRef{Named: g.need(t)}
	ref.Relationship = relationship(markers)
	return ref
}

// rawExtension returns the type of a field with any object. Its parts have one owner in OpenAPI documents
// of kube-openapi, but not in CRDs.
func (g *goSchema) rawExtension(markers topology, at site) model.SchemaRef {
	if markers.form != "" && markers.form != formObject {
		return refOfForm(markers.form)
	}
	if g.isOpenAPI(at.pkg) && !markers.embeds {
		return model.SchemaRef{Named: untypedAtomic}
	}
	ref := freeObject()
	g.open(ref.Inline.Map, markers)
	ref.Inline.Map.Relationship = granularity(markers)
	return ref
}

// opaque returns ref, the type of values that encode themselves.
func (g *goSchema) opaque(ref model.SchemaRef, markers topology, t types.Type, at site) model.SchemaRef {
	f := formAny
	if ref.Inline.Scalar != "" {
		f = formString
	} else if ref.Inline.Map != nil {
		f = formObject
		g.open(ref.Inline.Map, markers)
		ref.Inline.Map.Relationship = granularity(markers)
	}
	g.check(markers, f, t, at)
	return ref
}

// open adds the members that the markers for embedded resources and unknown fields allow.
func (g *goSchema) open(object *model.SchemaMap, markers topology) {
	if markers.preserves && object.Element == nil {
		element := deduced()
		object.Element = &element
	}
	if !markers.embeds {
		return
	}
	meta := model.SchemaRef{Named: untypedDeduced}
	if declared := g.types.Lookup(model.TypeRef{Path: gotype.MetaV1, Name: "ObjectMeta"}); declared != nil {
		if named, ok := declared.Type().(*types.Named); ok {
			meta.Named = g.need(named)
		}
	}
	for _, field := range []model.SchemaField{
		{Name: "apiVersion", Type: scalar("string")}, {Name: "kind", Type: scalar("string")}, {Name: "metadata", Type: meta},
	} {
		if !slices.ContainsFunc(object.Fields, func(f model.SchemaField) bool { return f.Name == field.Name }) {
			object.Fields = append(object.Fields, field)
		}
	}
	slices.SortFunc(object.Fields, func(x, y model.SchemaField) int { return strings.Compare(x.Name, y.Name) })
}

// underlying returns the type of values of a Go type without regard to its name.
func (g *goSchema) underlying(t types.Type, markers topology, at site) model.SchemaRef {
	if markers.form != "" && markers.form != formOf(t) {
		ref := refOfForm(markers.form)
		if ref.Inline.Map != nil {
			g.open(ref.Inline.Map, markers)
			ref.Inline.Map.Relationship = granularity(markers)
		}
		return ref
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if isBytes(u) {
			g.check(markers, formString, t, at)
			return scalar("string")
		}
		return g.list(t, u.Elem(), markers, at)
	case *types.Array:
		return g.list(t, u.Elem(), markers, at)
	case *types.Map:
		g.check(markers, formObject, t, at)
		element := g.ref(u.Elem(), topology{}, at)
		object := &model.SchemaMap{Element: &element, Relationship: granularity(markers)}
		g.open(object, markers)
		return model.SchemaRef{Inline: model.SchemaAtom{Map: object}}
	case *types.Struct:
		g.check(markers, formObject, t, at)
		object := g.structMap(u, markers, at)
		g.open(object, markers)
		return model.SchemaRef{Inline: model.SchemaAtom{Map: object}}
	case *types.Basic:
		if f := formOf(t); f != "" {
			g.check(markers, f, t, at)
			if markers.hasFormat && f == formString && !g.isOpenAPI(at.pkg) {
				return scalar("untyped") // as a server reads the format of a CRD
			}
			return refOfForm(f)
		}
	}
	g.check(markers, formAny, t, at)
	return deduced()
}

// isRecursive reports whether a type without fields contains itself. Structs have names in the schema, so
// the search stops at them.
func isRecursive(t types.Type, within []*types.Named) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if slices.Contains(within, t) {
			return t == within[0]
		}
		if _, isStruct := gotype.StructOf(t); isStruct {
			return false
		}
		return isRecursive(t.Underlying(), append(slices.Clone(within), t))
	case *types.Pointer:
		return isRecursive(t.Elem(), within)
	case *types.Slice:
		return isRecursive(t.Elem(), within)
	case *types.Array:
		return isRecursive(t.Elem(), within)
	case *types.Map:
		return isRecursive(t.Elem(), within)
	}
	return false
}
