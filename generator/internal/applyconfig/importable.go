package applyconfig

import (
	"go/token"
	"go/types"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
)

// canName reports whether the apply configurations can use the name of a type.
func (a *assembly) canName(declared *types.TypeName) bool {
	return declared.Pkg() == nil || token.IsExported(declared.Name()) && canImport(a.Set.ApplyPackage, declared.Pkg().Path())
}

// canEmbed reports whether a struct without a name can embed the type of a field in the code of apply
// configurations: its name, or the predeclared one that it is defined by.
func (a *assembly) canEmbed(field *types.Var) bool {
	t := gotype.PointedTo(field.Type())
	if alias, ok := t.(*types.Alias); ok && a.canName(alias.Obj()) {
		return true
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && a.canName(named.Obj()) {
		return true
	}
	_, isBasic := t.Underlying().(*types.Basic)
	return isBasic
}

// canImport reports whether packages below from may import a package. Only those next to a folder internal may
// import the packages in it.
func canImport(from, importPath string) bool {
	elements := strings.Split(importPath, "/")
	for i := len(elements) - 1; i >= 0; i-- {
		if elements[i] == "internal" {
			parent := strings.Join(elements[:i], "/")
			return from == parent || strings.HasPrefix(from, parent+"/") || parent == ""
		}
	}
	return true
}
