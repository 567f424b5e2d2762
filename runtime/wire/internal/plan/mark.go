package plan

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/typedinformers/informer-gen/runtime/internal/fieldmask"
)

// Mark fills what mask leaves out of obj, a pointer to a struct without it, with values that no server sends: texts that begin with
// prefix and end with the path, odd numbers, and one such element in each list and map. Booleans, and integers and interfaces that
// have a Go type of their own, stay zero. Managed fields do too, because a program may send an object without them.
func Mark(obj any, mask *fieldmask.Mask, prefix string) {
	m := marker{prefix: prefix, open: map[reflect.Type]bool{}}
	m.mark(reflect.ValueOf(obj).Elem(), mask, "")
}

// MarkUntyped is Mark for an untyped object with all its members, because no one knows the others. It keeps those that have text, and
// removes the rest of the fields that mask leaves out.
func MarkUntyped(object map[string]any, mask *fieldmask.Mask, prefix string) {
	(&marker{prefix: prefix}).untyped(object, mask, "")
}

// managedFields is the path that is not marked.
const managedFields = "metadata.managedFields"

type marker struct {
	prefix string
	// open are the structs that are being filled, so that a type that contains itself ends.
	open map[reflect.Type]bool
}

// below returns the path to a member.
func below(path, name string, isKey bool) string {
	switch {
	case isKey:
		return path + "[" + name + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

func (m *marker) mark(v reflect.Value, mask *fieldmask.Mask, path string) {
	if mask == nil {
		return
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			m.mark(v.Elem(), mask, path)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			m.mark(v.Index(i), mask, path)
		}
	case reflect.Map:
		m.markMap(v, mask, path)
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			field, err := v.FieldByIndexErr(f.index)
			if err != nil || !field.CanSet() {
				continue
			}
			switch at, inner := below(path, f.Name, false), mask.At(f.Name); {
			case at == managedFields:
			case inner.KeepsNothing():
				m.fill(field, at)
			default:
				m.mark(field, inner, at)
			}
		}
	}
}

// markMap adds the keys that are left out. If only some keys are kept, the others have no names, so it adds one that tells that.
func (m *marker) markMap(v reflect.Value, mask *fieldmask.Mask, path string) {
	if v.Type().Key().Kind() != reflect.String || v.IsNil() && !v.CanSet() {
		return
	}
	set := func(name string, change func(value reflect.Value)) {
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		key, value := reflect.ValueOf(name).Convert(v.Type().Key()), reflect.New(v.Type().Elem()).Elem()
		if known := v.MapIndex(key); known.IsValid() {
			value.Set(known)
		}
		change(value)
		v.SetMapIndex(key, value)
	}
	for _, name := range slices.Sorted(maps.Keys(mask.Named())) {
		at, inner := below(path, name, true), mask.At(name)
		switch {
		case inner.KeepsNothing():
			set(name, func(value reflect.Value) { m.fill(value, at) })
		case inner != nil && v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key())).IsValid():
			set(name, func(value reflect.Value) { m.mark(value, inner, at) })
		}
	}
	if !mask.KeepsOthers() {
		set(m.prefix+path, func(value reflect.Value) { m.fill(value, path) })
	}
}

// The numbers that no server sends, and the time.
const (
	oddInteger = -1111111111
	oddFloat   = -1111111.5
)

var oddTime = time.Date(1111, 11, 11, 11, 11, 11, 0, time.UTC)

