package applyconfig

import (
	"go/types"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// complete adds the members of the apply configuration.
func (a *assembly) complete(c *config) {
	structType, _ := gotype.StructOf(c.of)
	c.out.Doc = trimmed(a.Types.Comment(c.of.Obj()))
	c.out.HasTypeMeta = embedsTypeMeta(structType)
	m := newMembers(a, c.of, c.out, nil)
	m.checkJSONNames(structType, c.of.Obj())
	m.addStruct(structType)
	m.addGetters()
	if !c.home.pkg.Dependency {
		m.warnOfNames()
	}
	if c.out.Kind != nil {
		m.checkMeta()
	}
}

// isBlocked reports whether a field cannot be applied.
func isBlocked(of types.Type, field *types.Var) bool {
	name := field.Name()
	if gotype.MetaName(of) == "ObjectMeta" && (name == "ManagedFields" || name == "SelfLink") {
		return true
	}
	return len(name) > 4 && name[:4] == "ZZZ_" // fields that are about to be removed
}

// isWithin reports whether the fields of a struct are being added. A struct that embeds a pointer to such a one
// adds nothing: JSON and Go take the field that is embedded less deeply.
func (m *members) isWithin(structType *types.Struct) bool {
	return slices.ContainsFunc(m.within, func(outer *types.Struct) bool { return types.Identical(outer, structType) })
}

// addStruct adds the fields of a struct, and the methods With for them.
func (m *members) addStruct(structType *types.Struct) {
	m.within = append(m.within, structType)
	defer func() { m.within = m.within[:len(m.within)-1] }()
	for i := range structType.NumFields() {
		field, tag := structType.Field(i), gotype.JSONTagOf(structType, i)
		if tag.IsHidden || isBlocked(m.of, field) {
			continue
		}
		m.checkTag(field, tag)
		if field.Embedded() {
			m.addEmbedded(field, tag)
		} else if field.Exported() {
			m.addField(field, tag)
		}
	}
}

func (m *members) addEmbedded(field *types.Var, tag gotype.JSONTag) {
	of := withoutPointers(field.Type())
	structType, isStruct := gotype.StructOf(of)
	ref := m.ref(of)
	if declared := identify(of).declared; isStruct && declared != nil && !declared.Exported() && !m.isInner &&
		!m.Types.Dependencies[field.Pkg().Path()] {
		m.errs.Add(m.Types.Position(field), "%s embeds the struct %s, whose name other packages cannot use; "+
			"export it, or declare its fields here", m.name(), declared.Name())
		return
	}
	switch {
	case tag.Name == "" && isStruct && m.isWithin(structType):
		if len(m.within) > 1 && types.Identical(m.within[0], structType) {
			m.errs.Add(m.Types.Position(field), "%s embeds itself here through another struct, "+
				"so its apply configuration would contain itself; give the field a JSON name", identify(of).declared.Name())
		}
	case !ref.IsZero():
		embedded := &model.ApplyEmbedded{Name: ref.Name, IsPointer: tag.Name != ""}
		out := model.ApplyField{Doc: trimmed(m.Types.Comment(field)), Type: named("", ref)}
		if embedded.IsPointer {
			out.Type, out.Tag = named("*", ref), tag.Name+",omitempty"
		}
		m.out.Fields = append(m.out.Fields, out)
		m.promote(of, embedded)
	case tag.Name == "" && isStruct && !gotype.EncodesItself(of):
		m.through = append(m.through, field.Name())
		m.addStruct(structType) // all fields have to be optional
		m.through = m.through[:len(m.through)-1]
	default:
		m.addField(field, tag)
	}
}

// promote adds the methods With for the fields of another apply configuration, which is in a field of this
// one.
func (m *members) promote(of types.Type, through *model.ApplyEmbedded) {
	structType, _ := gotype.StructOf(of)
	if m.isWithin(structType) {
		return
	}
	inner := newMembers(m.assembly, of, &model.ApplyType{}, m.within)
	inner.isInner = true
	inner.addStruct(structType)
	m.metas = append(append(m.metas, gotype.MetaName(of)), inner.metas...)
	for _, s := range inner.out.Setters {
		s.IsNested, s.Through = s.Through != nil, through
		m.addSetter(s)
	}
}

// addSetter adds a method. Of two fields with one name, the field of the metadata has the method, because clients need
// it, or else the first field, as with applyconfiguration-gen. A field of the struct itself hides one that JSON
// inlines.
func (m *members) addSetter(s model.ApplySetter) {
	at := slices.IndexFunc(m.out.Setters, func(other model.ApplySetter) bool { return other.Field == s.Field })
	if at < 0 {
		m.out.Setters = append(m.out.Setters, s)
		return
	}
	other := m.out.Setters[at]
	hides := s.Through == nil && other.Through != nil && !other.Through.IsPointer
	if s.IsMeta || hides && !other.IsMeta {
		m.out.Setters[at] = s
	}
}

// warnOfNames warns of the fields of the user's type that have no method With, because the method of another
// field has the name.
func (m *members) warnOfNames() {
	for _, f := range m.out.Fields {
		isOther := func(s model.ApplySetter) bool { return s.Field == f.Name && s.Through != nil }
		if at := slices.IndexFunc(m.out.Setters, isOther); at >= 0 {
			m.Set.Warnings = append(m.Set.Warnings, model.Errorf(f.Pos, "With%s of the apply configuration of %s "+
				"does not set this field, but that of %s; set the field itself, or rename it", f.Name, m.name(), m.out.Setters[at].Through.Name))
		}
	}
}

// addField adds a field with a JSON name, and its method With.
func (m *members) addField(field *types.Var, tag gotype.JSONTag) {
	if m.isLost[field] || !m.isInner && !m.accepts(field) {
		return
	}
	name := tag.Name
	if name == "" {
		name = field.Name()
	}
	name += ",omitempty"
	if tag.IsQuoted {
		name += ",string"
	}
	t, s := m.form(field.Type())
	s.Field = m.nameOf(field)
	s.IsMeta = isMeta(m.of, field)
	m.out.Fields = append(m.out.Fields, model.ApplyField{
		Doc: trimmed(m.Types.Comment(field)), Name: s.Field, Type: t, Tag: name, Pos: m.Types.Position(field),
	})
	m.addSetter(s)
	m.isLost[field] = true
	if m.out.Kind != nil && tag.Name == "metadata" && !m.ref(field.Type()).IsZero() {
		m.promote(field.Type(), &model.ApplyEmbedded{Name: field.Name(), IsPointer: true}) // clients need WithName and GetName
	}
}

// nameOf returns the name of a field, after the names of the fields that embed it if other fields have that
// name.
func (m *members) nameOf(field *types.Var) string {
	name := field.Name()
	for _, through := range slices.Backward(m.through) {
		if !m.isTaken(name) {
			break
		}
		name = through + name
	}
	return name
}

// isTaken reports whether a field that is embedded less deeply, or comes first, has a name.
func (m *members) isTaken(name string) bool {
	return slices.ContainsFunc(m.out.Fields, func(f model.ApplyField) bool { return f.Name == name }) ||
		slices.ContainsFunc(m.within[m.outer:len(m.within)-1], func(outer *types.Struct) bool {
			for field := range outer.Fields() {
				if field.Name() == name && !field.Embedded() {
					return true
				}
			}
			return false
		})
}

// form returns the type of a field in an apply configuration, and how the method With sets it.
func (m *members) form(t types.Type) (field model.GoType, s model.ApplySetter) {
	of := withoutPointers(t)
	if ref := m.ref(of); !ref.IsZero() {
		return named("*", ref), model.ApplySetter{Form: model.ApplySet, Argument: named("*", ref)}
	}
	_, isPointer := types.Unalias(t).(*types.Pointer)
	if slice, ok := types.Unalias(of).(*types.Slice); ok {
		field = m.configured(of)
		switch ref := m.ref(withoutPointers(slice.Elem())); {
		case !ref.IsZero() && m.ref(slice.Elem()).IsZero():
			// A slice of pointers. The elements are the types themselves, and the arguments are
			// pointers to them, as with applyconfiguration-gen.
			s = model.ApplySetter{Form: model.ApplyAppendElements, Argument: m.expression(slice.Elem()).Prefixed("*")}
		case !ref.IsZero():
			s = model.ApplySetter{Form: model.ApplyAppendElements, Argument: named("*", ref)}
		case isPointer:
			return field.Prefixed("*"), model.ApplySetter{Form: model.ApplyAddress, Argument: m.configured(of)}
		default:
			s = model.ApplySetter{Form: model.ApplyAppend, Argument: m.expression(slice.Elem())}
		}
		if isPointer {
			field, s.Form = field.Prefixed("*"), model.ApplyAppendThrough
		}
		return field, s
	}
	if _, ok := types.Unalias(of).(*types.Map); ok && !isPointer {
		return m.configured(of), model.ApplySetter{Form: model.ApplyPut, Argument: m.configured(of)}
	}
	return m.configured(of).Prefixed("*"), model.ApplySetter{Form: model.ApplyAddress, Argument: m.configured(of)}
}

// isMeta reports whether a field is one for which applyconfiguration-gen has a method Get.
func isMeta(of types.Type, field *types.Var) bool {
	meta := metaOf[field.Name()]
	return meta != "" && meta == gotype.MetaName(of)
}

// addGetters adds the methods Get. Clients call those of kinds.
func (m *members) addGetters() {
	for _, s := range m.out.Setters {
		if s.IsMeta || m.out.Kind != nil && metaOf[s.Field] != "" && s.Through != nil && s.Form == model.ApplyAddress {
			m.out.Getters = append(m.out.Getters, model.ApplyGetter{Field: s.Field, Through: s.Through, IsNested: s.IsNested})
		}
	}
}

// metaOf has the types of meta/v1 with the fields of isMeta.
var metaOf = map[string]string{"Kind": "TypeMeta", "APIVersion": "TypeMeta", "Name": "ObjectMeta", "Namespace": "ObjectMeta"}

// checkMeta adds an error if the metadata of a kind has no apply configuration.
func (m *members) checkMeta() {
	k := m.out.Kind
	for _, name := range []string{"Kind", "APIVersion", "Name", "Namespace"} {
		isOf := func(g model.ApplyGetter) bool { return g.Field == name }
		has := slices.Contains(m.metas, metaOf[name]) || slices.ContainsFunc(m.out.Getters, isOf)
		if !has && (name != "Namespace" || k.Namespaced) {
			remedy := "add +genclient:skipVerbs=apply,applyStatus"
			if m.Types.Dependencies[k.Package.Path] {
				remedy = "leave the kind out with --exclude=" + k.Package.Path + "." + k.Name
			}
			m.errs.Add(k.Pos, "kind %s has metadata without an apply configuration, so there is no method With%s; "+
				"name the package of the metadata too, or %s", k.Name, name, remedy)
			return
		}
	}
}

func embedsTypeMeta(structType *types.Struct) bool {
	for field := range structType.Fields() {
		if field.Embedded() && gotype.MetaName(field.Type()) == "TypeMeta" {
			return true
		}
	}
	return false
}

// trimmed returns the lines of a comment without empty ones at the beginning and the end.
func trimmed(c input.Comment) []string {
	lines := c.Text
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
