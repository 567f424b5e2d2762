package load

import (
	"context"
	"go/parser"
	"go/token"
	"slices"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/describe"
	"github.com/typedinformers/informer-gen/generator/internal/golist"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// listing has the packages that patterns match.
type listing struct {
	// sources are parsed. A file that does not parse is among their failures.
	sources []*syntax.Package
	// testsOnly are the import paths of packages that have only _test.go files.
	testsOnly []string
	// emitted are the import paths of packages that were not read because the run writes them.
	emitted []string
	// libraries are the packages of extra.
	libraries []*packages.Package
}

// request names the packages to list.
type request struct {
	patterns []string
	// extra are packages to list in the same call of the go command, and not to read.
	extra []string
	// exclude has the packages to leave out. It may be nil.
	exclude *input.Exclusions
	// mode is for the parser. Without comments, the bodies of functions are not parsed either.
	mode parser.Mode
}

// list finds the files of packages and parses them. It leaves out packages for which the go command
// reports an error, and adds the error to errs.
func (l *Loaded) list(ctx context.Context, r request, errs *model.Errors) (found listing, err error) {
	started := time.Now()
	listed, err := golist.List(ctx, l.run, slices.Concat(r.patterns, r.extra)...)
	if err != nil {
		return found, golist.ListError(r.patterns, err)
	}
	wasListed := time.Now()
	fset, files := token.NewFileSet(), 0
	for _, pkg := range listed {
		switch isOutput := l.run.IsOutput(pkg.PkgPath); {
		case slices.Contains(r.extra, pkg.PkgPath):
			found.libraries = append(found.libraries, pkg)
		case r.exclude.Package(pkg.PkgPath):
		case isOutput && len(pkg.Errors) > 0:
			found.emitted = append(found.emitted, pkg.PkgPath) // the run replaces it
		case len(pkg.Errors) > 0:
			golist.AddErrors(errs, l.run.Dir, pkg)
		case len(pkg.GoFiles) == 0:
			found.testsOnly = append(found.testsOnly, pkg.PkgPath)
		default:
			found.sources = append(found.sources, golist.Source(l.run, pkg, fset))
			files += len(pkg.GoFiles)
		}
	}
	if err := syntax.Parse(ctx, found.sources, r.mode, r.mode&parser.ParseComments == 0); err != nil {
		return found, err
	}
	found.sources = slices.DeleteFunc(found.sources, func(src *syntax.Package) bool {
		drops := l.run.IsOutput(src.Path) && describe.HasEmitted(src)
		if drops {
			found.emitted = append(found.emitted, src.Path)
		}
		return drops
	})
	l.note("loaded the syntax of %d packages, %d files: %v to list them, %v to parse them", len(found.sources), files,
		wasListed.Sub(started).Round(time.Millisecond), time.Since(wasListed).Round(time.Millisecond))
	return found, nil
}
