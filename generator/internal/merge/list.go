package merge

import (
	"go/types"
	"slices"
	"strings"

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
			g.report(at, kind, "%s of %s needs elements that are scalars, but they are %s", "write +listType=map with a +listMapKey, or +listType=atomic", kind, at.name, describe(element))
		}
	case "atomic", "":
	default:
		markers.listMapKeys = nil // which belong to it
		g.report(at, kind, "%s of %s is unknown", spelling.Suggest(kind.Value, []string{"atomic", "map", "set"}, "+"+kind.Name+"="), kind, at.name)
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
			g.report(at, key, "%s of %s is no JSON name of a field of %s (%s)", spelling.Suggest(key.Value, namesOf(fields), "+"+key.Name+"="),
				key, at.name, describe(element), g.positionOf(element, at))
			return nil
		case i >= 0 && !g.isScalarField(fields[i], at):
			g.report(at, key, "%s of %s needs a field that is a scalar, but %s (%s) is %s", "name a field that is a string, a number or a boolean", key, at.name,
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

// describeAt is describe for the type of a site. A type declaration is described by what is on its right.
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

// positionOf returns where an element's type is declared, or the site if it has no name.
func (g *goSchema) positionOf(element types.Type, at site) string {
	if named, ok := types.Unalias(gotype.PointedTo(element)).(*types.Named); ok {
		return g.types.Position(named.Obj()).String()
	}
	return at.pos.String()
}

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
	g.mistakes.Add(m.Pos, "%s; %s", err.Message, strings.TrimPrefix(fix, "; "))
}
