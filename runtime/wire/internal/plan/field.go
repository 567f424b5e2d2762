package plan

import (
	"reflect"
	"slices"
	"strings"
)

// field is a field of a struct that a member of an object is decoded into.
type field struct {
	// name is that of the member.
	name string
	typ  reflect.Type
	// index leads to the field, as that of reflect.StructField does.
	index []int
	// offset is that of the field in the struct that the last of through refers to.
	offset uintptr
	// through has the pointers to embedded structs that lead to the field.
	through []throughPointer
	// quoted is set for `json:",string"`.
	quoted bool
	// tagged is set if name comes from a tag.
	tagged bool
}

// throughPointer is an embedded field *typ.
type throughPointer struct {
	offset uintptr
	typ    reflect.Type
}

// fieldsOf returns the fields of a struct and of the structs that it embeds, in the order of
// their declaration, by the rules of encoding/json. Fields with odd names are left out.
//
// regular is false for types in which these rules are hard to follow: a name is odd, an
// embedded struct that is not exported has a name or is a pointer, or one type is embedded
// twice.
func fieldsOf(t reflect.Type) (found []field, regular bool) {
	c := fieldCollector{level: map[reflect.Type]int{t: 0}, regular: true}
	for embedded := []field{{typ: t}}; len(embedded) > 0; {
		var next []field
		for _, e := range embedded {
			next = c.collect(e, next)
		}
		embedded = next
	}
	for i, f := range c.found {
		if isDominant(f, i, c.found) {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b field) int { return slices.Compare(a.index, b.index) })
	return found, c.regular
}

// isDominant reports whether no other field of the same name hides f. A field hides those
// of structs that are embedded deeper. At one depth, a name from a tag hides the others, and
// two names of the same kind hide each other.
func isDominant(f field, index int, all []field) bool {
	for i, other := range all {
		if i == index || other.name != f.name {
			continue
		}
		if len(other.index) < len(f.index) || len(other.index) == len(f.index) && (other.tagged || !f.tagged) {
			return false
		}
	}
	return true
}

type fieldCollector struct {
	found []field
	// level has the depth at which a struct is embedded first.
	level   map[reflect.Type]int
	regular bool
}

// collect adds the fields of an embedded struct to found, and the structs that it embeds
// to next.
func (c *fieldCollector) collect(outer field, next []field) []field {
	for i := range outer.typ.NumField() {
		sf := outer.typ.Field(i)
		tag := sf.Tag.Get("json")
		embedded := sf.Type
		if sf.Anonymous && embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		isStruct := sf.Anonymous && embedded.Kind() == reflect.Struct
		if tag == "-" || !sf.IsExported() && !isStruct {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		f := field{
			name: name, typ: sf.Type, index: append(slices.Clip(outer.index), i), offset: outer.offset + sf.Offset, through: outer.through,
			quoted: slices.Contains(strings.Split(options, ","), "string"), tagged: name != "",
		}
		if !sf.IsExported() && (f.tagged || embedded != sf.Type) {
			c.regular = false
		}
		if isStruct && !f.tagged {
			if embedded != sf.Type {
				f.offset, f.through = 0, append(slices.Clip(f.through), throughPointer{f.offset, embedded})
			}
			f.typ = embedded
			if c.isNew(f) {
				next = append(next, f)
			}
			continue
		}
		if !f.tagged {
			f.name = sf.Name
		}
		if !isPlainName(f.name) {
			c.regular = false
			continue
		}
		c.found = append(c.found, f)
	}
	return next
}

// isNew reports whether the embedded struct has fields that are not hidden: a struct hides
// those of the same type that are embedded deeper.
func (c *fieldCollector) isNew(embedded field) bool {
	level, again := c.level[embedded.typ]
	if again {
		c.regular = false
		return level == len(embedded.index)
	}
	c.level[embedded.typ] = len(embedded.index)
	return true
}

// isPlainName reports whether a name has no character that JSON may escape, or that
// encoding/json does not accept in a tag.
func isPlainName(name string) bool {
	for _, c := range []byte(name) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_.$/:@", c) >= 0) {
			return false
		}
	}
	return true
}
