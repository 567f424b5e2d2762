package wire

import (
	"reflect"
	"slices"
	"strings"
)

// field is a field of a struct that a member of an object is decoded into.
type field struct {
	name string
	typ  reflect.Type
	// offset is where the field is in the struct that the last of through points to.
	offset uintptr
	// through are the pointers to embedded structs that lead to the field.
	through []pointerTo
	// quoted is that of `json:",string"`.
	quoted bool
	// depth and tagged decide between fields of one name.
	depth  int
	tagged bool
}

// pointerTo is an embedded field *typ.
type pointerTo struct {
	offset uintptr
	typ    reflect.Type
}

// fields returns the fields of a struct, in the order of their declaration, those
// of embedded structs among them, by the rules of encoding/json. It is not ok for
// types in which these rules become hard to follow: with embedded pointers to types that
// are not exported, or with one type embedded twice.
func fields(t reflect.Type) (found []field, ok bool) {
	c := fieldCollector{embedded: map[reflect.Type]bool{}}
	if !c.collect(t, 0, 0, nil) {
		return nil, false
	}
	for i, f := range c.found {
		if dominant(f, i, c.found) {
			found = append(found, f)
		}
	}
	return found, true
}

// dominant says whether no other field of the name hides f: one that is embedded
// less deep, or as deep but with its name from a tag. Two of the same rank hide
// each other.
func dominant(f field, index int, all []field) bool {
	for i, other := range all {
		if i == index || other.name != f.name {
			continue
		}
		if other.depth < f.depth || other.depth == f.depth && (other.tagged || !f.tagged) {
			return false
		}
	}
	return true
}

type fieldCollector struct {
	found    []field
	embedded map[reflect.Type]bool
}

func (c *fieldCollector) collect(t reflect.Type, depth int, offset uintptr, through []pointerTo) bool {
	if c.embedded[t] {
		return false
	}
	c.embedded[t] = true
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		if tag == "-" {
			continue
		}
		embedded := sf.Type
		isPointer := sf.Anonymous && sf.Type.Kind() == reflect.Pointer
		if isPointer {
			if !sf.IsExported() {
				return false
			}
			embedded = sf.Type.Elem()
		}
		inner := embedded.Kind() == reflect.Struct
		if !sf.IsExported() && !(sf.Anonymous && inner) {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if !plainName(name) {
			return false
		}
		if name == "" && sf.Anonymous && inner {
			at, then := offset+sf.Offset, through
			if isPointer {
				at, then = 0, append(slices.Clip(through), pointerTo{at, embedded})
			}
			if !c.collect(embedded, depth+1, at, then) {
				return false
			}
			continue
		}
		f := field{name: name, typ: sf.Type, offset: offset + sf.Offset, through: through, depth: depth, tagged: name != ""}
		if !f.tagged {
			f.name = sf.Name
		}
		if !sf.IsExported() || !plainName(f.name) {
			return false // a tag on an unexported embedded struct
		}
		for option := range strings.SplitSeq(options, ",") {
			f.quoted = f.quoted || option == "string"
		}
		c.found = append(c.found, f)
	}
	return true
}

// plainName says whether the name is written in JSON as it is, and is no name that
// encoding/json does not accept in a tag.
func plainName(name string) bool {
	for _, c := range []byte(name) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_.$/:@", c) >= 0) {
			return false
		}
	}
	return true
}
