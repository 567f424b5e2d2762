package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/clientgo"
	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/internal/terminal"
)

// Options configure Load and Externals.
type Options struct {
	// Dir is the folder in which patterns are resolved.
	Dir string
	// Patterns are package patterns of the go command, such as ./api/... and k8s.io/api/apps/v1.
	Patterns []string
	// BuildTags are the build tags for the choice of files.
	BuildTags []string
	// Exclude has the packages to leave out. It may be nil.
	Exclude *input.Exclusions
	// Candidates adds the types without a marker that have a list type.
	Candidates bool
	// AllTypes makes Declared read all types that may get deep copies, and unexported fields.
	AllTypes bool
	// Registers adds the missing list types of kinds, which the run writes to the packages of the main module.
	Registers bool
	// Header is the line that marks a file as written by the generator.
	Header string
	// withoutComments leaves the comments out of the syntax.
	withoutComments bool
	// emitted is the argument of Load.
	emitted []string
}

// config returns the configuration of go/packages.
func (o Options) config(ctx context.Context, mode packages.LoadMode) *packages.Config {
	env, flags := environ()
	config := &packages.Config{Context: ctx, Dir: o.Dir, Mode: mode, Env: env, BuildFlags: flags}
	if len(o.BuildTags) > 0 {
		config.BuildFlags = append(flags, "-tags="+strings.Join(o.BuildTags, ","))
	}
	return config
}

// Result holds the packages that were read.
type Result struct {
	// Dir is the folder in which the patterns were resolved.
	Dir string
	// Packages are the packages that the patterns match, sorted by path.
	Packages []*input.Package
	// Externals are the packages that Externals has read, by import path.
	Externals map[string]*input.External
	// TestsOnly are the import paths of packages that have only _test.go files.
	TestsOnly []string
	// Generated are the files of earlier runs that were not read, by the folder of their package.
	Generated map[string][]string
	// Within are the folders above the folder of each package of the main module that no link may lead out of, the
	// outer ones first: the workspace, and the module.
	Within map[string][]string
	// ClientGo is the client-go of the module.
	ClientGo clientgo.Library
	// Notes have the packages that were read, and the duration.
	Notes []string

	// emitted are the import paths of packages that were not read because the run emits them.
	emitted []string
	// sources is the syntax of Packages.
	sources []*source
}

func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// refuseFiles returns an error if a pattern names a file. A package cannot have a part of its types.
func (o Options) refuseFiles() error {
	var errs []error
	var folders []string
	for _, pattern := range o.Patterns {
		info, err := os.Stat(absoluteFolder(o.Dir, pattern))
		folder := filepath.Dir(pattern)
		if err != nil || info.IsDir() || slices.Contains(folders, folder) {
			continue
		}
		folders = append(folders, folder)
		errs = append(errs, fmt.Errorf("%s is a file; name its folder, %s", pattern, display(o.Dir, absoluteFolder(o.Dir, folder))))
	}
	return errors.Join(errs...)
}

// isImportPath reports whether a pattern begins with the name of a host, as import paths of published modules do.
func isImportPath(pattern string) bool {
	host, _, _ := strings.Cut(pattern, "/")
	return strings.Contains(strings.Trim(host, "."), ".")
}

