package gotype

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// MethodsOf returns a function that reports whether a pointer to t has an exported method, its own or
// a promoted one. Only names are compared, because the signatures of a dependency's methods may not be
// loaded. A wrong signature is an error when the generated code is compiled.
func MethodsOf(t types.Type) (has func(name string) bool) {
	methods := types.NewMethodSet(types.NewPointer(t))
	return func(name string) bool { return methods.Lookup(nil, name) != nil }
}

// EncodesItself reports whether t has a method for its JSON, so that its fields do not show it.
func EncodesItself(t types.Type) bool {
	return slices.ContainsFunc([]string{"MarshalJSON", "MarshalJSONTo", "MarshalText"}, MethodsOf(t))
}

// DecodesItself reports whether t has a method that decodes its JSON.
func DecodesItself(t types.Type) bool {
	return slices.ContainsFunc([]string{"UnmarshalJSON", "UnmarshalJSONFrom", "UnmarshalText"}, MethodsOf(t))
}

// IsValid reports whether a type is known. A type that is defined by an unknown type is unknown too.
func IsValid(t types.Type) bool { return t.Underlying() != types.Typ[types.Invalid] }

// StructOf returns the struct that t is or is defined by.
func StructOf(t types.Type) (*types.Struct, bool) {
	structType, ok := t.Underlying().(*types.Struct)
	return structType, ok
}

// PointedTo returns the element of a pointer, and other types as they are.
func PointedTo(t types.Type) types.Type {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}

// NameOf returns the name of a type that other packages can use, or zero.
func NameOf(t types.Type) model.TypeRef {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.TypeArgs().Len() > 0 || named.Obj().Pkg() == nil || !token.IsExported(named.Obj().Name()) {
		return model.TypeRef{}
	}
	return model.TypeRef{Path: named.Obj().Pkg().Path(), Name: named.Obj().Name()}
}

// TypeName returns a type as code of another package writes it. An empty interface is any: whether go/types knows that
// the source calls it so depends on the version of Go.
func TypeName(t types.Type) string {
	if empty, ok := t.(*types.Interface); ok && empty.Empty() {
		return "any"
	}
	return types.TypeString(t, func(pkg *types.Package) string { return pkg.Name() })
}
