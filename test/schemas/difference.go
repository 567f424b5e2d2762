package schemas

import (
	"fmt"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// comparison compares types of two schemas. Types are equal if objects are merged in the same way, whether
// they have names or not.
type comparison struct {
	theirs, ours *schema.Schema
	// compared has the pairs of types that are compared already, or are being compared.
	compared map[[2]string]bool
	// Differences have the path of a field, and what differs.
	differences []string
}

// Differences returns how the types with that name differ, by the path of the field.
func Differences(theirs, ours *schema.Schema, name string) []string {
	c := &comparison{theirs: theirs, ours: ours, compared: map[[2]string]bool{}}
	c.refs(name, schema.TypeRef{NamedType: &name}, schema.TypeRef{NamedType: &name})
	return c.differences
}

func (c *comparison) add(path, format string, args ...any) {
	c.differences = append(c.differences, path+": "+fmt.Sprintf(format, args...))
}

// id identifies a type reference that has a name.
func id(ref schema.TypeRef) string {
	if ref.NamedType == nil {
		return ""
	}
	if ref.ElementRelationship != nil {
		return *ref.NamedType + " " + string(*ref.ElementRelationship)
	}
	return *ref.NamedType
}

func (c *comparison) refs(path string, theirs, ours schema.TypeRef) {
	pair := [2]string{id(theirs), id(ours)}
	if pair[0] != "" && pair[1] != "" {
		if c.compared[pair] {
			return
		}
		c.compared[pair] = true
	}
	x, known := c.theirs.Resolve(theirs)
	y, alsoKnown := c.ours.Resolve(ours)
	if known != alsoKnown {
		c.add(path, "type is known: theirs %v, ours %v", known, alsoKnown)
		return
	}
	c.atoms(path, x, y)
}

func (c *comparison) atoms(path string, theirs, ours schema.Atom) {
	if x, y := describe(theirs), describe(ours); x != y {
		c.add(path, "theirs %s, ours %s", x, y)
		return
	}
	if theirs.List != nil {
		if theirs.List.ElementRelationship != ours.List.ElementRelationship || !slices.Equal(theirs.List.Keys, ours.List.Keys) {
			c.add(path, "theirs %s %q, ours %s %q", theirs.List.ElementRelationship, theirs.List.Keys, ours.List.ElementRelationship, ours.List.Keys)
		}
		c.refs(path+"[]", theirs.List.ElementType, ours.List.ElementType)
		c.defaults(path+"[]", theirs.List, ours.List)
	}
	if theirs.Map != nil {
		c.maps(path, theirs.Map, ours.Map)
	}
}

func (c *comparison) maps(path string, theirs, ours *schema.Map) {
	if x, y := isAtomic(theirs), isAtomic(ours); x != y {
		c.add(path, "atomic: theirs %v, ours %v", x, y)
	}
	c.refs(path+"{}", theirs.ElementType, ours.ElementType)
	for _, field := range theirs.Fields {
		other, ok := ours.FindField(field.Name)
		if !ok {
			c.add(path+"."+field.Name, "missing")
			continue
		}
		c.refs(path+"."+field.Name, field.Type, other.Type)
	}
	for _, field := range ours.Fields {
		if _, ok := theirs.FindField(field.Name); !ok {
			c.add(path+"."+field.Name, "extra")
		}
	}
}

// defaults compares the defaults of the keys of lists. Structured merge reads no other defaults.
func (c *comparison) defaults(path string, theirs, ours *schema.List) {
	for _, key := range theirs.Keys {
		x, y := c.defaultOf(c.theirs, theirs.ElementType, key), c.defaultOf(c.ours, ours.ElementType, key)
		if (x == nil) != (y == nil) || x != nil && !value.Equals(value.NewValueInterface(x), value.NewValueInterface(y)) {
			c.add(path+"."+key, "default of the key: theirs %v, ours %v", x, y)
		}
	}
}

func (c *comparison) defaultOf(s *schema.Schema, element schema.TypeRef, key string) any {
	if atom, ok := s.Resolve(element); ok && atom.Map != nil {
		field, _ := atom.Map.FindField(key)
		return field.Default
	}
	return nil
}

func isAtomic(m *schema.Map) bool { return m.ElementRelationship == schema.Atomic }

// describe returns which values an atom allows.
func describe(atom schema.Atom) string {
	text := ""
	if atom.Scalar != nil {
		text += "/" + string(*atom.Scalar)
	}
	if atom.List != nil {
		text += "/list"
	}
	if atom.Map != nil {
		text += "/map"
	}
	return text
}