// fill sets a zero value that is left out.
func (m *marker) fill(v reflect.Value, path string) {
	text := m.prefix + path
	if m.fillKnown(v.Addr().Interface(), text) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if v.Type().PkgPath() == "" { // another one is an enumeration
			v.SetInt(oddInteger >> max(0, 32-v.Type().Bits()))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if v.Type().PkgPath() == "" {
			v.SetUint(-oddInteger >> max(0, 32-v.Type().Bits()))
		}
	case reflect.Float32, reflect.Float64:
		v.SetFloat(oddFloat)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(text))
		}
	case reflect.Pointer:
		if m.isOpen(v.Type()) {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		m.fill(v.Elem(), path)
	case reflect.Slice:
		switch {
		case v.Type().Elem().Kind() == reflect.Uint8:
			v.SetBytes([]byte(text))
		case !m.isOpen(v.Type()):
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			m.fill(v.Index(0), path)
		}
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String || m.isOpen(v.Type()) {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		m.fill(value, path)
		v.SetMapIndex(reflect.ValueOf(text).Convert(v.Type().Key()), value)
	case reflect.Struct:
		if m.open[v.Type()] {
			return
		}
		m.open[v.Type()] = true
		for _, f := range fieldsOf(v.Type()) {
			if field, err := v.FieldByIndexErr(f.index); err == nil && field.CanSet() {
				m.fill(field, below(path, f.Name, false))
			}
		}
		delete(m.open, v.Type())
	}
}

// isOpen reports whether values of t have values of a struct that is being filled.
func (m *marker) isOpen(t reflect.Type) bool {
	for range maxLists {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			t = t.Elem()
		default:
			return m.open[t]
		}
	}
	return true
}

// fillKnown sets a value of a type whose methods need more than a text or a number. It reports false for other types.
func (m *marker) fillKnown(pointer any, text string) bool {
	quoted, err := json.Marshal(text)
	if err != nil {
		return true
	}
	switch p := pointer.(type) {
	case *metav1.Time:
		p.Time = oddTime
	case *metav1.MicroTime:
		p.Time = oddTime
	case *metav1.Duration:
		p.Duration = oddInteger * time.Microsecond
	case *time.Duration:
		*p = oddInteger * time.Microsecond
	case *resource.Quantity:
		*p = *resource.NewQuantity(oddInteger, resource.DecimalSI)
	case *intstr.IntOrString:
		*p = intstr.FromString(text)
	case *runtime.RawExtension:
		p.Raw = quoted
	case json.Unmarshaler:
		_ = tries(pointer, func() error { return p.UnmarshalJSON(quoted) }) || tries(pointer, func() error { return p.UnmarshalJSON(fmt.Append(nil, oddInteger)) })
	case encoding.TextUnmarshaler:
		_ = tries(pointer, func() error { return p.UnmarshalText([]byte(text)) })
	default:
		return false
	}
	return true
}

// tries calls a method of a value, which stays zero if that fails or panics.
func tries(pointer any, method func() error) (ok bool) {
	defer func() {
		if reason := recover(); reason != nil || !ok {
			ok = false
			reflect.ValueOf(pointer).Elem().SetZero()
		}
	}()
	return method() == nil
}

// untyped marks the members of an object. It reports whether none is left of a map, which is left out itself.
func (m *marker) untyped(object map[string]any, mask *fieldmask.Mask, path string) (isGone bool) {
	before := len(object)
	for name, value := range object {
		inner := mask.At(name)
		at, isGone := below(path, name, mask.IsMap()), false
		switch {
		case inner == nil:
		case inner.KeepsNothing():
			object[name] = m.text(value, at)
			isGone = object[name] == nil || at == managedFields
		default:
			isGone = m.untypedItems(value, inner, at)
		}
		if isGone {
			delete(object, name)
		}
	}
	return mask.IsMap() && before > 0 && len(object) == 0
}

func (m *marker) untypedItems(value any, mask *fieldmask.Mask, path string) (isGone bool) {
	switch value := value.(type) {
	case map[string]any:
		return m.untyped(value, mask, path)
	case []any:
		for i, item := range value {
			if m.untypedItems(item, mask, path) {
				value[i] = nil
			}
		}
	}
	return false
}

// text returns the rest of a value that is left out: its texts, which become their paths, or nil.
func (m *marker) text(value any, path string) any {
	switch value := value.(type) {
	case string:
		return m.prefix + path
	case map[string]any:
		for name, inner := range value {
			if value[name] = m.text(inner, below(path, name, false)); value[name] == nil {
				delete(value, name)
			}
		}
		if len(value) > 0 {
			return value
		}
	case []any:
		kept := value[:0]
		for _, item := range value {
			if item = m.text(item, path); item != nil {
				kept = append(kept, item)
			}
		}
		if len(kept) > 0 {
			return kept
		}
	}
	return nil
}
