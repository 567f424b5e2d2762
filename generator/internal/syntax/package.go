package syntax

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/version"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// Package is the syntax of one package.
type Package struct {
	// Path is the import path, and Dir the folder of the files.
	Path, Dir string
	// Dependency reports whether the package is outside the main module.
	Dependency bool
	// ModulePath is the path of the module of the package, or "".
	ModulePath string
	// Within are the folders above Dir that no link may lead out of, the outer ones first: the workspace, and the module.
	// It is empty for a dependency.
	Within []string
	// GoVersion is the version of Go in the go.mod of the package, such as 1.26.0, or "".
	GoVersion string
	FileSet   *token.FileSet
	// Names are the files on disk.
	Names []string
	// Files and Failures are by the index of the name.
	Files    []*ast.File
	Failures []error

	scope *Scope
}

// Scope returns the declarations of the package.
func (p *Package) Scope() *Scope {
	if p.scope == nil {
		p.scope = newScope(p.Files)
	}
	return p.scope
}

// AddFile adds a file that is not on disk.
func (p *Package) AddFile(name string, file *ast.File) {
	p.Names, p.Files, p.Failures, p.scope = append(p.Names, name), append(p.Files, file), append(p.Failures, nil), nil
}

// RemoveFile removes the file with an index.
func (p *Package) RemoveFile(i int) {
	p.Names, p.Files, p.Failures = slices.Delete(p.Names, i, i+1), slices.Delete(p.Files, i, i+1), slices.Delete(p.Failures, i, i+1)
	p.scope = nil
}

// RemoveDecls removes the declarations of a file that remove chooses.
func (p *Package) RemoveDecls(file *ast.File, remove func(ast.Decl) bool) {
	file.Decls = slices.DeleteFunc(file.Decls, remove)
	p.scope = nil
}

// Module returns the folder of the main module if the package is in it, or "".
func (p *Package) Module() string {
	if len(p.Within) == 0 {
		return ""
	}
	return p.Within[len(p.Within)-1]
}

// Position returns the position of a node.
func (p *Package) Position(pos token.Pos) token.Position { return p.FileSet.Position(pos) }

// largeFile is the size in bytes from which bodies are not parsed even in the user's packages.
const largeFile = 8 << 20

// Parse reads the files of all packages in parallel. withoutBodies skips the bodies of functions, so that
// mistakes in them are not found.
func Parse(ctx context.Context, packages []*Package, mode parser.Mode, withoutBodies bool) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range packages {
		p.Files = make([]*ast.File, len(p.Names))
		p.Failures = make([]error, len(p.Names))
		for i, name := range p.Names {
			group.Go(func() error {
				content, err := regular.ReadFile(name)
				if err != nil {
					p.Failures[i] = err
					return ctx.Err()
				}
				if withoutBodies || len(content) > largeFile {
					blankBodies(content)
				}
				p.Files[i], p.Failures[i] = parser.ParseFile(p.FileSet, name, content, mode)
				if p.Files[i] != nil {
					dropBodies(p.Files[i])
				}
				return ctx.Err()
			})
		}
	}
	return group.Wait()
}

// FixFirst ends the messages about files with an error.
const FixFirst = "fix the file first"

// IsBroken reports whether a file was not read, or does not parse.
func (p *Package) IsBroken() bool {
	return slices.ContainsFunc(p.Failures, func(err error) bool { return err != nil })
}

// AddErrors adds the first error of each file that does not parse, and reports whether there is
// one. The other errors in a file tend to follow from the first.
func (p *Package) AddErrors(errs *model.Errors) bool {
	for i, err := range p.Failures {
		var list scanner.ErrorList
		switch {
		case err == nil:
		case errors.As(err, &list):
			errs.Add(list[0].Pos, "%s; %s%s", list[0].Msg, FixFirst, p.OrNewerGo())
		default:
			errs.Add(token.Position{Filename: p.Names[i]}, "cannot read the file: %v; %s", regular.WithoutPath(err), FixFirst)
		}
	}
	return p.IsBroken()
}

// OrNewerGo returns the advice to build the generator with the Go of the module, if that is newer than the one of the generator,
// and so may have other syntax, or "".
func (p *Package) OrNewerGo() string { return orNewerGo(p.GoVersion, runtime.Version()) }

func orNewerGo(module, own string) string {
	own, _, _ = strings.Cut(own, " ") // a toolchain may add its experiments
	if !version.IsValid(own) || version.Compare(version.Lang("go"+module), version.Lang(own)) <= 0 {
		return ""
	}
	return fmt.Sprintf(", or build informer-gen again with Go %s of go.mod instead of %s", module, own)
}
