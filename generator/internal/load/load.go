package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// Options say what to load.
type Options struct {
	// Dir is where patterns are resolved.
	Dir string
	// Patterns are those of the go command: ./api/..., k8s.io/api/apps/v1.
	Patterns []string
	// BuildTags are set while files are chosen.
	BuildTags []string
	// Exclude are the packages that are left out; nil for none.
	Exclude *input.Exclusions
	// Candidates adds the types without a marker that have a list type.
	Candidates bool
}

// config asks the go command and go/packages for as much as mode says.
func (o Options) config(ctx context.Context, mode packages.LoadMode) *packages.Config {
	config := &packages.Config{Context: ctx, Dir: o.Dir, Mode: mode}
	if len(o.BuildTags) > 0 {
		config.BuildFlags = []string{"-tags=" + strings.Join(o.BuildTags, ",")}
	}
	return config
}

// Result is what Load has read.
type Result struct {
	// Packages are those that the patterns match, in the order of their paths.
	Packages []*input.Package
	// Externals are the packages that Externals has read, by import path.
	Externals map[string]*input.External
	// TestsOnly are the import paths of packages that have _test.go files only.
	TestsOnly []string
	// Notes say what was read, and how long it took.
	Notes []string
}

// Load reads the packages that the patterns match. Generated code that uses the
// packages may be missing or broken: only the packages themselves have to parse.
// One that cannot be read is left out and noted among the mistakes; the error is
// for what concerns no package.
func Load(ctx context.Context, options Options, mistakes *model.Errors) (*Result, error) {
	result := &Result{}
	sources, err := list(ctx, options, options.Patterns, mistakes, result)
	if err != nil {
		return nil, err
	}
	if len(sources)+len(result.TestsOnly) == 0 && mistakes.Join() == nil {
		if options.Exclude.Any() {
			return nil, fmt.Errorf("--exclude leaves out every package that matches %s; correct that flag", strings.Join(options.Patterns, " "))
		}
		return nil, fmt.Errorf("no package matches %s in %s; name the packages of your API types, such as ./api/v1", strings.Join(options.Patterns, " "), options.Dir)
	}
	var questions []*question
	for _, src := range sources {
		if src.addParseErrors(mistakes) {
			continue
		}
		pkg, types := src.describe(options.Candidates)
		result.Packages = append(result.Packages, pkg)
		if q := ask(src, pkg, types); q != nil {
			questions = append(questions, q)
		}
	}
	if err := answer(ctx, options, questions, mistakes, result); err != nil {
		return nil, err
	}
	return result, nil
}

