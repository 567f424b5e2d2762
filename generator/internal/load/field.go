package load

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/spelling"
)

// fieldAt returns the field at a path of a type. sure is false if the path needs an unknown type.
func fieldAt(kind types.Type, written markers.FieldPath) (field *model.Field, sure bool) {
	if written.Problem != "" {
		return &model.Field{Problem: written.Problem}, true
	}
	w := walk{at: kind, name: typeName(kind)}
	for i, element := range written.Path {
		if !w.take(element) {
			return &model.Field{Problem: w.field.Problem}, !w.unknown
		}
		w.name = written.Path[:i+1].String()
	}
	w.finish()
	if w.unknown {
		return &model.Field{}, false
	}
	return &w.field, true
}

// walk follows a path of JSON names through types.
type walk struct {
	at types.Type
	// name is at in messages.
	name  string
	field model.Field
	// unknown reports whether at is not known. Then the field has no problem.
	unknown bool
}

// fail sets the problem of the field. It returns false.
func (w *walk) fail(format string, args ...any) bool {
	w.field.Problem = fmt.Sprintf(format, args...)
	return false
}

// maxUnwrapped is how many pointers and lists may follow each other on a path.
const maxUnwrapped = 16

// endless reports whether a type such as type T []T contains itself after the last name.
func (w *walk) endless() bool {
	steps := w.field.Steps
	if len(steps) <= maxUnwrapped {
		return false
	}
	for _, step := range steps[len(steps)-maxUnwrapped-1:] {
		if step.Op != model.StepPointer && step.Op != model.StepEach {
			return false
		}
	}
	return !w.fail("%s has a type that contains itself without end; name another field", w.name)
}

func (w *walk) step(op model.StepOp, name string, to types.Type) {
	w.field.Steps = append(w.field.Steps, model.Step{Op: op, Name: name})
	w.at = to
}

// take follows one element of the path. It follows pointers, and takes each element of a list. It
// reports whether it succeeds.
func (w *walk) take(element markers.PathElement) bool {
	for !w.endless() {
		switch at := w.at.Underlying().(type) {
		case *types.Pointer:
			w.step(model.StepPointer, "", at.Elem())
			continue
		case *types.Slice:
			w.step(model.StepEach, "", at.Elem())
			if element.Each {
				return true
			}
			continue
		case *types.Map:
			return w.takeKey(at, element)
		case *types.Struct:
			if element.Each || element.Key {
				return w.fail("%s is a struct; write a dot and the JSON name of a field instead of brackets", w.name)
			}
			return w.takeField(at, element.Name)
		}
		if w.unknown = !isValid(w.at); w.unknown {
			return false
		}
		next := element.Name
		if element.Each {
			next = "[*]"
		}
		return w.fail("%s is of type %s, so the path cannot continue with %s; end it at %s", w.name, typeName(w.at), next, w.name)
	}
	return false
}

func (w *walk) takeKey(at *types.Map, element markers.PathElement) bool {
	basic, ok := at.Key().Underlying().(*types.Basic)
	switch {
	case element.Each:
		return w.fail("%s is a map; write a key in the brackets instead of *", w.name)
	case !isValid(at.Key()):
		w.unknown = true
		return false
	case !ok || basic.Info()&types.IsString == 0:
		return w.fail("%s is a map with keys of type %s, but a path can only have string keys; name another field", w.name, typeName(at.Key()))
	}
	w.step(model.StepKey, element.Name, at.Elem())
	return true
}

// takeField selects the field with that JSON name, of the struct itself or of one that it inlines.
func (w *walk) takeField(at *types.Struct, name string) bool {
	fields, sure := jsonFields(at)
	for _, f := range fields {
		if f.name != name {
			continue
		}
		outer := w.at
		for _, embedded := range f.through {
			if !embedded.Exported() {
				// Go finds the field by promotion, or finds another field of that name.
				if promoted, _, _ := types.LookupFieldOrMethod(outer, true, embedded.Pkg(), f.field.Name()); promoted != f.field {
					return w.fail("%s has %s in the embedded struct %s, which is not exported; begin the name of that struct with a capital letter", w.name, name, embedded.Name())
				}
			}
			pointer, isPointer := embedded.Type().Underlying().(*types.Pointer)
			if embedded.Exported() {
				w.step(model.StepField, embedded.Name(), embedded.Type())
			} else if isPointer {
				return w.fail("%s embeds a pointer to %s, which is not exported; begin its name with a capital letter", w.name, embedded.Name())
			}
			if isPointer {
				w.step(model.StepPointer, "", pointer.Elem())
			}
		}
		w.step(model.StepField, f.field.Name(), f.field.Type())
		return true
	}
	if w.unknown = !sure; w.unknown {
		return false
	}
	return w.fail("%s has no field with the JSON name %q%s", w.name, name, spelling.DidYouMean(name, fieldNames(fields)))
}

