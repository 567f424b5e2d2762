package deepcopy

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// copying finds out how the values of one type are copied.
type copying struct {
	*decision
	// root is the type whose method it is.
	root *types.TypeName
	// pos is the field of root that is being copied, or root.
	pos types.Object
	// path has the names of the fields from root to the value.
	path []string
	// open are the types around the value whose copies are part of the method.
	open []types.Type
}

// of returns how a value of a type is copied.
func (c *copying) of(t types.Type) *model.Copy {
	t = types.Unalias(t)
	if c.isValue(t) {
		return nil
	}
	named, ok := t.(*types.Named)
	if !ok {
		return c.underlying(t)
	}
	if types.IsInterface(named) {
		return c.ofInterface(named)
	}
	if call := c.call(named); call != nil {
		return call
	}
	switch {
	case slices.ContainsFunc(c.open, func(outer types.Type) bool { return types.Identical(outer, t) }):
		return c.refuse("is of type %s, which refers to itself and has no method DeepCopyInto", "write it", c.name(t))
	case c.isOwn(named.Obj().Pkg()) && canHaveMethods(named.Obj()) && named.Obj().Exported():
		return c.refuse("is of type %s, whose deep copy a marker turns off", "remove the marker, write the methods of that type", c.name(t))
	}
	c.open = append(c.open, t)
	copied := c.underlying(t)
	c.open = c.open[:len(c.open)-1]
	return copied
}

// call returns the call of a method of the type, or nil if it has none. A method that the user has written
// is preferred to one that a generator has made of it.
func (c *copying) call(named *types.Named) *model.Copy {
	found, isPlanned := c.methodsOf(named.Obj()), c.planned[named.Obj()] != nil
	byCopy := &model.Copy{Op: model.CopyByCall, Method: "DeepCopy"}
	switch {
	case isReference(named) && (isPlanned || found.copy.found):
		return byCopy // the DeepCopyInto of other generators does not keep nil
	case isReference(named) && found.into.found:
		return &model.Copy{Op: model.CopyInto, Guarded: true}
	case found.copy.found && !found.copy.onPointer && (!found.copy.generated || !found.into.found):
		return byCopy
	case isPlanned, found.into.found:
		return &model.Copy{Op: model.CopyInto}
	case found.copy.found:
		return &model.Copy{Op: model.CopyByPointer}
	}
	return nil
}

// underlying returns how a value is copied without methods of its type.
func (c *copying) underlying(t types.Type) *model.Copy {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return &model.Copy{Op: model.CopySlice, Elem: c.element(u.Elem())}
	case *types.Array:
		if elem := c.element(u.Elem()); elem != nil {
			return &model.Copy{Op: model.CopyArray, Elem: elem}
		}
	case *types.Map:
		if !c.isValue(u.Key()) {
			return c.refuse("is a map with keys of type %s, which are other keys once they are copied",
				"use keys that refer to no memory", c.name(u.Key()))
		}
		copied := &model.Copy{Op: model.CopyMap, Elem: c.element(u.Elem())}
		if written, ok := goType(t, c.root.Pkg()); ok {
			copied.Type = written
		}
		return copied
	case *types.Pointer:
		if _, ok := t.(*types.Named); ok {
			return &model.Copy{Op: model.CopyPointer, Elem: c.of(u.Elem()), Indirect: true}
		}
		return c.ofPointer(u.Elem())
	case *types.Struct:
		return c.ofStruct(u)
	case *types.Interface:
		return c.refuse("is an interface without a method that copies its value",
			"use runtime.RawExtension or apiextensionsv1.JSON for any JSON, an interface Foo with the method DeepCopyFoo() Foo")
	case *types.Signature:
		return c.refuse("is a func, which cannot be copied", "remove it")
	case *types.Chan:
		return c.refuse("is a channel, which cannot be copied", "remove it")
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			return c.refuse("is an unsafe.Pointer, which cannot be copied", "remove it")
		}
	}
	return nil
}

// ofPointer returns how a pointer is copied.
func (c *copying) ofPointer(to types.Type) *model.Copy {
	if named, ok := types.Unalias(to).(*types.Named); ok && !types.IsInterface(to) {
		found, p := c.methodsOf(named.Obj()), c.planned[named.Obj()]
		if p != nil && !isReference(named) && !found.copy.found || found.copy.onPointer {
			// Generated methods accept nil.
			return &model.Copy{Op: model.CopyByCall, Method: "DeepCopy", Guarded: found.copy.found && !found.copy.generated, Indirect: true}
		}
	}
	return &model.Copy{Op: model.CopyPointer, Elem: c.of(to)}
}

// ofStruct returns how the fields of a struct are copied, or nil if none needs a copy.
func (c *copying) ofStruct(structType *types.Struct) *model.Copy {
	copied := &model.Copy{Op: model.CopyFields}
	isRoot := c.pos == c.root || len(c.path) == 0
	for field := range structType.Fields() {
		if field.Name() == "_" || c.isValue(field.Type()) {
			continue
		}
		if isRoot && field.Pkg() == c.root.Pkg() {
			c.pos = field
		}
		c.path = append(c.path, field.Name())
		if !field.Exported() && field.Pkg() != c.root.Pkg() {
			c.refuse("is not exported, and package %s has no method that copies it", "use another type", field.Pkg().Path())
		} else if elem := c.of(field.Type()); elem != nil {
			copied.Fields = append(copied.Fields, model.CopiedField{Name: field.Name(), Copy: elem})
		}
		c.path = c.path[:len(c.path)-1]
	}
	if len(copied.Fields) == 0 {
		return nil
	}
	return copied
}

