package fields

import (
	"reflect"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// comparison finds the fields in which two objects differ, as typed.TypedValue.Compare does.
type comparison struct {
	schema *schema.Schema
	// failed is set if the second object does not fit the schema, or if an element of a list lacks
	// the fields by which the list is merged. The result is void then.
	failed bool
}

// objects compares two objects of the type root. changed has the fields that only obj has, or that
// it has with another value. removed has the fields that only old has. Neither has the fields in
// ignored, which are fields of the top level, nor metadata.managedFields.
func (c *comparison) objects(root schema.TypeRef, old, obj map[string]any, ignored []string) (changed, removed tree) {
	t := c.mapType(root)
	if t == nil {
		return nil, nil
	}
	changed, removed = c.maps(t, old, obj, append([]string{"metadata"}, ignored...))
	for _, key := range ignored {
		// They have to fit the schema too. What is as it was does.
		if v, ok := obj[key]; ok && key != "metadata" && !equal(old[key], v) {
			c.fit(fieldType(t, key), v)
		}
	}
	if slices.Contains(ignored, "metadata") {
		return changed, removed
	}
	if t = c.mapType(fieldType(t, "metadata")); t == nil {
		return nil, nil
	}
	oldMeta, _ := old["metadata"].(map[string]any)
	meta, _ := obj["metadata"].(map[string]any)
	metaChanged, metaRemoved := c.maps(t, oldMeta, meta, []string{"managedFields"})
	return add(changed, "f:metadata", metaChanged), add(removed, "f:metadata", metaRemoved)
}

// mapType returns a type that is a map with separate fields. It fails if ref is not such a type.
func (c *comparison) mapType(ref schema.TypeRef) *schema.Map {
	atom, _ := c.schema.Resolve(ref)
	if atom.Map == nil || atom.Map.ElementRelationship == schema.Atomic {
		c.failed = true
		return nil
	}
	return atom.Map
}

func fieldType(t *schema.Map, name string) schema.TypeRef {
	if f, ok := t.FindField(name); ok {
		return f.Type
	}
	return t.ElementType
}

// add adds the tree of a field to t, if that is not nil.
func add(t tree, key string, field tree) tree {
	if field == nil {
		return t
	}
	if t == nil {
		t = tree{}
	}
	t[key] = field
	return t
}

// maps compares the fields of two maps, except those in ignored.
func (c *comparison) maps(t *schema.Map, old, obj map[string]any, ignored []string) (changed, removed tree) {
	for key, v := range obj {
		if slices.Contains(ignored, key) {
			continue
		}
		before, ok := old[key]
		if !ok {
			changed = add(changed, "f:"+key, c.whole(fieldType(t, key), v))
			continue
		}
		if scalarsEqual(before, v) {
			continue
		}
		fieldChanged, fieldRemoved := c.values(fieldType(t, key), before, v)
		if fieldChanged != nil {
			changed = add(changed, "f:"+key, fieldChanged)
		}
		if fieldRemoved != nil {
			removed = add(removed, "f:"+key, fieldRemoved)
		}
	}
	for key, v := range old {
		if _, ok := obj[key]; ok || slices.Contains(ignored, key) {
			continue
		}
		removed = add(removed, "f:"+key, c.whole(fieldType(t, key), v))
	}
	return changed, removed
}

// values compares two values of one field. The trees are nil if the values are equal.
func (c *comparison) values(ref schema.TypeRef, old, v any) (changed, removed tree) {
	atom, ok := c.schema.Resolve(ref)
	if !ok {
		c.failed = true
		return nil, nil
	}
	before, after := deduce(atom, old), deduce(atom, v)
	if !fits(after, v) {
		c.failed = true
		return nil, nil
	}
	if isAtomic(after) && !equal(old, v) {
		c.fit(ref, v) // what is in it is not compared
	}
	changed, removed = c.typed(after, old, v)
	if before == after {
		return changed, removed
	}
	// A value that became one of another type is compared as both.
	beforeChanged, beforeRemoved := c.typed(before, old, v)
	return unionOf(beforeChanged, changed), unionOf(beforeRemoved, removed)
}

func unionOf(a, b tree) tree {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return unionField(a, b)
}

// typed compares two values as values of a type, which one of them has.
func (c *comparison) typed(atom schema.Atom, old, v any) (changed, removed tree) {
	switch {
	case atom.Map != nil:
		oldMap, _ := old.(map[string]any)
		m, _ := v.(map[string]any)
		if atom.Map.ElementRelationship != schema.Atomic && len(oldMap)+len(m) > 0 {
			return c.maps(atom.Map, oldMap, m, nil)
		}
	case atom.Scalar != nil:
	case atom.List != nil:
		oldList, _ := old.([]any)
		list, _ := v.([]any)
		if atom.List.ElementRelationship != schema.Atomic && len(oldList)+len(list) > 0 {
			return c.lists(atom.List, oldList, list)
		}
	}
	if !equal(old, v) {
		return leaf, nil
	}
	return nil, nil
}

// whole returns the tree of a field with all fields below it, for a field that only one of the
// objects has.
func (c *comparison) whole(ref schema.TypeRef, v any) tree {
	atom, ok := c.schema.Resolve(ref)
	if !ok {
		c.failed = true
		return leaf
	}
	if atom = deduce(atom, v); !fits(atom, v) {
		c.failed = true
		return leaf
	}
	if isAtomic(atom) {
		c.fit(ref, v)
		return leaf
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			break
		}
		t := make(tree, len(v)+1)
		t[self] = leaf
		for key, field := range v {
			t["f:"+key] = c.whole(fieldType(atom.Map, key), field)
		}
		return t
	case []any:
		if len(v) == 0 {
			break
		}
		t, _ := c.lists(atom.List, nil, v)
		return add(t, self, leaf)
	}
	return leaf
}

