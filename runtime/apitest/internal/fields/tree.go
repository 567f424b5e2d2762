package fields

import (
	"maps"
	"reflect"
)

// A tree is a set of fields as fieldsV1 encodes it. Its keys are path elements, such as f:spec. The
// value of a key is the tree below that field. A field is in the set if its tree is empty or has
// the key ".". Trees do not change once they are made, and share parts.
type tree = map[string]any

const self = "."

// leaf is the tree of a field that is in the set, without fields below it.
var leaf = tree{}

// has reports whether the field with the tree t is in the set.
func has(t tree) bool {
	if len(t) == 0 {
		return true
	}
	_, ok := t[self]
	return ok
}

// child returns the tree of a field in t.
func child(t tree, key string) (tree, bool) {
	c, ok := t[key].(tree)
	return c, ok
}

// same reports whether a and b are one map.
func same(a, b tree) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

// subtract returns the set t without the fields in removed. The fields above and below a removed
// field stay. It returns t itself if t has none of them.
func subtract(t, removed tree) tree {
	out := t
	for key := range removed {
		r, ok := child(removed, key)
		if !ok || key == self {
			continue
		}
		c, ok := child(t, key)
		if !ok {
			continue
		}
		rest, left := subtractField(c, r)
		if left && same(rest, c) {
			continue
		}
		if same(out, t) {
			out = maps.Clone(t)
		}
		if left {
			out[key] = rest
		} else {
			delete(out, key)
		}
	}
	return out
}

// subtractField subtracts removed, the tree of a field, from t, the tree of the same field. It
// reports whether anything is left.
func subtractField(t, removed tree) (rest tree, left bool) {
	if len(t) == 0 {
		return t, !has(removed)
	}
	rest = subtract(t, removed)
	if _, ok := rest[self]; !ok {
		return rest, len(rest) > 0
	}
	if !has(removed) {
		if len(rest) == 1 {
			rest = leaf
		}
		return rest, true
	}
	if same(rest, t) {
		rest = maps.Clone(t)
	}
	delete(rest, self)
	return rest, len(rest) > 0
}

// union returns the fields that are in a, in b, or in both. It returns a itself if that has all.
func union(a, b tree) tree {
	out := a
	for key := range b {
		bc, ok := child(b, key)
		if !ok || key == self {
			continue
		}
		merged := bc
		if ac, ok := child(a, key); ok {
			if merged = unionField(ac, bc); same(merged, ac) {
				continue
			}
		}
		if same(out, a) {
			out = make(tree, len(a)+1)
			maps.Copy(out, a)
		}
		out[key] = merged
	}
	return out
}

// unionField returns the union of two trees of one field.
func unionField(a, b tree) tree {
	if len(b) == 0 && has(a) {
		return a
	}
	merged := union(a, b)
	if _, ok := merged[self]; !ok && (has(a) || has(b)) {
		if same(merged, a) {
			merged = maps.Clone(a)
		}
		merged[self] = leaf
	}
	return merged
}