// Load reads the packages that the patterns match. Only these packages have to parse: generated code
// that they import may be missing or broken. A package that cannot be read is Broken, and the reason is
// among the mistakes. Load returns an error if the go command fails, if nothing matches, or if ctx ends.
//
// emitted are the import paths of the folders that hold what the run emits. Load does not read packages below them
// that have emitted files, so that no run changes what the next one reads.
func Load(ctx context.Context, options Options, emitted []string, mistakes *model.Errors) (*Result, error) {
	if setting("GO111MODULE") == "off" {
		return nil, errNoModules
	}
	if err := options.refuseFiles(); err != nil {
		return nil, err
	}
	options.emitted = emitted
	result := &Result{Dir: options.Dir, Generated: map[string][]string{}, Within: map[string][]string{}}
	sources, err := list(ctx, options, options.Patterns, mistakes, result, clientgo.Packages()...)
	if err != nil {
		return nil, err
	}
	if len(sources)+len(result.TestsOnly) == 0 && mistakes.Len() == 0 {
		if options.Exclude.Any() {
			return nil, fmt.Errorf("--exclude leaves out every package that matches %s; correct that flag", strings.Join(options.Patterns, " "))
		}
		if len(result.emitted) > 0 {
			return nil, fmt.Errorf("%s matches only packages that informer-gen has written, such as %s; name the packages of your API types, such as ./api/v1", strings.Join(options.Patterns, " "), result.emitted[0])
		}
		fix := "name the packages of your API types, such as ./api/v1"
		if slices.ContainsFunc(options.Patterns, isImportPath) {
			fix += ", or, for those of another module, run go get before informer-gen, and go mod tidy only after it: it removes modules that no code imports"
		} else {
			fix += OrNested(options.Dir) + OrIncluded(options.Dir, options.Patterns, options.BuildTags)
		}
		return nil, fmt.Errorf("no package matches %s in %s; %s", strings.Join(options.Patterns, " "), options.Dir, fix)
	}
	if problem := result.ClientGo.Problem; problem != "" {
		mistakes.Add(token.Position{}, "%s", problem)
	}
	var questions []*question
	described := map[*source]*input.Package{}
	for _, src := range sources {
		if src.module != "" {
			result.Within[src.dir] = foldersAbove(options.Dir, src.module)
		}
		if dropped := src.dropGenerated(options); len(dropped) > 0 {
			result.Generated[src.dir] = dropped
		}
		if src.addParseErrors(mistakes) || src.addRepeated(mistakes) {
			result.Packages = append(result.Packages, &input.Package{Path: src.path, Dir: src.dir, Dependency: src.dependency, Broken: true})
			continue
		}
		result.sources = append(result.sources, src)
		src.copies = options.AllTypes && !src.dependency
		pkg := src.describe(options.Candidates)
		if options.Registers && !src.dependency && src.addLists(pkg, options) {
			pkg = src.describe(options.Candidates)
		}
		if !src.dependency {
			src.addSignatures(pkg, mistakes)
		}
		result.Packages = append(result.Packages, pkg)
		described[src] = pkg
	}
	addUntagged(described)
	copies := map[string]bool{}
	for _, src := range result.sources {
		copies[src.path] = src.copies
	}
	for _, src := range result.sources {
		calls := sentOrReturned(result.Packages, src.path)
		if !src.dependency {
			src.addMisnamed(calls, mistakes)
		}
		if q := ask(src, described[src], calls); q != nil {
			q.copies = copies
			questions = append(questions, q)
		}
	}
	if err := answer(ctx, options, questions, mistakes, result); err != nil {
		return nil, err
	}
	return result, nil
}

// Externals reads the packages with these import paths into result.Externals. None of them is in
// result.Packages.
func Externals(ctx context.Context, options Options, importPaths []string, result *Result) error {
	if len(importPaths) == 0 {
		return nil
	}
	result.Externals = make(map[string]*input.External, len(importPaths))
	for _, importPath := range importPaths {
		result.Externals[importPath] = &input.External{Problem: "the go command does not find it; correct the path, or add the package with " + terminal.Quote("go", "get", importPath)}
	}
	var problems model.Errors
	sources, err := list(ctx, options, importPaths, &problems, result)
	for _, src := range sources {
		if src.addParseErrors(&problems) {
			result.Externals[src.path] = &input.External{Problem: "it does not parse; fix it" + src.orNewerGo(runtime.Version())}
		} else {
			pkg := src.describe(false)
			src.addLacking(pkg, sentOrReturned(result.Packages, src.path))
			result.Externals[src.path] = &input.External{Package: pkg}
		}
	}
	return err
}

