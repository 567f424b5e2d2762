package load

import (
	"context"
	"go/ast"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// hasOldTypeConverter reports whether the package has a function NewTypeConverter of an
// applyconfiguration-gen before v0.34. It returns a type that client-go has removed.
func (src *source) hasOldTypeConverter() bool {
	for _, file := range src.files {
		for _, decl := range file.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if !ok || function.Recv != nil || function.Name.Name != "NewTypeConverter" || function.Type.Results.NumFields() != 1 {
				continue
			}
			pointer, isPointer := function.Type.Results.List[0].Type.(*ast.StarExpr)
			if !isPointer {
				return false
			}
			selector, isSelector := pointer.X.(*ast.SelectorExpr)
			return isSelector && selector.Sel.Name == "TypeConverter"
		}
	}
	return false
}

// Externals reads the packages with those import paths, which are not among the packages of
// result, into result.Externals.
func Externals(ctx context.Context, options Options, importPaths []string, result *Result) error {
	if len(importPaths) == 0 {
		return nil
	}
	result.Externals = make(map[string]*input.External, len(importPaths))
	var problems model.Errors
	sources, err := list(ctx, options, importPaths, &problems, result)
	if err != nil {
		return err
	}
	for _, src := range sources {
		external := &input.External{Path: src.path}
		if src.addParseErrors(&problems) {
			external.Problem = "it does not parse"
		} else {
			external.Package, _ = src.describe(false)
			external.Declared = external.Package.Declared
			external.OldTypeConverter = src.hasOldTypeConverter()
		}
		result.Externals[src.path] = external
	}
	for _, importPath := range importPaths {
		if result.Externals[importPath] == nil {
			result.Externals[importPath] = &input.External{Path: importPath, Problem: "the go command does not find it; correct the path, or add the package with go get " + importPath}
		}
	}
	return nil
}
