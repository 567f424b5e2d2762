// Package difference names the fields in which two objects differ, without their values.
package difference

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/internal/printable"
)

const (
	// maxDifferences is how many paths describe returns.
	maxDifferences = 10
	// maxPrinted is how many bytes of a path, a name or a value are printed.
	maxPrinted = 200
)

// Describe returns the fields in which two objects differ, as a Go program names them,
// such as Labels["app"] and Spec.Parts[3].Count. The text has at most maxDifferences
// paths; each is cut after maxPrinted bytes. A path has keys of maps in it, but no values, which may be those of Secrets.
func Describe(before, after any) string {
	d := difference{limit: maxDifferences}
	d.compare("", reflect.ValueOf(before), reflect.ValueOf(after))
	if d.more {
		d.found = append(d.found, "and more")
	}
	if len(d.found) == 0 {
		return "a function or another value that cannot be compared"
	}
	return strings.Join(d.found, ", ")
}

// Fields returns the fields in which two objects of one type differ, at most maxDifferences, without keys of maps and indexes, such as
// Labels[] and Spec.Parts[].Count. It is empty if they are equal. If emptyIsNil is set, empty lists and maps equal nil ones.
func Fields(a, b any, emptyIsNil bool) []string {
	d := difference{limit: maxDifferences, emptyIsNil: emptyIsNil, withoutKeys: true}
	d.compare("", reflect.ValueOf(a), reflect.ValueOf(b))
	return d.found
}

// difference collects where two values differ.
type difference struct {
	limit int
	found []string
	// more is set if there are more paths than limit.
	more bool
	// emptyIsNil and withoutKeys are as for Fields.
	emptyIsNil, withoutKeys bool
}

// at returns the path of an element.
func (d *difference) at(path, key string) string {
	if d.withoutKeys {
		key = ""
	}
	return path + "[" + key + "]"
}

// oneIsNil reports whether one of two maps or slices is nil, and that is a difference.
func (d *difference) oneIsNil(a, b reflect.Value) bool {
	return a.IsNil() != b.IsNil() && !(d.emptyIsNil && a.Len() == 0 && b.Len() == 0)
}

// note adds a path at which two values differ, once.
func (d *difference) note(path string) {
	if d.withoutKeys && slices.Contains(d.found, strings.TrimPrefix(path, ".")) {
		return
	}
	if len(d.found) == d.limit {
		d.more = true
		return
	}
	if path = excerpt(strings.TrimPrefix(path, ".")); path == "" {
		path = "the object"
	}
	d.found = append(d.found, path)
}

// compare finds the differences that reflect.DeepEqual finds. Both values have the same type.
func (d *difference) compare(path string, a, b reflect.Value) {
	if d.more {
		return
	}
	if len(path) > maxPrinted { // more of it would not be printed
		d.compareWhole(path, a, b)
		return
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		switch {
		case a.IsNil() && b.IsNil():
		case a.IsNil() || b.IsNil() || a.Elem().Type() != b.Elem().Type():
			d.note(path)
		default:
			d.compare(path, a.Elem(), b.Elem())
		}
	case reflect.Struct:
		d.compareStructs(path, a, b)
	case reflect.Map:
		d.compareMaps(path, a, b)
	case reflect.Slice, reflect.Array:
		d.compareElements(path, a, b)
	case reflect.Func:
		if !a.IsNil() || !b.IsNil() {
			d.note(path)
		}
	default:
		if !a.Equal(b) {
			d.note(path)
		}
	}
}

// compareWhole notes path itself, and no path below it.
func (d *difference) compareWhole(path string, a, b reflect.Value) {
	below := difference{emptyIsNil: d.emptyIsNil} // its limit is 0
	if below.compare("", a, b); below.more {
		d.note(path)
	}
}

// compareStructs names fields as a program of another package does: without the names of
// embedded structs. For unexported fields it notes the path of the struct.
func (d *difference) compareStructs(path string, a, b reflect.Value) {
	hidden := difference{emptyIsNil: d.emptyIsNil}
	for i := range a.NumField() {
		switch field := a.Type().Field(i); {
		case !field.IsExported():
			hidden.compare("", a.Field(i), b.Field(i))
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			d.compare(path, a.Field(i), b.Field(i))
		default:
			d.compare(path+"."+field.Name, a.Field(i), b.Field(i))
		}
	}
	if hidden.more {
		d.note(path)
	}
}

func (d *difference) compareMaps(path string, a, b reflect.Value) {
	if d.oneIsNil(a, b) {
		d.note(path)
		return
	}
	type mapKey struct {
		value reflect.Value
		text  string
	}
	var keys []mapKey
	for _, key := range a.MapKeys() {
		keys = append(keys, mapKey{key, keyText(key)})
	}
	for _, key := range b.MapKeys() {
		if !a.MapIndex(key).IsValid() {
			keys = append(keys, mapKey{key, keyText(key)})
		}
	}
	slices.SortFunc(keys, func(x, y mapKey) int { return strings.Compare(x.text, y.text) })
	for _, key := range keys {
		was, is, below := a.MapIndex(key.value), b.MapIndex(key.value), d.at(path, key.text)
		if was.IsValid() && is.IsValid() {
			d.compare(below, was, is)
		} else {
			d.note(below)
		}
	}
}

// compareElements compares bytes as one value.
func (d *difference) compareElements(path string, a, b reflect.Value) {
	if a.Kind() == reflect.Slice {
		isText := a.Type().Elem().Kind() == reflect.Uint8
		if d.oneIsNil(a, b) || isText && !bytes.Equal(a.Bytes(), b.Bytes()) {
			d.note(path)
			return
		}
		if isText {
			return
		}
	}
	for i := range min(a.Len(), b.Len()) {
		d.compare(d.at(path, strconv.Itoa(i)), a.Index(i), b.Index(i))
	}
	if a.Len() != b.Len() {
		d.note("len(" + strings.TrimPrefix(path, ".") + ")")
	}
}

// keyText returns a map key as printed.
func keyText(key reflect.Value) string {
	if key.Kind() == reflect.Interface {
		key = key.Elem()
	}
	if key.Kind() == reflect.String {
		text := key.String()
		return strconv.Quote(text[:min(len(text), maxPrinted)])
	}
	return excerpt(fmt.Sprint(key))
}

// excerpt returns a text as printed: cut, and without control characters.
func excerpt(text string) string { return printable.Text(printable.Cut(text, maxPrinted)) }
