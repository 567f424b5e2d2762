package merge

import (
	"go/types"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

// check reports the markers that need a value of another form.
func (g *goSchema) check(markers topology, f form, t types.Type, at site) {
	if f != formArray {
		needsList := func(m marker) {
			g.report(at, m, "%s needs a list, but %s is %s", "remove the marker", m, at.name, describeAt(at, t))
		}
		if markers.listType.isSet() {
			needsList(markers.listType)
		} else if len(markers.listMapKeys) > 0 {
			needsList(markers.listMapKeys[0])
		}
	}
	_, isMap := t.Underlying().(*types.Map)
	_, isStruct := gotype.StructOf(t)
	// Both markers are one property of OpenAPI, so other tools read one for the other. Users can correct only
	// their own packages.
	either := g.isOpenAPI(at.pkg) || g.types.Dependencies[at.pkg]
	g.checkGranularity(markers.mapType, f == formObject && (!isStruct || at.isType || either), "a map", "+structType", isStruct, t, at)
	g.checkGranularity(markers.structType, f == formObject && (!isMap || either), "a struct", "+mapType", isMap, t, at)
}

// checkGranularity reports +mapType or +structType if it does not fit, or has an unknown value. other is the
// marker that fits if isOther.
func (g *goSchema) checkGranularity(m marker, fits bool, needs, other string, isOther bool, t types.Type, at site) {
	switch {
	case !m.isSet():
	case !fits && isOther:
		g.report(at, m, "%s needs %s, but %s is %s", "write "+other+"="+m.Value, m, needs, at.name, describeAt(at, t))
	case !fits:
		g.report(at, m, "%s needs %s, but %s is %s", "remove the marker", m, needs, at.name, describeAt(at, t))
	case m.Value != "atomic" && m.Value != "granular":
		g.report(at, m, "%s of %s is unknown", spelling.Suggest(m.Value, []string{"atomic", "granular"}, "+"+m.Name+"="), m, at.name)
	}
}

// describe returns a Go type for a message.
func describe(t types.Type) string {
	t = gotype.PointedTo(t)
	if named, ok := types.Unalias(t).(*types.Named); ok && named.TypeArgs().Len() == 0 {
		return named.Obj().Name()
	}
	if _, ok := t.(*types.Struct); ok {
		return "a struct without a name"
	}
	return types.TypeString(t, func(*types.Package) string { return "" })
}

// describeAt returns the type of a site for a message. A type declaration is described by the type on its
// right.
func describeAt(at site, t types.Type) string {
	_, isStruct := gotype.StructOf(t)
	switch {
	case isStruct && at.isType:
		return "a struct"
	case at.isType:
		return describe(t.Underlying())
	case isStruct && gotype.NameOf(t) != (model.TypeRef{}):
		return "the struct " + describe(t)
	}
	return describe(t)
}
