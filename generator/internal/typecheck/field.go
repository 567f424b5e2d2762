package typecheck

import (
	"fmt"
	"go/types"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/markers"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/spelling"
)

// fieldAt returns the field at a path of a type. sure is false if the path needs an unknown type.
func fieldAt(kind types.Type, written markers.FieldPath) (field *model.Field, sure bool) {
	if written.Problem != "" {
		return &model.Field{Problem: written.Problem}, true
	}
	w := walk{at: kind, name: gotype.TypeName(kind)}
	for i, element := range written.Path {
		if !w.take(element) {
			return &model.Field{Problem: w.field.Problem}, !w.unknown
		}
		w.name = written.Path[:i+1].String()
	}
	w.setValue()
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
		if w.unknown = !gotype.IsValid(w.at); w.unknown {
			return false
		}
		next := element.Name
		if element.Each {
			next = "[*]"
		}
		return w.fail("%s is of type %s, so the path cannot continue with %s; end it at %s", w.name, gotype.TypeName(w.at), next, w.name)
	}
	return false
}

func (w *walk) takeKey(at *types.Map, element markers.PathElement) bool {
	basic, ok := at.Key().Underlying().(*types.Basic)
	switch {
	case element.Each:
		return w.fail("%s is a map; write a key in the brackets instead of *", w.name)
	case !gotype.IsValid(at.Key()):
		w.unknown = true
		return false
	case !ok || basic.Info()&types.IsString == 0:
		return w.fail("%s is a map with keys of type %s, but a path can only have string keys; name another field", w.name,
			gotype.TypeName(at.Key()))
	}
	w.step(model.StepKey, element.Name, at.Elem())
	return true
}

// takeField selects the field with that JSON name, of the struct itself or of one that it inlines.
func (w *walk) takeField(at *types.Struct, name string) bool {
	fields, sure := gotype.JSONFields(at)
	for _, f := range fields {
		if f.Name != name {
			continue
		}
		outer := w.at
		for _, embedded := range f.Through {
			if !embedded.Exported() {
				// Go finds the field by promotion, or finds another field of that name.
				if promoted, _, _ := types.LookupFieldOrMethod(outer, true, embedded.Pkg(), f.Field.Name()); promoted != f.Field {
					return w.fail("%s has %s in the embedded struct %s, which is not exported; "+
						"begin the name of that struct with a capital letter", w.name, name, embedded.Name())
				}
			}
			pointer, isPointer := embedded.Type().Underlying().(*types.Pointer)
			if embedded.Exported() {
				w.step(model.StepField, embedded.Name(), embedded.Type())
			} else if isPointer {
				return w.fail("%s embeds a pointer to %s, which is not exported; begin its name with a capital letter", w.name,
					embedded.Name())
			}
			if isPointer {
				w.step(model.StepPointer, "", pointer.Elem())
			}
		}
		w.step(model.StepField, f.Field.Name(), f.Field.Type())
		w.field.Quoted = f.Quoted
		return true
	}
	if w.unknown = !sure; w.unknown {
		return false
	}
	return w.fail("%s", lacking(w.name, at, name))
}

// lacking returns the message about a JSON name that a struct does not have. of is the struct in messages.
func lacking(of string, structType *types.Struct, name string) string {
	if field := gotype.Unexported(structType, name); field != nil {
		return fmt.Sprintf("%s has the JSON name %q in the tag of %s, which is not exported, so JSON does not have it; "+
			"begin the name of the field with a capital letter", of, name, field.Name())
	}
	fields, _ := gotype.JSONFields(structType)
	return fmt.Sprintf("%s has no field with the JSON name %q%s", of, name, spelling.DidYouMean(name, fieldNames(fields)))
}

// setValue sets the value at the end of the path, or the problem of the field.
func (w *walk) setValue() {
	const form = "; name a string, an integer or a boolean"
	for !w.endless() {
		w.field.EncodesItself = w.field.EncodesItself || gotype.EncodesItself(w.at)
		if structType, ok := gotype.StructOf(w.at); ok && !w.field.EncodesItself && !gotype.IsComplete(structType) {
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
				w.fail("%s is of type %s"+form, w.name, gotype.TypeName(w.at))
				return
			}
			_, predeclared := types.Unalias(w.at).(*types.Basic)
			w.field.Value = model.ValueType{Basic: at.Name(), Named: gotype.NameOf(w.at), Defined: !predeclared}
		case *types.Struct:
			w.fail("%s is of type %s, which is a struct; name a field of it that is a string, an integer or a boolean", w.name,
				gotype.TypeName(w.at))
		default:
			w.fail("%s is of type %s"+form, w.name, gotype.TypeName(w.at))
		}
		return
	}
}

// fieldNames returns the JSON names of fields.
func fieldNames(fields []gotype.JSONField) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}
