package plan

import (
	"encoding/json"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// shape tells which values encoding/json can decode to a type.
type shape struct {
	typ  reflect.Type
	form form
	// members has the members of a struct by their names. It is nil for other types.
	members map[string]*shape
	// elem is the element of a pointer, map, slice or array.
	elem *shape
	// oddKeys is set for a map whose keys may be wrong.
	oddKeys bool
	// length is the length of an array, -1 for a slice and any.
	length int
}

type form uint8

const (
	formOther   form = iota // types that only Unmarshal can decode
	formIgnored             // unknown members, and types that take each value
	formAny
	formOwn  // types with a method UnmarshalJSON
	formText // types with a method UnmarshalText
	formPointer
	formObject
	formList
	formScalar
)

var ignored = &shape{form: formIgnored}

// takesAnything has types whose methods do not fail.
var takesAnything = map[reflect.Type]bool{
	reflect.TypeFor[json.RawMessage]():      true,
	reflect.TypeFor[runtime.RawExtension](): true,
	reflect.TypeFor[metav1.FieldsV1]():      true,
}

// shapes has the shapes that were needed: at most one for each type of the program.
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
		members, _ := FieldsOf(t)
		for _, f := range members {
			if !f.quoted {
				s.members[f.Name] = makeShape(f.Type)
			}
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
	name, _ := Text(quoted)
	if inner = s.members[string(name)]; inner == nil {
		return ignored, false
	}
	return inner, true
}
