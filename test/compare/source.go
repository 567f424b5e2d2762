package compare

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"runtime"

	"golang.org/x/tools/go/packages"
)

// loadSources finds the files of packages and of all that they import. Nothing is
// compiled; see Module.Source.
func (l *loader) loadSources(ctx context.Context, module Module, paths []string) error {
	config := &packages.Config{
		Context: ctx, Dir: module.Dir, Env: module.Env, Fset: l.fset,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps,
	}
	loaded, err := packages.Load(config, paths...)
	if err != nil {
		return err
	}
	packages.Visit(loaded, nil, func(pkg *packages.Package) {
		for _, mistake := range pkg.Errors {
			err = errors.Join(err, mistake)
		}
	})
	for _, pkg := range loaded {
		l.sources[pkg.PkgPath] = pkg
	}
	return err
}

// declarations checks a package without its function bodies.
func (l *loader) declarations(pkg *packages.Package) (*types.Package, error) {
	if pkg.PkgPath == "unsafe" {
		return types.Unsafe, nil
	}
	// By ID, because packages of a vendor folder have the paths of others.
	if checked, ok := l.declared[pkg.ID]; ok {
		return checked, nil
	}
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(l.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	config := types.Config{Importer: dependencies{l, pkg}, IgnoreFuncBodies: true, FakeImportC: true, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	checked, err := config.Check(pkg.PkgPath, l.fset, files, nil)
	if err != nil {
		return nil, err
	}
	l.declared[pkg.ID] = checked
	return checked, nil
}

// dependencies is the types.Importer of one package.
type dependencies struct {
	loader *loader
	pkg    *packages.Package
}

// Import checks a package that is imported, unless it is in a tree or checked before.
func (d dependencies) Import(path string) (*types.Package, error) {
	if _, ok := d.loader.files[path]; ok {
		return d.loader.Import(path)
	}
	imported, ok := d.pkg.Imports[path]
	if !ok {
		return nil, fmt.Errorf("package %s does not import %s", d.pkg.PkgPath, path)
	}
	return d.loader.declarations(imported)
}
