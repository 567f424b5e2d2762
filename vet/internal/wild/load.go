package main

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/vet/internal/caches"
)

// load reads the packages of a module with their dependencies from source, which takes a tenth of the time that it takes to compile
// them. Functions are read in the module, and in dependencies that know objects of Kubernetes: no analyzer needs those of others.
func load(ctx context.Context, dir string, environ []string, patterns ...string) ([]*packages.Package, error) {
	fset := token.NewFileSet()
	roots, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Env: environ, Fset: fset,
		Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedModule,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	c := &loader{fset: fset, relevant: map[*packages.Package]bool{}, done: map[*packages.Package]chan struct{}{}}
	var order []*packages.Package
	packages.Visit(roots, nil, func(p *packages.Package) {
		order = append(order, p)
		c.done[p] = make(chan struct{})
		for path, imported := range p.Imports {
			c.relevant[p] = c.relevant[p] || path == caches.Meta || c.relevant[imported]
		}
	})
	var group errgroup.Group
	group.SetLimit(4) // a package comes after those that it waits for, so that one of the four always goes on
	for _, p := range order {
		group.Go(func() error { return c.check(p) })
	}
	return roots, group.Wait()
}

type loader struct {
	fset *token.FileSet
	// relevant has the packages that know objects.
	relevant map[*packages.Package]bool
	done     map[*packages.Package]chan struct{}
}

// readsBodies reports whether the functions of a package are read.
func (l *loader) readsBodies(p *packages.Package) bool {
	return l.relevant[p] && !caches.Known(p.PkgPath)
}

func (l *loader) check(p *packages.Package) error {
	defer close(l.done[p])
	for _, imported := range p.Imports {
		<-l.done[imported]
	}
	p.Fset, p.TypesSizes = l.fset, types.SizesFor("gc", "amd64")
	if p.PkgPath == "unsafe" {
		p.Types, p.TypesInfo = types.Unsafe, &types.Info{}
		return nil
	}
	for _, name := range p.CompiledGoFiles {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(l.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.Syntax = append(p.Syntax, file)
	}
	p.TypesInfo = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	config := types.Config{
		Importer:         imports(p.Imports),
		IgnoreFuncBodies: !l.readsBodies(p),
		Sizes:            p.TypesSizes,
		FakeImportC:      true,
		Error: func(err error) {
			var typeError types.Error
			if errors.As(err, &typeError) && !typeError.Soft {
				p.TypeErrors = append(p.TypeErrors, typeError)
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	p.Types, _ = config.Check(p.PkgPath, l.fset, p.Syntax, p.TypesInfo)
	if config.IgnoreFuncBodies {
		for _, file := range p.Syntax {
			for _, decl := range file.Decls {
				if fn, is := decl.(*ast.FuncDecl); is {
					fn.Body = nil
				}
			}
		}
	}
	// No analyzer reads the others, so that their mistakes are none of the packages that import them.
	p.IllTyped = len(p.TypeErrors) > 0 && (l.readsBodies(p) || caches.Relevant(p.Types))
	return nil
}

type imports map[string]*packages.Package

func (i imports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i[path]; p != nil && p.Types != nil {
		return p.Types, nil
	}
	return nil, errors.New("no package " + path)
}
