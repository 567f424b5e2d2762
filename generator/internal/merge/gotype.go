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
// packages with its marker, and controller-gen for others. If no kind of the run is in a package with that
// marker, all kinds are custom resources, and so CRDs describe the types of k8s.io/api in them too. Types with
// a name refer to each other by it, so they may be recursive.
func fromGo(in Input, mistakes *model.Errors) *model.Schema {
	g := &goSchema{
		types: in.Types, set: in.Set, mistakes: mistakes,
		names: map[*types.Named]string{}, encodings: map[*types.Named]encoding{}, maps: map[string]*model.SchemaMap{}, atoms: map[string]model.SchemaAtom{}, reported: map[model.Error]bool{},
	}
	applied := slices.DeleteFunc(in.Set.Kinds(), func(k *model.Kind) bool { return !k.NeedsApply() })
	g.custom = !slices.ContainsFunc(applied, func(k *model.Kind) bool { return g.isOpenAPI(k.Package.Path) })
	for _, k := range applied {
		declared := in.Types.Lookup(k.Ref())
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
	// custom reports whether all kinds are custom resources.
	custom bool
	// names are the names of types, and encodings are their forms in JSON. Method sets are slow.
	names     map[*types.Named]string
	encodings map[*types.Named]encoding
	// queue has the types that are named, but not defined yet.
	queue []*types.Named
	// atoms are the defined types. A type in the queue has an empty atom.
	atoms map[string]model.SchemaAtom
	// maps are the maps in atoms, by name.
	maps map[string]*model.SchemaMap
	// copying are the structs whose fields are being copied for a field with members of its own. A struct in
	// itself is not copied again.
	copying []*types.Named
	// reported are the mistakes that were reported. Several fields may have one type with a mistake.
	reported map[model.Error]bool
}

// encoding is the type of values that encode themselves. isOpaque is false for other values.
type encoding struct {
	ref      model.SchemaRef
	isOpaque bool
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
	if name, ok := g.names[named]; ok {
		return name
	}
	name := g.types.OpenAPIName(named)
	g.names[named] = name
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
	name := g.names[named]
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
		found.Fields = append(found.Fields, model.SchemaField{Name: field.Name, Type: ref, Default: g.fallback(field, own, of), Pos: of.pos})
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

// siteOf returns the site of a field of a struct at another site.
func (g *goSchema) siteOf(field gotype.JSONField, in site) site {
	owner := in.name
	if n := len(field.Through); n > 0 {
		owner = gotype.TypeName(gotype.PointedTo(field.Through[n-1].Type()))
		owner = owner[strings.LastIndexByte(owner, '.')+1:]
	}
	return site{pkg: pathOf(field.Field), name: owner + "." + field.Field.Name(), pos: g.types.Position(field.Field)}
}

// isOpenAPI reports whether kube-openapi describes the types of a package. With a marker of controller-gen,
// CRDs describe them, whatever else does.
func (g *goSchema) isOpenAPI(path string) bool {
	return !g.custom && g.types.HasPackageMarker(path, "k8s:openapi-gen=true") && !g.types.HasPackageMarker(path, "kubebuilder:object:generate=true")
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
