package load

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/clientgo"
	"github.com/typedinformers/informer-gen/generator/internal/describe"
	"github.com/typedinformers/informer-gen/generator/internal/golist"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/manifest"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/typecheck"
)

// Load reads the packages that the patterns match, and the CRDs. Only these packages have to parse: generated code
// that they import may be missing or broken. A package that cannot be read is Broken, and the reason is
// among errs. Load returns an error if the go command fails, if nothing matches, or if ctx ends.
//
// Load does not read packages in the output folder that have emitted files, so that no run changes the input of the next
// one.
func Load(ctx context.Context, run *input.Run, errs *model.Errors) (*Loaded, error) {
	if err := golist.Check(run); err != nil {
		return nil, err
	}
	l := &Loaded{run: run}
	const mode = parser.ParseComments | parser.SkipObjectResolution
	found, err := l.list(ctx, request{patterns: run.Patterns, extra: clientgo.Packages(), exclude: run.Exclude, mode: mode}, errs)
	if err != nil {
		return nil, err
	}
	l.TestsOnly, l.Library = found.testsOnly, clientgo.Read(found.libraries)
	if len(found.sources)+len(found.testsOnly) == 0 && errs.Len() == 0 {
		return nil, l.noMatch(found)
	}
	if problem := l.Library.Problem; problem != "" {
		errs.Add(token.Position{}, "%s", problem)
	}
	described := describe.Packages(run, found.sources, errs)
	l.Packages = describe.Inputs(described)
	l.checker = typecheck.NewChecker(run, described, l.note)
	if err := l.checker.Answer(ctx, errs); err != nil {
		return nil, err
	}
	l.Manifests, err = manifest.Read(ctx, run.CRDs, run.GeneratesApply(), errs)
	return l, err
}

// noMatch returns the error of a run whose patterns match no package to read.
func (l *Loaded) noMatch(found listing) error {
	patterns := strings.Join(l.run.Patterns, " ")
	switch {
	case l.run.Exclude.Any():
		return fmt.Errorf("--exclude leaves out every package that matches %s; correct that flag", patterns)
	case len(found.emitted) > 0:
		return fmt.Errorf("%s matches only packages that informer-gen has written, such as %s; name the packages of your API types, "+
			"such as ./api/v1", patterns, found.emitted[0])
	}
	return golist.NoMatch(l.run)
}
