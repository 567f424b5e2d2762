package typecheck

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
)

// misnamed returns the first mistake in the names of the fields of an object or a list, or nil. A field hides a
// promoted method of the same name. Clients would neither send nor receive metadata under another JSON name, and report
// no error. meta is ObjectMeta or ListMeta.
func misnamed(of types.Object, meta string, fset *token.FileSet) *input.Misfit {
	structType, ok := gotype.StructOf(of.Type())
	if !ok || gotype.DecodesItself(of.Type()) {
		return nil
	}
	misfit := func(at types.Object, format string, args ...any) *input.Misfit {
		return &input.Misfit{Pos: fset.Position(at.Pos()), Problem: fmt.Sprintf(format, args...)}
	}
	for _, method := range gotype.Metas[meta].ClientMethods() {
		if field := fieldNamed(of, structType, method); field != nil {
			return misfit(field, "has a field %s, which is in the way of a method that clients call; rename the field", method)
		}
	}
	fields, sure := gotype.JSONFields(structType)
	fields = append(fields, slices.Concat(gotype.JSONConflicts(structType)...)...)
	for _, name := range []string{"TypeMeta", meta} {
		path := pathTo(structType, name, map[*types.Struct]bool{})
		if at, problem := problemOf(path, name); problem != "" {
			written, tag := "metav1."+name, gotype.Metas[name].Tag
			if at != path[len(path)-1].field {
				written, tag = at.Name(), gotype.Metas["TypeMeta"].Tag
			}
			return misfit(at, "%s; write: %s %s", problem, written, tag)
		}
		for _, member := range gotype.Metas[name].Members {
			isMissing := true
			for _, f := range fields {
				if f.Name != member {
					continue
				}
				isMissing = false
				if len(path) > 0 && len(f.Through) <= len(path) && !isOn(path, f) {
					return misfit(f.Field, "has a field %s with the JSON name %q, which metav1.%s needs; give it another JSON name",
						f.Field.Name(), member, name)
				}
			}
			if len(path) == 0 && isMissing && sure {
				return misfit(of, "has no field with the JSON name %q; give its metadata the JSON names of metav1.%s", member, name)
			}
		}
	}
	return nil
}

// fieldNamed returns the field of a struct with a Go name, its own or a promoted one, or nil.
func fieldNamed(of types.Object, structType *types.Struct, name string) *types.Var {
	for field := range structType.Fields() { // a method of that name would be a conflict
		if field.Name() == name {
			return field
		}
	}
	found, _, _ := types.LookupFieldOrMethod(of.Type(), true, of.Pkg(), name)
	field, _ := found.(*types.Var)
	return field
}

// step is an embedded field on the way to a type of meta/v1.
type step struct {
	field *types.Var
	tag   gotype.JSONTag
}

// pathTo returns the embedded fields that lead to a type of meta/v1, which the last one has. It is empty if there are none.
func pathTo(structType *types.Struct, meta string, seen map[*types.Struct]bool) []step {
	if seen[structType] {
		return nil // it embeds a pointer to itself
	}
	seen[structType] = true
	for i := range structType.NumFields() {
		field := structType.Field(i)
		if !field.Embedded() {
			continue
		}
		at, of := step{field, gotype.JSONTagOf(structType, i)}, gotype.PointedTo(field.Type())
		if gotype.MetaName(of) == meta {
			return []step{at}
		}
		if inner, ok := gotype.StructOf(of); ok {
			if path := pathTo(inner, meta, seen); path != nil {
				return append([]step{at}, path...)
			}
		}
	}
	return nil
}

// isOn reports whether a field is on a path, or in a field on it.
func isOn(path []step, f gotype.JSONField) bool {
	return slices.ContainsFunc(path, func(at step) bool {
		return at.field == f.Field || at.field == path[len(path)-1].field && slices.Contains(f.Through, at.field)
	})
}

// problemOf returns the mistake in the JSON name to which a path leads, or "", and the field that has it.
func problemOf(path []step, meta string) (at *types.Var, problem string) {
	var names []string
	for _, step := range path {
		switch {
		case step.tag.IsHidden:
			return step.field, "has metav1." + meta + " outside of JSON"
		case step.tag.Name != "":
			at, names = step.field, append(names, step.tag.Name)
		case len(names) == 0:
			at = step.field
		}
	}
	switch name := strings.Join(names, "."); {
	case len(path) == 0 || name == gotype.Metas[meta].JSONName:
		return nil, ""
	case name == "":
		return at, "has metav1." + meta + " without a JSON name"
	default:
		return at, fmt.Sprintf("has metav1.%s under the JSON name %q", meta, name)
	}
}

// misnamedStatus returns the mistake in the JSON name of the field Status, or nil.
func misnamedStatus(structType *types.Struct, fset *token.FileSet) *input.Misfit {
	for i := range structType.NumFields() {
		field, tag := structType.Field(i), gotype.JSONTagOf(structType, i)
		if field.Name() == "Status" && tag.Name != "status" {
			has := "without a JSON name"
			if tag.IsHidden {
				has = "outside of JSON"
			} else if tag.Name != "" {
				has = fmt.Sprintf("with the JSON name %q", tag.Name)
			}
			return &input.Misfit{Pos: fset.Position(field.Pos()),
				Problem: "has a field Status " + has + ", so UpdateStatus would not change it; write: `json:\"status,omitempty\"`"}
		}
	}
	return nil
}

// misnamedItems returns the mistake in the JSON name of the items of a list, or nil.
func misnamedItems(list types.Type, items *types.Var, fset *token.FileSet) *input.Misfit {
	structType, _ := gotype.StructOf(list)
	fields, sure := gotype.JSONFields(structType)
	at := slices.IndexFunc(fields, func(f gotype.JSONField) bool { return f.Field == items })
	if at < 0 && !sure || at >= 0 && fields[at].Name == "items" || gotype.DecodesItself(list) {
		return nil
	}
	has := "outside of JSON"
	if at >= 0 {
		has = fmt.Sprintf("with the JSON name %q", fields[at].Name)
	}
	return &input.Misfit{Pos: fset.Position(items.Pos()), Problem: "has a field Items " + has + "; write: `json:\"items\"`"}
}