// isAtomic reports whether a type is a list or a map that is one field.
func isAtomic(atom schema.Atom) bool {
	return atom.Map != nil && atom.Map.ElementRelationship == schema.Atomic ||
		atom.List != nil && atom.List.ElementRelationship == schema.Atomic
}

// fit fails if a value does not fit its type.
func (c *comparison) fit(ref schema.TypeRef, v any) {
	atom, ok := c.schema.Resolve(ref)
	if !ok {
		c.failed = true
		return
	}
	if atom = deduce(atom, v); !fits(atom, v) {
		c.failed = true
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for key, field := range v {
			c.fit(fieldType(atom.Map, key), field)
		}
	case []any:
		for _, element := range v {
			if _, ok := c.elementKey(atom.List, element); !ok && atom.List.ElementRelationship == schema.Associative {
				c.failed = true
			}
			c.fit(atom.List.ElementType, element)
		}
	}
}

// deduce returns the part of a type that fits a value, or all of it if no part does, as for null.
func deduce(atom schema.Atom, v any) schema.Atom {
	switch v.(type) {
	case nil:
	case map[string]any:
		if atom.Map != nil {
			return schema.Atom{Map: atom.Map}
		}
	case []any:
		if atom.List != nil {
			return schema.Atom{List: atom.List}
		}
	default:
		if atom.Scalar != nil {
			return schema.Atom{Scalar: atom.Scalar}
		}
	}
	return atom
}

// fits reports whether a value is one of a type that deduce returned. Null fits all types.
func fits(atom schema.Atom, v any) bool {
	switch v.(type) {
	case nil:
		return atom != schema.Atom{}
	case map[string]any:
		return atom.Map != nil
	case []any:
		return atom.List != nil && atom.Map == nil
	case string:
		return isScalar(atom, schema.String)
	case bool:
		return isScalar(atom, schema.Boolean)
	}
	return isScalar(atom, schema.Numeric)
}

func isScalar(atom schema.Atom, s schema.Scalar) bool {
	return atom.Scalar != nil && atom.Map == nil && (*atom.Scalar == s || *atom.Scalar == schema.Untyped)
}

// scalarsEqual reports whether a and b are equal scalars of the same Go type.
func scalarsEqual(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && a == b
	case int64:
		b, ok := b.(int64)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	}
	return false
}

// equal compares values of decoded JSON. An integer may equal a float.
func equal(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		if same(a, b) {
			return true
		}
		for key, v := range a {
			if w, ok := b[key]; !ok || !equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case float64:
		switch b := b.(type) {
		case float64:
			return a == b
		case int64:
			return a == float64(b)
		}
		return false
	case int64:
		switch b := b.(type) {
		case int64:
			return a == b
		case float64:
			return float64(a) == b
		}
		return false
	case string, bool:
		return a == b
	}
	return reflect.DeepEqual(a, b)
}