// finish sets the value at the end of the path, or the problem of the field.
func (w *walk) finish() {
	const form = "; name a string, an integer or a boolean"
	for !w.endless() {
		w.field.EncodesItself = w.field.EncodesItself || encodesItself(w.at)
		if structType, ok := structOf(w.at); ok && !w.field.EncodesItself && !metaOf(structType).sure {
			w.unknown = true
			return
		}
		switch at := w.at.Underlying().(type) {
		case *types.Pointer:
			w.step(model.StepPointer, "", at.Elem())
			continue
		case *types.Slice:
			if basic, ok := at.Elem().Underlying().(*types.Basic); ok && basic.Kind() == types.Byte {
				w.fail("%s is of type []byte"+form, w.name)
				return
			}
			w.step(model.StepEach, "", at.Elem())
			continue
		case *types.Map:
			w.fail("%s is a map; add a key in brackets, such as %s[app.kubernetes.io/name]", w.name, w.name)
		case *types.Basic:
			w.unknown = at.Kind() == types.Invalid
			if at.Info()&(types.IsString|types.IsInteger|types.IsBoolean) == 0 {
				w.fail("%s is of type %s"+form, w.name, typeName(w.at))
				return
			}
			_, predeclared := types.Unalias(w.at).(*types.Basic)
			w.field.Value = model.ValueType{Basic: at.Name(), Named: nameOf(w.at), Defined: !predeclared}
		case *types.Struct:
			w.fail("%s is of type %s, which is a struct; name a field of it that is a string, an integer or a boolean", w.name, typeName(w.at))
		default:
			w.fail("%s is of type %s"+form, w.name, typeName(w.at))
		}
		return
	}
}

// nameOf returns the name of a type that other packages can use, or zero.
func nameOf(t types.Type) model.TypeRef {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.TypeArgs().Len() > 0 || named.Obj().Pkg() == nil || !token.IsExported(named.Obj().Name()) {
		return model.TypeRef{}
	}
	return model.TypeRef{Path: named.Obj().Pkg().Path(), Name: named.Obj().Name()}
}

// typeName returns a type as code of another package writes it.
func typeName(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string { return pkg.Name() })
}

// jsonField is a field of a struct in JSON.
type jsonField struct {
	name  string
	field *types.Var
	// through are the embedded structs that hold the field.
	through []*types.Var
	// quoted reports whether its tag has the option ",string".
	quoted bool
}

// isMeta reports whether the field belongs to the metadata of every object.
func (f jsonField) isMeta() bool {
	return f.name == "metadata" && metaName(f.field.Type()) == "ObjectMeta" ||
		slices.ContainsFunc(f.through, func(embedded *types.Var) bool { return metaName(embedded.Type()) == "TypeMeta" })
}

// inlinedStruct is a struct whose fields count as fields of another struct.
type inlinedStruct struct {
	structType *types.Struct
	through    []*types.Var
}

// jsonFields returns the fields of a struct under their JSON names. It follows encoding/json: of two
// fields with one name, the one in fewer embedded structs counts, and neither counts if they are equal.
// sure is false if the struct inlines an unknown type.
func jsonFields(structType *types.Struct) (fields []jsonField, sure bool) {
	sure = true
	taken, seen := map[string]bool{}, map[*types.Struct]bool{}
	for level := []inlinedStruct{{structType, nil}}; len(level) > 0; {
		var next []inlinedStruct
		var found []jsonField
		count := map[string]int{}
		for _, in := range level {
			if seen[in.structType] {
				continue
			}
			seen[in.structType] = true
			for i := range in.structType.NumFields() {
				field := in.structType.Field(i)
				tag := reflect.StructTag(in.structType.Tag(i)).Get("json")
				name, options, _ := strings.Cut(tag, ",")
				of := pointedTo(field.Type())
				inner, isStruct := structOf(of)
				switch {
				case tag == "-":
					continue
				case field.Embedded() && name == "" && isStruct:
					next = append(next, inlinedStruct{inner, append(slices.Clone(in.through), field)})
					continue
				case field.Embedded() && name == "" && !isValid(of):
					sure = false
					continue
				case !field.Exported():
					continue
				case name == "":
					name = field.Name()
				}
				if !taken[name] {
					found = append(found, jsonField{name, field, in.through, slices.Contains(strings.Split(options, ","), "string")})
					count[name]++
				}
			}
		}
		for _, f := range found {
			if taken[f.name] = true; count[f.name] == 1 {
				fields = append(fields, f)
			}
		}
		level = next
	}
	return fields, sure
}

// fieldNames returns the JSON names of fields.
func fieldNames(fields []jsonField) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}
