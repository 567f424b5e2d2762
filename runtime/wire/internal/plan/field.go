package plan

import (
	"reflect"
	"slices"
	"strings"
)

// Field is a field of a struct that a member of an object is decoded into.
type Field struct {
	// Name is the name of the member.
	Name string
	Type reflect.Type
	// index leads to the field, as that of reflect.StructField does.
	index []int
	// Offset is the offset of the field in the struct that the last of through refers to.
	Offset uintptr
	// through has the pointers to embedded structs that lead to the field.
	through []throughPointer
	// quoted is set for `json:",string"`.
	quoted bool
	// tagged is set if Name comes from a tag.
	tagged bool
}

// throughPointer is an embedded field *typ.
type throughPointer struct {
	offset uintptr
	typ    reflect.Type
}

// FieldsOf returns the fields of a struct and of the structs that it embeds, in the order of
// their declaration, by the rules of encoding/json. Fields with odd names are left out.
//
// regular is false for types in which these rules are hard to follow: a name is odd, an
// embedded struct that is not exported has a name or is a pointer, or one type is embedded
// twice.
func FieldsOf(t reflect.Type) (found []Field, regular bool) {
	c := fieldCollector{level: map[reflect.Type]int{t: 0}, regular: true}
	for embedded := []Field{{Type: t}}; len(embedded) > 0; {
		var next []Field
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
	slices.SortFunc(found, func(a, b Field) int { return slices.Compare(a.index, b.index) })
	return found, c.regular
}

// IsPlain reports whether the field is in the struct itself, and is no member that is written
// as a string.
func (f *Field) IsPlain() bool { return f.through == nil && !f.quoted }

// isDominant reports whether no other field of the same name hides f. A field hides those
// of structs that are embedded deeper. At one depth, a name from a tag hides the others, and
// two names of the same kind hide each other.
func isDominant(f Field, index int, all []Field) bool {
	for i, other := range all {
		if i == index || other.Name != f.Name {
			continue
		}
		if len(other.index) < len(f.index) || len(other.index) == len(f.index) && (other.tagged || !f.tagged) {
			return false
		}
	}
	return true
}

type fieldCollector struct {
	found []Field
	// level has the depth at which a struct is embedded first.
	level   map[reflect.Type]int
	regular bool
}

// collect adds the fields of an embedded struct to found, and the structs that it embeds
// to next.
func (c *fieldCollector) collect(outer Field, next []Field) []Field {
	for i := range outer.Type.NumField() {
		sf := outer.Type.Field(i)
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
		f := Field{
			Name: name, Type: sf.Type, index: append(slices.Clip(outer.index), i), Offset: outer.Offset + sf.Offset, through: outer.through,
			quoted: slices.Contains(strings.Split(options, ","), "string"), tagged: name != "",
		}
		if !sf.IsExported() && (f.tagged || embedded != sf.Type) {
			c.regular = false
		}
		if isStruct && !f.tagged {
			if embedded != sf.Type {
				f.Offset, f.through = 0, append(slices.Clip(f.through), throughPointer{f.Offset, embedded})
			}
			f.Type = embedded
			if c.isNew(f) {
				next = append(next, f)
			}
			continue
		}
		if !f.tagged {
			f.Name = sf.Name
		}
		if !isPlainName(f.Name) {
			c.regular = false
			continue
		}
		c.found = append(c.found, f)
	}
	return next
}

// isNew reports whether the embedded struct has fields that are not hidden: a struct hides
// those of the same type that are embedded deeper.
func (c *fieldCollector) isNew(embedded Field) bool {
	level, again := c.level[embedded.Type]
	if again {
		c.regular = false
		return level == len(embedded.index)
	}
	c.level[embedded.Type] = len(embedded.index)
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
