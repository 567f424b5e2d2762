package plan

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
)

// findFault returns the first part of text, which is valid JSON, that cannot be decoded to
// its part of a value of type t. Without one, the fault has neither steps nor an error.
func findFault(text []byte, t reflect.Type) Fault {
	f := faultFinder{text: text}
	return f.find(t)
}

// faultFinder reads an object once. It reads it a second time if the fault is in a value
// that has a method to decode it. It decodes such values, and scalars that look wrong, at
// most once each.
type faultFinder struct {
	text  []byte
	found Fault
	// trustMethods is set while the finder assumes that values with a method fit.
	trustMethods bool
	// name is memory for a name with escape sequences.
	name []byte
	// values has the last decoded value of each shape.
	values map[*shape]reflect.Value
	// visited counts values, and decoded counts the bytes that were decoded again.
	visited, decoded int
}

func (f *faultFinder) find(t reflect.Type) Fault {
	if s := shapeOf(t); s.form != formOwn { // whose method has just failed
		// Methods come last: that of a quantity takes seconds for a number of 1.5 MB, and
		// has been called twice before.
		f.trustMethods = true
		if f.value(SkipSpace(f.text, 0), s) != gaveUp {
			f.trustMethods = false
			f.value(SkipSpace(f.text, 0), s)
		}
	}
	if f.found.typ == nil {
		f.found.typ = t
	}
	return f.found
}

// value reads the value that begins at text[at] and returns its end. If it finds the
// fault, it sets found and returns gaveUp.
func (f *faultFinder) value(at int, s *shape) int {
	f.visited++
	c := peek(f.text, at)
	for s.form == formPointer {
		if c == 'n' {
			return f.end(at)
		}
		s = s.elem
	}
	switch s.form {
	case formIgnored:
		return f.end(at)
	case formAny:
		switch {
		case c == '{':
			return f.object(at, s)
		case c == '[':
			return f.array(at, s)
		case c == '-' || '0' <= c && c <= '9':
			return f.try(at, s, fitsFloat(f.text, at, 64))
		}
		return f.end(at)
	case formObject:
		if c == '{' {
			return f.object(at, s)
		}
		return f.try(at, s, c == 'n')
	case formList:
		if c == '[' {
			return f.array(at, s)
		}
		return f.try(at, s, c == 'n')
	case formScalar:
		return f.try(at, s, c == 'n' || fitsScalar(f.text, at, s.typ))
	}
	return f.try(at, s, false)
}

// end returns the end of a value, which it does not read.
func (f *faultFinder) end(at int) int { return ValueEnd(f.text, at) }

// try decodes the value that begins at text[at], unless it is known to fit.
func (f *faultFinder) try(at int, s *shape, fits bool) int {
	end := f.end(at)
	if end < 0 || fits || f.trustMethods && (s.form == formOwn || s.form == formText) {
		return end
	}
	part := f.text[at:end:end]
	f.decoded += len(part)
	if err := f.decode(part, s); err != nil {
		f.found = Fault{At: at, typ: s.typ, Err: err}
		return gaveUp
	}
	return end
}

// decode decodes one value. It calls a method without the library, which would cost more
// than the method.
func (f *faultFinder) decode(part []byte, s *shape) error {
	into, made := f.values[s]
	if !made {
		into = reflect.New(s.typ)
		if f.values == nil {
			f.values = map[*shape]reflect.Value{}
		}
		f.values[s] = into
	}
	into.Elem().SetZero()
	switch {
	case s.form == formOwn:
		return into.Interface().(json.Unmarshaler).UnmarshalJSON(part)
	case s.form == formText && part[0] == '"' && plainEnd(part, 1) == len(part)-1:
		return into.Interface().(encoding.TextUnmarshaler).UnmarshalText(part[1 : len(part)-1])
	}
	return Unmarshal(part, into.Interface())
}

// object reads the object that begins at text[at].
func (f *faultFinder) object(at int, s *shape) int {
	b := f.text
	at, more := first(b, at, '}')
	for more {
		quoted, value := nameAt(b, at)
		if value == gaveUp {
			return gaveUp
		}
		member, isField := s.elem, false
		if s.members != nil {
			if member, isField = s.members[string(f.unquoted(quoted))]; !isField {
				member = ignored
			}
		}
		if s.oddKeys && !f.tryKey(quoted, s) {
			return gaveUp
		}
		if at = f.value(value, member); at < 0 {
			f.found.steps = append(f.found.steps, step{quoted: quoted, isField: isField})
			return gaveUp
		}
		at, more = nextOrEnd(b, at, '}')
	}
	return at
}

// unquoted returns the value of a name, which is valid until the next call.
func (f *faultFinder) unquoted(quoted []byte) []byte {
	name, _ := unquoted(&f.name, quoted, 1, true)
	return name
}

// tryKey decodes the key of a map whose keys are not strings.
func (f *faultFinder) tryKey(quoted []byte, s *shape) bool {
	if f.fitsKey(quoted, s.typ.Key()) {
		return true
	}
	text := slices.Concat([]byte("{"), quoted, []byte(":null}"))
	f.decoded += len(text)
	err := Unmarshal(text, reflect.New(s.typ).Interface())
	if err != nil {
		f.found = Fault{At: cap(f.text) - cap(quoted), typ: s.typ, Err: err}
	}
	return err == nil
}

// fitsKey reports whether the name is an integer that the key's type can hold.
func (f *faultFinder) fitsKey(quoted []byte, key reflect.Type) bool {
	name := f.unquoted(quoted)
	n, end := readInteger(name, 0)
	if end != len(name) || reflect.PointerTo(key).Implements(textUnmarshaler) {
		return false
	}
	switch key.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return !key.OverflowInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return n >= 0 && !key.OverflowUint(uint64(n))
	}
	return false
}

// array reads the array that begins at text[at].
func (f *faultFinder) array(at int, s *shape) int {
	at, more := first(f.text, at, ']')
	for i := 0; more; i++ {
		element := s.elem
		if s.length >= 0 && i >= s.length {
			element = ignored
		}
		if at = f.value(at, element); at < 0 {
			f.found.steps = append(f.found.steps, step{index: i})
			return gaveUp
		}
		at, more = nextOrEnd(f.text, at, ']')
	}
	return at
}

// fitsScalar reports whether the value that begins at b[at] can be decoded to the type.
// It returns false if that is hard to tell.
func fitsScalar(b []byte, at int, t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String:
		return b[at] == '"'
	case reflect.Bool:
		return b[at] == 't' || b[at] == 'f'
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, end := readInteger(b, at)
		return end != gaveUp && !t.OverflowInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n, end := readInteger(b, at)
		return end != gaveUp && b[at] != '-' && !t.OverflowUint(uint64(n))
	case reflect.Float32, reflect.Float64:
		return fitsFloat(b, at, t.Bits())
	}
	return false
}

// fitsFloat reports whether the value that begins at b[at] is a number that a float of
// that size can hold.
func fitsFloat(b []byte, at, bits int) bool {
	end := numberEnd(b, at)
	if end == gaveUp {
		return false
	}
	digits := b[at:end]
	switch {
	case len(digits) > 100:
		return false // reading it twice costs too much
	case len(digits) < 30 && !bytes.ContainsAny(digits, "eE"):
		return true // below 1e38
	}
	_, err := strconv.ParseFloat(string(digits), bits)
	return err == nil
}
