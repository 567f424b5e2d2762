package compare

import (
	"go/types"
	"strings"
)

// Move is the import paths of a folder of theirs, and of the folder of ours that stands for it.
type Move struct{ Theirs, Ours string }

// mapping says which package of ours stands for one of theirs. The first one is that of the trees.
type mapping []Move

// path is where a package of theirs is to be found in ours. A package that is not
// of their output is itself.
func (m mapping) path(theirs string) string {
	for _, move := range m {
		if rest, ok := strings.CutPrefix(theirs, move.Theirs); ok && (rest == "" || rest[0] == '/') {
			return move.Ours + rest
		}
	}
	return theirs
}

func (m mapping) samePackage(theirs, ours *types.Package) bool {
	if theirs == nil || ours == nil {
		return theirs == ours
	}
	return m.path(theirs.Path()) == ours.Path()
}

// identical is types.Identical across the mapping. Defined types are equal by
// their names, so it ends where they are recursive. Names of parameters do not
// count.
func (m mapping) identical(theirs, ours types.Type) bool {
	theirs = types.Unalias(theirs)
	if m.sameName(theirs, ours) {
		return true
	}
	ours = types.Unalias(ours)
	switch x := theirs.(type) {
	case *types.Basic:
		y, ok := ours.(*types.Basic)
		return ok && x.Kind() == y.Kind()
	case *types.Named:
		y, ok := ours.(*types.Named)
		return ok && m.samePackage(x.Obj().Pkg(), y.Obj().Pkg()) && x.Obj().Name() == y.Obj().Name() && m.sameArgs(x, y)
	case *types.Pointer:
		y, ok := ours.(*types.Pointer)
		return ok && m.identical(x.Elem(), y.Elem())
	case *types.Slice:
		y, ok := ours.(*types.Slice)
		return ok && m.identical(x.Elem(), y.Elem())
	case *types.Array:
		y, ok := ours.(*types.Array)
		return ok && x.Len() == y.Len() && m.identical(x.Elem(), y.Elem())
	case *types.Map:
		y, ok := ours.(*types.Map)
		return ok && m.identical(x.Key(), y.Key()) && m.identical(x.Elem(), y.Elem())
	case *types.Chan:
		y, ok := ours.(*types.Chan)
		return ok && x.Dir() == y.Dir() && m.identical(x.Elem(), y.Elem())
	case *types.Signature:
		y, ok := ours.(*types.Signature)
		return ok && m.sameSignature(x, y)
	case *types.Tuple:
		y, ok := ours.(*types.Tuple)
		return ok && m.sameTuple(x, y)
	case *types.Struct:
		y, ok := ours.(*types.Struct)
		return ok && m.sameStruct(x, y)
	case *types.Interface:
		y, ok := ours.(*types.Interface)
		return ok && m.sameInterface(x, y)
	case *types.Union:
		y, ok := ours.(*types.Union)
		return ok && m.sameUnion(x, y)
	case *types.TypeParam:
		// Their constraints are compared where they are declared.
		y, ok := ours.(*types.TypeParam)
		return ok && x.Index() == y.Index()
	}
	return false
}

// sameName says whether ours has an alias where theirs has a defined type. What
// the alias stands for is compared where it is declared.
func (m mapping) sameName(theirs, ours types.Type) bool {
	x, ok := theirs.(*types.Named)
	y, isAlias := ours.(*types.Alias)
	return ok && isAlias && x.TypeArgs().Len() == 0 && y.TypeArgs().Len() == 0 &&
		m.samePackage(x.Obj().Pkg(), y.Obj().Pkg()) && x.Obj().Name() == y.Obj().Name()
}

func (m mapping) sameArgs(x, y *types.Named) bool {
	a, b := x.TypeArgs(), y.TypeArgs()
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !m.identical(a.At(i), b.At(i)) {
			return false
		}
	}
	return true
}

func (m mapping) sameParams(a, b *types.TypeParamList) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !m.identical(a.At(i).Constraint(), b.At(i).Constraint()) {
			return false
		}
	}
	return true
}

// sameSignature leaves out the receiver, as types.Identical does.
func (m mapping) sameSignature(x, y *types.Signature) bool {
	return x.Variadic() == y.Variadic() && m.sameParams(x.TypeParams(), y.TypeParams()) &&
		m.sameTuple(x.Params(), y.Params()) && m.sameTuple(x.Results(), y.Results())
}

func (m mapping) sameTuple(x, y *types.Tuple) bool {
	if x.Len() != y.Len() {
		return false
	}
	for i := range x.Len() {
		if !m.identical(x.At(i).Type(), y.At(i).Type()) {
			return false
		}
	}
	return true
}

func (m mapping) sameStruct(x, y *types.Struct) bool {
	if x.NumFields() != y.NumFields() {
		return false
	}
	for i := range x.NumFields() {
		if !m.sameField(x.Field(i), y.Field(i)) || x.Tag(i) != y.Tag(i) {
			return false
		}
	}
	return true
}

func (m mapping) sameField(x, y *types.Var) bool {
	return x.Name() == y.Name() && x.Embedded() == y.Embedded() && m.identical(x.Type(), y.Type()) &&
		(x.Exported() || m.samePackage(x.Pkg(), y.Pkg()))
}

func (m mapping) sameInterface(x, y *types.Interface) bool {
	if x.NumMethods() != y.NumMethods() || x.IsComparable() != y.IsComparable() || !m.sameTypeSet(x, y) {
		return false
	}
	for i := range x.NumMethods() {
		a, b := x.Method(i), y.Method(i) // sorted by name
		if a.Name() != b.Name() || !m.identical(a.Type(), b.Type()) || !a.Exported() && !m.samePackage(a.Pkg(), b.Pkg()) {
			return false
		}
	}
	return true
}

// sameTypeSet compares what constraints embed. Other interfaces have methods
// only, which are compared wherever they come from.
func (m mapping) sameTypeSet(x, y *types.Interface) bool {
	if x.IsMethodSet() || y.IsMethodSet() {
		return x.IsMethodSet() == y.IsMethodSet()
	}
	if x.NumEmbeddeds() != y.NumEmbeddeds() {
		return false
	}
	for i := range x.NumEmbeddeds() {
		if !m.identical(x.EmbeddedType(i), y.EmbeddedType(i)) {
			return false
		}
	}
	return true
}

func (m mapping) sameUnion(x, y *types.Union) bool {
	if x.Len() != y.Len() {
		return false
	}
	for i := range x.Len() {
		if x.Term(i).Tilde() != y.Term(i).Tilde() || !m.identical(x.Term(i).Type(), y.Term(i).Type()) {
			return false
		}
	}
	return true
}
