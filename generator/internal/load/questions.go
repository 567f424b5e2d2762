package load

import (
	"context"
	"go/parser"

	"github.com/typedinformers/informer-gen/generator/internal/describe"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// Externals reads the packages with these import paths. None of them is in Packages.
func (l *Loaded) Externals(ctx context.Context, importPaths []string) (map[string]*input.External, error) {
	externals := make(map[string]*input.External, len(importPaths))
	if len(importPaths) == 0 {
		return externals, nil
	}
	for _, importPath := range importPaths {
		externals[importPath] = &input.External{Problem: "the go command does not find it; correct the path, or add the package with " +
			terminal.Quote("go", "get", importPath)}
	}
	var problems model.Errors
	const mode = parser.ParseComments | parser.SkipObjectResolution
	found, err := l.list(ctx, request{patterns: importPaths, exclude: l.run.Exclude, mode: mode}, &problems)
	for _, src := range found.sources {
		if src.AddErrors(&problems) {
			externals[src.Path] = &input.External{Problem: "it does not parse; fix it" + src.OrNewerGo()}
		} else {
			externals[src.Path] = &input.External{Package: describe.External(src, l.Packages)}
		}
	}
	return externals, err
}

// Clientset reads the clientset in the package with that import path. It reads only the syntax of the packages that
// declare its interfaces, also of excluded ones, because packages of clients are not API packages. Its error comes
// from the go command or ctx.
func (l *Loaded) Clientset(ctx context.Context, importPath string) (*input.Clientset, error) {
	clients := &describe.Clients{Sources: map[string]*syntax.Package{}, Problems: map[string]string{}}
	// Each round reads the packages of types that the last one named: the clientset, and the clients of its
	// group versions. An interface that embeds another one may take a round more.
	for {
		clientset, missing := clients.Clientset(importPath)
		if len(missing) == 0 {
			return clientset, nil
		}
		for _, path := range missing {
			clients.Problems[path] = "the go command does not find package " + path + "; correct the path, or add the package with " +
				terminal.Quote("go", "get", path)
		}
		var problems model.Errors
		found, err := l.list(ctx, request{patterns: missing, mode: parser.SkipObjectResolution}, &problems)
		if err != nil {
			return nil, err
		}
		for _, src := range found.sources {
			if src.AddErrors(&problems) {
				clients.Problems[src.Path] = "package " + src.Path + " does not parse; fix what go build reports for it" + src.OrNewerGo()
				continue
			}
			clients.Sources[src.Path] = src
		}
	}
}

// Types returns the Go types that the kinds in Packages consist of. See typecheck.Checker.Types.
func (l *Loaded) Types(ctx context.Context, isKind func(model.TypeRef) bool, errs *model.Errors) (*input.Types, error) {
	return l.checker.Types(ctx, isKind, errs)
}
