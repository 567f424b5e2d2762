package load

import (
	"context"
	"go/ast"
	"maps"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// hasOldTypeConverter reports whether the package has a function NewTypeConverter of an
// applyconfiguration-gen before v0.34, which returns a type that client-go has no longer.
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

// addExternals reads the names of the packages that markers and options name,
// but for those that are read already.
func addExternals(ctx context.Context, options Options, result *Result) error {
	wanted := map[string]bool{}
	for _, importPath := range model.ApplyPaths(options.ApplyPackage, result.Packages) {
		wanted[importPath] = true
	}
	for _, pkg := range result.Packages {
		for _, t := range pkg.Types {
			for _, m := range t.Markers {
				for _, importPath := range model.ExternalPaths(m) {
					wanted[importPath] = true
				}
			}
		}
	}
	for _, pkg := range result.Packages {
		delete(wanted, pkg.Path)
	}
	if len(wanted) == 0 {
		return nil
	}
	result.Externals = make(map[string]*model.External, len(wanted))
	var problems model.Errors
	sources, err := list(ctx, options, slices.Sorted(maps.Keys(wanted)), &problems, result)
	if err != nil {
		return err
	}
	for _, src := range sources {
		external := &model.External{Path: src.path}
		if src.addParseErrors(&problems) {
			external.Problem = "it does not parse"
		} else {
			external.Package, _ = src.describe(false)
			external.Declared = external.Package.Declared
			external.OldTypeConverter = src.hasOldTypeConverter()
		}
		result.Externals[src.path] = external
	}
	for importPath := range wanted {
		if result.Externals[importPath] == nil {
			result.Externals[importPath] = &model.External{Path: importPath, Problem: "the go command does not find it; correct the path, or add the package with go get " + importPath}
		}
	}
	return nil
}
