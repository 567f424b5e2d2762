package plan

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
)

// Trim removes from obj, a pointer to a value of the plan's type, the fields that the plan leaves out. It finds members by their names
// in JSON.
func (p *Plan) Trim(obj any) {
	if p.mask == nil {
		return
	}
	v := reflect.ValueOf(obj).Elem()
	if untyped, ok := obj.(runtime.Unstructured); ok {
		v = reflect.ValueOf(untyped.UnstructuredContent())
	}
	trim(v, p.mask)
}

// trim removes from a value the fields that mask leaves out. It reports whether that was all of a map, which is left out itself.
func trim(v reflect.Value, mask *fieldmask.Mask) (isGone bool) {
	if mask == nil {
		return false
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return !v.IsNil() && trim(v.Elem(), mask)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if item := v.Index(i); trim(item, mask) {
				item.SetZero()
			}
		}
	case reflect.Map:
		return trimMap(v, mask)
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			inner := mask.At(f.Name)
			if inner == nil {
				continue
			}
			field, err := v.FieldByIndexErr(f.index)
			if err == nil && field.CanSet() && (inner.KeepsNothing() || trim(field, inner)) { // err: a pointer on the way is nil
				field.SetZero()
			}
		}
	}
	return false
}

func trimMap(v reflect.Value, mask *fieldmask.Mask) (isGone bool) {
	if v.Type().Key().Kind() != reflect.String {
		return false
	}
	before := v.Len()
	for entries := v.MapRange(); entries.Next(); {
		value := reflect.New(v.Type().Elem()).Elem() // an entry cannot be changed in its place
		value.Set(entries.Value())
		switch inner := mask.At(entries.Key().String()); {
		case inner == nil:
		case inner.KeepsNothing() || trim(value, inner):
			v.SetMapIndex(entries.Key(), reflect.Value{})
		default:
			v.SetMapIndex(entries.Key(), value)
		}
	}
	return mask.IsMap() && before > 0 && v.Len() == 0
}

// fields has the results of fieldsOf: at most one entry for each type of the program.
var fields sync.Map

// fieldsOf returns the fields of a struct.
func fieldsOf(t reflect.Type) []Field {
	if known, ok := fields.Load(t); ok {
		return known.([]Field)
	}
	found, _ := FieldsOf(t)
	fields.Store(t, found)
	return found
}
