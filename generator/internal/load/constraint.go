package load

import (
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"strings"

	"github.com/typedinformers/informer-gen/generator/internal/regular"
)

// buildConstraint returns the //go:build line of a file, or "".
func buildConstraint(file *ast.File) string {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if comment.Pos() < file.Package && constraint.IsGoBuild(comment.Text) {
				return comment.Text
			}
		}
	}
	return ""
}

// tagged returns the //go:build line of a file that a build without build tags excludes. It is empty for
// other files.
func tagged(file *ast.File) string {
	line := buildConstraint(file)
	if line == "" {
		return ""
	}
	context := build.Default
	context.BuildTags = nil
	context.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(line + "\n\npackage p")), nil
	}
	if taken, err := context.MatchFile("", "p.go"); err != nil || taken {
		return ""
	}
	return line
}

// constraintOf returns the first of the files with a //go:build line, and that line, for a message.
func constraintOf(files []string) string {
	for _, name := range files {
		content, err := regular.ReadFile(name)
		if err != nil {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			continue
		}
		if line := buildConstraint(file); line != "" {
			return " (" + filepath.Base(name) + " has " + line + ")"
		}
	}
	return ""
}
