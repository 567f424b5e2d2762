package merge

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// fromGo returns the schema of the kinds that their Go types and markers show. It follows kube-openapi for
// packages with its marker, and controller-gen for others. Types with a name refer to each other by it, so
// they may be recursive.
func fromGo(in Input, mistakes *model.Errors) *model.Schema {
	g := &goSchema{types: in.Types, set: in.Set, mistakes: mistakes, maps: map[string]*model.SchemaMap{}, atoms: map[string]model.SchemaAtom{}, reported: map[model.Error]bool{}}
	for _, k := range in.Set.Kinds() {
		if !k.NeedsApply() {
			continue
		}
		declared := in.Types.Lookup(model.TypeRef{Path: k.GroupVersion.Path, Name: k.Name})
		if declared == nil {
			continue
		}
		if named, ok := types.Unalias(declared.Type()).(*types.Named); ok {
			g.need(named)
		}
	}
	for len(g.queue) > 0 {
		next := g.queue[0]
		g.queue = g.queue[1:]
		g.define(next)
	}
	model.SortErrors(in.Set.Warnings)
	return g.finish()
}

// goSchema derives a schema from Go types.
type goSchema struct {
	types    *input.Types
	set      *model.Set
	mistakes *model.Errors
	// queue has the types that are named, but not defined yet.
	queue []*types.Named
	// atoms are the defined types. A type in the queue has an empty atom.
	atoms map[string]model.SchemaAtom
	// maps are the maps in atoms, by name.
	maps map[string]*model.SchemaMap
	// reported are the mistakes that were reported. Several fields may have one type with a mistake.
	reported map[model.Error]bool
}

// site is the field or the type whose type is looked at.
type site struct {
	// pkg is the import path of its package.
	pkg string
	// name is what messages call it, such as Spec.Ports.
	name string
	pos  token.Position
	// isType reports whether it is a type declaration, whose markers describe the type itself.
	isType bool
}

// need queues the definition of a type, and returns its name.
func (g *goSchema) need(named *types.Named) string {
	name := g.types.OpenAPIName(named)
	if _, ok := g.atoms[name]; !ok {
		g.atoms[name] = model.SchemaAtom{}
		g.queue = append(g.queue, named)
	}
	return name
}

// define defines a type in the queue: a struct, or a recursive list or map.
func (g *goSchema) define(named *types.Named) {
	declared := named.Obj()
	at := site{pkg: pathOf(declared), name: declared.Name(), pos: g.types.Position(declared), isType: true}
	markers := g.topology(declared, at)
	name := g.types.OpenAPIName(named)
	if structType, ok := gotype.StructOf(named); ok {
		g.check(markers, formObject, named, at)
		g.maps[name] = g.structMap(structType, markers, at)
		g.atoms[name] = model.SchemaAtom{Map: g.maps[name]}
		return
	}
	g.atoms[name] = g.underlying(named, markers, at).Inline
}

// structMap returns the fields of a struct.
func (g *goSchema) structMap(structType *types.Struct, markers topology, at site) *model.SchemaMap {
	found := &model.SchemaMap{Relationship: granularity(markers)}
	fields, _ := gotype.JSONFields(structType)
	for _, field := range fields {
		of := g.siteOf(field, at)
		own := g.topology(field.Field, of)
		var ref model.SchemaRef
		if field.Quoted {
			g.check(own, formString, types.Typ[types.String], of)
			ref = scalar("string")
		} else {
			ref = g.ref(field.Field.Type(), own, of)
		}
		found.Fields = append(found.Fields, model.SchemaField{Name: field.Name, Type: ref, Default: g.fallback(field, own, of), Pos: of.pos})
	}
	slices.SortFunc(found.Fields, func(x, y model.SchemaField) int { return strings.Compare(x.Name, y.Name) })
	if markers.preserves || len(fields) == 0 { // OpenAPI has no other way to write an object without fields
		element := deduced()
		found.Element = &element
	}
	return found
}

// siteOf returns the site of a field of a struct at another site.
func (g *goSchema) siteOf(field gotype.JSONField, in site) site {
	owner := in.name
	if n := len(field.Through); n > 0 {
		owner = gotype.TypeName(gotype.PointedTo(field.Through[n-1].Type()))
		owner = owner[strings.LastIndexByte(owner, '.')+1:]
	}
	return site{pkg: pathOf(field.Field), name: owner + "." + field.Field.Name(), pos: g.types.Position(field.Field)}
}

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
		if ref, ok := encodesAs(t); ok {
			return g.opaque(ref, markers, t, at)
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
	if markers.preserves || markers.embeds {
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
	for _, field := range []model.SchemaField{{Name: "apiVersion", Type: scalar("string")}, {Name: "kind", Type: scalar("string")}, {Name: "metadata", Type: meta}} {
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

// granularity returns how the fields of an object belong together.
func granularity(markers topology) model.Relationship {
	return cmp.Or(relationship(markers), model.Separable)
}

// relationship returns how markers say that the fields of an object belong together, or "".
func relationship(markers topology) model.Relationship {
	for _, m := range []marker{markers.structType, markers.mapType} {
		switch m.Value {
		case "atomic":
			return model.Atomic
		case "granular":
			return model.Separable
		}
	}
	return ""
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

// isOpenAPI reports whether kube-openapi describes the types of a package. With a marker of controller-gen,
// CRDs describe them, whatever else does.
func (g *goSchema) isOpenAPI(path string) bool {
	return g.types.HasPackageMarker(path, "k8s:openapi-gen=true") && !g.types.HasPackageMarker(path, "kubebuilder:object:generate=true")
}

func pathOf(declared types.Object) string {
	if declared.Pkg() == nil {
		return ""
	}
	return declared.Pkg().Path()
}

// finish returns the defined types.
func (g *goSchema) finish() *model.Schema {
	schema := &model.Schema{}
	for name, atom := range g.atoms {
		schema.Types = append(schema.Types, model.SchemaType{Name: name, Atom: atom})
	}
	g.keepDefaultsOfKeys(schema)
	schema.Types = append(schema.Types, untypedTypes()...)
	slices.SortFunc(schema.Types, func(x, y model.SchemaType) int { return strings.Compare(x.Name, y.Name) })
	return schema
}
