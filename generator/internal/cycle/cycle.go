// Package cycle finds import cycles among API packages, the packages of the user that they import, and generated ones.
// Go compiles none of them, but the go command lists them without an error.
package cycle

import (
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/model"
)

// Input has the arguments of Find.
type Input struct {
	// Packages are the import paths of the API packages.
	Packages []string
	// Modules has the folders of the modules that the user can edit, by module path. Packages of other modules import
	// none of theirs.
	Modules map[string]string
	// Generated has the files of the generated packages by import path.
	Generated map[string][][]byte
	BuildTags []string
}

// Find adds the import cycles to errs.
func Find(in Input, errs *model.Errors) {
	s := &search{Input: in, context: build.Default, state: map[string]state{}, reported: map[token.Position]bool{}, errs: errs}
	s.context.BuildTags = in.BuildTags
	for _, path := range in.Packages {
		s.visit(path)
	}
}

// search walks along imports.
type search struct {
	Input
	context build.Context
	state   map[string]state
	// stack has the imports that lead to the current package.
	stack    []step
	reported map[token.Position]bool
	errs     *model.Errors
}

type state int

const (
	isOpen state = iota + 1
	isDone
)

// step is an import of a package. pos is invalid in generated code.
type step struct {
	from, to string
	pos      token.Position
}

func (s *search) visit(path string) {
	s.state[path] = isOpen
	for _, next := range s.imports(path) {
		s.stack = append(s.stack, next)
		switch s.state[next.to] {
		case isOpen:
			s.report(next.to)
		case isDone:
		default:
			s.visit(next.to)
		}
		s.stack = s.stack[:len(s.stack)-1]
	}
	s.state[path] = isDone
}

// report adds the cycle that begins at a package on the stack. A package that imports generated ones is in many cycles
// with them, and its import is reported once.
func (s *search) report(first string) {
	cycle := s.stack[slices.IndexFunc(s.stack, func(at step) bool { return at.from == first }):]
	fix := "move what both need to another package"
	at := slices.IndexFunc(cycle, func(at step) bool { return at.pos.IsValid() && s.Generated[at.to] != nil })
	if at >= 0 {
		fix = "move the code that uses the generated package to a package that API packages do not import"
	} else {
		at = slices.IndexFunc(cycle, func(at step) bool { return at.pos.IsValid() })
	}
	pos, names := cycle[at].pos, []string{cycle[at].from}
	if s.reported[pos] {
		return
	}
	s.reported[pos] = true
	for _, at := range slices.Concat(cycle[at:], cycle[:at]) {
		names = append(names, at.to)
	}
	s.errs.Add(pos, "import cycle: %s; %s", strings.Join(names, " imports "), fix)
}

// imports returns the imports of packages that may be in a cycle, sorted.
func (s *search) imports(path string) (found []step) {
	positions := map[string][]token.Position{}
	if files := s.Generated[path]; files != nil {
		positions = importsOf(files)
	} else if dir := s.dir(path); dir != "" {
		if listed, _ := s.context.ImportDir(dir, 0); listed != nil { // with an error, it has the imports of some files
			positions = listed.ImportPos
		}
	}
	for _, to := range slices.Sorted(maps.Keys(positions)) {
		if s.Generated[to] != nil || s.dir(to) != "" {
			found = append(found, step{path, to, positions[to][0]})
		}
	}
	return found
}

// importsOf returns the import paths in generated files, which have no positions.
func importsOf(files [][]byte) map[string][]token.Position {
	found := map[string][]token.Position{}
	for _, content := range files {
		file, err := parser.ParseFile(token.NewFileSet(), "", content, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				found[path] = []token.Position{{}}
			}
		}
	}
	return found
}

// dir returns the folder of a package of one of the modules, or "".
func (s *search) dir(path string) string {
	longest := ""
	for module := range s.Modules {
		if (path == module || strings.HasPrefix(path, module+"/")) && len(module) > len(longest) {
			longest = module
		}
	}
	if longest == "" {
		return ""
	}
	root := s.Modules[longest]
	dir := filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(path, longest)))
	for at := dir; at != root; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return "" // the package is of a nested module
		}
	}
	return dir
}
