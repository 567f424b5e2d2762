package applyconfig

import (
	"fmt"
	"go/types"
	"path"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// named returns a GoType of the name of a type.
func named(prefix string, ref model.TypeRef) model.GoType {
	return model.GoType{{Text: prefix, Ref: ref}}
}

// ref returns the name of the apply configuration of a type, or zero if the type has none.
func (a *assembly) ref(t types.Type) model.TypeRef {
	id := identify(t)
	if id.declared == nil {
		return model.TypeRef{}
	}
	if c := a.configs[id]; c != nil {
		return model.TypeRef{Path: path.Join(a.Set.ApplyPackage, c.home.out.Dir), Name: c.out.Config()}
	}
	return model.ExternalApply(gotype.NameOf(t), a.ApplyExternals)
}

// configured returns the type of a field in an apply configuration, without pointers: the apply
// configuration of a type, slices of them and maps of them, and other types as they are.
func (a *assembly) configured(t types.Type) model.GoType {
	t = withoutPointers(t)
	if ref := a.ref(t); !ref.IsZero() {
		return named("", ref)
	}
	switch t := types.Unalias(t).(type) {
	case *types.Slice:
		if ref := a.ref(t.Elem()); !ref.IsZero() {
			return named("[]", ref)
		}
	case *types.Map:
		if ref := a.ref(t.Elem()); !ref.IsZero() {
			return append(a.configured(t.Key()).Prefixed("map["), named("]", ref)...)
		}
	}
	return a.expression(t)
}

// expression returns a type as it is. A type whose name other packages cannot use is written as the type that it
// is defined by.
func (a *assembly) expression(t types.Type) model.GoType {
	w := writer{assembly: a}
	w.write(t)
	return w.flush()
}

// writer writes a type in parts.
type writer struct {
	*assembly
	parts model.GoType
	text  strings.Builder
}

func (w *writer) flush() model.GoType {
	if w.text.Len() > 0 {
		w.parts = append(w.parts, model.GoTypePart{Text: w.text.String()})
		w.text.Reset()
	}
	return w.parts
}

func (w *writer) write(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		if !w.name(t.Obj(), t.TypeArgs()) {
			w.write(types.Unalias(t))
		}
	case *types.Named:
		if !w.name(t.Obj(), t.TypeArgs()) {
			w.write(t.Underlying())
		}
	case *types.Pointer:
		w.text.WriteByte('*')
		w.write(t.Elem())
	case *types.Slice:
		w.text.WriteString("[]")
		w.write(t.Elem())
	case *types.Array:
		fmt.Fprintf(&w.text, "[%d]", t.Len())
		w.write(t.Elem())
	case *types.Map:
		w.text.WriteString("map[")
		w.write(t.Key())
		w.text.WriteByte(']')
		w.write(t.Elem())
	case *types.Struct:
		w.structType(t)
	default:
		w.text.WriteString(gotype.TypeName(t))
	}
}

// name writes the name of a type with its type arguments. It reports whether other packages can use the name.
func (w *writer) name(declared *types.TypeName, args *types.TypeList) bool {
	switch {
	case declared.Pkg() == nil:
		w.text.WriteString(declared.Name())
		return true
	case !w.canName(declared):
		return false
	}
	ref := model.TypeRef{Path: declared.Pkg().Path(), Name: declared.Name()}
	w.parts = append(w.parts, model.GoTypePart{Text: w.text.String(), Ref: ref})
	w.text.Reset()
	for i := range args.Len() {
		w.text.WriteString(map[bool]string{true: "[", false: ", "}[i == 0])
		w.write(args.At(i))
	}
	if args.Len() > 0 {
		w.text.WriteByte(']')
	}
	return true
}

// structType writes a struct without a name. It leaves out fields that code cannot have. They are not in JSON.
func (w *writer) structType(t *types.Struct) {
	w.text.WriteString("struct {")
	separator := " "
	for i := range t.NumFields() {
		field := t.Field(i)
		if field.Embedded() && !w.canEmbed(field) {
			continue
		}
		w.text.WriteString(separator)
		separator = "; "
		if !field.Embedded() {
			w.text.WriteString(field.Name() + " ")
		}
		w.write(field.Type())
		switch tag := t.Tag(i); {
		case strconv.CanBackquote(tag) && tag != "":
			w.text.WriteString(" `" + tag + "`")
		case tag != "":
			w.text.WriteString(" " + strconv.Quote(tag))
		}
	}
	w.text.WriteString(" }")
}