// list finds the files of packages and parses them. Packages that the go command
// has something against are left out and noted among the mistakes.
func list(ctx context.Context, options Options, patterns []string, mistakes *model.Errors, result *Result) ([]*source, error) {
	started := time.Now()
	// Names of files is all that the go command is asked for: it need not look at
	// imports, and it compiles nothing.
	listed, err := packages.Load(options.config(ctx, packages.NeedName|packages.NeedFiles|packages.NeedModule), patterns...)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		fix := ""
		if strings.Contains(err.Error(), "updates to go.mod needed") {
			fix = " or go get " + strings.Join(patterns, " ") // tidy removes a module that nothing imports yet
		}
		return nil, fmt.Errorf("cannot list the packages %s: %w%s", strings.Join(patterns, " "), withoutCommand{err}, fix)
	}
	found := time.Now()
	slices.SortFunc(listed, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	var sources []*source
	fset, files := token.NewFileSet(), 0
	for _, pkg := range listed {
		if options.Exclude.Package(pkg.PkgPath) {
			continue
		}
		for _, err := range pkg.Errors {
			addListError(mistakes, options.Dir, err, pkg.IgnoredFiles)
		}
		if pkg.PkgPath == "command-line-arguments" {
			mistakes.Add(token.Position{}, "%s names files; name their folder, such as ./api/v1", strings.Join(patterns, " "))
			continue
		}
		switch {
		case len(pkg.Errors) > 0:
		case len(pkg.GoFiles) == 0:
			result.TestsOnly = append(result.TestsOnly, pkg.PkgPath)
		default:
			sources = append(sources, &source{path: pkg.PkgPath, dependency: pkg.Module == nil || !pkg.Module.Main, fset: fset, names: pkg.GoFiles})
			files += len(pkg.GoFiles)
		}
	}
	if err := parse(ctx, sources, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	result.note("loaded the syntax of %d packages, %d files: %v to list them, %v to parse them", len(sources), files, found.Sub(started).Round(time.Millisecond), time.Since(found).Round(time.Millisecond))
	return sources, nil
}

func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// toParse ends the messages on files that do not.
const toParse = "fix the file first"

// addListError notes what the go command says against a package, and what to do
// about it where the go command does not say that. It writes paths below dir in
// the short form.
func addListError(mistakes *model.Errors, dir string, err packages.Error, ignored []string) {
	pos, text := absolute(dir, position(err.Pos)), strings.TrimSpace(err.Msg)
	folder, isStat := strings.CutPrefix(text, "stat ")
	folder, isMissing := strings.CutSuffix(folder, ": directory not found")
	switch {
	case strings.Contains(text, "build constraints exclude all Go files"):
		mistakes.Add(pos, "%s%s; use --build-tags with a tag that includes one of the files", text, constraintOf(ignored))
	case isStat && isMissing:
		mistakes.Add(pos, "there is no package in %s, because there is no such folder; name a folder with API types", folder)
	case pos.Filename != "":
		mistakes.Add(pos, "%s; %s", text, toParse)
	case strings.Contains(text, " is not in std ") && isFolder(dir, err):
		mistakes.Add(pos, "%s; did you mean ./%s?", text, wordAfterPackage(text))
	case strings.Contains(text, " is not in std "):
		mistakes.Add(pos, "%s; write the whole import path, such as k8s.io/api/core/v1, or ./%s for a folder", text, wordAfterPackage(text))
	case strings.Contains(text, "missing go.sum entry") && !strings.Contains(text, "go mod "):
		mistakes.Add(pos, "%s; to add it: go get %s", text, moduleOf(text))
	case strings.Contains(text, "lstat ") && strings.HasSuffix(text, "no such file or directory"):
		pattern, _, _ := strings.Cut(strings.TrimPrefix(text, "pattern "), ": ")
		mistakes.Add(pos, "pattern %s matches no package, because there is no such folder; name a folder with API types", pattern)
	case strings.Contains(text, "go get ") || strings.Contains(text, "go mod "):
		mistakes.Add(pos, "%s", text)
	default:
		mistakes.Add(pos, "%s; name a folder with one package of API types", text)
	}
}

// moduleOf returns the first word of text that is a module with a version.
func moduleOf(text string) string {
	for _, word := range strings.Fields(text) {
		if word = strings.TrimSuffix(word, ":"); strings.Contains(word, "@") {
			return word
		}
	}
	return "the module"
}

// isFolder says whether the package that the go command did not find is a folder
// below dir, of which the ./ was forgotten.
func isFolder(dir string, err packages.Error) bool {
	info, statErr := os.Stat(filepath.Join(dir, wordAfterPackage(err.Msg)))
	return statErr == nil && info.IsDir()
}

func wordAfterPackage(text string) string {
	_, rest, _ := strings.Cut(text, "package ")
	word, _, _ := strings.Cut(rest, " ")
	return word
}

// withoutCommand is an error of go/packages without what it says of the exit code.
type withoutCommand struct{ error }

func (e withoutCommand) Error() string {
	text := e.error.Error()
	if _, stderr, ok := strings.Cut(text, ": stderr: "); ok {
		text = stderr
	}
	return strings.TrimSpace(text)
}

func (e withoutCommand) Unwrap() error { return e.error }

// source is the syntax of one package.
type source struct {
	path string
	// dependency reports whether the package is outside the main module.
	dependency bool
	fset       *token.FileSet
	names      []string
	// files and failures are by the index of the name.
	files    []*ast.File
	failures []error
}

// largeFile is the size in bytes from which bodies are not parsed even in the user's packages.
const largeFile = 8 << 20

// parse reads the files of all packages, in parallel.
func parse(ctx context.Context, sources []*source, mode parser.Mode) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, src := range sources {
		src.files = make([]*ast.File, len(src.names))
		src.failures = make([]error, len(src.names))
		for i, name := range src.names {
			group.Go(func() error {
				content, err := regular.ReadFile(name)
				if err != nil {
					src.failures[i] = err
					return ctx.Err()
				}
				if mode&parser.ParseComments == 0 || len(content) > largeFile {
					blankBodies(content)
				}
				src.files[i], src.failures[i] = parser.ParseFile(src.fset, name, content, mode)
				dropBodies(src.files[i])
				return ctx.Err()
			})
		}
	}
	return group.Wait()
}

// dropBodies forgets what functions do, which nobody asks: it is most of what a
// package with generated methods takes in memory.
func dropBodies(file *ast.File) {
	if file == nil {
		return
	}
	comments := file.Comments[:0]
	rest := file.Comments
	for _, decl := range file.Decls {
		function, ok := decl.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		for len(rest) > 0 && rest[0].Pos() < function.Body.Pos() {
			comments, rest = append(comments, rest[0]), rest[1:]
		}
		for len(rest) > 0 && rest[0].Pos() < function.Body.End() {
			rest = rest[1:]
		}
		function.Body = nil
	}
	comments = append(comments, rest...)
	clear(file.Comments[len(comments):])
	file.Comments = comments
}

// addParseErrors notes the files that do not parse, and says whether there are
// any. Of each it is the first mistake: those after it tend to follow from it.
func (src *source) addParseErrors(mistakes *model.Errors) bool {
	found := false
	for i, err := range src.failures {
		var list scanner.ErrorList
		switch {
		case err == nil:
			continue
		case errors.As(err, &list):
			mistakes.Add(list[0].Pos, "%s; %s", list[0].Msg, toParse)
		default:
			mistakes.Add(token.Position{Filename: src.names[i]}, "cannot read the file: %v; %s", regular.WithoutPath(err), toParse)
		}
		found = true
	}
	return found
}

// absolute is a position with the whole path of its file.
func absolute(dir string, pos token.Position) token.Position {
	if pos.Filename != "" && !filepath.IsAbs(pos.Filename) {
		pos.Filename = filepath.Join(dir, pos.Filename)
	}
	return pos
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
