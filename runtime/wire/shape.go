package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// shape is what encoding/json makes of a type, as far as it tells which values can be
// decoded to it.
type shape struct {
	typ  reflect.Type
	form form
	// members are those of a struct by their names; nil for other types.
	members map[string]*shape
	// elem is that of a pointer, map, slice or array.
	elem *shape
	// oddKeys is set for a map whose keys may be wrong.
	oddKeys bool
	// length is that of an array, -1 for a slice and any.
	length int
}

type form uint8

const (
	formOther   form = iota // whatever is left to unmarshal
	formIgnored             // members that no field is for
	formAny
	formOwn  // types with a method UnmarshalJSON
	formText // types with a method UnmarshalText
	formPointer
	formObject
	formList
	formScalar
)

var ignored = &shape{form: formIgnored}

// takesAnything are types whose methods do not fail.
var takesAnything = map[reflect.Type]bool{
	reflect.TypeFor[json.RawMessage]():      true,
	reflect.TypeFor[runtime.RawExtension](): true,
	reflect.TypeFor[metav1.FieldsV1]():      true,
}

// shapes are those of all types that were asked for. There are no more of them than
// there are types in the program.
var shapes = struct {
	sync.Mutex // guards made and its values until shapeOf returns them
	made       map[reflect.Type]*shape
}{made: map[reflect.Type]*shape{}}

func shapeOf(t reflect.Type) *shape {
	shapes.Lock()
	defer shapes.Unlock()
	return makeShape(t)
}

func makeShape(t reflect.Type) *shape {
	if s := shapes.made[t]; s != nil {
		return s
	}
	s := &shape{typ: t, length: -1}
	shapes.made[t] = s
	s.form = formOf(t)
	switch s.form {
	case formOther, formIgnored, formOwn, formText:
		return s
	}
	switch t.Kind() {
	case reflect.Interface:
		s.elem = s
	case reflect.Pointer, reflect.Slice:
		s.elem = makeShape(t.Elem())
	case reflect.Array:
		s.elem, s.length = makeShape(t.Elem()), t.Len()
	case reflect.Map:
		s.elem = makeShape(t.Elem())
		s.oddKeys = t.Key().Kind() != reflect.String || reflect.PointerTo(t.Key()).Implements(textUnmarshaler)
	case reflect.Struct:
		s.members = map[string]*shape{}
		for name, typ := range memberTypes(t) {
			s.members[name] = makeShape(typ)
		}
	}
	return s
}

func formOf(t reflect.Type) form {
	pointer := reflect.PointerTo(t)
	switch {
	case t.Kind() == reflect.Pointer:
		return formPointer
	case t.Kind() == reflect.Interface:
		if t.NumMethod() == 0 {
			return formAny
		}
		return formOther
	case takesAnything[t]:
		return formIgnored
	case t.Name() == "" && (pointer.Implements(unmarshaler) || pointer.Implements(textUnmarshaler)):
		return formIgnored // encoding/json calls these methods in some places only
	case pointer.Implements(unmarshaler):
		return formOwn
	case pointer.Implements(textUnmarshaler):
		return formText
	case t == reflect.TypeFor[json.Number]():
		return formOther
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return formObject
	case reflect.Slice, reflect.Array:
		return formList
	}
	if _, ok := scalars[t.Kind()]; ok {
		return formScalar
	}
	return formOther
}

// inner returns the shape of a member or, for a nil name, of an element. isField is set
// for a field of a struct.
func (s *shape) inner(quoted []byte) (inner *shape, isField bool) {
	for s.form == formPointer {
		s = s.elem
	}
	if s.members == nil || quoted == nil {
		if s.elem == nil {
			return ignored, false
		}
		return s.elem, false
	}
	name, _ := text(quoted)
	if inner = s.members[string(name)]; inner == nil {
		return ignored, false
	}
	return inner, true
}

// memberTypes returns the types of the members of a struct by their names, by the rules
// of encoding/json: a field of an embedded struct is hidden by one that is embedded less
// deep, and two of one depth hide each other unless just one has its name from a tag.
// Members that are written as strings are left out, and those with odd names.
func memberTypes(t reflect.Type) map[string]reflect.Type {
	found, decided := map[string]reflect.Type{}, map[string]bool{}
	visited := map[reflect.Type]bool{}
	for level := []reflect.Type{t}; len(level) > 0; {
		var next []reflect.Type
		tagged, untagged := map[string][]reflect.Type{}, map[string][]reflect.Type{}
		for _, t := range level {
			for i := range t.NumField() {
				f := t.Field(i)
				tag := f.Tag.Get("json")
				name, options, _ := strings.Cut(tag, ",")
				inner := f.Type
				if f.Anonymous && inner.Kind() == reflect.Pointer {
					inner = inner.Elem()
				}
				isEmbedded := f.Anonymous && inner.Kind() == reflect.Struct
				typ := f.Type
				if strings.Contains(","+options+",", ",string,") {
					typ = nil
				}
				switch {
				case tag == "-", !f.IsExported() && !isEmbedded:
				case isEmbedded && name == "":
					if !visited[inner] {
						next = append(next, inner)
					}
				case name != "":
					tagged[name] = append(tagged[name], typ)
				default:
					untagged[f.Name] = append(untagged[f.Name], typ)
				}
			}
		}
		for _, t := range level {
			visited[t] = true
		}
		for _, named := range []map[string][]reflect.Type{tagged, untagged} {
			for name, types := range named {
				if len(types) == 1 && !decided[name] && types[0] != nil && plainName(name) {
					found[name] = types[0]
				}
			}
			for name := range named {
				decided[name] = true
			}
		}
		level = next
	}
	return found
}
