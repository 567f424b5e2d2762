package merge

import (
	"cmp"
	"go/token"
	"go/types"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

// Input has the arguments of Decide.
type Input struct {
	*input.Run
	// Types has the types that the kinds consist of.
	Types *input.Types
	// Set has the kinds.
	Set *model.Set
	// Manifests are CRDs. A kind with a CRD has the schema of the CRD.
	Manifests []*input.Manifest
}

// goSchema derives a schema from Go types.
type goSchema struct {
	types *input.Types
	set   *model.Set
	errs  *model.Errors
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
	// reported are the errors that were reported. Several fields may have one type with a mistake.
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
	// name is the name in messages, such as Spec.Ports.
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
// CRDs describe them, even if the package has the marker of kube-openapi too.
func (g *goSchema) isOpenAPI(path string) bool {
	isInCRDs := g.custom || g.types.HasPackageMarker(path, "kubebuilder:object:generate=true")
	return !isInCRDs && g.types.HasPackageMarker(path, "k8s:openapi-gen=true")
}

func pathOf(declared types.Object) string {
	if declared.Pkg() == nil {
		return ""
	}
	return declared.Pkg().Path()
}

// topology returns the markers of a field or a type.
func (g *goSchema) topology(declared types.Object, at site) topology {
	of := at
	of.pkg = pathOf(declared)
	if _, isType := declared.(*types.TypeName); isType {
		of.name = declared.Name()
	}
	found := topologyOf(g.types.Comment(declared), func(first, second marker) {
		g.report(of, second, "%s of %s contradicts %s (%s)", "remove one of the two", second, of.name, first, first.Pos)
	})
	prefix := "kubebuilder:validation:"
	for t := &found; t != nil; t, prefix = t.items, prefix+"items:" {
		if m := t.unknownForm; m.isSet() {
			m.Name = prefix + "Type"
			g.report(of, m, "%s of %s is unknown", spelling.Suggest(m.Value, forms, "+"+m.Name+"="), m, of.name)
		}
	}
	return found
}

// report reports a mistake in a marker. In a dependency, which the user cannot edit, it is a warning.
func (g *goSchema) report(at site, m marker, format, fix string, args ...any) {
	err := model.Errorf(m.Pos, format, args...)
	if g.reported[*err] {
		return
	}
	g.reported[*err] = true
	if g.types.Dependencies[at.pkg] {
		g.set.Warnings = append(g.set.Warnings, model.Errorf(m.Pos, "%s; the marker is ignored", err.Message))
		return
	}
	g.errs.Add(m.Pos, "%s; %s", err.Message, strings.TrimPrefix(fix, "; "))
}

// granularity returns how the fields of an object belong together.
func granularity(markers topology) model.Relationship {
	return cmp.Or(relationship(markers), model.Separable)
}

// relationship returns how the fields of an object belong together by markers, or "".
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
