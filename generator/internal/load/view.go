package load

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/spelling"
)

// comparison is of a view with its kind: whether each field of the view decodes
// what JSON has there of the kind.
type comparison struct {
	kind types.Object
	fset *token.FileSet

	seen    map[[2]types.Type]bool
	depth   int
	misfits []input.Misfit
	// unsure is set if a type on the way is invalid, so that nothing can be said.
	unsure bool
}

// place is a field of a view and that of the kind under its JSON name, or the two
// as wholes.
type place struct {
	// path has the JSON names; it is empty for the whole.
	path       string
	view, kind types.Object
}

// each is each element of the list or map at a place.
func (p place) each() place {
	p.path += "[*]"
	return p
}

// of compares the view that obj declares. Of what is no struct, or not there, there
// are other things to say.
func (c *comparison) of(obj types.Object) []input.Misfit {
	if obj == nil || c.kind == nil {
		return nil
	}
	c.seen = map[[2]types.Type]bool{}
	view, isView := structOf(obj.Type())
	kind, isKind := structOf(c.kind.Type())
	switch {
	case !isValid(obj.Type()) || !isValid(c.kind.Type()):
		c.unsure = true
	case !isView || !isKind:
	case decodesItself(obj.Type()):
		c.add(obj, "it has a method that decodes it, but views are decoded by their fields; remove the method")
	case decodesItself(c.kind.Type()):
		c.add(obj, "%s (%s) has a method that decodes it, so that it may have other fields in JSON than in Go; use an informer of the whole kind", c.kind.Name(), c.shownPlace(c.kind))
	default:
		c.compareFields(place{"", obj, c.kind}, view, kind)
	}
	return c.misfits
}

// compare compares two types at a place. Pointers may differ, for a pointer
// decodes what its element does.
func (c *comparison) compare(at place, view, kind types.Type) {
	c.depth++
	defer func() { c.depth-- }()
	view, kind = withoutPointers(view), withoutPointers(kind)
	_, isNamed := view.(*types.Named)
	if _, isBasic := view.Underlying().(*types.Basic); isNamed && !isBasic {
		// It may contain itself, and what is wrong with it is said once.
		pair := [2]types.Type{view, kind}
		if c.seen[pair] {
			return
		}
		c.seen[pair] = true
	}
	switch {
	case c.depth > maxDepth || !isValid(view) || !isValid(kind):
		c.unsure = true
	case isNamed && types.Identical(view, kind):
	case decodesItself(view) || decodesItself(kind):
		c.refuse(at, view, kind)
	default:
		c.compareUnderlying(at, view, kind)
	}
}

// maxDepth is how deep fields are compared. A generic type that instantiates itself
// with others without end, which does not compile, is deeper.
const maxDepth = 100

func (c *comparison) compareUnderlying(at place, view, kind types.Type) {
	switch v := view.Underlying().(type) {
	case *types.Struct:
		if k, ok := kind.Underlying().(*types.Struct); ok {
			c.compareFields(at, v, k)
			return
		}
	case *types.Slice:
		if k, ok := kind.Underlying().(*types.Slice); ok {
			c.compare(at.each(), v.Elem(), k.Elem())
			return
		}
	case *types.Array:
		if k, ok := kind.Underlying().(*types.Array); ok && v.Len() == k.Len() {
			c.compare(at.each(), v.Elem(), k.Elem())
			return
		}
	case *types.Map:
		if k, ok := kind.Underlying().(*types.Map); ok {
			c.compare(place{"the key of " + at.path, at.view, at.kind}, v.Key(), k.Key())
			c.compare(at.each(), v.Elem(), k.Elem())
			return
		}
	default:
		if types.Identical(v, kind.Underlying()) { // of string, and of named ones
			return
		}
	}
	c.refuse(at, view, kind)
}

// compareFields looks for each field of the view among those of the kind.
func (c *comparison) compareFields(at place, view, kind *types.Struct) {
	ofView, ofKind := jsonFields(view), jsonFields(kind)
	if at.path == "" && !c.checkMeta(view, ofView) {
		return
	}
	c.unsure = c.unsure || ofView.unsure || !metaOf(view).sure || !metaOf(kind).sure
	byName := map[string]jsonField{}
	var names []string
	for _, f := range ofKind.all {
		byName[f.name] = f
		names = append(names, f.name)
	}
	for _, f := range ofView.all {
		if at.path == "" && f.isMeta() {
			continue // which all kinds have
		}
		inner := place{join(at.path, f.name), f.field, nil}
		switch found, ok := byName[f.name]; {
		case ok && found.quoted != f.quoted:
			c.add(f.field, "%s is different JSON here and in %s (%s), because only one of their tags has the option \",string\"; write the same tag", inner.path, c.kind.Name(), c.shownPlace(found.field))
		case ok:
			inner.kind = found.field
			c.compare(inner, f.field.Type(), found.field.Type())
		case ofKind.unsure:
			c.unsure = true
		case at.path == "":
			c.add(f.field, "%s (%s) has no field with the JSON name %q%s", c.kind.Name(), c.shownPlace(c.kind), f.name, spelling.DidYouMean(f.name, names))
		default:
			c.add(f.field, "%s of %s (%s) has no field with the JSON name %q%s", at.path, c.kind.Name(), c.shownPlace(at.kind), f.name, spelling.DidYouMean(f.name, names))
		}
	}
}

// checkMeta refuses a view whose metadata is not where JSON has it.
func (c *comparison) checkMeta(view *types.Struct, fields jsonFieldSet) bool {
	for _, f := range fields.all {
		if f.name == "metadata" {
			return true
		}
	}
	for field := range view.Fields() {
		if field.Embedded() && metaName(field.Type()) == "ObjectMeta" {
			c.add(field, "metav1.ObjectMeta does not have the JSON name metadata; write: metav1.ObjectMeta `json:\"metadata,omitempty\"`")
			return false
		}
	}
	return true
}

// isMeta says whether a field is one that every object has.
func (f jsonField) isMeta() bool {
	return f.name == "metadata" && metaName(f.field.Type()) == "ObjectMeta" ||
		slices.ContainsFunc(f.through, func(embedded *types.Var) bool { return metaName(embedded.Type()) == "TypeMeta" })
}

// refuse notes that the types at a place do not decode the same JSON.
func (c *comparison) refuse(at place, view, kind types.Type) {
	c.add(at.view, "%s is %s here, but %s in %s (%s); write %s here too", at.path, described(view), described(kind), c.kind.Name(), c.shownPlace(at.kind), shownType(kind))
}

// described is a type, and what of it one does not see.
func described(t types.Type) string {
	_, isStruct := t.(*types.Struct)
	switch {
	case isStruct:
		return "a struct"
	case decodesItself(t):
		return shownType(t) + ", which decodes itself,"
	}
	return shownType(t)
}

func (c *comparison) add(field types.Object, format string, args ...any) {
	c.misfits = append(c.misfits, input.Misfit{Pos: c.fset.Position(field.Pos()), Problem: fmt.Sprintf(format, args...)})
}

func (c *comparison) shownPlace(of types.Object) string { return c.fset.Position(of.Pos()).String() }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func withoutPointers(t types.Type) types.Type {
	for range maxUnwrapped {
		pointer, ok := types.Unalias(t).(*types.Pointer)
		if !ok {
			break
		}
		t = pointer.Elem()
	}
	return types.Unalias(t)
}
