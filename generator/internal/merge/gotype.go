package merge

import (
	"go/types"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// fromGo returns the schema of the kinds that their Go types and markers show. It follows kube-openapi for
// packages with its marker, and controller-gen for others. If no kind of the run is in a package with that
// marker, all kinds are custom resources, and so CRDs describe the types of k8s.io/api in them too. Types with
// a name refer to each other by it, so they may be recursive.
func fromGo(in Input, errs *model.Errors) *model.Schema {
	g := &goSchema{
		types: in.Types, set: in.Set, errs: errs,
		names: map[*types.Named]string{}, encodings: map[*types.Named]encoding{}, maps: map[string]*model.SchemaMap{},
		atoms: map[string]model.SchemaAtom{}, reported: map[model.Error]bool{},
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
	return g.schema()
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

// schema returns the defined types.
func (g *goSchema) schema() *model.Schema {
	schema := &model.Schema{}
	for name, atom := range g.atoms {
		schema.Types = append(schema.Types, model.SchemaType{Name: name, Atom: atom})
	}
	g.keepDefaultsOfKeys(schema)
	schema.Types = append(schema.Types, untypedTypes()...)
	slices.SortFunc(schema.Types, func(x, y model.SchemaType) int { return strings.Compare(x.Name, y.Name) })
	return schema
}
