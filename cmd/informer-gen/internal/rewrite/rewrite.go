package rewrite

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Result is what to change in a module.
type Result struct {
	Edits []Edit
	Notes []Note
	// Problems are the errors of the compiler before the edits.
	Problems []Note
	// UsesAdapter is set if an edit needs the module adapters/clientgo.
	UsesAdapter bool
}

// Module returns the edits of the packages of a module. The folders of generated code are import paths. It changes nothing.
func Module(ctx context.Context, dir string, generated []string) (*Result, error) {
	isGenerated := func(path string) bool {
		return slices.ContainsFunc(generated, func(g string) bool { return path == g || strings.HasPrefix(path, g+"/") })
	}
	loaded, err := load(ctx, dir)
	if err != nil {
		return nil, err
	}
	result, seen := &Result{Problems: problemsOf(loaded)}, map[string]bool{}
	for _, p := range loaded {
		for _, name := range p.IgnoredFiles {
			if imported := firstImport(name, isGenerated); imported != "" && !seen[name] {
				seen[name] = true
				result.Notes = append(result.Notes, Note{name, 1, "it imports " + imported + ", and is not rewritten, because build constraints exclude it; run again with --build-tags, or rewrite it by hand"})
			}
		}
		if isGenerated(p.PkgPath) || p.TypesInfo == nil {
			continue
		}
		for n, syntax := range p.Syntax {
			name := p.CompiledGoFiles[n]
			if seen[name] || ast.IsGenerated(syntax) {
				continue
			}
			seen[name] = true
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			f := newFile(p, syntax, name, string(text), isGenerated)
			f.rewrite()
			result.Edits, result.Notes = append(result.Edits, f.edits...), append(result.Notes, f.notes...)
			result.UsesAdapter = result.UsesAdapter || f.imports[adapter] != ""
		}
	}
	return result, nil
}

// Problems returns the errors of the compiler in a module and its tests.
func Problems(ctx context.Context, dir string) ([]Note, error) {
	loaded, err := load(ctx, dir)
	if err != nil {
		return nil, err
	}
	return problemsOf(loaded), nil
}

func problemsOf(loaded []*packages.Package) (notes []Note) {
	for _, p := range loaded {
		for _, problem := range p.Errors {
			file, line := problem.Pos, 0
			if parts := strings.Split(problem.Pos, ":"); len(parts) >= 2 {
				file = parts[0]
				line, _ = strconv.Atoi(parts[1])
			}
			text, _, _ := strings.Cut(problem.Msg, "\n")
			if strings.HasPrefix(text, "# ") { // the go command repeats the errors of a package
				continue
			}
			if note := (Note{file, line, text}); !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// firstImport returns the first import path of a Go file that a function reports, or "".
func firstImport(name string, is func(path string) bool) string {
	if filepath.Ext(name) != ".go" {
		return ""
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil { // the go command has no error either
		return ""
	}
	for _, spec := range syntax.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && is(path) {
			return path
		}
	}
	return ""
}

func load(ctx context.Context, dir string) ([]*packages.Package, error) {
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Tests: true, Env: append(os.Environ(), "PWD="+dir),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("load the packages of the module: %w", err)
	}
	if len(loaded) == 0 {
		return nil, errors.New("the module has no packages")
	}
	return loaded, nil
}
