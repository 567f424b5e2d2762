package fields

import (
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// lists compares two lists that are merged by keys, or two sets.
func (c *comparison) lists(t *schema.List, old, list []any) (changed, removed tree) {
	before, after := c.index(t, old), c.index(t, list)
	if c.failed {
		return nil, nil
	}
	for _, e := range before {
		if !slices.ContainsFunc(after, func(a elements) bool { return a.key == e.key }) {
			removed = add(removed, e.key, c.elements(t, e))
		}
	}
	for _, e := range after {
		if len(e.values) > 1 {
			for _, v := range e.values {
				c.fit(t.ElementType, v)
			}
		}
		i := slices.IndexFunc(before, func(b elements) bool { return b.key == e.key })
		switch {
		case i < 0:
			changed = add(changed, e.key, c.elements(t, e))
		case len(e.values) == 1 && len(before[i].values) == 1:
			elementChanged, elementRemoved := c.values(t.ElementType, before[i].values[0], e.values[0])
			changed, removed = add(changed, e.key, elementChanged), add(removed, e.key, elementRemoved)
		case len(e.values) > 1 && len(before[i].values) > 1:
			if !equal(before[i].values, e.values) {
				changed = add(changed, e.key, leaf)
			}
		case len(e.values) > 1:
			// Duplicates are one field, without fields below it.
			changed = add(changed, e.key, leaf)
			removed = add(removed, e.key, c.elements(t, before[i]))
		default:
			changed = add(changed, e.key, c.elements(t, e))
			removed = add(removed, e.key, leaf)
		}
	}
	return changed, removed
}

// elements are the elements of a list with the same key. They are several only if the list has
// duplicates.
type elements struct {
	key    string
	values []any
}

// elements returns the tree of an element that only one of the lists has.
func (c *comparison) elements(t *schema.List, e elements) tree {
	if len(e.values) > 1 {
		return leaf
	}
	return c.whole(t.ElementType, e.values[0])
}

// index returns the elements of a list in their order.
func (c *comparison) index(t *schema.List, list []any) []elements {
	out := make([]elements, 0, len(list))
	for i := range list {
		key, ok := c.elementKey(t, list[i])
		if !ok {
			c.failed = true
			return nil
		}
		j := slices.IndexFunc(out, func(e elements) bool { return e.key == key })
		if j < 0 {
			out = append(out, elements{key, list[i : i+1 : i+1]})
			continue
		}
		out[j].values = append(out[j].values, list[i])
	}
	return out
}

// elementKey returns the path element of an element, such as k:{"name":"a"} or v:"a".
func (c *comparison) elementKey(t *schema.List, element any) (string, bool) {
	if len(t.Keys) == 0 {
		switch v := element.(type) {
		case nil, map[string]any, []any:
			return "", false
		case string:
			if isPlain(v) {
				return `v:"` + v + `"`, true
			}
		}
		v := value.NewValueInterface(element)
		return serialize(fieldpath.PathElement{Value: &v})
	}
	m, ok := element.(map[string]any)
	if !ok {
		return "", false
	}
	if len(t.Keys) == 1 {
		if v, ok := m[t.Keys[0]].(string); ok && isPlain(v) {
			return `k:{"` + t.Keys[0] + `":"` + v + `"}`, true
		}
	}
	key := value.FieldList{}
	for _, name := range t.Keys {
		v, ok := m[name]
		if !ok {
			if v = c.initial(t.ElementType, name); v == nil {
				continue
			}
		}
		key = append(key, value.Field{Name: name, Value: value.NewValueInterface(v)})
	}
	if len(key) == 0 {
		return "", false
	}
	key.Sort()
	return serialize(fieldpath.PathElement{Key: &key})
}

// initial returns the default of a field, or nil.
func (c *comparison) initial(ref schema.TypeRef, name string) any {
	atom, _ := c.schema.Resolve(ref)
	if atom.Map == nil {
		c.failed = true
		return nil
	}
	f, _ := atom.Map.FindField(name)
	return f.Default
}

func serialize(e fieldpath.PathElement) (string, bool) {
	s, err := fieldpath.SerializePathElement(e)
	return s, err == nil
}

// isPlain reports whether a string is the same in JSON, between quotes.
func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r)
	})
}
