package describe

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/typedinformers/informer-gen/generator/internal/input"
	"github.com/typedinformers/informer-gen/generator/internal/model"
	"github.com/typedinformers/informer-gen/generator/internal/syntax"
)

// generatedFiles are the names of the files that a run may write to API packages.
var generatedFiles = []string{model.DeepCopyFile, model.RegisterFile}

// dropGenerated removes the files that an earlier run wrote to a package of the main module, so that
// every run reads the same: the user's own code. A file that this run does not write stays, like
// any other file of the package, unless everything in it is declared in other files too. dropGenerated
// returns the names of the removed files, which need not parse.
func dropGenerated(run *input.Run, src *syntax.Package) (dropped []string) {
	for i := len(src.Files) - 1; i >= 0 && len(src.Files) > 1; i-- {
		name := filepath.Base(src.Names[i])
		if src.Dependency || !slices.Contains(generatedFiles, name) || !isGenerated(src, i) {
			continue
		}
		if run.WritesFile(name) || src.Failures[i] == nil && isRepeated(src, i) {
			dropped = append(dropped, name)
			src.RemoveFile(i)
		}
	}
	return dropped
}

// HasEmitted reports whether a run has written files of a package that is no API package.
func HasEmitted(src *syntax.Package) bool {
	for i, name := range src.Names {
		if !slices.Contains(generatedFiles, filepath.Base(name)) && isGenerated(src, i) {
			return true
		}
	}
	return false
}

// isGenerated reports whether a file has the header of the generator above its package clause.
func isGenerated(src *syntax.Package, i int) bool {
	file := src.Files[i]
	if src.Failures[i] != nil {
		file, _ = parser.ParseFile(token.NewFileSet(), src.Names[i], nil, parser.PackageClauseOnly|parser.ParseComments)
	}
	return file != nil && slices.ContainsFunc(file.Comments, func(group *ast.CommentGroup) bool {
		return group.Pos() < file.Package && slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return c.Text == model.Header })
	})
}

// isRepeated reports whether other files declare everything that a file declares.
func isRepeated(src *syntax.Package, i int) bool {
	others := map[string]bool{}
	for n, file := range src.Files {
		if n != i && file != nil {
			for _, name := range syntax.Declared(file) {
				others[name] = true
			}
		}
	}
	return !slices.ContainsFunc(syntax.Declared(src.Files[i]), func(name string) bool { return !others[name] })
}
