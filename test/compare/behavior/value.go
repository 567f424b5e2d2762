package behavior

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
)

// depth is how many pointers, lists and maps a random value may have inside one another.
const depth = 4

// fill sets v, and all exported fields in it, to random values. Below left levels, pointers,
// lists and maps are nil.
func fill(random *rand.Rand, v reflect.Value, left int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(random.Int64N(100))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(random.Uint64N(100))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(random.IntN(100)))
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d", random.IntN(1000)))
	case reflect.Pointer:
		if left > 0 && random.IntN(5) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(random, v.Elem(), left-1)
		}
	case reflect.Slice:
		if n := random.IntN(4) - 1; left > 0 && n >= 0 { // nil, empty, or with some items
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			fill(random, v.Index(i), left-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(random, v.Index(i), left)
		}
	case reflect.Map:
		if left == 0 || random.IntN(4) == 0 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range random.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(random, key, left-1)
			fill(random, value, left-1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				fill(random, field, left)
			}
		}
	default: // an interface or a function stays nil
	}
}

// convert returns a copy of v as a value of a type of the other side. Structs are converted by
// the names of their fields.
func convert(v reflect.Value, to reflect.Type) (reflect.Value, error) {
	result := reflect.New(to).Elem()
	return result, assign(result, v)
}

// assign sets to, which has to be zero.
func assign(to, from reflect.Value) error {
	if to.Kind() != from.Kind() {
		return fmt.Errorf("a %s is a %s", from.Type(), to.Type())
	}
	switch to.Kind() {
	case reflect.Pointer:
		if from.IsNil() {
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return assign(to.Elem(), from.Elem())
	case reflect.Slice:
		if from.IsNil() {
			return nil
		}
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			if err := assign(to.Index(i), from.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		if from.IsNil() {
			return nil
		}
		to.Set(reflect.MakeMap(to.Type()))
		for key, value := range from.Seq2() {
			newKey, err := convert(key, to.Type().Key())
			if err != nil {
				return err
			}
			newValue, err := convert(value, to.Type().Elem())
			if err != nil {
				return err
			}
			to.SetMapIndex(newKey, newValue)
		}
		return nil
	case reflect.Struct:
		if to.Type() == from.Type() && hidden(to.Type()) {
			to.Set(from) // such as metav1.Time; fill has set nothing in it that is shared
			return nil
		}
		for i := range from.NumField() {
			name := from.Type().Field(i).Name
			field := to.FieldByName(name)
			if !field.IsValid() {
				return fmt.Errorf("%s has no field %s", to.Type(), name)
			}
			if err := assign(field, from.Field(i)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	default:
		to.Set(from.Convert(to.Type()))
		return nil
	}
}

// hidden reports whether a struct has fields that are not exported.
func hidden(t reflect.Type) bool {
	for field := range t.Fields() {
		if !field.IsExported() {
			return true
		}
	}
	return false
}

// spoil overwrites what a caller may use again after a call: the entries of a map, the items of a
// list, and the structs that its items point to. A function must have copied them.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Map:
		v.Clear()
	case reflect.Slice:
		for i := range v.Len() {
			if item := v.Index(i); item.Kind() == reflect.Pointer && !item.IsNil() {
				item.Elem().SetZero()
			}
			v.Index(i).SetZero()
		}
	}
}

// dump prints a value for a message: as JSON, which follows pointers, if it has an encoding.
func dump(v reflect.Value) string {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	return string(text)
}
