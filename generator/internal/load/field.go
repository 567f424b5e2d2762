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

// fieldAt finds the field at a path of a type. sure is false if a type on the way
// is invalid, so that nothing can be said.
func fieldAt(kind types.Type, written markers.FieldPath) (field *model.Field, sure bool) {
	if written.Problem != "" {
		return &model.Field{Problem: written.Problem}, true
	}
	w := way{at: kind, shown: shownType(kind)}
	for i, element := range written.Path {
		if !w.take(element) {
			return &model.Field{Problem: w.problem}, !w.invalid
		}
		w.shown = written.Path[:i+1].String()
	}
	w.finish()
	if w.invalid {
		return &model.Field{}, false
	}
	return &model.Field{Steps: w.steps, Value: w.value, Problem: w.problem, EncodesItself: w.encodesItself}, true
}

// way is where one is on a path.
type way struct {
	at    types.Type
	steps []model.Step
	value model.ValueType
	// shown is what at is called in a message.
	shown   string
	problem string
	// encodesItself is set if a value at the end has a method that encodes it.
	encodesItself bool
	// invalid is set if at is invalid, so that there is no problem, only ignorance.
	invalid bool
}

func (w *way) fail(format string, args ...any) bool {
	w.problem = fmt.Sprintf(format, args...)
	return false
}

// endless says whether the steps since the last name go round in circles, as with
// type T []T.
func (w *way) endless() bool {
	count := 0
	for i := len(w.steps) - 1; i >= 0 && (w.steps[i].Op == model.StepPointer || w.steps[i].Op == model.StepEach); i-- {
		count++
	}
	if count > maxUnwrapped {
		w.problem = fmt.Sprintf("%s has a type that contains itself without end; name another field", w.shown)
	}
	return count > maxUnwrapped
}

// maxUnwrapped is how many pointers and lists may follow each other on a path.
const maxUnwrapped = 16

func (w *way) step(op model.StepOp, name string, to types.Type) {
	w.steps = append(w.steps, model.Step{Op: op, Name: name})
	w.at = to
}

// take goes on by one element. Pointers are followed, and of a list each element
// is taken.
func (w *way) take(element markers.PathElement) bool {
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
				return w.fail("%s is a struct; write a dot and the JSON name of a field, not brackets", w.shown)
			}
			return w.takeField(at, element.Name)
		}
		if !isValid(w.at) {
			w.invalid = true
			return false
		}
		return w.fail("%s is of type %s, so that the path cannot go on to %s; end it at %s", w.shown, shownType(w.at), elementText(element), w.shown)
	}
	return false
}

func elementText(e markers.PathElement) string {
	if e.Each {
		return "[*]"
	}
	return e.Name
}

func (w *way) takeKey(at *types.Map, element markers.PathElement) bool {
	basic, ok := at.Key().Underlying().(*types.Basic)
	switch {
	case element.Each:
		return w.fail("%s is a map; write a key in the brackets, not *", w.shown)
	case !isValid(at.Key()):
		w.invalid = true
		return false
	case !ok || basic.Info()&types.IsString == 0:
		return w.fail("%s is a map whose keys are of type %s; only string keys can be in a path, so name another field", w.shown, shownType(at.Key()))
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
		outer := w.at
		for _, embedded := range f.through {
			if !embedded.Exported() {
				// Go finds it by promotion, or finds another field of that name.
				if promoted, _, _ := types.LookupFieldOrMethod(outer, true, embedded.Pkg(), f.field.Name()); promoted != f.field {
					return w.fail("%s has %s in the embedded struct %s, which is not exported; begin the name of that struct with a capital letter", w.shown, name, embedded.Name())
				}
			}
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
	return w.fail("%s has no field with the JSON name %q%s", w.shown, name, spelling.DidYouMean(name, names))
}

// through goes into an embedded struct.
func (w *way) through(field *types.Var) bool {
	pointer, isPointer := field.Type().Underlying().(*types.Pointer)
	switch {
	case field.Exported():
		w.step(model.StepField, field.Name(), field.Type())
	case isPointer:
		return w.fail("%s embeds a pointer to %s, which is not exported; begin its name with a capital letter", w.shown, field.Name())
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
	// quoted says whether its value is a string with the value in it.
	quoted bool
}

type jsonFieldSet struct {
	all []jsonField
	// unsure is set if a struct is inlined that is not known.
	unsure bool
}

// inlinedStruct is a struct of which the fields count as those of another.
type inlinedStruct struct {
	structType *types.Struct
	through    []*types.Var
}

// jsonFields returns the fields of a struct under their JSON names, as encoding/json
// chooses them: of two with one name the one that is less deep counts, and of two that
// are equally deep none does.
func jsonFields(structType *types.Struct) jsonFieldSet {
	var set jsonFieldSet
	taken := map[string]bool{}
	seen := map[*types.Struct]bool{}
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
				name, inlined := jsonName(field, in.structType.Tag(i))
				switch {
				case inlined:
					next = set.inline(next, field, in.through)
				case name != "" && !taken[name]:
					found = append(found, jsonField{name, field, in.through, isQuoted(in.structType.Tag(i))})
					count[name]++
				}
			}
		}
		for _, f := range found {
			if taken[f.name] = true; count[f.name] == 1 {
				set.all = append(set.all, f)
			}
		}
		level = next
	}
	return set
}

// jsonName is what JSON calls a field, or whether its own fields take its place.
func jsonName(field *types.Var, tags string) (name string, inlined bool) {
	tag := reflect.StructTag(tags).Get("json")
	name, _, _ = strings.Cut(tag, ",")
	switch {
	case tag == "-":
		return "", false
	case field.Embedded() && name == "" && isStructOrUnknown(field.Type()):
		return "", true
	case !field.Exported():
		return "", false
	case name == "":
		return field.Name(), false
	}
	return name, false
}

func isQuoted(tags string) bool {
	_, options, _ := strings.Cut(reflect.StructTag(tags).Get("json"), ",")
	return slices.Contains(strings.Split(options, ","), "string")
}

func isStructOrUnknown(t types.Type) bool {
	t = pointedTo(t)
	_, isStruct := structOf(t)
	return isStruct || !isValid(t)
}

func (s *jsonFieldSet) inline(level []inlinedStruct, field *types.Var, through []*types.Var) []inlinedStruct {
	inner, ok := structOf(pointedTo(field.Type()))
	if !ok {
		s.unsure = true
		return level
	}
	return append(level, inlinedStruct{inner, append(slices.Clone(through), field)})
}

// finish takes the value at the end, or each value.
func (w *way) finish() {
	for !w.endless() {
		w.encodesItself = w.encodesItself || encodesItself(w.at)
		if structType, ok := structOf(w.at); ok && !w.encodesItself && !metaOf(structType).sure {
			w.invalid = true
			return
		}
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
			_, predeclared := types.Unalias(w.at).(*types.Basic)
			w.value = model.ValueType{Basic: at.Name(), Named: nameOf(w.at), Defined: !predeclared}
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
