package typecheck

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/typedinformers/informer-gen/generator/internal/gotype"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// checkAlone type-checks the package by itself. Its imports are empty, except for the names of
// TypeMeta, ObjectMeta and ListMeta, and their types are invalid. It reads no files. The result is
// complete for types that the package declares.
func checkAlone(src *syntax.Package) *types.Package {
	pkg, _ := checkTypes(src.Path, src.FileSet, src.Files, emptyImporter{}) // the errors are about the missing imports
	return pkg
}

// checkTypes type-checks the declarations of a package. It returns an empty package if a generic type
// embeds instances of itself without end, because go/types never finishes looking up the methods of
// such a type.
func checkTypes(path string, fset *token.FileSet, files []*ast.File, importer types.Importer) (pkg *types.Package, errs []types.Error) {
	config := types.Config{
		Importer:         importer,
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Error: func(err error) {
			var typeError types.Error
			if errors.As(err, &typeError) {
				errs = append(errs, typeError)
			}
		},
	}
	defer func() {
		if failure := recover(); failure != nil { // some generic types that do not compile make go/types panic
			pkg = newPackage(path, files[0].Name.Name)
			text := fmt.Sprintf("package %s makes the type checker of Go panic: %v", path, failure)
			errs = []types.Error{{Fset: fset, Pos: files[0].Package, Msg: text}}
		}
	}()
	pkg, _ = config.Check(path, fset, files, nil)
	for _, name := range pkg.Scope().Names() {
		declared := pkg.Scope().Lookup(name)
		if _, isType := declared.(*types.TypeName); isType && embedsWithoutEnd(declared.Type(), nil, map[types.Type]bool{}) {
			text := "type " + name + " embeds other instances of itself without end"
			return newPackage(path, pkg.Name()), []types.Error{{Fset: fset, Pos: declared.Pos(), Msg: text}}
		}
	}
	return pkg, errs
}

// newPackage returns a complete package without declarations.
func newPackage(path, name string) *types.Package {
	pkg := types.NewPackage(path, name)
	pkg.MarkComplete()
	return pkg
}

// maxInstances is how many instances of one generic type may embed each other. The length of their
// names may double each time.
const maxInstances = 8

// embedsWithoutEnd reports whether a type embeds more than maxInstances of a generic type. outer are
// the types that embed t.
func embedsWithoutEnd(t types.Type, outer []*types.Named, seen map[types.Type]bool) bool {
	t = types.Unalias(gotype.PointedTo(t))
	structType, ok := gotype.StructOf(t)
	if !ok || seen[t] {
		return false
	}
	seen[t] = true
	if named, ok := t.(*types.Named); ok {
		instances := 0
		for _, other := range outer {
			if other.Origin() == named.Origin() {
				instances++
			}
		}
		if instances > maxInstances {
			return true
		}
		outer = append(outer, named)
	}
	for field := range structType.Fields() {
		if field.Embedded() && embedsWithoutEnd(field.Type(), outer, seen) {
			return true
		}
	}
	return false
}

// emptyImporter returns packages without declarations, except for the metadata in meta/v1.
type emptyImporter struct{}

func (emptyImporter) Import(importPath string) (*types.Package, error) {
	pkg := newPackage(importPath, syntax.ConventionalName(importPath))
	if importPath == gotype.MetaV1 {
		declare := func(name string, fields ...*types.Var) {
			declared := types.NewTypeName(token.NoPos, pkg, name, nil)
			types.NewNamed(declared, types.NewStruct(fields, nil), nil)
			pkg.Scope().Insert(declared)
		}
		declare("TypeMeta")
		// An invalid embedded type, so that the fields of the struct count as unknown.
		unknown := types.NewField(token.NoPos, pkg, "Fields", types.Typ[types.Invalid], true)
		declare("ObjectMeta", unknown)
		declare("ListMeta", unknown)
	}
	return pkg, nil
}
