package typecheck

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/input"
)

// comparison compares a view with its kind: each field of the view must be able to decode the JSON of
// the kind.
type comparison struct {
	kind types.Object
	fset *token.FileSet

	seen    map[[2]types.Type]bool
	depth   int
	misfits []input.Misfit
	// unsure is set if a needed type is not known.
	unsure bool
}

// pair is a field of a view and the field of the kind with the same JSON path, or the view and the kind
// themselves.
type pair struct {
	// path has the JSON names. It is empty for the view and the kind themselves.
	path       string
	view, kind types.Object
}

// each returns the elements of a list or map.
func (p pair) each() pair {
	p.path += "[*]"
	return p
}

// of compares the view that obj declares. Other checks refuse types that are missing or no structs.
func (c *comparison) of(obj types.Object) []input.Misfit {
	if obj == nil || c.kind == nil {
		return nil
	}
	c.seen = map[[2]types.Type]bool{}
	view, isView := gotype.StructOf(obj.Type())
	kind, isKind := gotype.StructOf(c.kind.Type())
	switch {
	case !gotype.IsValid(obj.Type()) || !gotype.IsValid(c.kind.Type()):
		c.unsure = true
	case !isView || !isKind:
	case gotype.DecodesItself(obj.Type()):
		c.add(obj, "it has a method for decoding, such as UnmarshalJSON, but views are decoded by their fields; remove the method")
	case gotype.DecodesItself(c.kind.Type()):
		c.add(obj, "%s has a method for decoding, so its JSON may differ from its Go fields; use an informer of the whole kind",
			c.inKind(c.kind))
	default:
		c.compareFields(pair{"", obj, c.kind}, view, kind)
	}
	return c.misfits
}

// maxFieldDepth is how deep fields are compared. A generic type that contains other instances of itself
// without end, which does not compile, is deeper.
const maxFieldDepth = 100

// compare compares the types of a pair. Pointers may differ, because a pointer decodes the same JSON as
// its element.
func (c *comparison) compare(at pair, view, kind types.Type) {
	c.depth++
	defer func() { c.depth-- }()
	view, kind = withoutPointers(view), withoutPointers(kind)
	_, isNamed := view.(*types.Named)
	if _, isBasic := view.Underlying().(*types.Basic); isNamed && !isBasic {
		// The type may contain itself, and each misfit in it is reported once.
		both := [2]types.Type{view, kind}
		if c.seen[both] {
			return
		}
		c.seen[both] = true
	}
	switch {
	case c.depth > maxFieldDepth || !gotype.IsValid(view) || !gotype.IsValid(kind):
		c.unsure = true
	case isNamed && types.Identical(view, kind):
	case gotype.DecodesItself(view) || gotype.DecodesItself(kind) || !c.compareUnderlying(at, view, kind):
		c.add(at.view, "%s is %s here, but %s in %s; write %s here too", at.path, described(view), described(kind), c.inKind(at.kind),
			gotype.TypeName(kind))
	}
}

// compareUnderlying compares the parts of two types. It returns false if the types are of different
// sorts.
func (c *comparison) compareUnderlying(at pair, view, kind types.Type) bool {
	switch v := view.Underlying().(type) {
	case *types.Struct:
		k, ok := gotype.StructOf(kind)
		if ok {
			c.compareFields(at, v, k)
		}
		return ok
	case *types.Slice:
		k, ok := kind.Underlying().(*types.Slice)
		if ok {
			c.compare(at.each(), v.Elem(), k.Elem())
		}
		return ok
	case *types.Array:
		k, ok := kind.Underlying().(*types.Array)
		if ok = ok && v.Len() == k.Len(); ok {
			c.compare(at.each(), v.Elem(), k.Elem())
		}
		return ok
	case *types.Map:
		k, ok := kind.Underlying().(*types.Map)
		if ok {
			c.compare(pair{"the key of " + at.path, at.view, at.kind}, v.Key(), k.Key())
			c.compare(at.each(), v.Elem(), k.Elem())
		}
		return ok
	default:
		return types.Identical(v, kind.Underlying())
	}
}

// compareFields compares each field of the view with the field of the kind that has the same JSON name.
func (c *comparison) compareFields(at pair, view, kind *types.Struct) {
	ofView, viewSure := gotype.JSONFields(view)
	ofKind, kindSure := gotype.JSONFields(kind)
	c.unsure = c.unsure || !viewSure || !gotype.IsComplete(view) || !gotype.IsComplete(kind)
	byName := map[string]gotype.JSONField{}
	for _, f := range ofKind {
		byName[f.Name] = f
	}
	for i := range view.NumFields() {
		if field := view.Field(i); !field.Exported() && !field.Embedded() && gotype.JSONTagOf(view, i).Name != "" {
			c.add(field, "field %s has a JSON name but is not exported, so the view never has its value; "+
				"begin its name with a capital letter, or remove it", field.Name())
		}
	}
	for _, f := range ofView {
		path, of := f.Name, c.inKind(at.kind)
		if at.path != "" {
			path, of = at.path+"."+f.Name, at.path+" of "+of
		} else if f.IsMeta() {
			continue
		}
		switch found, ok := byName[f.Name]; {
		case ok && found.Quoted != f.Quoted:
			c.add(f.Field, "%s has another JSON encoding than in %s, because only one of the two tags has the option \",string\"; "+
				"write the same tag", path, c.inKind(found.Field))
		case ok:
			c.compare(pair{path, f.Field, found.Field}, f.Field.Type(), found.Field.Type())
		case !kindSure:
			c.unsure = true
		default:
			c.add(f.Field, "%s", lacking(of, kind, f.Name))
		}
	}
}

// described returns a type for a message.
func described(t types.Type) string {
	_, isStruct := t.(*types.Struct)
	switch {
	case isStruct:
		return "a struct"
	case gotype.DecodesItself(t):
		return gotype.TypeName(t) + ", which has a method for decoding,"
	}
	return gotype.TypeName(t)
}

func (c *comparison) add(field types.Object, format string, args ...any) {
	c.misfits = append(c.misfits, input.Misfit{Pos: c.fset.Position(field.Pos()), Problem: fmt.Sprintf(format, args...)})
}

// inKind returns the kind with the position of one of its fields.
func (c *comparison) inKind(field types.Object) string {
	return fmt.Sprintf("%s (%s)", c.kind.Name(), c.fset.Position(field.Pos()))
}

func withoutPointers(t types.Type) types.Type {
	for range maxUnwrapped {
		t = gotype.PointedTo(t)
	}
	return types.Unalias(t)
}
