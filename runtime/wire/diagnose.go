package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	kjson "sigs.k8s.io/json"
)

// unmarshal is the definition of what a text means: it is what apimachinery's JSON
// serializer uses. Names have to match to the letter, of duplicates the last one
// wins, and integers in untyped values stay integers.
func unmarshal(text []byte, into any) error {
	return kjson.UnmarshalCaseSensitivePreserveInts(text, into)
}

// diagnose makes an error of err, with which the object in frame cannot be
// decoded to a value of type t. unmarshal does not say where in the object it
// failed, so this looks for the smallest part that fails alone.
func diagnose(frame []byte, t reflect.Type, err error) *DecodeError {
	m := readMetadata(frame)
	e := &DecodeError{
		Namespace:       string(m.namespace),
		Name:            string(m.name),
		UID:             string(m.uid),
		ResourceVersion: string(m.resourceVersion),
		Err:             err,
	}
	var path strings.Builder
	part := frame
	for effort := effortFor(frame); ; {
		inner := failingPart(part, t, &effort)
		if inner.err == nil {
			break
		}
		path.WriteByte('/')
		path.WriteString(pointerEscapes.Replace(inner.name))
		part, t, e.Err = inner.text, inner.kind, inner.err
	}
	e.Path, e.Err = path.String(), short(e.Err)
	at := cap(frame) - cap(part)
	begin := max(at-shownBytes/2, 0)
	e.Near = string(bytes.ToValidUTF8(frame[begin:min(at+shownBytes, len(frame))], []byte("?")))
	return e
}

// effortFor is how many bytes may be decoded in search of the failing part: each level
// of nesting decodes what is below it again, and an object may be nested deeply on
// purpose.
func effortFor(frame []byte) int { return 8*len(frame) + 4096 }

// short bounds the text of an error, which may repeat all of an object.
func short(err error) error {
	const enough = 500
	if text := err.Error(); len(text) > enough {
		return errors.New(strings.ToValidUTF8(text[:enough], "?") + "…")
	}
	return err
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901

// failing is a part of a value that cannot be decoded.
type failing struct {
	name string
	text []byte
	kind reflect.Type
	err  error
}

// failingPart returns the first member or element of a value of type t that cannot
// be decoded; err is nil if that cannot be told, or not within effort.
func failingPart(text []byte, t reflect.Type, effort *int) (found failing) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return found
	}
	try := func(name string, value []byte, kind reflect.Type) bool {
		if *effort -= len(value); *effort < 0 {
			return false
		}
		if err := unmarshal(value, reflect.New(kind).Interface()); err != nil {
			found = failing{name, value, kind, err}
		}
		return found.err == nil
	}
	switch t.Kind() {
	case reflect.Struct:
		members(text, 0, func(m member) bool {
			name := unquote(m.quoted)
			if field, ok := fieldOf(t, name); ok {
				return try(name, m.value, field)
			}
			return true
		})
	case reflect.Map:
		members(text, 0, func(m member) bool {
			name := unquote(m.quoted)
			return try(name, m.value, t.Elem())
		})
	case reflect.Slice:
		i := 0
		elements(text, func(value []byte) bool {
			i++
			return try(strconv.Itoa(i-1), value, t.Elem())
		})
	}
	return found
}

// fieldOf is the type of the field of t that has a name in JSON.
func fieldOf(t reflect.Type, name string) (reflect.Type, bool) {
	for _, field := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == name || tag == "" && field.Name == name && !field.Anonymous {
			return field.Type, true
		}
	}
	return nil, false
}
