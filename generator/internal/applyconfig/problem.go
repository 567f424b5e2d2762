package applyconfig

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// problem is the reason why a field cannot have a type, and its fix.
type problem struct {
	what, fix string
	// isFatal reports whether generated code cannot have a field of the type. With other problems it compiles,
	// but JSON cannot have a value of the field.
	isFatal bool
}

// accepts reports whether an apply configuration can have a field. In the user's module, each problem is a
// mistake. The user cannot edit a dependency, so there it is a warning.
func (m *members) accepts(field *types.Var) bool {
	found := m.problemOf(field.Type(), map[*types.TypeName]bool{})
	if found == nil {
		return true
	}
	what := fmt.Sprintf("field %s of %s %s", field.Name(), m.name(), found.what)
	switch {
	case !m.Types.Dependencies[field.Pkg().Path()]:
		m.errs.Add(m.Types.Position(field), "%s; %s", what, found.fix)
	case found.isFatal:
		m.warn(field, "%s; its apply configuration has no such field", what)
	default:
		m.warn(field, "%s; do not set it in an apply configuration", what)
	}
	return !found.isFatal
}

// name returns the name of the type for messages.
func (m *members) name() string { return identify(m.of).declared.Name() }

func (a *assembly) warn(at types.Object, format string, args ...any) {
	a.Set.Warnings = append(a.Set.Warnings, model.Errorf(a.Types.Position(at), format, args...))
}

// checkJSONNames reports fields that are not in JSON, because they have the same name there. Values of them are
// lost without an error. An embedded struct is checked where it is declared.
func (m *members) checkJSONNames(structType *types.Struct, declared *types.TypeName) {
	// outer returns the field of this struct that is or embeds another field, and a name for both.
	outer := func(f gotype.JSONField) (*types.Var, string) {
		if len(f.Through) == 0 {
			return f.Field, f.Field.Name()
		}
		return f.Through[0], f.Through[0].Name() + "." + f.Field.Name()
	}
	for _, fields := range gotype.JSONConflicts(structType) {
		first, name := outer(fields[0])
		for _, f := range fields[1:] {
			field, other := outer(f)
			if field == first {
				continue
			}
			what := fmt.Sprintf("fields %s and %s (%s) of %s have the same JSON name, %q, so JSON has neither", other, name,
				m.Types.Position(first), m.name(), f.Name)
			if m.Types.Dependencies[declared.Pkg().Path()] {
				m.warn(field, "%s; do not set them in an apply configuration", what)
			} else {
				m.errs.Add(m.Types.Position(field), "%s; give one of them another name in JSON, or remove it", what)
			}
		}
	}
}

// checkTag reports a field whose name in JSON encoding/json ignores.
func (m *members) checkTag(field *types.Var, tag gotype.JSONTag) {
	if tag.Invalid == "" || m.isInner {
		return
	}
	what := fmt.Sprintf("field %s of %s %s", field.Name(), m.name(), invalidName(tag.Invalid))
	if m.Types.Dependencies[field.Pkg().Path()] {
		m.warn(field, "%s", what)
	} else {
		m.errs.Add(m.Types.Position(field), "%s; %s", what, validName)
	}
}

const validName = "write a name of letters and digits"

func invalidName(name string) string {
	return fmt.Sprintf("has the JSON name %q, which has a character that encoding/json does not accept, "+
		"so it takes the name of the field", name)
}

// hidden ends the advice about fields that JSON cannot encode.
const hidden = "leave it out of JSON with the tag `json:\"-\"`"

// problemOf returns the problem of a type, or nil. unnamed are the types around t that are no structs.
func (a *assembly) problemOf(t types.Type, unnamed map[*types.TypeName]bool) *problem {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return a.problemOfNamed(t, unnamed)
	case *types.Pointer:
		return a.problemOf(t.Elem(), unnamed)
	case *types.Slice:
		return a.problemOf(t.Elem(), unnamed)
	case *types.Array:
		return a.problemOf(t.Elem(), unnamed)
	case *types.Map:
		if !canBeKey(t.Key()) {
			return &problem{
				what: "is a map with keys of type " + gotype.TypeName(t.Key()) + ", which JSON cannot encode",
				fix:  "use a string type for the keys, use a list of structs with +listType=map, or give the type the methods MarshalText and UnmarshalText",
			}
		}
		if found := a.problemOf(t.Key(), unnamed); found != nil {
			return found
		}
		return a.problemOf(t.Elem(), unnamed)
	case *types.Struct:
		for i := range t.NumFields() {
			tag := gotype.JSONTagOf(t, i)
			if tag.IsHidden {
				continue
			}
			if tag.Invalid != "" {
				return &problem{what: "has a struct whose field " + t.Field(i).Name() + " " + invalidName(tag.Invalid), fix: validName}
			}
			if field := t.Field(i); field.Embedded() && !a.canEmbed(field) {
				if _, ok := gotype.StructOf(gotype.PointedTo(field.Type())); ok {
					return &problem{
						what: "has a struct that embeds " + field.Name() + ", whose name other packages cannot use",
						fix:  "export that, or declare its fields in the struct", isFatal: true,
					}
				}
				continue // not in JSON
			}
			if found := a.problemOf(t.Field(i).Type(), unnamed); found != nil {
				return found
			}
		}
	case *types.Interface:
		return &problem{
			what: "has an interface type, so a decoder does not know the type of its value",
			fix:  "use a concrete type, use runtime.RawExtension for JSON of any form, or " + hidden,
		}
	case *types.Chan:
		return &problem{what: "is a channel, which JSON cannot encode", fix: hidden}
	case *types.Signature:
		return &problem{what: "is a function, which JSON cannot encode", fix: hidden}
	case *types.Basic:
		if t.Info()&types.IsComplex != 0 || t.Kind() == types.UnsafePointer {
			return &problem{what: "is of type " + t.Name() + ", which JSON cannot encode", fix: hidden}
		}
	}
	return nil
}

func (a *assembly) problemOfNamed(t *types.Named, unnamed map[*types.TypeName]bool) *problem {
	declared := t.Obj()
	if declared.Pkg() == nil || !a.ref(t).IsZero() {
		return nil
	}
	for arg := range t.TypeArgs().Types() {
		if found := a.problemOf(arg, unnamed); found != nil {
			return found
		}
	}
	_, isStruct := gotype.StructOf(t)
	encodesItself := gotype.EncodesItself(t)
	if !a.canName(declared) {
		if isStruct || encodesItself || unnamed[declared] {
			found := &problem{
				what: "is of type " + gotype.TypeName(t) + ", which other packages cannot use", fix: "export the type", isFatal: true,
			}
			if token.IsExported(declared.Name()) {
				found.fix = "move the type out of the folder internal, or the output into the same module"
			}
			return found
		}
	}
	if isStruct || encodesItself || unnamed[declared] { // a map or a list of itself
		return nil
	}
	unnamed[declared] = true
	defer delete(unnamed, declared)
	return a.problemOf(t.Underlying(), unnamed)
}

// canBeKey reports whether JSON can encode a type as the key of a map.
func canBeKey(t types.Type) bool {
	if basic, ok := t.Underlying().(*types.Basic); ok && basic.Info()&(types.IsString|types.IsInteger) != 0 {
		return true
	}
	return gotype.MethodsOf(t)("MarshalText")
}
