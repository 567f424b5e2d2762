package typecheck

import (
	"go/types"
	"slices"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// addRecursion adds the types of the package that contain themselves. The other errors of the type checker may be
// about declarations that were not kept.
func (p *part) addRecursion(errs *model.Errors) {
	for _, err := range p.typeErrors {
		if text, ok := strings.CutPrefix(err.Msg, "invalid recursive type"); ok {
			name, _, _ := strings.Cut(strings.TrimLeft(text, ": "), "\n")
			name, _, _ = strings.Cut(name, " ")
			errs.Add(err.Fset.Position(err.Pos), "type %s contains itself without end; make a field on the way a pointer, "+
				"a slice or a map", name)
		}
	}
}

// addGrowth adds the generic types of a package that refer to larger and larger instances of themselves, which Go does not
// compile. The type checker reports them only if it finds no other error.
func (c *closure) addGrowth(pkg *types.Package, errs *model.Errors) {
	for _, name := range pkg.Scope().Names() {
		declared, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if named, ok := declared.Type().(*types.Named); ok && named.TypeParams().Len() > 0 && grows(named, nil) {
			errs.Add(c.fset.Position(declared.Pos()), "type %s refers to other instances of itself without end; "+
				"use its own type parameters as their arguments", name)
		}
	}
}

// grows reports whether a type refers to more than maxInstances of a generic type. outer are the instances that refer to t.
func grows(t types.Type, outer []*types.Named) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if !dependsOnParameter(t, len(outer) == 0) {
			return false
		}
		instances := 0
		for _, other := range outer {
			if types.Identical(other, t) {
				return false
			}
			if other.Origin() == t.Origin() {
				instances++
			}
		}
		return instances > maxInstances || grows(t.Underlying(), append(slices.Clip(outer), t))
	case *types.Struct:
		for field := range t.Fields() {
			if grows(field.Type(), outer) {
				return true
			}
		}
	case *types.Map:
		return grows(t.Key(), outer) || grows(t.Elem(), outer)
	case interface{ Elem() types.Type }: // a pointer, a slice, an array, a channel
		return grows(t.Elem(), outer)
	}
	return false
}

// dependsOnParameter reports whether an argument of a generic type contains a type parameter, or whether isDeclared is
// set for the generic type itself.
func dependsOnParameter(t types.Type, isDeclared bool) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if dependsOnParameter(arg, false) {
				return true
			}
		}
		return isDeclared
	case *types.Struct:
		for field := range t.Fields() {
			if dependsOnParameter(field.Type(), false) {
				return true
			}
		}
	case *types.Map:
		return dependsOnParameter(t.Key(), false) || dependsOnParameter(t.Elem(), false)
	case interface{ Elem() types.Type }:
		return dependsOnParameter(t.Elem(), false)
	}
	return false
}
