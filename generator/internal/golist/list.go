package golist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// Check returns an error for settings and patterns with which no run succeeds: without modules, and for a file, because
// a package cannot have a part of its types.
func Check(run *input.Run) error {
	if setting("GO111MODULE") == "off" {
		return errNoModules
	}
	var errs []error
	var folders []string
	for _, pattern := range run.Patterns {
		info, err := os.Stat(absoluteFolder(run.Dir, pattern))
		folder := filepath.Dir(pattern)
		if err != nil || info.IsDir() || slices.Contains(folders, folder) {
			continue
		}
		folders = append(folders, folder)
		errs = append(errs, fmt.Errorf("%s is a file; name its folder, %s", pattern, display(run.Dir, absoluteFolder(run.Dir, folder))))
	}
	return errors.Join(errs...)
}

// List returns the packages that patterns match, sorted by path, with the names of their files. The go command reads no
// imports and compiles nothing. It also lists the packages of more, which may be patterns that the user did not name.
func List(ctx context.Context, run *input.Run, patterns ...string) ([]*packages.Package, error) {
	listed, err := packages.Load(config(ctx, run, packages.NeedName|packages.NeedFiles|packages.NeedModule), patterns...)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return nil, withoutCommand{err}
	}
	slices.SortFunc(listed, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	return listed, nil
}

// ListError returns an error of List for patterns that the user has named.
func ListError(patterns []string, err error) error {
	fix := ""
	if strings.Contains(err.Error(), "updates to go.mod needed") {
		fix = " or go get " + terminal.Quote(patterns...) // tidy removes a module that nothing imports yet
	}
	return fmt.Errorf("cannot list the packages %s: %w%s", strings.Join(patterns, " "), err, fix)
}

// Imports returns packages and all of their imports, by import path. The go command compiles nothing. A missing or broken
// package has errors.
func Imports(ctx context.Context, run *input.Run, paths ...string) (map[string]*packages.Package, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule
	roots, err := packages.Load(config(ctx, run, mode), paths...)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return nil, fmt.Errorf("cannot list the imports of %s: %w", strings.Join(paths, " "), withoutCommand{err})
	}
	listed := map[string]*packages.Package{}
	packages.Visit(roots, nil, func(pkg *packages.Package) { listed[pkg.PkgPath] = pkg })
	return listed, nil
}

// config returns the configuration of go/packages. Only it executes programs.
func config(ctx context.Context, run *input.Run, mode packages.LoadMode) *packages.Config {
	env, flags := environ()
	if len(run.BuildTags) > 0 {
		flags = append(flags, "-tags="+strings.Join(run.BuildTags, ","))
	}
	return &packages.Config{Context: ctx, Dir: run.Dir, Mode: mode, Env: env, BuildFlags: flags}
}

// Source returns the syntax of a listed package, before it is parsed.
func Source(run *input.Run, pkg *packages.Package, fset *token.FileSet) *syntax.Package {
	src := &syntax.Package{Path: pkg.PkgPath, Dependency: pkg.Module == nil || !pkg.Module.Main, FileSet: fset, Names: pkg.GoFiles}
	if len(pkg.GoFiles) > 0 {
		src.Dir = filepath.Dir(pkg.GoFiles[0])
	}
	if pkg.Module != nil {
		src.ModulePath, src.GoVersion = pkg.Module.Path, pkg.Module.GoVersion
	}
	if !src.Dependency {
		src.Within = foldersAbove(run.Dir, pkg.Module.Dir)
	}
	return src
}
