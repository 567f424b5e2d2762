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
	structType, _ := gotype.StructOf(c.declared.Type())
	c.out.Doc = trimmed(a.Types.Comment(c.declared))
	c.out.HasTypeMeta = embedsTypeMeta(structType)
	m := &members{assembly: a, out: c.out, of: c.declared}
	m.addStruct(structType)
	m.addGetters(structType)
	if k := c.out.Kind; k != nil && k.NeedsApply() {
		c.out.SchemaName = model.TypeRef{Path: k.GroupVersion.Path, Name: k.Name}.OpenAPIName()
		c.out.Subresources = subresources(k, structType)
	}
}

// members adds the fields and methods of one apply configuration.
type members struct {
	*assembly
	of  *types.TypeName
	out *model.ApplyType
}

// isBlocked reports whether a field cannot be applied.
func isBlocked(of types.Type, field *types.Var) bool {
	name := field.Name()
	if gotype.MetaName(of) == "ObjectMeta" && (name == "ManagedFields" || name == "SelfLink") {
		return true
	}
	return len(name) > 4 && name[:4] == "ZZZ_" // fields that are about to be removed
}

// addStruct adds the fields of a struct, and the methods With for them.
func (m *members) addStruct(structType *types.Struct) {
	for i := range structType.NumFields() {
		field, tag := structType.Field(i), tagOf(structType, i)
		if tag.isHidden || isBlocked(m.of.Type(), field) {
			continue
		}
		if field.Embedded() {
			m.addEmbedded(field, tag)
		} else if field.Exported() {
			m.addField(field, tag)
		}
	}
}

func (m *members) addEmbedded(field *types.Var, tag tag) {
	of := withoutPointers(field.Type())
	structType, isStruct := gotype.StructOf(of)
	ref := m.ref(of)
	switch {
	case !ref.IsZero():
		embedded := &model.ApplyEmbedded{Name: ref.Name, IsPointer: tag.name != ""}
		out := model.ApplyField{Doc: trimmed(m.Types.Comment(field)), Type: named("", ref), Tag: ",inline"}
		if embedded.IsPointer {
			out.Type, out.Tag = named("*", ref), tag.name+",omitempty"
		}
		m.out.Fields = append(m.out.Fields, out)
		m.promote(of, structType, embedded)
	case tag.name == "" && isStruct && !gotype.EncodesItself(of):
		m.addStruct(structType) // all fields have to be optional
	default:
		m.addField(field, tag)
	}
}

// promote adds the methods With for the fields of an embedded apply configuration.
func (m *members) promote(of types.Type, structType *types.Struct, embedded *model.ApplyEmbedded) {
	inner := &members{assembly: m.assembly, of: declaredBy(of), out: &model.ApplyType{}}
	inner.addStruct(structType)
	for _, s := range inner.out.Setters {
		s.Through = embedded
		m.addSetter(s)
	}
}

// addSetter adds a method. Of two fields with one name, the first one has the method, as with
// applyconfiguration-gen.
func (m *members) addSetter(s model.ApplySetter) {
	if !slices.ContainsFunc(m.out.Setters, func(other model.ApplySetter) bool { return other.Field == s.Field }) {
		m.out.Setters = append(m.out.Setters, s)
	}
}

// addField adds a field with a JSON name, and its method With.
func (m *members) addField(field *types.Var, tag tag) {
	name := tag.name
	if name == "" {
		name = field.Name()
	}
	name += ",omitempty"
	if tag.isQuoted {
		name += ",string"
	}
	t, s := m.form(field.Type())
	s.Field = field.Name()
	m.out.Fields = append(m.out.Fields, model.ApplyField{Doc: trimmed(m.Types.Comment(field)), Name: field.Name(), Type: t, Tag: name})
	m.addSetter(s)
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
			s = model.ApplySetter{Form: model.ApplyAppendElements, Argument: prefixed("*", m.expression(slice.Elem()))}
		case !ref.IsZero():
			s = model.ApplySetter{Form: model.ApplyAppendElements, Argument: named("*", ref)}
		case isPointer:
			return prefixed("*", field), model.ApplySetter{Form: model.ApplyAddress, Argument: m.configured(of)}
		default:
			s = model.ApplySetter{Form: model.ApplyAppend, Argument: m.expression(slice.Elem())}
		}
		if isPointer {
			field, s.Form = prefixed("*", field), model.ApplyAppendBehind
		}
		return field, s
	}
	if _, ok := types.Unalias(of).(*types.Map); ok && !isPointer {
		return m.configured(of), model.ApplySetter{Form: model.ApplyPut, Argument: m.configured(of)}
	}
	return prefixed("*", m.configured(of)), model.ApplySetter{Form: model.ApplyAddress, Argument: m.configured(of)}
}

// addGetters adds the methods that the clients and the fake server need.
func (m *members) addGetters(structType *types.Struct) {
	for field := range structType.Fields() {
		if !field.Embedded() {
			continue
		}
		switch of := withoutPointers(field.Type()); gotype.MetaName(of) {
		case "TypeMeta":
			through := &model.ApplyEmbedded{Name: m.ref(of).Name}
			m.out.Getters = append(m.out.Getters, model.ApplyGetter{Field: "Kind", Through: through}, model.ApplyGetter{Field: "APIVersion", Through: through})
		case "ObjectMeta":
			through := &model.ApplyEmbedded{Name: m.ref(of).Name, IsPointer: true}
			m.out.Getters = append(m.out.Getters, model.ApplyGetter{Field: "Name", Through: through}, model.ApplyGetter{Field: "Namespace", Through: through})
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
