package load

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Options say what to load.
type Options struct {
	// Dir is where patterns are resolved.
	Dir string
	// Patterns are those of the go command: ./api/..., k8s.io/api/apps/v1.
	Patterns []string
	// BuildTags are set while files are chosen.
	BuildTags []string
}

// Load reads the packages that the patterns match, in the order of their paths.
// Generated code that uses the packages may be missing or broken: only the
// packages themselves have to parse. The error has one line for each mistake.
func Load(ctx context.Context, options Options) ([]*model.Package, error) {
	config := &packages.Config{
		Context: ctx,
		Dir:     options.Dir,
		// Names of files is all that the go command is asked for: it need not look
		// at imports, and it compiles nothing.
		Mode: packages.NeedName | packages.NeedFiles,
	}
	if len(options.BuildTags) > 0 {
		config.BuildFlags = []string{"-tags=" + strings.Join(options.BuildTags, ",")}
	}
	listed, err := packages.Load(config, options.Patterns...)
	if err != nil {
		return nil, fmt.Errorf("cannot list the packages %q: %w", options.Patterns, err)
	}
	if len(listed) == 0 {
		return nil, fmt.Errorf("no package matches %q in %s; name the packages of your API types, such as ./api/...", options.Patterns, options.Dir)
	}
	slices.SortFunc(listed, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })

	sources := make([]*source, len(listed))
	var errs model.Errors
	for i, pkg := range listed {
		for _, err := range pkg.Errors {
			errs.Add(position(err.Pos), "%s", strings.TrimSpace(err.Msg))
		}
		sources[i] = &source{path: pkg.PkgPath, fset: token.NewFileSet(), names: pkg.GoFiles}
	}
	if err := errs.Join(); err != nil {
		return nil, err
	}
	if err := parse(ctx, sources, &errs); err != nil {
		return nil, err
	}
	loaded := make([]*model.Package, len(sources))
	for i, src := range sources {
		loaded[i] = src.describe()
	}
	return loaded, nil
}

// source is the syntax of one package.
type source struct {
	path  string
	fset  *token.FileSet
	names []string
	files []*ast.File
}

// parse reads the files of all packages, in parallel.
func parse(ctx context.Context, sources []*source, errs *model.Errors) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	failures := make([][]error, len(sources))
	for i, src := range sources {
		src.files = make([]*ast.File, len(src.names))
		failures[i] = make([]error, len(src.names))
		for j, name := range src.names {
			group.Go(func() error {
				src.files[j], failures[i][j] = parser.ParseFile(src.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
				return ctx.Err()
			})
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, src := range sources {
		for j, err := range failures[i] {
			addParseError(errs, src.names[j], err)
		}
	}
	return errs.Join()
}

func addParseError(errs *model.Errors, name string, err error) {
	var list scanner.ErrorList
	switch {
	case err == nil:
	case errors.As(err, &list):
		errs.Add(list[0].Pos, "%s; the package has to parse before code is generated for it", list[0].Msg)
	default:
		errs.Add(token.Position{Filename: name}, "cannot read the file: %v", err)
	}
}

// position reads "file:line:col" as the go command writes it; "-" and "" are no
// place.
func position(s string) token.Position {
	var numbers [2]int
	for i := 1; i >= 0; i-- {
		colon := strings.LastIndexByte(s, ':')
		if colon < 0 {
			break
		}
		n, err := strconv.Atoi(s[colon+1:])
		if err != nil {
			break
		}
		s, numbers[i] = s[:colon], n
	}
	if s == "-" || s == "" {
		return token.Position{}
	}
	if numbers[0] == 0 { // there was one number only: the line
		numbers = [2]int{numbers[1], 0}
	}
	return token.Position{Filename: filepath.Clean(s), Line: numbers[0], Column: numbers[1]}
}