// ofInterface returns how a value of an interface with a name is copied.
func (c *copying) ofInterface(named *types.Named) *model.Copy {
	name := "DeepCopy" + named.Obj().Name()
	methods := named.Underlying().(*types.Interface)
	for m := range methods.Methods() {
		if m.Name() == name {
			return &model.Copy{Op: model.CopyByCall, Method: name, Guarded: true, Indirect: true}
		}
	}
	if named.Obj().Pkg() == nil || !c.isOwn(named.Obj().Pkg()) {
		return c.refuse("is of the interface %s, which has no method that copies its value", "use another type", c.name(named))
	}
	return c.refuse("is of the interface %s, which has no method %s() %s", "add the method to the interface", c.name(named), name,
		named.Obj().Name())
}

// element returns how the elements of a slice, an array or a map are copied.
func (c *copying) element(t types.Type) *model.Copy {
	c.path = append(c.path, "[*]")
	defer func() { c.path = c.path[:len(c.path)-1] }()
	return c.of(t)
}

// name returns a type as messages name it.
func (c *copying) name(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(c.root.Pkg()))
}

// refuse adds the reason why the value cannot be copied.
func (c *copying) refuse(problem, fix string, args ...any) *model.Copy {
	what := "type " + c.root.Name()
	if len(c.path) > 0 {
		what = "field " + strings.ReplaceAll(strings.Join(c.path, "."), ".[", "[") + " of " + c.root.Name()
	}
	problem = fmt.Sprintf(problem, args...)
	c.errs.Add(c.Types.Position(c.pos), "%s %s; %s, or write the method DeepCopyInto of %s", what, problem, fix, c.root.Name())
	return nil
}

// immutable are types of the standard library that refer to memory that does not change.
var immutable = map[model.TypeRef]bool{
	{Path: "time", Name: "Location"}: true,
	{Path: "unique", Name: "Handle"}: true,
}

// isValue reports whether an assignment is a deep copy of a value.
func (d *decision) isValue(t types.Type) bool {
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		if pkg := named.Obj().Pkg(); pkg != nil && immutable[model.TypeRef{Path: pkg.Path(), Name: named.Obj().Name()}] {
			return true
		}
		if d.methodsOf(named.Obj()).byHand() {
			return false
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Array:
		return d.isValue(u.Elem())
	case *types.Struct:
		for field := range u.Fields() {
			if !d.isValue(field.Type()) {
				return false
			}
		}
		return true
	case *types.Pointer:
		to, ok := types.Unalias(u.Elem()).(*types.Named)
		return ok && to.Obj().Pkg() != nil && immutable[model.TypeRef{Path: to.Obj().Pkg().Path(), Name: to.Obj().Name()}]
	}
	return false
}

// canHaveMethods reports whether a type gets methods. A number or a string is copied by assignment, and of
// a generic type only the instances are known.
func canHaveMethods(declared *types.TypeName) bool {
	named, ok := declared.Type().(*types.Named)
	if !ok || named.TypeParams().Len() > 0 {
		return false
	}
	switch named.Underlying().(type) {
	case *types.Array, *types.Map, *types.Slice, *types.Struct:
		return true
	}
	return false
}

// sort names the sort of a type that gets no methods, for messages.
func sort(t types.Type) string {
	if named, ok := t.(*types.Named); ok && named.TypeParams().Len() > 0 {
		return "generic"
	}
	switch t.Underlying().(type) {
	case *types.Pointer:
		return "a pointer"
	case *types.Interface:
		return "an interface"
	case *types.Signature:
		return "a func"
	case *types.Chan:
		return "a channel"
	}
	return "no struct, map, slice or array"
}

// goType returns a type as code of a package writes it. ok is false if the code cannot name it.
func goType(t types.Type, in *types.Package) (written model.GoType, ok bool) {
	of := func(prefix string, elem types.Type) (model.GoType, bool) {
		written, ok := goType(elem, in)
		return written.Prefixed(prefix), ok
	}
	switch t := t.(type) {
	case *types.Basic:
		return model.GoType{{Text: t.Name()}}, true
	case *types.Pointer:
		return of("*", t.Elem())
	case *types.Slice:
		return of("[]", t.Elem())
	case *types.Array:
		return of(fmt.Sprintf("[%d]", t.Len()), t.Elem())
	case *types.Map:
		key, ok := of("map[", t.Key())
		elem, elemOK := of("]", t.Elem())
		return append(key, elem...), ok && elemOK
	case interface {
		Obj() *types.TypeName
		TypeArgs() *types.TypeList
	}: // a type with a name, or an alias
		ref := model.TypeRef{Name: t.Obj().Name()}
		if pkg := t.Obj().Pkg(); pkg != nil {
			ref.Path = pkg.Path()
		}
		if ref.Path != in.Path() && ref.Path != "" && !token.IsExported(ref.Name) {
			return nil, false
		}
		written = model.GoType{{Ref: ref}}
		for i := range t.TypeArgs().Len() {
			arg, ok := of(map[bool]string{true: "[", false: ", "}[i == 0], t.TypeArgs().At(i))
			if !ok {
				return nil, false
			}
			written = append(written, arg...)
		}
		if t.TypeArgs().Len() > 0 {
			written = append(written, model.GoTypePart{Text: "]"})
		}
		return written, true
	}
	return nil, false
}
