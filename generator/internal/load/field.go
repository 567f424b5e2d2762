package load

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// fieldAt finds the field at a path of a type. sure is false if a type on the way
// is invalid, so that nothing can be said.
func fieldAt(kind types.Type, written string) (field *model.Field, sure bool) {
	path, err := model.ParsePath(written)
	if err != nil {
		return &model.Field{Problem: err.Error()}, true
	}
	w := way{at: kind, shown: shownType(kind)}
	for i, element := range path {
		if !w.take(element) {
			return &model.Field{Problem: w.problem}, !w.invalid
		}
		w.shown = path[:i+1].String()
	}
	w.finish()
	if w.problem != "" || w.invalid {
		return &model.Field{Problem: w.problem}, !w.invalid
	}
	return &model.Field{Steps: w.steps, Value: w.value}, true
}

// way is where one is on a path.
type way struct {
	at    types.Type
	steps []model.Step
	value model.ValueType
	// shown is what at is called in a message.
	shown   string
	problem string
	// invalid is set if at is invalid, so that there is no problem, only ignorance.
	invalid bool
}

func (w *way) fail(format string, args ...any) bool {
	w.problem = fmt.Sprintf(format, args...)
	return false
}

func (w *way) step(op model.StepOp, name string, to types.Type) {
	w.steps = append(w.steps, model.Step{Op: op, Name: name})
	w.at = to
}

// take goes on by one element. Pointers are followed, and of a list each element
// is taken.
func (w *way) take(element model.PathElement) bool {
	for {
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
				return w.fail("%s is a struct; write a dot and the JSON name of a field, not brackets", w.shown)
			}
			return w.takeField(at, element.Name)
		}
		if !isValid(w.at) {
			w.invalid = true
			return false
		}
		return w.fail("%s is of type %s, in which there is no %s; end the path before it", w.shown, shownType(w.at), elementText(element))
	}
}

func elementText(e model.PathElement) string {
	if e.Each {
		return "[*]"
	}
	return e.Name
}

func (w *way) takeKey(at *types.Map, element model.PathElement) bool {
	basic, ok := at.Key().Underlying().(*types.Basic)
	switch {
	case element.Each:
		return w.fail("%s is a map; write a key in the brackets, not *", w.shown)
	case !isValid(at.Key()):
		w.invalid = true
		return false
	case !ok || basic.Info()&types.IsString == 0:
		return w.fail("%s is a map whose keys are of type %s; name a field outside of it, for only keys that are strings can be named", w.shown, shownType(at.Key()))
	}
	w.step(model.StepKey, element.Name, at.Elem())
	return true
}

// takeField selects the field with that JSON name, of the struct itself or of one
// that it inlines.
func (w *way) takeField(at *types.Struct, name string) bool {
	fields := jsonFields(at)
	for _, f := range fields.all {
		if f.name != name {
			continue
		}
		for _, embedded := range f.through {
			if !w.through(embedded) {
				return false
			}
		}
		w.step(model.StepField, f.field.Name(), f.field.Type())
		return true
	}
	if fields.unsure {
		w.invalid = true
		return false
	}
	names := make([]string, len(fields.all))
	for i, f := range fields.all {
		names[i] = f.name
	}
	return w.fail("%s has no field with the JSON name %q%s", w.shown, name, model.DidYouMean(name, names))
}

// through goes into an embedded struct.
func (w *way) through(field *types.Var) bool {
	pointer, isPointer := field.Type().Underlying().(*types.Pointer)
	switch {
	case field.Exported():
		w.step(model.StepField, field.Name(), field.Type())
	case isPointer:
		return w.fail("%s embeds a pointer to %s, which other packages cannot name; begin its name with a capital letter", w.shown, field.Name())
	}
	if isPointer {
		w.step(model.StepPointer, "", pointer.Elem())
	}
	return true
}

// jsonField is a field as JSON has it.
type jsonField struct {
	name  string
	field *types.Var
	// through are the embedded structs that it is in.
	through []*types.Var
}

type jsonFieldSet struct {
	all []jsonField
	// unsure is set if a struct is inlined that is not known.
	unsure bool
}

// jsonFields returns the fields of a struct under their JSON names. Those of
// structs that it inlines come after its own, so that the first of a name counts.
func jsonFields(structType *types.Struct) jsonFieldSet {
	var set jsonFieldSet
	set.add(structType, nil)
	return set
}

func (s *jsonFieldSet) add(structType *types.Struct, through []*types.Var) {
	if len(through) > 8 { // a struct that embeds itself through a pointer
		return
	}
	var inlined []*types.Var
	for i := range structType.NumFields() {
		field := structType.Field(i)
		tag := reflect.StructTag(structType.Tag(i)).Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-":
		case field.Embedded() && (name == "" || slices.Contains(strings.Split(options, ","), "inline")):
			inlined = append(inlined, field)
		case !field.Exported():
		case name == "":
			s.all = append(s.all, jsonField{field.Name(), field, through})
		default:
			s.all = append(s.all, jsonField{name, field, through})
		}
	}
	for _, field := range inlined {
		t := types.Unalias(field.Type())
		if pointer, ok := t.(*types.Pointer); ok {
			t = pointer.Elem()
		}
		if inner, ok := structOf(t); ok {
			s.add(inner, append(slices.Clone(through), field))
		} else if !isValid(t) {
			s.unsure = true
		}
	}
}

// finish takes the value at the end, or each value.
func (w *way) finish() {
	for {
		switch at := w.at.Underlying().(type) {
		case *types.Pointer:
			w.step(model.StepPointer, "", at.Elem())
			continue
		case *types.Slice:
			if basic, ok := at.Elem().Underlying().(*types.Basic); ok && basic.Kind() == types.Byte {
				w.fail("%s is of type []byte; name a string, an integer or a boolean", w.shown)
				return
			}
			w.step(model.StepEach, "", at.Elem())
			continue
		case *types.Map:
			w.fail("%s is a map; add a key in brackets, such as %s[app.kubernetes.io/name]", w.shown, w.shown)
		case *types.Basic:
			w.invalid = at.Kind() == types.Invalid
			if at.Info()&(types.IsString|types.IsInteger|types.IsBoolean) == 0 {
				w.fail("%s is of type %s; name a string, an integer or a boolean", w.shown, shownType(w.at))
				return
			}
			w.value = model.ValueType{Basic: at.Name(), Named: nameOf(w.at)}
		case *types.Struct:
			w.fail("%s is of type %s, which is a struct; name a field of it that is a string, an integer or a boolean", w.shown, shownType(w.at))
		default:
			w.fail("%s is of type %s; name a string, an integer or a boolean", w.shown, shownType(w.at))
		}
		return
	}
}

// nameOf is the name of a type that other packages can use, or none.
func nameOf(t types.Type) model.TypeRef {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.TypeArgs().Len() > 0 || named.Obj().Pkg() == nil || !token.IsExported(named.Obj().Name()) {
		return model.TypeRef{}
	}
	return model.TypeRef{Path: named.Obj().Pkg().Path(), Name: named.Obj().Name()}
}

// shownType is a type as its own package would write it.
func shownType(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string { return pkg.Name() })
}