// list finds the files of packages and parses them. It leaves out packages for which the go command
// reports an error, and adds the error to the mistakes. more is empty or has the packages of result.ClientGo.
func list(ctx context.Context, options Options, patterns []string, mistakes *model.Errors, result *Result, more ...string) ([]*source, error) {
	started := time.Now()
	// The go command lists the names of files only. It reads no imports and compiles nothing.
	listed, err := packages.Load(options.config(ctx, packages.NeedName|packages.NeedFiles|packages.NeedModule), slices.Concat(patterns, more)...)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		fix := ""
		if strings.Contains(err.Error(), "updates to go.mod needed") {
			fix = " or go get " + terminal.Quote(patterns...) // tidy removes a module that nothing imports yet
		}
		return nil, fmt.Errorf("cannot list the packages %s: %w%s", strings.Join(patterns, " "), withoutCommand{err}, fix)
	}
	found := time.Now()
	slices.SortFunc(listed, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	var sources []*source
	var libraries []*packages.Package
	fset, files := token.NewFileSet(), 0
	for _, pkg := range listed {
		if slices.Contains(more, pkg.PkgPath) {
			libraries = append(libraries, pkg)
			continue
		}
		if options.Exclude.Package(pkg.PkgPath) {
			continue
		}
		isOutput := options.isOutput(pkg.PkgPath)
		if isOutput && len(pkg.Errors) > 0 {
			result.emitted = append(result.emitted, pkg.PkgPath) // the run replaces it
			continue
		}
		for _, err := range pkg.Errors {
			addListError(mistakes, options.Dir, err, pkg)
		}
		switch {
		case len(pkg.Errors) > 0:
		case len(pkg.GoFiles) == 0:
			result.TestsOnly = append(result.TestsOnly, pkg.PkgPath)
		default:
			src := &source{path: pkg.PkgPath, dir: filepath.Dir(pkg.GoFiles[0]), dependency: isDependency(pkg), isOutput: isOutput, fset: fset, names: pkg.GoFiles}
			if pkg.Module != nil {
				src.modulePath, src.goVersion = pkg.Module.Path, pkg.Module.GoVersion
			}
			if !src.dependency {
				src.module = pkg.Module.Dir
			}
			sources = append(sources, src)
			files += len(pkg.GoFiles)
		}
	}
	if len(more) > 0 {
		result.ClientGo = clientgo.Read(libraries)
	}
	mode := parser.ParseComments | parser.SkipObjectResolution
	if options.withoutComments {
		mode = parser.SkipObjectResolution
	}
	if err := parse(ctx, sources, mode, options.withoutComments); err != nil {
		return nil, err
	}
	sources = slices.DeleteFunc(sources, func(src *source) bool {
		drops := src.isOutput && src.hasEmitted(options.Header)
		if drops {
			result.emitted = append(result.emitted, src.path)
		}
		return drops
	})
	result.note("loaded the syntax of %d packages, %d files: %v to list them, %v to parse them", len(sources), files, found.Sub(started).Round(time.Millisecond), time.Since(found).Round(time.Millisecond))
	return sources, nil
}

// foldersAbove returns the folder of a module and, if the module is not above dir, the folder of the workspace that
// both are in: a link in a workspace may be the folder of a module.
func foldersAbove(dir, module string) []string {
	if isBelow(module, dir) {
		return []string{module}
	}
	for at := dir; ; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, "go.work")); err == nil && !info.IsDir() && isBelow(at, module) {
			return []string{at, module}
		}
		if at == filepath.Dir(at) {
			return []string{module} // go.work names a folder outside of its own
		}
	}
}

// isBelow reports whether a folder is below another, or the same.
func isBelow(above, dir string) bool {
	way, err := filepath.Rel(above, dir)
	return err == nil && filepath.IsLocal(way)
}

// isDependency reports whether a package is outside the main module.
func isDependency(pkg *packages.Package) bool { return pkg.Module == nil || !pkg.Module.Main }
