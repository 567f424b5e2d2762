package smd

import (
	"fmt"
	"reflect"
)

// parser and parseableType stand for Parser and ParseableType of package typed of structured-merge-diff.
type (
	parser        struct{ Schema Schema }
	parseableType struct {
		TypeRef TypeRef
		Schema  *Schema
	}
)

// assign copies from into the value at to, but for pointers and slices that are nil. The fields of structs have the same names in both; the fields of one of them
// are all in the other, which may have more.
func assign(to, from any) { assignValue(reflect.ValueOf(to).Elem(), reflect.ValueOf(from)) }

func assignValue(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
			assignValue(to.Elem(), from.Elem())
		}
	case reflect.Slice:
		if !from.IsNil() {
			to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
			for i := range from.Len() {
				assignValue(to.Index(i), from.Index(i))
			}
		}
	case reflect.Struct:
		assignFields(to, from)
	case reflect.Interface:
		if !from.IsNil() {
			to.Set(from.Elem())
		}
	default:
		to.Set(from.Convert(to.Type()))
	}
}

// ours is the path of this package, whose structs have no fields but those of structured-merge-diff.
var ours = reflect.TypeFor[Schema]().PkgPath()

func assignFields(to, from reflect.Value) {
	of, other := from.Type(), to.Type()
	if of.PkgPath() != ours {
		of, other = other, of
	}
	for i := range of.NumField() {
		name := of.Field(i).Name
		if _, found := other.FieldByName(name); !found {
			panic(fmt.Sprintf("%v has no field %s: this version of sigs.k8s.io/structured-merge-diff needs a newer informer-gen", other, name))
		}
		assignValue(to.FieldByName(name), from.FieldByName(name))
	}
}
