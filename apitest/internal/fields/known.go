package fields

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// shape has the names of the fields that a Go type decodes from JSON.
type shape struct {
	// opaque reports that the type decodes itself, or has no fields.
	opaque bool
	// uncertain reports that two fields have the same name.
	uncertain bool
	// fields are the fields of a struct.
	fields map[string]*shape
	// element describes the values of a map, or the elements of a list.
	element *shape
}

// shapes has the *shape of each reflect.Type that was asked for.
var shapes sync.Map

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// Known reports whether a Go type has all fields of an object. It may miss that it has them, but it is much
// faster than decoding the object.
func Known(t reflect.Type, object map[string]any) bool {
	found, ok := shapes.Load(t)
	if !ok {
		found, _ = shapes.LoadOrStore(t, shapeOf(t, map[reflect.Type]*shape{}))
	}
	return found.(*shape).knows(object)
}

// shapeOf returns the shape of a type. It writes those that it makes to seen, because types may be recursive.
func shapeOf(t reflect.Type, seen map[reflect.Type]*shape) *shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s := seen[t]; s != nil {
		return s
	}
	s := &shape{}
	seen[t] = s
	if t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler) {
		s.opaque = true
		return s
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		s.element = shapeOf(t.Elem(), seen)
	case reflect.Struct:
		s.fields = map[string]*shape{}
		s.addFields(t, seen)
	default:
		s.opaque = true
	}
	return s
}

func (s *shape) addFields(t reflect.Type, seen map[reflect.Type]*shape) {
	for i := range t.NumField() {
		field := t.Field(i)
		tag := field.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		if tag == "-" {
			continue
		}
		if inner := field.Type; field.Anonymous && name == "" {
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				s.addFields(inner, seen)
				continue
			}
		}
		if !field.IsExported() {
			continue
		}
		if name == "" {
			name = field.Name
		}
		if _, twice := s.fields[name]; twice {
			s.uncertain = true
		}
		s.fields[name] = shapeOf(field.Type, seen)
	}
}

// knows reports whether a value has no field that the shape lacks.
func (s *shape) knows(value any) bool {
	if s.opaque {
		return true
	}
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			of := s.element
			if s.fields != nil {
				of = s.fields[name]
			}
			if of == nil || s.uncertain || !of.knows(inner) {
				return false
			}
		}
	case []any:
		for _, inner := range value {
			if s.element == nil || !s.element.knows(inner) {
				return false
			}
		}
	}
	return true
}
